"""The forward model: set-up, legal moves, apply, chance, scoring, hash, self-check and random playouts.

Rule numbers refer to the rules of play (docs/rules.md). The parts follow the order of a round. Functions named
`next_...` carry the game on to the next decision or chance event; all that the rules do by themselves happens in them.
"""

from libc.string cimport memcmp, memcpy, memset


DECISIONS = ("produce", "travel", "respond", "collect", "grey", "farmer", "merchant", "row", "card", "hand_over",
             "setup", "round", "automa_town", "automa_card", "over")
STAGES = ("setup", "round_setup", "town_selection", "tax_collection", "storing", "final_scoring", "game_over")


# --- random numbers -------------------------------------------------------------------------------

cdef void rng_seed(Rng* rng, uint64_t seed) noexcept nogil:
    """Fill the state from one word by splitmix64, as the authors of xoshiro advise."""
    cdef int i
    cdef uint64_t z
    for i in range(4):
        seed += <uint64_t> 0x9E3779B97F4A7C15
        z = seed
        z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
        z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
        rng.s[i] = z ^ (z >> 31)


cdef inline int random_bit(uint64_t mask, Rng* rng) noexcept nogil:
    """The index of a random bit of a mask that is not empty."""
    cdef uint32_t skip = rng_below(rng, popcount(mask))
    while skip:
        mask &= mask - 1
        skip -= 1
    return lowest_bit(mask)


cdef inline void shuffle(uint8_t* items, int n, Rng* rng) noexcept nogil:
    cdef int i, j
    for i in range(n - 1, 0, -1):
        j = rng_below(rng, i + 1)
        items[i], items[j] = items[j], items[i]


# --- chance (rules 1, 2, 9.2) ---------------------------------------------------------------------

cdef void draw_setup(const GameState* s, const GameTables* t, Rng* rng, Outcome* out) noexcept nogil:
    """Rules 1.2 and 1.4."""
    cdef int i, token
    cdef uint64_t pool
    for i in range(TOWNS):
        out.ring[i] = i
        out.order[i] = i
    shuffle(out.ring, TOWNS, rng)
    shuffle(out.order, t.humans, rng)
    out.display = 0
    if not t.easy:
        pool = t.pools[2]
        for i in range(2 * t.open_towns):
            token = random_bit(pool, rng)
            pool ^= <uint64_t> 1 << token
            out.display |= <uint64_t> 1 << token


cdef void draw_round(const GameState* s, const GameTables* t, Rng* rng, Outcome* out) noexcept nogil:
    """Rules 2.1 and 2.5."""
    cdef int town, deck, token
    cdef uint64_t pool = current_pool(s, t)
    cdef uint64_t refill = s.easy_used
    out.besieged = t.besieged_sets[rng_below(rng, t.n_besieged_sets)] if t.n_besieged_sets > 1 else 0
    out.fort = rng_below(rng, TOWNS) if t.open_towns == TOWNS else NONE
    for town in range(TOWNS):
        out.tokens[town] = NONE
    # Towns are filled in random order only where the bag runs out midway: there, who gets the old tokens is chance too.
    cdef uint8_t towns[TOWNS]
    cdef int n = 0
    for town in range(TOWNS):
        if not out.besieged >> town & 1:
            towns[n] = town
            n += 1
    if popcount(pool) < n:
        shuffle(towns, n, rng)
    cdef int i
    for i in range(n):
        if not pool:
            pool = refill
        token = random_bit(pool, rng)
        pool ^= <uint64_t> 1 << token
        out.tokens[towns[i]] = token
    for deck in range(DECKS):
        out.face_up[deck] = random_card(&s.decks[deck][0], rng)
    cdef uint64_t tiles = s.tiles_left
    out.tile[1] = random_bit(tiles, rng)
    out.tile[0] = random_bit(tiles ^ <uint64_t> 1 << out.tile[1], rng)


cdef inline int random_card(const uint8_t* deck, Rng* rng) noexcept nogil:
    """The estate on a card drawn from a deck that holds `deck[estate]` cards of each estate."""
    cdef uint32_t pick = rng_below(rng, deck[0] + deck[1] + deck[2])
    if pick < deck[0]:
        return 0
    return 1 if pick < <uint32_t> (deck[0] + deck[1]) else 2


cdef inline uint64_t current_pool(const GameState* s, const GameTables* t) noexcept nogil:
    """The tokens from which this round's are drawn (rules 2.1)."""
    return s.token_pool if t.easy else s.token_pool & t.pools[(s.round - 1) >> 1]


cdef inline bint closed_to_automa(const GameState* s, const GameTables* t, int town) noexcept nogil:
    """Rules 9.2: besieged, or on its counter stands an automa or a human at 12."""
    cdef int player = s.occupant[town]
    if s.besieged >> town & 1:
        return True
    return player != NONE and (player >= t.humans or s.position[player] == TOP_BID)


cdef uint64_t towns_for_automa(const GameState* s, const GameTables* t) noexcept nogil:
    """Mask of the towns that the first placement of an automa may draw (rules 9.2, round 1)."""
    cdef int town
    cdef uint64_t mask = 0
    for town in range(TOWNS):
        if not closed_to_automa(s, t, town):
            mask |= <uint64_t> 1 << town
    return mask


cdef void draw_chance(const GameState* s, const GameTables* t, Rng* rng, Outcome* out) noexcept nogil:
    """Draw the outcome of the chance event that the position waits for; all outcomes are equally likely draws."""
    if s.decision == D_ROUND:
        draw_round(s, t, rng, out)
    elif s.decision == D_AUTOMA_CARD:
        out.pick = random_bit(s.automa_deck, rng)
    elif s.decision == D_AUTOMA_TOWN:
        out.pick = random_bit(towns_for_automa(s, t), rng)
    elif s.decision == D_SETUP:
        draw_setup(s, t, rng, out)


cdef void apply_chance(GameState* s, const GameTables* t, const Outcome* out) noexcept nogil:
    """Carry out an outcome that is possible here, and go on to the next decision or chance event."""
    if s.decision == D_ROUND:
        apply_round(s, t, out)
    elif s.decision == D_AUTOMA_CARD:
        apply_automa_card(s, t, out.pick)
    elif s.decision == D_AUTOMA_TOWN:
        automa_arrives(s, t, s.seat, out.pick)
    elif s.decision == D_SETUP:
        apply_setup(s, t, out)


cdef void draw_until_decision(GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    cdef Outcome out
    while is_chance(s):
        draw_chance(s, t, rng, &out)
        apply_chance(s, t, &out)


# --- set-up (rules 1) -----------------------------------------------------------------------------

cdef void clear_table(GameState* s) noexcept nogil:
    """What lies on the table during a round only goes away; wagons are not moved."""
    s.used = 0
    memset(s.goods, 0, sizeof(s.goods))
    s.to_place = NO_PLACES
    s.rival = NONE
    s.token = NONE
    s.besieged = 0
    s.fort = NONE
    s.evicted_from = NONE
    s.next_chooser = 0
    s.pending_card = NONE
    s.grey_left = 0
    s.tile[0] = s.tile[1] = NONE
    memset(s.storing_order, 0, sizeof(s.storing_order))
    memset(s.town_token, NONE, sizeof(s.town_token))
    memset(s.horses, 0, sizeof(s.horses))
    memset(s.filled, 0, sizeof(s.filled))
    memset(s.face_up, NONE, sizeof(s.face_up))
    memset(s.occupant, NONE, sizeof(s.occupant))
    memset(s.need, 0, sizeof(s.need))


cdef void new_game(GameState* s, const GameTables* t) noexcept nogil:
    """The position before set-up."""
    cdef int i, deck
    memset(s, 0, sizeof(GameState))
    clear_table(s)
    s.stage = SETUP
    s.decision = D_SETUP
    s.seat = NONE
    s.token_pool = t.pools[0] | t.pools[1] | t.pools[2]
    s.tiles_left = (1 << TILES) - 1
    s.automa_deck = full_automa_deck(t)
    for i in range(t.players):
        if i < t.humans:
            s.favour[i] = t.start_favour
            s.guards[i] = t.start_guards
        elif t.score_automas:
            s.favour[i] = 10
        s.position[i] = ROAD
    memset(s.wagon, NONE, sizeof(s.wagon))
    memset(s.companions, NONE, sizeof(s.companions))
    for i in range(ESTATES):
        s.grey[i] = t.grey_copies
        for deck in range(DECKS):
            s.decks[deck][i] = t.deck_copies


cdef inline int full_automa_deck(const GameTables* t) noexcept nogil:
    return (1 << t.n_cards) - 1 if t.automas else 0


cdef void apply_setup(GameState* s, const GameTables* t, const Outcome* out) noexcept nogil:
    cdef int i
    for i in range(TOWNS):
        s.ring[i] = out.ring[i]
        s.place_of[out.ring[i]] = i
    for i in range(t.humans):
        s.order[i] = out.order[i]
    if not t.easy:
        s.token_pool = t.pools[0] | t.pools[1] | out.display
    s.round = 1
    await_round(s)


# --- stage 1, round set-up (rules 2) --------------------------------------------------------------

cdef void await_round(GameState* s) noexcept nogil:
    s.stage = ROUND_SETUP
    s.decision = D_ROUND
    s.seat = NONE


cdef void apply_round(GameState* s, const GameTables* t, const Outcome* out) noexcept nogil:
    cdef int town, deck
    cdef uint64_t drawn = 0
    cdef uint64_t pool = current_pool(s, t)
    s.besieged = out.besieged
    s.fort = out.fort
    for town in range(TOWNS):
        s.town_token[town] = out.tokens[town]
        if out.tokens[town] != NONE:
            drawn |= <uint64_t> 1 << out.tokens[town]
    if t.easy and popcount(pool) < t.open_towns:
        s.token_pool = s.easy_used & ~drawn
        s.easy_used = 0
    else:
        s.token_pool &= ~drawn
    for deck in range(DECKS):
        s.face_up[deck] = out.face_up[deck]
        s.decks[deck][out.face_up[deck]] -= 1
    s.tile[0] = out.tile[0]
    s.tile[1] = out.tile[1]
    s.tiles_left &= ~(1 << out.tile[0] | 1 << out.tile[1])
    fill_need(s, t)
    next_producer(s, t, 0, 0)


cdef void fill_need(GameState* s, const GameTables* t) noexcept nogil:
    """Derive `need` from the tiles and the filled slots."""
    cdef int row, slot
    cdef const RowTable* table
    for row in range(ROWS):
        table = row_table(s, t, row)
        s.need[row] = table.need
        for slot in range(table.n_slots):
            if s.filled[row] >> slot & 1:
                s.need[row] -= piece(table.colour[slot])


cdef void next_producer(GameState* s, const GameTables* t, int place, int index) noexcept nogil:
    """Rules 2.4: the next producing token, from the `index`-th of the player at `place` in order."""
    cdef int seat, token
    for place in range(place, t.humans):
        seat = s.order[place]
        if s.perks[seat].flags & F_PRODUCER:
            for index in range(index, s.n_companions[seat]):
                token = s.companions[seat][index]
                if t.tokens[token].produce:
                    ask(s, D_PRODUCE, seat, token)
                    return
        index = 0
    start_selection(s, t)


cdef inline void ask(GameState* s, int decision, int seat, int token) noexcept nogil:
    s.decision = decision
    s.seat = seat
    s.token = token


cdef inline int index_in(const uint8_t* items, int item) noexcept nogil:
    """Where `item` stands in a list that holds it."""
    cdef int i = 0
    while items[i] != item:
        i += 1
    return i


cdef void apply_produce(GameState* s, const GameTables* t, int colour) noexcept nogil:
    cdef int seat = s.seat
    s.goods[seat] += piece(colour)
    s.used |= <uint64_t> 1 << s.token
    next_producer(s, t, index_in(s.order, seat), index_in(s.companions[seat], s.token) + 1)


# --- stage 2, town selection (rules 3 and 9) ------------------------------------------------------

cdef void start_selection(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 3.1: the first automa acts second, the further ones last."""
    cdef int i
    cdef uint32_t places = NO_PLACES
    for i in range(t.players - 1, t.humans, -1):
        places = places << 4 | i
    for i in range(t.humans - 1, 0, -1):
        places = places << 4 | s.order[i]
    if t.automas:
        places = places << 4 | t.humans
    s.to_place = places << 4 | s.order[0]
    s.stage = TOWN_SELECTION
    next_placement(s, t)


cdef void next_placement(GameState* s, const GameTables* t) noexcept nogil:
    cdef int player = s.to_place & NO_PLACE
    s.rival = NONE
    if player == NO_PLACE:
        reorder(s, t)
        return
    s.to_place = s.to_place >> 4 | NO_PLACE << 28
    if player < t.humans:
        ask(s, D_TRAVEL, player, NONE)
    else:
        ask(s, D_AUTOMA_TOWN if s.round == 1 else D_AUTOMA_CARD, player, NONE)


cdef inline void pay(GameState* s, int seat, int cost) noexcept nogil:
    """Rules 3.3: in guards, then two favour for each missing one. What cannot be paid is waived (rules 3.8)."""
    cdef int paid = cost if cost < s.guards[seat] else s.guards[seat]
    s.guards[seat] -= paid
    cost -= paid
    if cost:
        paid = s.favour[seat] >> 1
        s.favour[seat] -= 2 * (cost if cost < paid else paid)


cdef inline int positions_between(Move_t* moves, int n, int base, int low, int high) noexcept nogil:
    """Append `base` + each number from low to high (at most 12), in plain string order: 1, 10, 11, 12, 2, ..."""
    cdef int i
    if low <= 1:
        for i in range(low, (high if high < 1 else 1) + 1):
            moves[n] = base + i
            n += 1
    for i in range(low if low > 10 else 10, high + 1):
        moves[n] = base + i
        n += 1
    for i in range(low if low > 2 else 2, (high if high < 9 else 9) + 1):
        moves[n] = base + i
        n += 1
    return n


cdef inline Span entry_span(const GameState* s, const GameTables* t, int town, int money, bint destitute) noexcept nogil:
    """The counter positions at which the seat to act may enter a town (rules 3.2 to 3.5).

    `destitute`: only free towns, whatever they cost (rules 3.8).
    """
    cdef int left, occupant = s.occupant[town]
    if s.besieged >> town & 1 or town == s.evicted_from:
        return Span(0, -1)
    left = TOP_BID if destitute else money - travel_cost(s, t, s.seat, town)
    if left < 0:
        return Span(0, -1)
    if occupant == NONE:
        return Span(0, s.perks[s.seat].flags & F_OCCUPY)
    if destitute:
        return Span(0, -1)
    return Span(s.position[occupant] + 1, left if left < TOP_BID else TOP_BID)


cdef int travel_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    cdef int town, n = 0, money = wealth(s, s.seat)
    cdef Span span
    cdef bint destitute
    for destitute in range(2):
        for town in range(TOWNS):
            span = entry_span(s, t, town, money, destitute)
            n = positions_between(moves, n, make_move(M_GO, town * 16), span.low, span.high)
        if n:
            break
    return n


cdef Move_t random_travel(const GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    """One of `travel_moves` without listing them, which saves a fifth of a random playout."""
    cdef int town, size, pick, total = 0, money = wealth(s, s.seat)
    cdef Span spans[TOWNS]
    cdef bint destitute
    for destitute in range(2):
        for town in range(TOWNS):
            spans[town] = entry_span(s, t, town, money, destitute)
            size = spans[town].high - spans[town].low + 1
            total += size if size > 0 else 0
        if total:
            break
    pick = rng_below(rng, total)
    town = 0
    while True:
        size = spans[town].high - spans[town].low + 1
        if size > 0:
            if pick < size:
                return make_move(M_GO, town * 16 + spans[town].low + pick)
            pick -= size
        town += 1


cdef void apply_travel(GameState* s, const GameTables* t, int town, int position) noexcept nogil:
    cdef int seat = s.seat
    pay(s, seat, travel_cost(s, t, seat, town))
    s.evicted_from = NONE
    s.wagon[seat] = town
    s.position[seat] = position
    if s.occupant[town] == NONE:
        s.occupant[town] = seat
        next_placement(s, t)
    else:
        challenge(s, t, seat, s.occupant[town])


cdef inline void challenge(GameState* s, const GameTables* t, int bidder, int other) noexcept nogil:
    """`bidder` stands above `other` on the same counter: it is for `other` to accept or raise."""
    s.occupant[s.wagon[other]] = NONE
    s.rival = bidder
    ask(s, D_RESPOND if other < t.humans else D_AUTOMA_CARD, other, NONE)


cdef inline Span raise_span(const GameState* s) noexcept nogil:
    """Rules 3.6."""
    cdef int most = wealth(s, s.seat)
    return Span(s.position[s.rival] + 1, most if most < TOP_BID else TOP_BID)


cdef int respond_moves(const GameState* s, Move_t* moves) noexcept nogil:
    cdef Span span = raise_span(s)
    moves[0] = make_move(M_ACCEPT, 0)
    return positions_between(moves, 1, make_move(M_RAISE, 0), span.low, span.high)


cdef inline Move_t random_response(const GameState* s, Rng* rng) noexcept nogil:
    """One of `respond_moves`, without listing them."""
    cdef Span span = raise_span(s)
    cdef int raises = span.high - span.low + 1
    cdef int pick = rng_below(rng, raises + 1) if raises > 0 else 0
    return make_move(M_RAISE, span.low + pick - 1) if pick else make_move(M_ACCEPT, 0)


cdef void apply_accept(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 3.7; an automa's guards come from the reserve (rules 9.3)."""
    cdef int seat = s.seat, payer = s.rival
    if payer < t.humans:
        pay(s, payer, s.position[payer])
    s.guards[seat] += s.position[payer]
    s.occupant[s.wagon[payer]] = payer
    s.rival = NONE
    s.evicted_from = s.wagon[seat]
    s.position[seat] = ROAD
    ask(s, D_TRAVEL, seat, NONE)


cdef void apply_raise(GameState* s, const GameTables* t, int position) noexcept nogil:
    s.position[s.seat] = position
    challenge(s, t, s.seat, s.rival)


cdef void automa_arrives(GameState* s, const GameTables* t, int automa, int town) noexcept nogil:
    """Rules 9.3."""
    cdef int occupant = s.occupant[town]
    s.wagon[automa] = town
    if occupant == NONE:
        s.occupant[town] = automa
        s.position[automa] = 0
        next_placement(s, t)
    else:
        s.position[automa] = s.position[occupant] + 1
        challenge(s, t, automa, occupant)


cdef int follow_arrows(const GameState* s, const GameTables* t, int card, int town, bint leaving) noexcept nogil:
    """Where the card leads an automa from `town` (rules 9.2, 9.4); `leaving`: `stay` is skipped."""
    cdef const AutomaTable* table = &t.cards[card]
    cdef int i, step, place, goal
    for i in range(table.n_arrows):
        if table.arrows[i] == STAY:
            if not leaving and not closed_to_automa(s, t, town):
                return town
            continue
        step = 1 if table.arrows[i] == CLOCKWISE else TOWNS - 1
        place = s.place_of[town]
        for _ in range(TOWNS - 1):
            place = (place + step) % TOWNS
            goal = s.ring[place]
            if not closed_to_automa(s, t, goal):
                return goal
    return town


cdef void apply_automa_card(GameState* s, const GameTables* t, int card) noexcept nogil:
    """Rules 9.2 for a placement, 9.4 for an answer to the human who stands above."""
    cdef int automa = s.seat, human = s.rival, town = s.wagon[s.seat]
    s.automa_deck &= ~(1 << card)
    if not s.automa_deck:
        s.automa_deck = full_automa_deck(t)
    if human == NONE:
        automa_arrives(s, t, automa, follow_arrows(s, t, card, town, False))
    elif s.position[human] < TOP_BID and t.cards[card].raises[s.round > 3] >> s.position[automa] & 1:
        s.position[automa] = s.position[human] + 1
        challenge(s, t, automa, human)
    else:
        pay(s, human, s.position[human])
        if t.score_automas:
            s.favour[automa] += s.position[human]
        s.occupant[town] = human
        automa_arrives(s, t, automa, follow_arrows(s, t, card, town, True))


# --- stage 3, reordering (rules 4) ----------------------------------------------------------------

cdef void reorder(GameState* s, const GameTables* t) noexcept nogil:
    cdef int seat
    cdef int keys[MAX_PLAYERS]
    for seat in range(t.humans):
        if s.position[seat] == 0:
            s.favour[seat] += s.perks[seat].zero_bonus
        keys[seat] = s.position[seat] * 8 + t.number[s.wagon[seat]]
    sort_seats(s.order, t.humans, keys)
    start_collection(s, t)


cdef void sort_seats(uint8_t* seats, int n, const int* keys) noexcept nogil:
    """Insertion sort, ascending by `keys[seat]`; the keys are distinct, so the order that was does not matter."""
    cdef int i, j, seat
    for i in range(1, n):
        seat = seats[i]
        j = i
        while j and keys[seats[j - 1]] > keys[seat]:
            seats[j] = seats[j - 1]
            j -= 1
        seats[j] = seat


# --- stage 4, tax collection (rules 5) ------------------------------------------------------------

cdef void start_collection(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 5.1 and 5.5: automas first, then humans from the high end of the order."""
    cdef int automa, town
    cdef const Yield* gain
    s.stage = TAX_COLLECTION
    for automa in range(t.humans, t.players):
        town = s.wagon[automa]
        gain = &t.yields[town][63]
        s.goods[automa] += gain.goods
        if t.score_automas:
            s.favour[automa] += gain.guards
        if t.easy:
            s.goods[automa] += t.tokens[s.town_token[town]].centre_goods
        else:
            s.town_token[town] = NONE
    ask(s, D_COLLECT, s.order[t.humans - 1], NONE)


cdef int collect_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    """Rules 5.2."""
    cdef int token = s.town_token[s.wagon[s.seat]]
    cdef int extra = extra_arrows(s, t, s.seat, token)
    cdef int i, arrows = t.tokens[token].arrows
    for i in range(t.n_rotations[arrows][extra]):
        moves[i] = make_move(M_COLLECT, t.rotations[arrows][extra][i])
    return t.n_rotations[arrows][extra]


cdef void apply_collect(GameState* s, const GameTables* t, int sides) noexcept nogil:
    """Rules 5.3."""
    cdef int seat = s.seat, town = s.wagon[s.seat], token = s.town_token[town]
    cdef const Yield* gain = &t.yields[town][sides]
    cdef const TokenTable* table = &t.tokens[token]
    s.goods[seat] += gain.goods + table.centre_goods
    s.guards[seat] += gain.guards + table.centre_guards
    s.horses[seat] += 2 * (gain.horses + table.centre_horses)
    if t.easy:
        if table.centre_estate != NONE and s.grey[table.centre_estate]:
            take_grey(s, t, seat, table.centre_estate)
    else:
        s.town_token[town] = NONE
        s.companions[seat][s.n_companions[seat]] = token
        s.n_companions[seat] += 1
        add_perks(&s.perks[seat], &table.perks)
    s.grey_left = table.grey_cards
    next_grey(s, t)


cdef void add_perks(Perks* total, const Perks* more) noexcept nogil:
    total.per_good += more.per_good
    total.discount += more.discount
    total.extra_arrows += more.extra_arrows
    total.half_horses += more.half_horses
    total.recruit += more.recruit
    total.zero_bonus += more.zero_bonus
    total.slowest += more.slowest
    total.estate_row += more.estate_row
    total.flags |= more.flags


cdef inline void take_grey(GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    s.grey[estate] -= 1
    s.estates[seat][estate] += t.grey_symbols


cdef inline void next_grey(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 5.4, as long as cards are left; then the next collector."""
    cdef int place
    if s.grey_left and s.grey[0] | s.grey[1] | s.grey[2]:
        s.decision = D_GREY
        return
    s.grey_left = 0
    place = index_in(s.order, s.seat)
    if place:
        ask(s, D_COLLECT, s.order[place - 1], NONE)
    else:
        start_storing(s, t)


cdef void apply_grey(GameState* s, const GameTables* t, int estate) noexcept nogil:
    take_grey(s, t, s.seat, estate)
    s.grey_left -= 1
    next_grey(s, t)


# --- stage 5, storing (rules 6) -------------------------------------------------------------------

cdef void start_storing(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 6.1 and 6.2."""
    cdef int seat
    cdef int keys[MAX_PLAYERS]
    s.stage = STORING
    for seat in range(t.humans):
        s.horses[seat] += s.perks[seat].half_horses
        if s.fort != NONE and (s.wagon[seat] == s.fort or s.wagon[seat] == town_after(s, s.fort)):
            s.horses[seat] += 2
        s.storing_order[seat] = seat
        keys[seat] = -(s.horses[seat] * 8 + t.number[s.wagon[seat]])
    sort_seats(s.storing_order, t.humans, keys)
    seat = s.storing_order[t.humans - 1]
    s.favour[seat] += s.perks[seat].slowest
    next_helper(s, t, 0)


cdef inline int town_after(const GameState* s, int town) noexcept nogil:
    """The next town clockwise."""
    return s.ring[(s.place_of[town] + 1) % TOWNS]


cdef inline int unused_token(const GameState* s, const GameTables* t, int seat, int flag) noexcept nogil:
    """The seat's first token of this kind that has not been decided on this round, or NONE."""
    cdef int i, token
    if s.perks[seat].flags & flag:
        for i in range(s.n_companions[seat]):
            token = s.companions[seat][i]
            if t.tokens[token].perks.flags & flag and not s.used >> token & 1:
                return token
    return NONE


cdef void next_helper(GameState* s, const GameTables* t, int place) noexcept nogil:
    """Rules 6.3: the next Farmer or Merchant, from the player at `place` in the storing order."""
    cdef int seat, token
    for place in range(place, t.humans):
        seat = s.storing_order[place]
        if s.guards[seat]:
            token = unused_token(s, t, seat, F_FARMER)
            if token != NONE:
                ask(s, D_FARMER, seat, token)
                return
        if s.goods[seat]:
            token = unused_token(s, t, seat, F_MERCHANT)
            if token != NONE:
                ask(s, D_MERCHANT, seat, token)
                return
    next_row(s, t)


cdef void end_helper(GameState* s, const GameTables* t) noexcept nogil:
    s.used |= <uint64_t> 1 << s.token
    next_helper(s, t, index_in(s.storing_order, s.seat))


cdef inline int colour_moves(uint32_t goods, int kind, Move_t* moves) noexcept nogil:
    """One move for each colour of which there is a piece."""
    cdef int colour, n = 0
    for colour in range(GOODS):
        if count_of(goods, colour):
            moves[n] = make_move(kind, colour)
            n += 1
    return n


cdef int merchant_moves(const GameState* s, Move_t* moves) noexcept nogil:
    cdef int given, taken, n = 0
    for given in range(GOODS):
        if count_of(s.goods[s.seat], given):
            for taken in range(GOODS):
                if taken != given:
                    moves[n] = make_move(M_MERCHANT, given * 16 + taken)
                    n += 1
    moves[n] = make_move(M_PASS, 0)
    return n + 1


cdef inline bint any_row_takes(const GameState* s, uint32_t goods) noexcept nogil:
    """Whether some row has an empty slot for one of these pieces."""
    cdef uint32_t needs = 0
    cdef int row
    for row in range(ROWS):
        needs |= s.need[row]
    return (occupied_lanes(needs) & occupied_lanes(goods)) != 0


cdef inline uint32_t goods_of_all(const GameState* s, int players) noexcept nogil:
    """Packed; a lane is not 0 where the first `players` players have a piece of its colour."""
    cdef uint32_t goods = 0
    cdef int player
    for player in range(players):
        goods |= s.goods[player]
    return goods


cdef void next_row(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 6.4 and 6.8: who chooses a row, if the stage goes on."""
    cdef int seat
    if not any_row_takes(s, goods_of_all(s, t.humans if t.must_contribute else t.players)):
        end_storing(s, t)
        return
    seat = s.storing_order[s.next_chooser]
    if t.must_contribute:
        while not any_row_takes(s, s.goods[seat]) and not can_skip(s, t, seat):
            pass_chooser(s, t)
            seat = s.storing_order[s.next_chooser]
    ask(s, D_ROW, seat, NONE)


cdef inline bint can_skip(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """Rules 6.7."""
    return s.goods[seat] != 0 and unused_token(s, t, seat, F_CHAMBERLAIN) != NONE


cdef inline void pass_chooser(GameState* s, const GameTables* t) noexcept nogil:
    s.next_chooser = s.next_chooser + 1 if s.next_chooser + 1 < t.humans else 0


cdef int row_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    """Rules 6.4 and 6.7."""
    cdef int row, n = 0
    cdef uint32_t lanes = s.goods[s.seat] if t.must_contribute else goods_of_all(s, t.players)
    if can_skip(s, t, s.seat):
        n = colour_moves(s.goods[s.seat], M_CHAMBERLAIN, moves)
        if t.must_contribute and not any_row_takes(s, lanes):
            moves[n] = make_move(M_PASS, 0)
            return n + 1
    lanes = occupied_lanes(lanes)
    for row in range(ROWS):
        if occupied_lanes(s.need[row]) & lanes:
            moves[n] = make_move(M_ROW, row)
            n += 1
    return n


cdef inline void fill(GameState* s, const GameTables* t, int player, int row) noexcept nogil:
    """Rules 6.5 for one player: fill what can be filled, from left to right."""
    cdef const RowTable* table = row_table(s, t, row)
    cdef int slot, colour, points = 0
    cdef uint32_t goods = s.goods[player]
    cdef unsigned int empty
    if not occupied_lanes(goods) & occupied_lanes(s.need[row]):
        return
    empty = ((1 << table.n_slots) - 1) & ~s.filled[row]
    while empty:
        slot = lowest_bit(empty)
        empty &= empty - 1
        colour = table.colour[slot]
        if count_of(goods, colour):
            goods -= piece(colour)
            s.need[row] -= piece(colour)
            s.filled[row] |= 1 << slot
            points += table.points[slot] + count_of(s.perks[player].per_good, colour)
    s.goods[player] = goods
    if player < t.humans or t.score_automas:
        s.favour[player] += points


cdef void apply_row(GameState* s, const GameTables* t, int row) noexcept nogil:
    """Rules 6.5 and 6.6."""
    cdef int chooser = s.seat, i, bonus
    for i in range(t.players):
        fill(s, t, t.fill_order[chooser][i], row)
        if not s.need[row]:
            break
    pass_chooser(s, t)
    if not s.need[row]:
        bonus = row_table(s, t, row).bonus
        if row >= ROYAL:
            s.favour[chooser] += bonus
        else:
            s.favour[chooser] += s.perks[chooser].estate_row
            if card_on_offer(s, t, bonus):
                s.pending_card = bonus
                ask(s, D_CARD, chooser, NONE)
                return
    next_row(s, t)


cdef inline bint card_on_offer(const GameState* s, const GameTables* t, int bonus) noexcept nogil:
    cdef int deck
    for deck in range(DECKS):
        if s.face_up[deck] != NONE and t.symbols[deck] <= bonus:
            return True
    return False


cdef int card_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    cdef int deck, n = 0
    for deck in range(DECKS):
        if s.face_up[deck] != NONE and t.symbols[deck] <= s.pending_card:
            moves[n] = make_move(M_CARD, deck)
            n += 1
    return n


cdef void apply_card(GameState* s, const GameTables* t, int deck) noexcept nogil:
    s.estates[s.seat][s.face_up[deck]] += t.symbols[deck]
    s.face_up[deck] = NONE
    s.pending_card = NONE
    next_row(s, t)


cdef void use_chamberlain(GameState* s, const GameTables* t, int seat, int colour) noexcept nogil:
    cdef int token = unused_token(s, t, seat, F_CHAMBERLAIN)
    s.goods[seat] -= piece(colour)
    s.favour[seat] += t.tokens[token].skip_points
    s.used |= <uint64_t> 1 << token


cdef void end_storing(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 6.8: what Chamberlains are left are used, whichever piece it costs. Then the clean-up."""
    cdef int seat
    for seat in range(t.humans):
        while can_skip(s, t, seat):
            use_chamberlain(s, t, seat, lowest_bit(occupied_lanes(s.goods[seat])) >> 3)
    clean_up(s, t)


# --- stage 6, clean-up (rules 7) ------------------------------------------------------------------

cdef void clean_up(GameState* s, const GameTables* t) noexcept nogil:
    cdef int i
    for i in range(t.players):
        s.guards[i] += s.perks[i].recruit
        s.position[i] = ROAD
    if t.easy:
        for i in range(TOWNS):
            if s.town_token[i] != NONE:
                s.easy_used |= <uint64_t> 1 << s.town_token[i]
    elif s.round == 2:
        s.token_pool &= ~t.pools[0]
    elif s.round == 4:
        s.token_pool &= ~t.pools[1]
    if s.round == 3:
        s.tiles_left = (1 << TILES) - 1
        s.tile_side = 1
    clear_table(s)
    if s.round < ROUNDS:
        s.round += 1
        await_round(s)
    else:
        start_final_scoring(s, t)


# --- end of the game (rules 8) --------------------------------------------------------------------

cdef void start_final_scoring(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 8.1, then the first of the decisions of 8.2."""
    cdef int seat, other, poorer, i
    cdef int16_t gain[MAX_PLAYERS]
    s.stage = FINAL_SCORING
    for seat in range(t.humans):
        poorer = 0
        for other in range(t.humans):
            poorer += s.favour[other] < s.favour[seat]
        gain[seat] = 0
        for i in range(s.n_companions[seat]):
            gain[seat] += poorer * t.tokens[s.companions[seat][i]].per_poorer
    for seat in range(t.humans):
        s.favour[seat] += gain[seat]
    remember_standings(s, t)
    next_hand_over(s, t, 0, NONE)


cdef void remember_standings(GameState* s, const GameTables* t) noexcept nogil:
    cdef int seat
    s.judged_after = 0
    for seat in range(t.humans):
        s.judged_favour[seat] = s.favour[seat]
        s.judged_guards[seat] = s.guards[seat]


cdef int hand_over_after(const GameState* s, const GameTables* t, int seat, int token) noexcept nogil:
    """The seat's next exchange after `token` (NONE: its first), the dearer first, equal ones as acquired; or NONE."""
    cdef int i, candidate, best = NONE
    cdef int last_each = 256, last_index = -1
    if token != NONE:
        last_each = t.tokens[token].hand_each
        last_index = index_in(s.companions[seat], token)
    for i in range(s.n_companions[seat]):
        candidate = s.companions[seat][i]
        if not t.tokens[candidate].hand_most:
            continue
        if t.tokens[candidate].hand_each > last_each:
            continue
        if t.tokens[candidate].hand_each == last_each and i <= last_index:
            continue
        if best == NONE or t.tokens[candidate].hand_each > t.tokens[best].hand_each:
            best = candidate
    return best


cdef void next_hand_over(GameState* s, const GameTables* t, int place, int token) noexcept nogil:
    """Rules 8.2: the next exchange after `token` of the player at `place` in order."""
    cdef int seat
    for place in range(place, t.humans):
        seat = s.order[place]
        if s.perks[seat].flags & F_HAND_OVER:
            token = hand_over_after(s, t, seat, token)
            if token != NONE:
                ask(s, D_HAND_OVER, seat, token)
                return
        token = NONE
    finish(s, t)


cdef int hand_over_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    """In plain string order: 0, 1, 10, 11, ..., 2, 20, ..."""
    cdef int tens, ones, most = t.tokens[s.token].hand_most, n = 0
    if s.guards[s.seat] < most:
        most = s.guards[s.seat]
    for tens in range((most if most < 9 else 9) + 1):
        moves[n] = make_move(M_HAND_OVER, tens)
        n += 1
        if tens:
            for ones in range(10 * tens, (most if most < 10 * tens + 9 else 10 * tens + 9) + 1):
                moves[n] = make_move(M_HAND_OVER, ones)
                n += 1
    return n


cdef void apply_hand_over(GameState* s, const GameTables* t, int guards) noexcept nogil:
    s.guards[s.seat] -= guards
    s.favour[s.seat] += guards * t.tokens[s.token].hand_each
    next_hand_over(s, t, index_in(s.order, s.seat), s.token)


cdef void finish(GameState* s, const GameTables* t) noexcept nogil:
    """Rules 8.3 to 8.5; all of it only adds up, so the order does not matter once Gamekeepers are judged."""
    cdef int seat, estate
    for seat in range(t.humans):
        s.favour[seat] += fixed_points(s, t, seat)
        for estate in range(ESTATES):
            s.favour[seat] += estate_points(s, t, seat, estate) + symbol_points(s, t, seat, estate)
    s.stage = GAME_OVER
    ask(s, D_OVER, NONE, NONE)


cdef int winners_of(const GameState* s, const GameTables* t) noexcept nogil:
    """Mask of the seats that win as the standings are now (rules 8.6)."""
    cdef int seat, score, best = -1, mask = 0
    for seat in range(t.humans):
        score = s.favour[seat] << 16 | s.guards[seat]
        if score > best:
            best = score
            mask = 0
        if score == best:
            mask |= 1 << seat
    return mask


# --- moves ----------------------------------------------------------------------------------------

cdef int legal_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil:
    """Write all moves to a buffer of MAX_MOVES, in canonical order; returns their number, 0 at chance and at the end."""
    cdef int decision = s.decision, n = 0, colour
    if decision == D_TRAVEL:
        return travel_moves(s, t, moves)
    if decision == D_RESPOND:
        return respond_moves(s, moves)
    if decision == D_ROW:
        return row_moves(s, t, moves)
    if decision == D_COLLECT:
        return collect_moves(s, t, moves)
    if decision == D_CARD:
        return card_moves(s, t, moves)
    if decision == D_MERCHANT:
        return merchant_moves(s, moves)
    if decision == D_HAND_OVER:
        return hand_over_moves(s, t, moves)
    if decision == D_FARMER:
        n = colour_moves(0x01010101, M_FARMER, moves)
        moves[n] = make_move(M_PASS, 0)
        return n + 1
    if decision == D_PRODUCE:
        for colour in range(GOODS):
            if t.tokens[s.token].produce >> colour & 1:
                moves[n] = make_move(M_PRODUCE, colour)
                n += 1
    elif decision == D_GREY:
        for colour in range(ESTATES):
            if s.grey[colour]:
                moves[n] = make_move(M_GREY, colour)
                n += 1
    return n


cdef void apply_move(GameState* s, const GameTables* t, Move_t move) noexcept nogil:
    """Carry out a legal move, and go on to the next decision or chance event."""
    cdef int kind = move_kind(move), argument = move_argument(move)
    if kind == M_GO:
        apply_travel(s, t, argument >> 4, argument & 15)
    elif kind == M_ACCEPT:
        apply_accept(s, t)
    elif kind == M_RAISE:
        apply_raise(s, t, argument)
    elif kind == M_ROW:
        apply_row(s, t, argument)
    elif kind == M_COLLECT:
        apply_collect(s, t, argument)
    elif kind == M_CARD:
        apply_card(s, t, argument)
    elif kind == M_GREY:
        apply_grey(s, t, argument)
    elif kind == M_PRODUCE:
        apply_produce(s, t, argument)
    elif kind == M_CHAMBERLAIN:
        use_chamberlain(s, t, s.seat, argument)
        pass_chooser(s, t)
        next_row(s, t)
    elif kind == M_FARMER:
        s.guards[s.seat] -= 1
        s.goods[s.seat] += piece(argument)
        end_helper(s, t)
    elif kind == M_MERCHANT:
        s.goods[s.seat] += piece(argument & 15) - piece(argument >> 4)
        end_helper(s, t)
    elif kind == M_HAND_OVER:
        apply_hand_over(s, t, argument)
    elif kind == M_PASS:
        if s.decision == D_ROW:
            pass_chooser(s, t)
            next_row(s, t)
        else:
            end_helper(s, t)


# --- playouts -------------------------------------------------------------------------------------

cdef Move_t random_move(const GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    """A uniformly random legal move at a decision."""
    cdef Move_t moves[MAX_MOVES]
    if s.decision == D_TRAVEL:
        return random_travel(s, t, rng)
    if s.decision == D_RESPOND:
        return random_response(s, rng)
    return moves[rng_below(rng, legal_moves(s, t, moves))]


cdef int random_playout(GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    """Play to the end with uniformly random moves; returns the number of decisions."""
    cdef int decisions = 0
    cdef Outcome outcome
    while s.decision != D_OVER:
        if is_chance(s):
            draw_chance(s, t, rng, &outcome)
            apply_chance(s, t, &outcome)
        else:
            apply_move(s, t, random_move(s, t, rng))
            decisions += 1
    return decisions


# --- hash and self-check --------------------------------------------------------------------------

cdef inline size_t position_bytes(const GameState* s) noexcept nogil:
    """The bytes that make up the position: all fields before the `judged_` ones."""
    return <const uint8_t*> &s.judged_favour[0] - <const uint8_t*> s


cdef uint64_t hash_state(const GameState* s) noexcept nogil:
    """64 bits over the whole position, `judged_` fields excepted; equal positions have equal hashes."""
    cdef const uint8_t* data = <const uint8_t*> s
    cdef size_t size = position_bytes(s), done = 0
    cdef uint64_t word, h = 0x9E3779B97F4A7C15
    while done < size:
        word = 0
        memcpy(&word, data + done, 8 if size - done >= 8 else size - done)
        h = (rotate_left(h, 29) ^ word) * <uint64_t> 0xBF58476D1CE4E5B9
        done += 8
    h = (h ^ (h >> 32)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 29)


cdef const char* check_state(const GameState* s, const GameTables* t) noexcept nogil:
    """The label of the first invariant that does not hold, or NULL. Slow; for tests and loaded positions."""
    cdef const char* fault = check_decision(s, t)
    if fault == NULL:
        fault = check_players(s, t)
    if fault == NULL:
        fault = check_derived(s, t)
    if fault == NULL:
        fault = check_totals(s, t)
    return fault


cdef const char* check_decision(const GameState* s, const GameTables* t) noexcept nogil:
    cdef Move_t moves[MAX_MOVES]
    cdef int n
    if s.round > ROUNDS or s.stage > GAME_OVER or s.decision > D_OVER:
        return b"round, stage or decision out of range"
    if (s.decision == D_OVER) != (s.stage == GAME_OVER):
        return b"the game is over without its last stage, or the other way round"
    if is_chance(s) or is_over(s):
        return NULL
    if s.seat >= t.humans:
        return b"a decision that no human takes"
    n = legal_moves(s, t, moves)
    if not 0 < n <= MAX_MOVES:
        return b"a decision without a move"
    return NULL


cdef const char* check_players(const GameState* s, const GameTables* t) noexcept nogil:
    cdef int player, other
    for player in range(t.players):
        if s.favour[player] < 0 or s.guards[player] < 0:
            return b"favour or guards below 0"
        if not ROAD <= s.position[player] <= TOP_BID:
            return b"a counter position out of range"
        if s.position[player] == ROAD:
            continue
        if s.besieged >> s.wagon[player] & 1:
            return b"a wagon on the counter of a besieged town"
        for other in range(player):
            if s.wagon[other] == s.wagon[player] and s.position[other] != ROAD and not (
                    s.rival != NONE and (s.seat == other and s.rival == player or s.seat == player and s.rival == other)
                    and s.position[s.seat] < s.position[s.rival]):
                return b"two wagons on one counter, and no conflict between them"
    if s.stage == TAX_COLLECTION or s.stage == STORING:
        for player in range(t.players):
            if s.position[player] == ROAD:
                return b"a wagon without a town after town selection"
    return NULL


cdef const char* check_derived(const GameState* s, const GameTables* t) noexcept nogil:
    cdef GameState fresh
    copy_state(&fresh, s)
    derive(&fresh, t)
    if hash_state(&fresh) != hash_state(s):
        return b"derived fields do not follow from the others"
    return NULL


cdef void derive(GameState* s, const GameTables* t) noexcept nogil:
    """Compute the derived fields from the others."""
    cdef int i, index, player
    memset(s.place_of, 0, sizeof(s.place_of))
    memset(s.occupant, NONE, sizeof(s.occupant))
    memset(s.n_companions, 0, sizeof(s.n_companions))
    memset(s.need, 0, sizeof(s.need))
    memset(s.perks, 0, sizeof(s.perks))
    if s.stage != SETUP:
        for i in range(TOWNS):
            s.place_of[s.ring[i]] = i
    for player in range(t.players):
        if s.position[player] != ROAD and (s.rival == NONE or s.wagon[player] != s.wagon[s.rival]):
            s.occupant[s.wagon[player]] = player
        for index in range(ROUNDS):
            if s.companions[player][index] != NONE:
                s.n_companions[player] += 1
                add_perks(&s.perks[player], &t.tokens[s.companions[player][index]].perks)
    if s.tile[0] != NONE:
        fill_need(s, t)


cdef const char* check_totals(const GameState* s, const GameTables* t) noexcept nogil:
    """Tokens lie in one place only; what is missing from decks and supply is enough for what the players hold."""
    cdef int i, index, deck, estate, held, gone
    cdef uint64_t seen = s.token_pool, bit
    if s.easy_used & seen:
        return b"a token in the bag and on the used pile"
    seen |= s.easy_used
    for i in range(TOWNS):
        if s.town_token[i] != NONE:
            bit = <uint64_t> 1 << s.town_token[i]
            if seen & bit:
                return b"a token in two places"
            seen |= bit
    for i in range(t.players):
        for index in range(s.n_companions[i]):
            bit = <uint64_t> 1 << s.companions[i][index]
            if seen & bit:
                return b"a token in two places"
            seen |= bit
    for estate in range(ESTATES):
        gone = (t.grey_copies - s.grey[estate]) * t.grey_symbols
        if s.grey[estate] > t.grey_copies:
            return b"too many grey cards in the supply"
        for deck in range(DECKS):
            if s.decks[deck][estate] + (s.face_up[deck] == estate) > t.deck_copies:
                return b"too many estate cards in a deck"
            gone += (t.deck_copies - s.decks[deck][estate] - (s.face_up[deck] == estate)) * t.symbols[deck]
        held = 0
        for i in range(t.humans):
            held += s.estates[i][estate]
        if held > gone:
            return b"more symbols in hands than cards have left the decks"
        if held < (t.grey_copies - s.grey[estate]) * t.grey_symbols:
            return b"grey cards are missing"
    return NULL


# --- a position in Python -------------------------------------------------------------------------

cdef extern from *:
    """
    #define lusatia_new(cls, args) (((PyTypeObject *) (cls))->tp_new((PyTypeObject *) (cls), (args), NULL))
    """
    object new_like "lusatia_new"(object cls, object args)


cdef tuple NO_ARGUMENTS = ()


cdef class StateCore:
    """A position with its tables and its own stream of chance: what `State` is built on.

    Everything that needs no text is here, so that it is as fast as Python allows.
    """

    cdef const GameTables* table(self) except NULL:
        if self.tables is None:
            raise TypeError("this state is empty: make states with State.new, State.from_json or clone")
        return &self.tables.c

    def _setup(self, Tables tables not None, bint manual, uint64_t seed):
        """Become the position before set-up."""
        if tables.by_code is None:
            raise TypeError("these tables are empty")
        self.tables = tables
        self.manual = manual
        rng_seed(&self.rng, seed)
        new_game(&self.s, &tables.c)

    def clone(self):
        """An independent copy, its stream of chance included: the same draws come out of both."""
        self.table()
        cdef StateCore other = <StateCore> new_like(type(self), NO_ARGUMENTS)
        copy_state(&other.s, &self.s)
        other.rng = self.rng
        other.tables = self.tables
        other.manual = self.manual
        return other

    __copy__ = clone

    def __deepcopy__(self, memo):
        return self.clone()

    @property
    def stream(self):
        """The state of the stream of chance: four words of 64 bits."""
        return self.rng.s[0], self.rng.s[1], self.rng.s[2], self.rng.s[3]

    @stream.setter
    def stream(self, words):
        self.rng.s[0], self.rng.s[1], self.rng.s[2], self.rng.s[3] = words

    def next_word(self):
        """64 random bits from the stream of chance."""
        return rng_next(&self.rng)

    def legal_moves(self):
        """All legal `Move`s in canonical order; empty at a chance event and when the game is over."""
        cdef Move_t moves[MAX_MOVES]
        cdef int i, n = legal_moves(&self.s, self.table(), moves)
        cdef list by_code = self.tables.by_code
        return [by_code[moves[i]] for i in range(n)]

    def is_legal_code(self, int code):
        cdef Move_t moves[MAX_MOVES]
        cdef int i
        for i in range(legal_moves(&self.s, self.table(), moves)):
            if moves[i] == code:
                return True
        return False

    def apply_code(self, int code):
        """Carry out a legal move; unless `manual`, draw what chance decides next. False, and nothing done, if illegal."""
        if not self.is_legal_code(code):
            return False
        apply_move(&self.s, &self.tables.c, code)
        if not self.manual:
            draw_until_decision(&self.s, &self.tables.c, &self.rng)
        return True

    def draw_chance(self):
        """Draw all chance up to the next decision from the state's own stream."""
        draw_until_decision(&self.s, self.table(), &self.rng)

    def _sample_outcome(self, seed):
        """Draw an outcome of the pending chance event, as raw fields; see `_apply_outcome`.

        Args:
            seed: 64 bits; None draws from the state's own stream, as `draw_chance` does.
        """
        cdef Outcome out
        cdef Rng rng
        cdef int i
        memset(&out, 0, sizeof(Outcome))
        if seed is None:
            draw_chance(&self.s, self.table(), &self.rng, &out)
        else:
            rng_seed(&rng, seed)
            draw_chance(&self.s, self.table(), &rng, &out)
        return {
            "display": out.display, "ring": [out.ring[i] for i in range(TOWNS)],
            "order": [out.order[i] for i in range(self.tables.c.humans)],
            "tokens": [out.tokens[i] for i in range(TOWNS)], "face_up": [out.face_up[i] for i in range(DECKS)],
            "tile": [out.tile[0], out.tile[1]], "besieged": out.besieged, "fort": out.fort, "pick": out.pick,
        }

    def _apply_outcome(self, dict raw not None):
        """Carry out an outcome of the pending chance event, which must be possible (the caller has checked it)."""
        cdef Outcome out
        self.table()
        if not is_chance(&self.s):
            raise ValueError("the position waits for no chance event")
        read_outcome(raw, &out)
        apply_chance(&self.s, &self.tables.c, &out)
        if not self.manual:
            draw_until_decision(&self.s, &self.tables.c, &self.rng)

    def playout(self, seed=None):
        """Play a copy to the end with uniformly random moves.

        Args:
            seed: an integer from 0 to 2**64 - 1; None goes on with the state's own stream.

        Returns:
            (favour of each human, winning seats), the state itself untouched.
        """
        cdef GameState s
        cdef Rng rng = self.rng
        cdef const GameTables* t = self.table()
        if seed is not None:
            rng_seed(&rng, seed)
        copy_state(&s, &self.s)
        with nogil:
            random_playout(&s, t, &rng)
        return favour_tuple(&s, t.humans), seats_tuple(winners_of(&s, t))

    def towns_for_automa(self):
        """Mask of the towns that an `automa_town` event may draw."""
        return towns_for_automa(&self.s, self.table())

    def _decided_exchanges(self):
        """The hand-over decisions that come before the present one, as (seat, token), in the order of rules 8.2."""
        cdef int place, seat, token
        cdef const GameTables* t = self.table()
        decided = []
        if self.s.decision != D_HAND_OVER:
            return decided
        for place in range(t.humans):
            seat = self.s.order[place]
            token = hand_over_after(&self.s, t, seat, NONE)
            while token != NONE:
                if seat == self.s.seat and token == self.s.token:
                    return decided
                decided.append((seat, token))
                token = hand_over_after(&self.s, t, seat, token)
        return decided

    def travel_costs(self):
        """Guards that the seat to act would pay for the way to each town, by town (a `travel` decision)."""
        cdef int town
        self.table()
        if self.s.decision != D_TRAVEL:
            raise ValueError("nobody travels here")
        return [travel_cost(&self.s, &self.tables.c, self.s.seat, town) for town in range(TOWNS)]

    def check(self):
        """The label of the first broken invariant, or None."""
        cdef const char* label = check_state(&self.s, self.table())
        return None if label == NULL else label.decode()

    @property
    def hash(self):
        """64 bits that are equal for equal positions, whatever way led there."""
        self.table()
        return hash_state(&self.s)

    def same_position(self, StateCore other not None):
        """Whether both are the same position of the same game."""
        return ((self.tables is other.tables or self.tables.same_game(other.tables))
                and memcmp(&self.s, &other.s, position_bytes(&self.s)) == 0)

    @property
    def is_over(self):
        return self.s.decision == D_OVER

    @property
    def is_chance(self):
        """Whether the position waits for a chance event."""
        return bool(is_chance(&self.s))

    @property
    def seat_to_act(self):
        """The seat that decides, or None at a chance event and when the game is over."""
        self.table()
        return None if self.s.decision >= D_SETUP else self.s.seat

    @property
    def decision(self):
        """What is decided, as formats.md names it: `travel`, ..., `chance`; None when the game is over."""
        self.table()
        if self.s.decision == D_OVER:
            return None
        return "chance" if is_chance(&self.s) else DECISIONS[self.s.decision]

    @property
    def chance_event(self):
        """The chance event that the position waits for (`setup`, `round`, `automa_town`, `automa_card`), or None."""
        self.table()
        return DECISIONS[self.s.decision] if is_chance(&self.s) else None

    @property
    def round(self):
        """1-6; 0 before set-up."""
        self.table()
        return self.s.round

    @property
    def stage(self):
        """`setup`, `round_setup`, `town_selection`, `tax_collection`, `storing`, `final_scoring` or `game_over`."""
        self.table()
        return STAGES[self.s.stage]

    @property
    def favour(self):
        """Favour of each human seat."""
        return favour_tuple(&self.s, self.table().humans)

    @property
    def winners(self):
        """The seats that win (more than one: shared), empty as long as the game goes on."""
        self.table()
        return seats_tuple(winners_of(&self.s, &self.tables.c)) if self.s.decision == D_OVER else ()

    def raw(self):
        """All fields that are not derived, as Python numbers, lists and None."""
        cdef GameState* s = &self.s
        cdef int i, j
        cdef int players = self.table().players
        return {
            "token_pool": s.token_pool, "easy_used": s.easy_used, "used": s.used, "automa_deck": s.automa_deck,
            "stage": s.stage, "decision": s.decision, "seat": s.seat, "rival": s.rival, "token": s.token,
            "round": s.round, "besieged": s.besieged, "fort": s.fort, "evicted_from": s.evicted_from,
            "next_chooser": s.next_chooser, "pending_card": s.pending_card, "grey_left": s.grey_left,
            "tiles_left": s.tiles_left, "tile_side": s.tile_side,
            "to_place": [s.to_place >> 4 * i & NO_PLACE for i in range(8) if s.to_place >> 4 * i & NO_PLACE != NO_PLACE],
            "goods": [[count_of(s.goods[i], j) for j in range(GOODS)] for i in range(players)],
            "favour": [s.favour[i] for i in range(players)], "guards": [s.guards[i] for i in range(players)],
            "tile": [s.tile[i] for i in range(2)], "ring": [s.ring[i] for i in range(TOWNS)],
            "order": [s.order[i] for i in range(self.tables.c.humans)],
            "storing_order": [s.storing_order[i] for i in range(self.tables.c.humans)],
            "town_token": [s.town_token[i] for i in range(TOWNS)], "wagon": [s.wagon[i] for i in range(players)],
            "position": [s.position[i] for i in range(players)], "horses": [s.horses[i] for i in range(players)],
            "estates": [[s.estates[i][j] for j in range(ESTATES)] for i in range(players)],
            "companions": [[s.companions[i][j] for j in range(s.n_companions[i])] for i in range(players)],
            "filled": [s.filled[i] for i in range(ROWS)], "face_up": [s.face_up[i] for i in range(DECKS)],
            "decks": [[s.decks[i][j] for j in range(ESTATES)] for i in range(DECKS)],
            "grey": [s.grey[i] for i in range(ESTATES)],
            "judged_favour": [s.judged_favour[i] for i in range(self.tables.c.humans)],
            "judged_after": s.judged_after,
            "judged_guards": [s.judged_guards[i] for i in range(self.tables.c.humans)],
        }

    def _load_raw(self, dict raw not None):
        """Become the position of these fields (as `raw` gives them; judged values are optional), and `check` it.

        Numbers out of a field's range raise OverflowError; the caller checks them first.
        """
        cdef GameState* s = &self.s
        cdef int i, j
        new_game(s, self.table())
        s.token_pool, s.easy_used, s.used = raw["token_pool"], raw["easy_used"], raw["used"]
        s.automa_deck, s.stage, s.decision = raw["automa_deck"], raw["stage"], raw["decision"]
        s.seat, s.rival, s.token, s.round = raw["seat"], raw["rival"], raw["token"], raw["round"]
        s.besieged, s.fort, s.evicted_from = raw["besieged"], raw["fort"], raw["evicted_from"]
        s.next_chooser, s.pending_card, s.grey_left = raw["next_chooser"], raw["pending_card"], raw["grey_left"]
        s.tiles_left, s.tile_side = raw["tiles_left"], raw["tile_side"]
        for player in reversed(raw["to_place"]):
            s.to_place = s.to_place << 4 | <uint32_t> player
        for i, counts in enumerate(raw["goods"]):
            s.goods[i] = 0
            for j in range(GOODS):
                s.goods[i] += <uint32_t> counts[j] * piece(j)
        for i in range(self.tables.c.players):
            s.favour[i], s.guards[i] = raw["favour"][i], raw["guards"][i]
            s.wagon[i], s.position[i], s.horses[i] = raw["wagon"][i], raw["position"][i], raw["horses"][i]
            for j in range(ESTATES):
                s.estates[i][j] = raw["estates"][i][j]
            for j, token in enumerate(raw["companions"][i]):
                s.companions[i][j] = token
        for i in range(self.tables.c.humans):
            s.order[i] = raw["order"][i]
            s.storing_order[i] = raw["storing_order"][i]
        for i in range(TOWNS):
            s.ring[i], s.town_token[i] = raw["ring"][i], raw["town_token"][i]
        for i in range(DECKS):
            s.face_up[i] = raw["face_up"][i]
            for j in range(ESTATES):
                s.decks[i][j] = raw["decks"][i][j]
        for i in range(ROWS):
            s.filled[i] = raw["filled"][i]
        for i in range(ESTATES):
            s.grey[i] = raw["grey"][i]
        s.tile[0], s.tile[1] = raw["tile"]
        derive(s, &self.tables.c)
        remember_standings(s, &self.tables.c)
        s.judged_after = raw["judged_after"] if "judged_after" in raw else len(self._decided_exchanges())
        for i in range(self.tables.c.humans):
            if "judged_favour" in raw:
                s.judged_favour[i], s.judged_guards[i] = raw["judged_favour"][i], raw["judged_guards"][i]
        return self.check()


cdef int read_outcome(dict raw, Outcome* out) except -1:
    """Fill in an outcome from raw fields."""
    cdef int i
    for key, most in (("ring", TOWNS), ("order", MAX_PLAYERS), ("tokens", TOWNS), ("face_up", DECKS), ("tile", 2)):
        if len(raw.get(key, ())) > most:
            raise ValueError(f"too long a list: {key}")
    memset(out, 0, sizeof(Outcome))
    for i, town in enumerate(raw.get("ring", ())):
        out.ring[i] = town
    for i, seat in enumerate(raw.get("order", ())):
        out.order[i] = seat
    for i, token in enumerate(raw.get("tokens", ())):
        out.tokens[i] = token
    for i, estate in enumerate(raw.get("face_up", ())):
        out.face_up[i] = estate
    for i, tile in enumerate(raw.get("tile", ())):
        out.tile[i] = tile
    out.display = raw.get("display", 0)
    out.besieged = raw.get("besieged", 0)
    out.fort = raw.get("fort", NONE)
    out.pick = raw.get("pick", 0)
    return 0


cdef tuple favour_tuple(const GameState* s, int humans):
    cdef int seat
    return tuple([s.favour[seat] for seat in range(humans)])


cdef tuple seats_tuple(int mask):
    cdef int seat
    return tuple([seat for seat in range(MAX_PLAYERS) if mask >> seat & 1])


def require_layout(str user not None, size_t state_size, size_t tables_size):
    """Refuse an extension that was built against another layout of the core: its results would be silently wrong.

    Raises:
        ImportError: if its structs have other sizes than ours.
    """
    if state_size != sizeof(GameState) or tables_size != sizeof(GameTables):
        raise ImportError(f"{user} was built against another lusatia_ai._core: build all extensions again")
