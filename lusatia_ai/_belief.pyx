"""Sampling worlds: full positions that one seat's view allows (rules 10).

A world is the view with guards and estate cards dealt to the seats whose hands are hidden: guards by a table of weights
for each seat, cards that have left the decks and are in no known hand to one of the hidden hands or to the discard, by a
chance for each deck. Or it is one of the weighted particles that a belief has followed through the game. Whatever the
view shows is the same in every world.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from ._core import require_layout


# --- drawing a world ------------------------------------------------------------------------------

cdef void sample_world(const WorldSource* source, GameState* s, const GameTables* t, Rng* rng) noexcept nogil:
    """Make `s` a world. Draws nothing from `rng` if the worlds are certain."""
    cdef int i
    if source.n_particles:
        copy_state(s, &source.particles[random_particle(source, rng)])
    else:
        copy_state(s, &source.base)
        for i in range(source.n_guards):
            s.guards[source.guards[i].seat] = random_guards(&source.guards[i], rng)
        if source.n_estates:
            deal_estates(s, t, source, rng)
    for i in range(source.n_exchanges):
        exchange(s, t, source, source.exchange_seat[i], source.exchange_token[i], rng)


cdef inline double unit(Rng* rng) noexcept nogil:
    """Uniform from 0 to less than 1, in steps of 2**-53."""
    return (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int random_particle(const WorldSource* source, Rng* rng) noexcept nogil:
    """By weight; bisection of the running sums."""
    cdef double pick = unit(rng) * source.cumulative[source.n_particles - 1]
    cdef int low = 0, high = source.n_particles - 1, middle
    while low < high:
        middle = (low + high) >> 1
        if pick < source.cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline int random_guards(const HiddenGuards* guards, Rng* rng) noexcept nogil:
    """By weight; most values are near the low one, so the table is read from there."""
    cdef double pick = unit(rng) * guards.total
    cdef int i
    for i in range(guards.n):
        if pick < guards.cumulative[i]:
            return guards.low + i
    return far_guards(guards, rng)


cdef int far_guards(const HiddenGuards* guards, Rng* rng) noexcept nogil:
    """A number beyond the table: geometric, and drawn again where it goes beyond the highest."""
    cdef int first = guards.low + guards.n, value
    if first > guards.high:              # rounding of the total
        return guards.high
    while True:
        value = first
        while value <= guards.high and unit(rng) < guards.tail:
            value += 1
        if value <= guards.high:
            return value


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
    s.guards[seat] -= guards
    s.favour[seat] += guards * t.tokens[token].hand_each


# --- their owner in Python ------------------------------------------------------------------------

cdef inline uint64_t chance_below(double chance) except? 0:
    """A chance as the part of 2**32 below which a draw of 32 bits has to be."""
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance of {chance}; allowed: 0 to 1")
    return <uint64_t> (chance * 4294967296.0)


cdef void* allocate(size_t size) except NULL:
    cdef void* memory = malloc(size if size else 1)
    if memory == NULL:
        raise MemoryError(f"no memory for {size} bytes of worlds")
    return memory


cdef class Worlds:
    """A source of worlds. Make one with `View.worlds` or `Belief.worlds`; it can be pickled.

    Args:
        view: the view as a `StateCore`, hidden guards and estates being 0.
        guards: for each seat with hidden guards (seat, lowest, highest, weights of the values from the lowest on, tail:
            weight of each further value as a share of the one before).
        estates: (seat, grey cards that its companions have brought) for each seat with hidden estates.
        rests: the ways in which the known hands can be made up, each (weight, grey cards left by estate, coloured cards
            left by estate and deck, mask of the decks of which a known hand holds a card): needed if estates are hidden.
        held: for each deck the chance that a card which is left so is in a hidden hand, not discarded.
        taken: mask of the decks whose card of this round has been taken.
        exchanges: (seat, token) for each hand-over decision that the view does not show, in order.
        hand_over_all: the chance that as many guards as possible are handed over then.

    Attributes:
        certain: nothing is hidden, and every world is the same position.
    """

    def __init__(self, StateCore view not None, guards, estates, rests, held, taken, exchanges, hand_over_all):
        cdef int i, deck
        view.table()
        self._clear(view.tables)
        copy_state(&self.source.base, &view.s)
        if len(guards) > MAX_PLAYERS or len(estates) > MAX_PLAYERS:
            raise ValueError("more hidden hands than there can be")
        if estates and not rests:
            raise ValueError("hidden estates need the rest of the cards")
        for entry in guards:
            self._add_guards(*entry)
        if estates:
            self._set_rests(rests)
        for i, (seat, due) in enumerate(estates):
            self.source.estate_seat[i], self.source.grey_due[i] = seat, due
        self.source.n_estates = len(estates)
        for deck in range(DECKS):
            self.source.held_below[deck] = chance_below(held[deck])
        self.source.taken = taken
        self._set_exchanges(exchanges, hand_over_all)
        self.certain = self.source.certain = not (self.source.n_guards or estates or exchanges)

    @staticmethod
    def of_particles(states, weights, exchanges=(), double hand_over_all=0.0):
        """Worlds that are drawn from weighted positions of one game; see `__init__` for the hand-overs."""
        cdef Worlds worlds = Worlds.__new__(Worlds)
        cdef StateCore first = states[0]
        first.table()
        worlds._clear(first.tables)
        copy_state(&worlds.source.base, &first.s)
        worlds._set_particles(states, weights)
        worlds._set_exchanges(exchanges, hand_over_all)
        worlds.certain = worlds.source.certain = not (worlds.source.n_particles or exchanges)
        return worlds

    def __dealloc__(self):
        free(<void*> self.source.particles)
        free(<void*> self.source.cumulative)
        free(<void*> self.source.rests)

    def _clear(self, Tables tables not None):
        if self.tables is not None:
            raise TypeError("these worlds are made already")
        self.tables = tables

    def _add_guards(self, int seat, int low, int high, weights, double tail):
        """A single possible value needs no draw."""
        cdef HiddenGuards* guards = &self.source.guards[self.source.n_guards]
        cdef int i, n = min(len(weights), GUARD_VALUES, high - low + 1)
        cdef double total = 0
        if not (0 <= seat < self.tables.c.humans and 0 <= low <= high <= 32767 and n and 0 <= tail < 1):
            raise ValueError(f"guards {low} to {high} of seat {seat}, {n} weights, tail {tail}")
        if low == high:
            self.source.base.guards[seat] = low
            return
        guards.seat, guards.low, guards.high, guards.n, guards.tail = seat, low, high, n, tail
        for i in range(n):
            total += weights[i]
            guards.cumulative[i] = total
        if low + n <= high:
            total += weights[n - 1] * tail * (1 - tail ** (high - low - n + 1)) / (1 - tail)
        if not 0 < total < 1e300:
            raise ValueError(f"weights of the guards of seat {seat} that add up to {total}")
        guards.total = total
        self.source.n_guards += 1

    def _set_rests(self, rests):
        cdef CardRest* copied = <CardRest*> allocate(len(rests) * sizeof(CardRest))
        cdef int i, estate, deck
        cdef double total = 0
        self.source.rests = copied
        for i, (weight, grey, cards, known) in enumerate(rests):
            total += weight
            copied[i].cumulative = total
            copied[i].known = known
            for estate in range(ESTATES):
                copied[i].grey[estate] = grey[estate]
                for deck in range(DECKS):
                    copied[i].cards[estate][deck] = cards[estate][deck]
        self.source.n_rests = len(rests)
        if not 0 < total < 1e300:
            raise ValueError(f"weights of the ways to make up hands that add up to {total}")

    def _set_exchanges(self, exchanges, double hand_over_all):
        cdef int i
        if len(exchanges) > MAX_EXCHANGES:
            raise ValueError("more hand-over decisions than there can be")
        for i, (seat, token) in enumerate(exchanges):
            self.source.exchange_seat[i], self.source.exchange_token[i] = seat, token
        self.source.n_exchanges = len(exchanges)
        self.source.all_below = chance_below(hand_over_all)

    def _set_particles(self, states, weights):
        """Particles that are all the same position become the base, and nothing is hidden any more."""
        cdef int n = len(states), i
        cdef bint same = True
        cdef double total = 0
        cdef StateCore state
        cdef GameState* particles = <GameState*> allocate(n * sizeof(GameState))
        self.source.particles = particles
        cdef double* cumulative = <double*> allocate(n * sizeof(double))
        self.source.cumulative = cumulative
        for i in range(n):
            state = states[i]
            if state.tables is not self.tables:
                raise ValueError("particles of different games")
            copy_state(&particles[i], &state.s)
            same = same and memcmp(&particles[i], &particles[0], sizeof(GameState)) == 0
            total += weights[i]
            cumulative[i] = total
        if not 0 < total < 1e300:
            raise ValueError(f"weights of particles that add up to {total}")
        self.source.n_particles = 0 if same else n

    def sample_into(self, StateCore state not None, uint64_t seed):
        """Make `state` a world; the seed also begins its stream of chance, apart from the draws of the world."""
        cdef Rng rng
        if self.tables is None or state.tables is not self.tables:
            raise ValueError("the state is of another game")
        rng_seed(&rng, seed)
        sample_world(&self.source, &state.s, &self.tables.c, &rng)
        rng_seed(&state.rng, rng_next(&rng))

    def __reduce__(self):
        cdef int n = self.source.n_particles
        cdef WorldSource plain = self.source
        plain.particles = NULL
        plain.cumulative = NULL
        plain.rests = NULL
        arrays = (
            <bytes> (<char*> self.source.particles)[:n * sizeof(GameState)],
            <bytes> (<char*> self.source.cumulative)[:n * sizeof(double)],
            <bytes> (<char*> self.source.rests)[:self.source.n_rests * sizeof(CardRest)],
        )
        return rebuild_worlds, (self.tables, <bytes> (<char*> &plain)[:sizeof(WorldSource)], arrays)


def rebuild_worlds(Tables tables not None, bytes source not None, tuple arrays not None):
    """Worlds from what their `__reduce__` gives.

    Raises:
        ValueError: if they were pickled by a build with another layout of the structs.
    """
    cdef Worlds worlds = Worlds.__new__(Worlds)
    particles, cumulative, rests = arrays
    if len(source) != sizeof(WorldSource):
        raise ValueError("these worlds were pickled by another version of lusatia_ai")
    memcpy(&worlds.source, <char*> source, sizeof(WorldSource))
    if (<size_t> len(particles) != worlds.source.n_particles * sizeof(GameState)
            or <size_t> len(cumulative) != worlds.source.n_particles * sizeof(double)
            or <size_t> len(rests) != worlds.source.n_rests * sizeof(CardRest)):
        raise ValueError("these worlds were pickled by another version of lusatia_ai")
    worlds._clear(tables)
    worlds.certain = worlds.source.certain
    worlds.source.particles = <GameState*> copy_of(particles)
    worlds.source.cumulative = <double*> copy_of(cumulative)
    worlds.source.rests = <CardRest*> copy_of(rests)
    return worlds


cdef void* copy_of(bytes data) except NULL:
    cdef void* memory = allocate(len(data))
    memcpy(memory, <char*> data, len(data))
    return memory


require_layout("lusatia_ai._belief", sizeof(GameState), sizeof(GameTables))
