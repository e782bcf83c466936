"""Component sets compiled to the tables that the core reads, and the moves that can be spelled with them."""

from libc.string cimport memset

ARROWS = ("stay", "clockwise", "counterclockwise")
WAREHOUSES = ("estate", "royal")


cdef class Move:
    """A move: a small integer inside, a text outside. Equal texts are equal moves.

    Attributes:
        code: kind * 256 + argument, as the core numbers them for one component set.
        text: as formats.md spells it, `go:zittau:0`; also `str(move)`.
    """

    def __init__(self, int code, str text):
        self.code = code
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Move({self.text!r})"

    def __eq__(self, other):
        return isinstance(other, Move) and self.text == (<Move> other).text

    def __lt__(self, Move other):
        return self.text < other.text

    def __hash__(self):
        return hash(self.text)

    def __reduce__(self):
        return Move, (self.code, self.text)


cdef class Tables:
    """A component set and a variant, compiled for the core. Get them from `lusatia_ai.position.compile_tables`.

    Args:
        components: a `ComponentSet` (checked).
        variant: a `Variant`.
    """

    def __init__(self, components, variant):
        self.components = components
        self.variant = variant
        self.towns = tuple(sorted(town.id for town in components.towns))
        self.goods = tuple(sorted(components.goods))
        self.estates = tuple(sorted(components.estates))
        self.tiles = tuple(sorted(tile.id for tile in components.warehouse_tiles))
        self.cards = tuple(sorted(card.id for card in components.automa_cards))
        self.tokens = tuple(sorted(token.id for token in
                                   (components.easy_tokens if variant.easy else components.tokens)))
        self.effects = () if variant.easy else tuple(components.companion_of(id).effects for id in self.tokens)
        memset(&self.c, 0, sizeof(GameTables))
        self._compile_variant()
        self._compile_towns()
        self._compile_tokens()
        self._compile_cards()
        self._compile_tiles()
        compile_rotations(&self.c)
        compile_distances(&self.c)
        compile_fill_order(&self.c)
        self._compile_moves()

    def __reduce__(self):
        from .position import compile_tables
        return compile_tables, (self.components, self.variant)

    def _compile_variant(self):
        cdef int i, k, besieged
        self.c.humans = self.variant.humans
        self.c.automas = self.variant.automas
        self.c.players = self.c.open_towns = self.variant.players
        self.c.easy = self.variant.easy
        self.c.must_contribute = self.variant.chooser_must_contribute
        self.c.score_automas = self.variant.score_automas
        self.c.start_favour = self.components.start.favour
        self.c.start_guards = self.components.start.guards
        for i, points in enumerate(self.components.scoring_for(self.variant.humans).points):
            self.c.place_points[i] = points
        besieged = TOWNS - self.c.open_towns
        k = 0
        for i in range(1 << TOWNS):
            if popcount(i) == besieged:
                self.c.besieged_sets[k] = i
                k += 1
        self.c.n_besieged_sets = k

    def _compile_towns(self):
        cdef int town, mask, side
        for entry in self.components.towns:
            town = self.towns.index(entry.id)
            self.c.number[town] = entry.number
            sides = entry.dark if self.variant.side_of(entry.id) == "dark" else entry.light
            for mask in range(64):
                for side in range(6):
                    if mask >> side & 1:
                        self._add_yield(&self.c.yields[town][mask], sides[side])

    cdef int _add_yield(self, Yield* total, entry) except -1:
        if entry.kind == "guards":
            total.guards += entry.amount
        elif entry.kind == "horses":
            total.horses += entry.amount
        else:
            total.goods += <uint32_t> entry.amount * piece(self.goods.index(entry.kind))

    def _compile_tokens(self):
        cdef int token
        self.c.n_tokens = len(self.tokens)
        for entry in self.components.easy_tokens if self.variant.easy else self.components.tokens:
            token = self.tokens.index(entry.id)
            self.c.tokens[token].arrows = sum(1 << side for side in entry.arrows)
            self.c.tokens[token].four_arrows = len(entry.arrows) == 4
            self.c.tokens[token].centre_estate = NONE
            if self.variant.easy:
                self.c.pools[0] |= <uint64_t> 1 << token
                self._compile_centre(&self.c.tokens[token], entry)
            else:
                self.c.pools[("1-2", "3-4", "5-6").index(entry.pool)] |= <uint64_t> 1 << token
                self._compile_effects(&self.c.tokens[token], self.effects[token])

    cdef int _compile_centre(self, TokenTable* table, entry) except -1:
        cdef Yield centre = Yield(0, 0, 0)
        if entry.estate is not None:
            table.centre_estate = self.estates.index(entry.estate)
        else:
            self._add_yield(&centre, entry.centre)
            table.centre_goods = centre.goods
            table.centre_guards = centre.guards
            table.centre_horses = centre.horses

    cdef int _compile_effects(self, TokenTable* table, effects) except -1:
        cdef Perks* perks = &table.perks
        for colour, bonus in dict(effects.per_good).items():
            perks.per_good += <uint32_t> bonus * piece(self.goods.index(colour))
        perks.discount = effects.travel_discount
        perks.extra_arrows = effects.extra_arrows
        perks.half_horses = effects.half_horses
        perks.recruit = effects.recruit
        perks.zero_bonus = effects.zero_guard_bonus
        perks.slowest = effects.slowest_bonus
        perks.estate_row = effects.estate_row_bonus
        perks.flags = (
            F_OCCUPY * bool(effects.occupy_at_one)
            | F_PRODUCER * bool(effects.produce)
            | F_FARMER * bool(effects.guard_for_good)
            | F_MERCHANT * bool(effects.swap_good)
            | F_CHAMBERLAIN * bool(effects.skip_points)
            | F_HAND_OVER * bool(effects.guards_for_points)
        )
        table.grey_cards = effects.grey_cards
        table.produce = sum(1 << self.goods.index(colour) for colour in effects.produce)
        table.skip_points = effects.skip_points
        table.points = effects.points
        table.per_four = effects.per_four_arrow_token
        table.per_dominated = effects.per_dominated_estate
        table.per_poorer = effects.per_poorer_player
        if effects.guards_for_points:
            table.hand_most, table.hand_each = effects.guards_for_points
        for estate, bonus in dict(effects.per_symbol).items():
            table.per_symbol[<int> self.estates.index(estate)] = bonus

    def _compile_cards(self):
        cdef int card, i
        decks = self.components.estate_cards
        self.c.deck_copies = decks.copies_per_estate
        self.c.grey_symbols = decks.grey_symbols
        self.c.grey_copies = decks.grey_copies_per_estate
        for i in range(DECKS):
            self.c.symbols[i] = decks.symbols[i]
        self.c.n_cards = len(self.cards)
        for entry in self.components.automa_cards:
            card = self.cards.index(entry.id)
            self.c.cards[card].n_arrows = len(entry.arrows)
            for i, arrow in enumerate(entry.arrows):
                self.c.cards[card].arrows[i] = ARROWS.index(arrow)
            self.c.cards[card].raises[0] = sum(1 << position for position in entry.early)
            self.c.cards[card].raises[1] = sum(1 << position for position in entry.late)

    def _compile_tiles(self):
        cdef int tile, side, row, slot
        cdef RowTable* table
        for entry in self.components.warehouse_tiles:
            tile = self.tiles.index(entry.id)
            for side in range(2):
                for row, row_entry in enumerate((entry.side_1, entry.side_2)[side]):
                    table = &self.c.rows[tile][side][row]
                    table.bonus = row_entry.bonus
                    table.n_slots = len(row_entry.slots)
                    for slot, slot_entry in enumerate(row_entry.slots):
                        table.colour[slot] = self.goods.index(slot_entry.colour)
                        table.points[slot] = slot_entry.points
                        table.need += piece(table.colour[slot])

    def _compile_moves(self):
        """Every move that can be spelled with this component set."""
        self.by_code = [None] * (MOVE_KINDS << 8)
        self.moves = {}
        for i, colour in enumerate(self.goods):
            for kind, word in ((M_PRODUCE, "produce"), (M_FARMER, "farmer"), (M_CHAMBERLAIN, "chamberlain")):
                self._spell(kind, i, f"{word}:{colour}")
            for j, other in enumerate(self.goods):
                if i != j:
                    self._spell(M_MERCHANT, i * 16 + j, f"merchant:{colour}>{other}")
        for i, town in enumerate(self.towns):
            for j in range(TOP_BID + 1):
                self._spell(M_GO, i * 16 + j, f"go:{town}:{j}")
        self._spell(M_ACCEPT, 0, "accept")
        self._spell(M_PASS, 0, "pass")
        for i in range(1, TOP_BID + 1):
            self._spell(M_RAISE, i, f"raise:{i}")
        for i in range(1, 64):
            self._spell(M_COLLECT, i, "collect:" + side_digits(i))
        for i, estate in enumerate(self.estates):
            self._spell(M_GREY, i, f"grey:{estate}")
        for i in range(ROWS):
            self._spell(M_ROW, i, f"row:{WAREHOUSES[i >> 2]}:{(i & 3) + 1}")
        for i in range(DECKS):
            self._spell(M_CARD, i, f"card:{self.c.symbols[i]}")
        for i in range(100):
            self._spell(M_HAND_OVER, i, f"hand_over:{i}")

    def _spell(self, int kind, int argument, str text):
        cdef Move move = Move(kind << 8 | argument, text)
        self.by_code[move.code] = move
        self.moves[text] = move

    def same_game(self, Tables other not None):
        """Whether both are compiled from equal component sets and variants."""
        return self.variant == other.variant and self.components == other.components

    def move(self, int code):
        """The `Move` with this code, or None if there is none."""
        return self.by_code[code] if 0 <= code < MOVE_KINDS << 8 else None


def side_digits(int mask):
    """A set of sides as moves spell it: its digits, ascending."""
    return "".join([str(side) for side in range(6) if mask >> side & 1])


cdef void compile_rotations(GameTables* t):
    """Rules 5.2: for every token shape and number of extra arrows, the sets of sides that can be chosen."""
    cdef int arrows, extra, turn, rotated, mask
    cdef bint reachable[64]
    in_order = sorted(range(1, 64), key=side_digits)
    for arrows in range(1, 64):
        for extra in range(ROUNDS + 1):
            memset(reachable, 0, sizeof(reachable))
            for turn in range(6):
                rotated = (arrows << turn | arrows >> (6 - turn)) & 63
                for mask in range(64):
                    if mask & rotated == rotated and popcount(mask & ~rotated) <= extra:
                        reachable[mask] = True
            for mask in in_order:
                if reachable[mask]:
                    t.rotations[arrows][extra][t.n_rotations[arrows][extra]] = mask
                    t.n_rotations[arrows][extra] += 1


cdef void compile_distances(GameTables* t):
    """Rules 3.2: guards for a journey between two places of the ring, for each place of the wagon fort."""
    cdef int fort, start, steps, clockwise, back, crosses
    for fort in range(TOWNS + 1):
        for start in range(TOWNS):
            t.distance[fort][start][start] = 1
            for steps in range(1, TOWNS):
                crosses = fort < TOWNS and (fort - start + TOWNS) % TOWNS < steps
                clockwise = steps + crosses
                back = TOWNS - steps + (fort < TOWNS and not crosses)
                t.distance[fort][start][(start + steps) % TOWNS] = clockwise if clockwise < back else back


cdef void compile_fill_order(GameTables* t):
    """Rules 6.5: chooser, first automa, the other humans from the chooser's left, further automas."""
    cdef int chooser, i, n
    for chooser in range(t.humans):
        t.fill_order[chooser][0] = chooser
        n = 1
        if t.automas:
            t.fill_order[chooser][n] = t.humans
            n += 1
        for i in range(1, t.humans):
            t.fill_order[chooser][n] = (chooser + i) % t.humans
            n += 1
        for i in range(t.humans + 1, t.players):
            t.fill_order[chooser][n] = i
            n += 1
