"""Sampling worlds: full positions that one seat's view allows (rules 10).

A world is the view with guards and estate cards dealt to the seats whose hands are hidden. Guards are uniform in their
range; each card that has left the decks and is in no known hand goes to one of the hidden hands, or was discarded, with
equal chances. Whatever the view shows is the same in every world.
"""

from libc.string cimport memset

from ._core import require_layout


cdef void deal_hidden(GameState* s, const GameTables* t, const HiddenHands* hidden, Rng* rng) noexcept nogil:
    """Deal what the view leaves open, in place. `s` holds the view, hidden guards and estates being 0."""
    cdef int i
    for i in range(hidden.n_guards):
        s.guards[hidden.guard_seat[i]] = hidden.guard_low[i] + rng_below(rng, hidden.guard_span[i])
    if hidden.n_estates:
        deal_estates(s, t, hidden, rng)
    for i in range(hidden.n_exchanges):
        exchange(s, t, hidden.exchange_seat[i], hidden.exchange_token[i], rng)


cdef void deal_estates(GameState* s, const GameTables* t, const HiddenHands* hidden, Rng* rng) noexcept nogil:
    cdef uint8_t discarded[DECKS][ESTATES]
    cdef int estate, deck, held = 0
    memset(discarded, 0, sizeof(discarded))
    for estate in range(ESTATES):
        held |= deal_estate(s, t, hidden, estate, discarded, rng)
    for deck in range(DECKS):
        if hidden.taken & ~held & 1 << deck:
            estate = random_discard(discarded[deck], rng)
            s.estates[random_hand(hidden, rng)][estate] += t.symbols[deck]


cdef inline int deal_estate(GameState* s, const GameTables* t, const HiddenHands* hidden, int estate,
                            uint8_t discarded[DECKS][ESTATES], Rng* rng) noexcept nogil:
    """Deal the cards of one estate; returns the mask of decks of which a hand now holds a card."""
    cdef const CardRest* rest = &hidden.rests[estate][rng_below(rng, hidden.n_rests[estate])]
    cdef int deck, held = rest.known
    cdef uint32_t hand
    for _ in range(rest.grey):
        s.estates[random_hand(hidden, rng)][estate] += t.grey_symbols
    for deck in range(DECKS):
        for _ in range(rest.cards[deck]):
            hand = rng_below(rng, hidden.n_estates + 1)
            if hand < <uint32_t> hidden.n_estates:
                s.estates[hidden.estate_seat[hand]][estate] += t.symbols[deck]
                held |= 1 << deck
            else:
                discarded[deck][estate] += 1
    return held


cdef inline int random_hand(const HiddenHands* hidden, Rng* rng) noexcept nogil:
    return hidden.estate_seat[rng_below(rng, hidden.n_estates)]


cdef inline int random_discard(const uint8_t* counts, Rng* rng) noexcept nogil:
    """The estate of a random one of the discarded cards of a deck, of which there is one at least."""
    cdef int estate = 0
    cdef uint32_t pick = rng_below(rng, counts[0] + counts[1] + counts[2])
    while pick >= counts[estate]:
        pick -= counts[estate]
        estate += 1
    return estate


cdef inline void exchange(GameState* s, const GameTables* t, int seat, int token, Rng* rng) noexcept nogil:
    """A hand-over of rules 8.2 that has been decided on unseen: any number of guards, with equal chances."""
    cdef int most = t.tokens[token].hand_most, guards
    guards = rng_below(rng, (s.guards[seat] if s.guards[seat] < most else most) + 1)
    s.guards[seat] -= guards
    s.favour[seat] += guards * t.tokens[token].hand_each


cdef class Worlds:
    """A source of worlds.

    Args:
        view: the view as a `StateCore`, hidden guards and estates being 0.
        guards: (seat, lowest, highest) for each seat with hidden guards.
        estates: the seats with hidden estates.
        rests: for each estate up to `MAX_RESTS` triples (grey cards, cards of each deck, mask of decks): what is left
            for the hidden hands and the discard when the known hands are taken out, and of which decks these hold cards.
        taken: mask of the decks whose card of this round has been taken.
        exchanges: (seat, token) for each hand-over decision that the view does not show, in order.
    """

    def __init__(self, StateCore view not None, guards, estates, rests, taken, exchanges):
        cdef int i, j, deck
        view.table()
        if len(guards) > MAX_PLAYERS or len(estates) > MAX_PLAYERS or len(exchanges) > MAX_EXCHANGES:
            raise ValueError("more hidden hands or hand-over decisions than there can be")
        if len(rests) != (ESTATES if estates else 0) or not all(rests):
            raise ValueError("hidden estates need the rest of the cards of each estate")
        self.tables = view.tables
        copy_state(&self.base, &view.s)
        memset(&self.hidden, 0, sizeof(HiddenHands))
        for i, (seat, low, high) in enumerate(guards):
            self.hidden.guard_seat[i] = seat
            self.hidden.guard_low[i] = low
            self.hidden.guard_span[i] = high - low + 1
        self.hidden.n_guards = len(guards)
        for i, seat in enumerate(estates):
            self.hidden.estate_seat[i] = seat
        self.hidden.n_estates = len(estates)
        for i, options in enumerate(rests):
            self.hidden.n_rests[i] = min(len(options), MAX_RESTS)
            for j, (grey, cards, known) in enumerate(options[:MAX_RESTS]):
                self.hidden.rests[i][j].grey = grey
                self.hidden.rests[i][j].known = known
                for deck in range(DECKS):
                    self.hidden.rests[i][j].cards[deck] = cards[deck]
        self.hidden.taken = taken
        for i, (seat, token) in enumerate(exchanges):
            self.hidden.exchange_seat[i] = seat
            self.hidden.exchange_token[i] = token
        self.hidden.n_exchanges = len(exchanges)

    def sample_into(self, StateCore state not None, uint64_t seed):
        """Make `state` a world; the seed also begins its stream of chance, apart from the draws of the world."""
        cdef Rng rng
        if state.tables is not self.tables:
            raise ValueError("the state is of another game")
        rng_seed(&rng, seed)
        copy_state(&state.s, &self.base)
        deal_hidden(&state.s, &self.tables.c, &self.hidden, &rng)
        rng_seed(&state.rng, rng_next(&rng))


require_layout("lusatia_ai._belief", sizeof(GameState), sizeof(GameTables))
