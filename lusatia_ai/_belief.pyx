"""Sampling worlds: full positions that one seat's view allows (rules 10), and following what guards a seat can have.

A world is the view with guards and estate cards dealt to the seats whose hands are hidden: guards by a table of weights
for each seat; cards that have left the decks and are in no known hand to one of the hidden hands or to the discard, by a
chance for each deck. Whatever the view shows is the same in every world.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ._core import require_layout

cdef float TEMPERATURE = 3.0       # favour; how far other players stray from the policy
cdef float WHIM = 0.1              # share of moves for which the policy has no reason
cdef double UNLIKELY = 1e-100      # least weight of what is possible, the greatest being 1


# --- drawing a world ------------------------------------------------------------------------------

cdef void sample_world(const WorldSource* source, GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    """Make `s` a world. Draws nothing from `rng` if the worlds are certain."""
    cdef int i
    if source.n_particles:
        copy_state(s, &source.particles[random_particle(source, rng)].state)
        return
    copy_state(s, &source.base)
    for i in range(source.n_guards):
        draw_guards(s, source, &source.guards[i], rng)
    if source.n_estates:
        deal_estates(s, t, source, rng)
    for i in range(source.n_exchanges):
        exchange(s, t, source, source.exchange_seat[i], source.exchange_token[i], rng)


cdef inline double unit(Rng* rng) noexcept nogil:
    """Uniform from 0 to less than 1, in steps of 2**-53."""
    return (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int random_particle(const WorldSource* source, Rng* rng) noexcept nogil:
    """By weight, through bisection."""
    cdef int low = 0, high = source.n_particles - 1, middle
    cdef double pick = unit(rng) * source.particles[high].cumulative
    while low < high:
        middle = (low + high) >> 1
        if pick < source.particles[middle].cumulative:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline void draw_guards(GameState* s, const WorldSource* source, const HiddenGuards* hidden, Rng* rng) noexcept nogil:
    """By weight. The likeliest values come early, so the table is read from its start."""
    cdef const GuardValue* value = &source.values[hidden.first]
    cdef const GuardValue* last = value + hidden.n - 1
    cdef double pick = unit(rng) * hidden.total
    while value < last and pick >= value.cumulative:
        value += 1
    s.favour[hidden.seat] = value.favour
    s.guards[hidden.seat] = value.guards
    if pick >= value.cumulative and value.guards < hidden.most:
        s.guards[hidden.seat] = guards_beyond(value.guards, hidden, rng)


cdef int guards_beyond(int known, const HiddenGuards* hidden, Rng* rng) noexcept nogil:
    """More guards than the table knows: geometric, drawn again where that is too many."""
    cdef int guards
    while True:
        guards = known + 1
        while guards <= hidden.most and unit(rng) < hidden.tail:
            guards += 1
        if guards <= hidden.most:
            return guards


cdef void deal_estates(GameState* s, const GameTables* t, const WorldSource* source, Rng* rng) noexcept nogil:
    cdef const CardRest* rest = random_rest(source, rng)
    cdef uint8_t discarded[DECKS][ESTATES]
    cdef int estate, deck, held = rest.known
    deal_grey(s, t, source, rest, rng)
    for deck in range(DECKS):
        for estate in range(ESTATES):
            discarded[deck][estate] = deal_cards(s, t, source, estate, deck, rest.cards[estate][deck], rng)
            if discarded[deck][estate] < rest.cards[estate][deck]:
                held |= 1 << deck
        if source.taken & ~held & 1 << deck:
            estate = random_discard(discarded[deck], rng)
            s.estates[random_hand(source, rng)][estate] += t.symbols[deck]


cdef inline const CardRest* random_rest(const WorldSource* source, Rng* rng) noexcept nogil:
    cdef double pick
    cdef int i = 0
    if source.n_rests > 1:
        pick = unit(rng) * source.rests[source.n_rests - 1].cumulative
        while i < source.n_rests - 1 and pick >= source.rests[i].cumulative:
            i += 1
    return &source.rests[i]


cdef inline int random_hand(const WorldSource* source, Rng* rng) noexcept nogil:
    return source.estate_seat[rng_below(rng, source.n_estates)]


cdef inline void deal_grey(GameState* s, const GameTables* t, const WorldSource* source, const CardRest* rest,
                           Rng* rng) noexcept nogil:
    """Each card to one of those whose companions have brought more than they have got so far; to anyone if there is none."""
    cdef uint8_t due[MAX_PLAYERS]
    cdef int estate, i, pick, total = 0
    memcpy(due, source.grey_due, sizeof(due))
    for i in range(source.n_estates):
        total += due[i]
    for estate in range(ESTATES):
        for _ in range(rest.grey[estate]):
            if total == 0:
                s.estates[random_hand(source, rng)][estate] += t.grey_symbols
                continue
            pick = rng_below(rng, total)
            i = 0
            while pick >= due[i]:
                pick -= due[i]
                i += 1
            due[i] -= 1
            total -= 1
            s.estates[source.estate_seat[i]][estate] += t.grey_symbols


cdef inline int deal_cards(GameState* s, const GameTables* t, const WorldSource* source, int estate, int deck, int cards,
                           Rng* rng) noexcept nogil:
    """Deal the cards of one estate and deck; returns how many are discarded."""
    cdef int discarded = 0
    for _ in range(cards):
        if rng_next(rng) >> 32 < source.held_below[deck]:
            s.estates[random_hand(source, rng)][estate] += t.symbols[deck]
        else:
            discarded += 1
    return discarded


cdef inline int random_discard(const uint8_t* counts, Rng* rng) noexcept nogil:
    """The estate of a random one of the discarded cards of a deck, of which there is one at least."""
    cdef int estate = 0
    cdef uint32_t pick = rng_below(rng, counts[0] + counts[1] + counts[2])
    while pick >= counts[estate]:
        pick -= counts[estate]
        estate += 1
    return estate


cdef inline void exchange(GameState* s, const GameTables* t, const WorldSource* source, int seat, int token,
                          Rng* rng) noexcept nogil:
    """A hand-over of rules 8.2 that has been decided on unseen: as many guards as possible, or any number."""
    cdef int most = t.tokens[token].hand_most, guards
    if s.guards[seat] < most:
        most = s.guards[seat]
    guards = most if rng_next(rng) >> 32 < source.all_below else <int> rng_below(rng, most + 1)
    hand_over(s, t, seat, token, guards)


# --- their owner in Python ------------------------------------------------------------------------

cdef inline uint64_t chance_below(double chance) except? 0:
    """A chance as the part of 2**32 below which a draw of 32 bits has to be."""
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance of {chance}; allowed: 0 to 1")
    return <uint64_t> (chance * 4294967296.0)


cdef void* allocate(size_t size) except NULL:
    """Zeroed memory, so that padding does not get into pickles."""
    cdef void* memory = calloc(size if size else 1, 1)
    if memory == NULL:
        raise MemoryError(f"no memory for {size} bytes of worlds")
    return memory


cdef class Worlds:
    """A source of worlds. Make one with `View.worlds` or `Belief.worlds`; it can be pickled.

    Args:
        table: the position as far as it is known; its hidden guards do not matter, its hidden estates are added to.
        guards: for each seat with hidden guards (seat, possibilities (guards, favour, weight) by ascending guards, most
            guards, tail: weight of each number above the last possibility as a share of the one before).
        estates: (seat, grey cards that its companions have brought) for each seat with hidden estates.
        rests: the ways in which the known hands can be made up, each (weight, grey cards left by estate, coloured cards
            left by estate and deck, mask of the decks of which a known hand holds a card): needed if estates are hidden.
        held: for each deck the chance that a card which is left so is in a hidden hand, not discarded.
        taken: mask of the decks whose card of this round has been taken.
        exchanges: (seat, token) for each hand-over decision that is not seen yet, in order.
        hand_over_all: the chance that as many guards as possible are handed over then.

    Attributes:
        certain: nothing is hidden, and every world is the same position.
    """

    def __init__(self, StateCore table not None, guards, estates, rests, held, taken, exchanges, hand_over_all):
        cdef int i, deck
        table.table()
        if self.tables is not None:
            raise TypeError("these worlds are made already")
        if max(len(guards), len(estates)) > MAX_PLAYERS or len(exchanges) > MAX_EXCHANGES:
            raise ValueError("more hidden hands or hand-over decisions than there can be")
        self.tables = table.tables
        copy_state(&self.source.base, &table.s)
        self._set_guards(guards)
        self._set_rests(rests if estates else ())
        for i, (seat, due) in enumerate(estates):
            self.source.estate_seat[i], self.source.grey_due[i] = seat, due
        self.source.n_estates = len(estates)
        for deck in range(DECKS):
            self.source.held_below[deck] = chance_below(held[deck])
        self.source.taken = taken
        for i, (seat, token) in enumerate(exchanges):
            self.source.exchange_seat[i], self.source.exchange_token[i] = seat, token
        self.source.n_exchanges = len(exchanges)
        self.source.all_below = chance_below(hand_over_all)
        self.certain = self.source.certain = not (self.source.n_guards or estates or exchanges)

    def __dealloc__(self):
        free(<void*> self.source.values)
        free(<void*> self.source.rests)
        free(<void*> self.source.particles)

    @staticmethod
    def of_particles(states, weights):
        """Worlds that are drawn from given positions.

        Args:
            states: positions of one game, at least one.
            weights: for each of them, in proportion to how likely it is, above 0.

        Raises:
            ValueError: for positions of different games, or weights that are not numbers above 0.
        """
        cdef Worlds worlds = Worlds.__new__(Worlds)
        cdef StateCore first = states[0]
        first.table()
        worlds.tables = first.tables
        copy_state(&worlds.source.base, &first.s)
        worlds._set_particles(states, weights)
        worlds.certain = worlds.source.certain = worlds.source.n_particles == 0
        return worlds

    def _set_particles(self, states, weights):
        cdef Particle* particles = <Particle*> allocate(len(states) * sizeof(Particle))
        cdef StateCore state
        cdef int i
        cdef bint same = True
        cdef double total = 0
        self.source.particles = particles
        for i, (state, weight) in enumerate(zip(states, weights, strict=True)):
            if state.tables is not self.tables or not 0 < weight < 1e300:
                raise ValueError(f"a position of another game, or the weight {weight}; allowed: numbers above 0")
            total += weight
            particles[i].cumulative = total
            copy_state(&particles[i].state, &state.s)
            same = same and state.same_position(states[0])
        self.source.n_particles = 0 if same else len(states)    # a single position needs no draw

    def _set_guards(self, guards):
        cdef int n = sum([len(possible) for _, possible, _, _ in guards])
        cdef GuardValue* values = <GuardValue*> allocate(n * sizeof(GuardValue))
        self.source.values = values
        for seat, possible, most, tail in guards:
            if not (0 <= seat < self.tables.c.humans and possible and 0 <= tail < 1 and most <= 32767):
                raise ValueError(f"seat {seat}, {len(possible)} possibilities, at most {most} guards, tail {tail}")
            if len(possible) == 1 and (tail == 0 or possible[0][0] >= most):  # no draw is needed
                self.source.base.guards[<int> seat], self.source.base.favour[<int> seat] = possible[0][:2]
            else:
                self._add_guards(values, seat, possible, most, tail)

    cdef int _add_guards(self, GuardValue* values, int seat, possible, int most, double tail) except -1:
        cdef HiddenGuards* hidden = &self.source.guards[self.source.n_guards]
        cdef double total = 0, weight = 0
        hidden.seat, hidden.first, hidden.n, hidden.most, hidden.tail = (
            seat, self.source.n_values, len(possible), most, tail)
        for guards, favour, weight in possible:
            total += weight
            values[self.source.n_values].cumulative = total
            values[self.source.n_values].guards, values[self.source.n_values].favour = guards, favour
            self.source.n_values += 1
        if most > guards and tail > 0:
            total += weight * tail * (1 - tail ** (most - guards)) / (1 - tail)
        if not 0 < total < 1e300:
            raise ValueError(f"weights of the guards of seat {seat} that add up to {total}")
        hidden.total = total
        self.source.n_guards += 1
        return 0

    def _set_rests(self, rests):
        cdef CardRest* kept = <CardRest*> allocate(len(rests) * sizeof(CardRest))
        cdef int i, estate, deck
        cdef double total = 0
        self.source.rests = kept
        self.source.n_rests = len(rests)
        for i, (weight, grey, cards, known) in enumerate(rests):
            total += weight
            kept[i].cumulative = total
            kept[i].known = known
            for estate in range(ESTATES):
                kept[i].grey[estate] = grey[estate]
                for deck in range(DECKS):
                    kept[i].cards[estate][deck] = cards[estate][deck]
        if rests and not 0 < total < 1e300:
            raise ValueError(f"weights of the ways to make up hands that add up to {total}")

    def sample_into(self, StateCore state not None, uint64_t seed):
        """Make `state` a world; the seed also begins its stream of chance, apart from the draws of the world."""
        cdef Rng rng
        if self.tables is None or state.tables is not self.tables:
            raise ValueError("the state is of another game")
        rng_seed(&rng, seed)
        sample_world(&self.source, &state.s, &self.tables.c, &rng)
        rng_seed(&state.rng, rng_next(&rng))

    def __reduce__(self):
        cdef WorldSource plain = self.source
        plain.values = NULL
        plain.rests = NULL
        plain.particles = NULL
        return rebuild_worlds, (
            self.tables,
            <bytes> (<char*> &plain)[:sizeof(WorldSource)],
            <bytes> (<char*> self.source.values)[:self.source.n_values * sizeof(GuardValue)],
            <bytes> (<char*> self.source.rests)[:self.source.n_rests * sizeof(CardRest)],
            <bytes> (<char*> self.source.particles)[:self.source.n_particles * sizeof(Particle)],
        )


def rebuild_worlds(Tables tables not None, bytes source not None, bytes values not None, bytes rests not None,
                   bytes particles not None):
    """Worlds from what their `__reduce__` gives.

    Raises:
        ValueError: if they were pickled by a build with another layout of the structs.
    """
    cdef Worlds worlds = Worlds.__new__(Worlds)
    cdef WorldSource* copied = &worlds.source
    cdef bint fits = <size_t> len(source) == sizeof(WorldSource)
    if fits:
        memcpy(copied, <char*> source, sizeof(WorldSource))
        fits = (copied.n_values * sizeof(GuardValue) == <size_t> len(values)
                and copied.n_rests * sizeof(CardRest) == <size_t> len(rests)
                and copied.n_particles * sizeof(Particle) == <size_t> len(particles))
    if not fits:
        raise ValueError("these worlds were pickled by another version of lusatia_ai")
    copied.values = <GuardValue*> copy_of(values)
    copied.rests = <CardRest*> copy_of(rests)
    copied.particles = <Particle*> copy_of(particles)
    worlds.tables = tables
    worlds.certain = copied.certain
    return worlds


cdef void* copy_of(bytes data) except NULL:
    cdef void* memory = allocate(len(data))
    memcpy(memory, <char*> data, len(data))
    return memory


# --- following a game -----------------------------------------------------------------------------

cdef inline bint for_farmer(int code) noexcept nogil:
    return move_kind(code) == M_FARMER or move_kind(code) == M_PASS


cdef inline void pass_over_farmer(GameState* s, const GameTables* t) noexcept nogil:
    """The seat that is asked about its Farmer has no guard after all (rules 6.3)."""
    cdef int place = 0
    while s.storing_order[place] != s.seat:
        place += 1
    s.guards[s.seat] = 0
    next_helper(s, t, place)


cdef void pass_over(GameState* s, const GameTables* t, int hidden, int seat, int code) noexcept nogil:
    """Pass over the Farmers of hidden hands that cannot have been asked, if this seat (-1: any) makes this move now."""
    while s.decision == D_FARMER and hidden >> s.seat & 1 and (seat >= 0 and seat != s.seat or not for_farmer(code)):
        pass_over_farmer(s, t)


cdef void pass_over_until(GameState* s, const GameTables* t, int hidden, const GameState* table) noexcept nogil:
    while s.decision == D_FARMER and hidden >> s.seat & 1 and not same_decision(s, table):
        pass_over_farmer(s, t)


cdef inline bint same_decision(const GameState* s, const GameState* other) noexcept nogil:
    return s.decision == other.decision and s.seat == other.seat and s.token == other.token


cdef inline void hand_over(GameState* s, const GameTables* t, int seat, int token, int guards) noexcept nogil:
    s.guards[seat] -= guards
    s.favour[seat] += guards * t.tokens[token].hand_each


cdef double move_likelihood(const GameState* s, const GameTables* t, const Evaluation* e, Move_t move) noexcept nogil:
    """How likely the seat to act makes this move, by the policy and now and then by whim; 0 only if it is illegal."""
    cdef Move_t moves[MAX_MOVES]
    cdef float weights[MAX_MOVES]
    cdef int n = legal_moves(s, t, moves), i
    for i in range(n):
        if moves[i] == move:
            policy_weights(s, t, e, moves, n, TEMPERATURE, weights)
            return (1 - WHIM) * weights[i] + WHIM / n
    return 0


cdef class GuardFilter:
    """The numbers of guards that one seat can have, each followed through the game as a position of its own.

    Whatever others do and whatever chance brings, a seat's guards follow from what they were, so the possibilities of
    different seats need not be combined. In the positions of this filter the other hidden hands hold what `assume` says.

    Args:
        table: the position as far as it is known.
        seat: whose guards are hidden.
        possible: (guards, favour, weight) for each possibility, by ascending guards.
        most: the most guards; numbers above the last possibility fare as that does.
        tail: weight of each of those as a share of the one before.
        evaluator: what the policy that models the seat goes by.
    """

    def __init__(self, StateCore table not None, int seat, possible, int most, double tail, Evaluator evaluator not None):
        cdef int i
        table.table()
        if self.tables is not None or not 0 <= seat < table.tables.c.humans or not possible:
            raise ValueError(f"a filter of seat {seat} with {len(possible)} possibilities, or one that is made already")
        self.tables, self.seat, self.tail, self.evaluator = table.tables, seat, tail, evaluator
        self.beyond = max(most - possible[len(possible) - 1][0], 0)
        self._reserve(len(possible))
        for i, (guards, favour, weight) in enumerate(possible):
            copy_state(&self.states[i], &table.s)
            self.states[i].guards[seat], self.states[i].favour[seat], self.weights[i] = guards, favour, weight

    def _reserve(self, int n):
        self.states = <GameState*> allocate(n * sizeof(GameState))
        self.weights = <double*> allocate(n * sizeof(double))
        self.n = n

    def __dealloc__(self):
        free(self.states)
        free(self.weights)

    def clone(self):
        """An independent copy."""
        cdef GuardFilter other = GuardFilter.__new__(GuardFilter)
        other.tables, other.seat, other.tail, other.evaluator = self.tables, self.seat, self.tail, self.evaluator
        other.beyond = self.beyond
        other._reserve(self.n)
        memcpy(other.states, self.states, self.n * sizeof(GameState))
        memcpy(other.weights, self.weights, self.n * sizeof(double))
        return other

    def __reduce__(self):
        return rebuild_filter, (
            self.evaluator, self.seat, self.tail, self.beyond,
            <bytes> (<char*> self.states)[:self.n * sizeof(GameState)],
            <bytes> (<char*> self.weights)[:self.n * sizeof(double)],
        )

    def possible(self):
        """(guards, favour, weight) for each possibility that is left, by ascending guards; the weights add up to 1."""
        return listed(self, NULL)

    def possible_at(self, StateCore table not None):
        """As `possible`, but only those with which the game waits for the same as in `table`."""
        return listed(self, &table.s)

    @property
    def most(self):
        """The most guards that are possible, -1 if nothing is."""
        cdef int i = self.n - 1
        if self.weights[i] > 0:
            return self.states[i].guards[self.seat] + self.beyond
        while i >= 0 and self.weights[i] == 0:
            i -= 1
        return self.states[i].guards[self.seat] if i >= 0 else -1

    def assume(self, int seat, int guards, int favour):
        """Let another seat have this hand."""
        cdef int i
        for i in range(self.n):
            self.states[i].guards[seat], self.states[i].favour[seat] = guards, favour

    def follow(self, int seat, int code, bint unseen, int hidden):
        """Carry on with a move.

        A move of the filter's own seat rules out the possibilities in which it is illegal, and weighs the others by how
        likely it is; a move of another one is taken as legal.

        Args:
            seat: who moves.
            unseen: it is not known what was done: no weights then.
            hidden: mask of the seats whose guards are hidden: a Farmer of theirs may have been passed over.
        """
        cdef const GameTables* t = &self.tables.c
        cdef GameState* s
        cdef int i
        for i in range(self.n):
            s = &self.states[i]
            if self.weights[i] > 0:
                pass_over(s, t, hidden & ~(1 << self.seat), seat, code)
                if s.seat != seat or is_chance(s) or is_over(s) or s.decision == D_FARMER and not for_farmer(code):
                    self.weights[i] = 0
                    continue
                if seat == self.seat and not unseen:
                    self.weights[i] *= move_likelihood(s, t, &self.evaluator.c, code)
                if self.weights[i] > 0:
                    apply_move(s, t, code)
        self._normalise()

    def _normalise(self):
        """Make the greatest weight 1. However unlikely a possibility has become, it stays one."""
        cdef int i
        cdef double most = 0
        for i in range(self.n):
            most = max(most, self.weights[i])
        for i in range(self.n):
            if self.weights[i] > 0:
                self.weights[i] = max(self.weights[i] / most, UNLIKELY)

    def follow_chance(self, dict outcome not None, int hidden):
        """Carry on with what chance brought, as raw fields."""
        cdef Outcome out
        cdef int i
        read_outcome(outcome, &out)
        for i in range(self.n):
            if self.weights[i] > 0:
                pass_over(&self.states[i], &self.tables.c, hidden & ~(1 << self.seat), NONE, 0)
                if is_chance(&self.states[i]):
                    apply_chance(&self.states[i], &self.tables.c, &out)
                else:
                    self.weights[i] = 0

    def reveal(self, int seat, int token, int guards):
        """A hand-over that was taken as 0 guards was of so many."""
        cdef int i
        for i in range(self.n):
            if seat == self.seat and self.states[i].guards[seat] < guards:
                self.weights[i] = 0
            hand_over(&self.states[i], &self.tables.c, seat, token, guards)

    def keep(self, StateCore table not None, int low, int high, int favour, int hidden):
        """Rule out all but `low` to `high` guards with this favour, where the game waits for the same as in `table`.

        A negative favour rules out nothing; see `settle`.
        """
        cdef int i
        cdef GameState* s
        for i in range(self.n):
            s = &self.states[i]
            pass_over_until(s, &self.tables.c, hidden & ~(1 << self.seat), &table.s)
            if not (low <= s.guards[self.seat] <= high and same_decision(s, &table.s)
                    and (favour < 0 or s.favour[self.seat] == favour)):
                self.weights[i] = 0
        self.beyond = max(min(self.beyond, high - self.states[self.n - 1].guards[self.seat]), 0)

    def settle(self, int favour):
        """Let the seat have this favour, whatever the events have led to."""
        cdef int i
        for i in range(self.n):
            self.states[i].favour[self.seat] = favour


cdef list listed(GuardFilter possible, const GameState* table):
    cdef int i, seat = possible.seat
    cdef double total = 0
    for i in range(possible.n):
        total += possible.weights[i]
    return [(possible.states[i].guards[seat], possible.states[i].favour[seat], possible.weights[i] / total)
            for i in range(possible.n)
            if possible.weights[i] > 0 and (table == NULL or same_decision(&possible.states[i], table))]


def rebuild_filter(Evaluator evaluator not None, int seat, double tail, int beyond, bytes states not None, bytes weights not None):
    """A filter from what its `__reduce__` gives."""
    cdef GuardFilter made = GuardFilter.__new__(GuardFilter)
    cdef int n = len(weights) // sizeof(double)
    if <size_t> len(states) != n * sizeof(GameState):
        raise ValueError("this belief was pickled by another version of lusatia_ai")
    made.evaluator, made.tables, made.seat, made.tail, made.beyond = evaluator, evaluator.tables, seat, tail, beyond
    made._reserve(n)
    memcpy(made.states, <char*> states, len(states))
    memcpy(made.weights, <char*> weights, len(weights))
    return made

def set_hand(StateCore table not None, int seat, int guards, int favour):
    """Let a seat have this hand."""
    table.s.guards[seat], table.s.favour[seat] = guards, favour


def carry_on(StateCore table not None, int code):
    """Carry out a move that is legal with the hands that the seats really have."""
    apply_move(&table.s, table.table(), code)


def pass_over_farmers(StateCore table not None, int hidden, int seat, int code):
    """Pass over the Farmers of hidden hands (a mask) that cannot have been asked, if a seat (-1: any) moves so now."""
    pass_over(&table.s, table.table(), hidden, seat, code)


def pass_over_farmers_until(StateCore table not None, int hidden, StateCore seen not None):
    """Pass over the Farmers of hidden hands (a mask) that are not asked, until the game waits for what `seen` shows."""
    pass_over_until(&table.s, table.table(), hidden, &seen.s)


def reveal_hand_over(StateCore table not None, int seat, int token, int guards):
    """A hand-over that was taken as 0 guards was of so many."""
    hand_over(&table.s, table.table(), seat, token, guards)


def most_handed_over(StateCore table not None, int token):
    """The most guards that a token takes (rules 8.2)."""
    return table.table().tokens[token].hand_most


require_layout("lusatia_ai._belief", sizeof(GameState), sizeof(GameTables))
