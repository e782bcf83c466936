"""Final scoring (rules 8.2 to 8.5), worked out for all ways in which the cards on offer can go.

Estates score apart from each other, each by who has how many of its symbols and by the guards left. So what an estate brings
is tabled by who has taken its own cards, and by how many guards have been handed over in each exchange: a few dozen rows,
where all ways together are hundreds, each with a final scoring of its own.
"""

from ._core cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    MOST_EXCHANGES = MAX_PLAYERS * ROUNDS
    MOST_HANDED = 512            # ways to hand over guards, above which nothing is tabled

# One exchange of final scoring.
ctypedef struct Exchange:
    uint8_t seat
    uint8_t each                 # favour for a guard
    uint8_t most                 # guards
    int step                     # what a guard adds to the number of a way to hand over

# The estates of one position at the end of the last round, and its exchanges in the order in which they are decided.
ctypedef struct Scoring:
    int n_exchanges
    Exchange exchanges[MOST_EXCHANGES]
    int n_ways                   # to hand over
    int n_owners[ESTATES]        # ways in which the cards of an estate can go
    int owner_step[DECKS]        # what an owner of a deck's card adds to the number of such a way; 0: no card
    int16_t* points[ESTATES]     # owned, in one block; by owners of the estate's cards, way to hand over, and seat
    uint8_t* level[ESTATES]      # owned; by owners: mask of the seats with as many symbols as another, and at least one
    int16_t fixed[MAX_PLAYERS]   # by seat: what does not depend on any of this


cdef inline bint open_scoring(Scoring* c, const GameState* s, const GameTables* t) noexcept nogil:
    """Table everything. False, and nothing to close, if that is too much or there is no memory for it.

    Args:
        s: as the last storing stage ends, but with the guards of recruits given already.
    """
    cdef int estate, deck, seat, n_points = 0, n_level = 0
    cdef int16_t* block
    cdef uint8_t* levels
    memset(c, 0, sizeof(Scoring))
    if not list_exchanges(c, s, t):
        return False
    for estate in range(ESTATES):
        c.n_owners[estate] = 1
        for deck in range(DECKS):
            if s.face_up[deck] == estate:
                c.owner_step[deck] = c.n_owners[estate]
                c.n_owners[estate] *= t.humans + 1
        n_points += c.n_owners[estate] * c.n_ways * t.humans
        n_level += c.n_owners[estate]
    block = <int16_t*> malloc(n_points * sizeof(int16_t) + n_level)
    if block == NULL:
        return False
    levels = <uint8_t*> (block + n_points)
    for estate in range(ESTATES):
        c.points[estate] = block
        c.level[estate] = levels
        block += c.n_owners[estate] * c.n_ways * t.humans
        levels += c.n_owners[estate]
        table_estate(c, s, t, estate)
    for seat in range(t.humans):
        c.fixed[seat] = fixed_points(s, t, seat)
    return True


cdef inline void close_scoring(Scoring* c) noexcept nogil:
    free(c.points[0])


cdef inline bint list_exchanges(Scoring* c, const GameState* s, const GameTables* t) noexcept nogil:
    """In the order of play; of one seat the dearer first (rules 8.2). False if there are too many ways."""
    cdef int place, seat, token
    cdef Exchange* exchange
    c.n_ways = 1
    for place in range(t.humans):
        seat = s.order[place]
        token = hand_over_after(s, t, seat, NONE)
        while token != NONE:
            exchange = &c.exchanges[c.n_exchanges]
            exchange.seat = seat
            exchange.each = t.tokens[token].hand_each
            exchange.most = min(<int> t.tokens[token].hand_most, <int> s.guards[seat])
            exchange.step = c.n_ways
            c.n_ways *= exchange.most + 1
            c.n_exchanges += 1
            if c.n_ways > MOST_HANDED:
                return False
            token = hand_over_after(s, t, seat, token)
    return True


cdef inline void table_estate(Scoring* c, const GameState* s, const GameTables* t, int estate) noexcept nogil:
    cdef GameState after
    cdef int owners, way, seat
    cdef int16_t* row
    copy_state(&after, s)
    for owners in range(c.n_owners[estate]):
        share_cards(&after, s, t, estate, owners)
        c.level[estate][owners] = level_seats(&after, t, estate)
        for way in range(c.n_ways if c.level[estate][owners] else 1):
            hand_over_guards(&after, s, c, way)
            row = row_of_points(c, t, estate, owners, way)
            for seat in range(t.humans):
                row[seat] = estate_points(&after, t, seat, estate) + symbol_points(&after, t, seat, estate)


cdef inline int16_t* row_of_points(const Scoring* c, const GameTables* t, int estate, int owners, int way) noexcept nogil:
    """By seat. Where nobody is level with another, guards make no difference, and there is one row for all ways."""
    return c.points[estate] + (owners * c.n_ways + (way if c.level[estate][owners] else 0)) * t.humans


cdef inline void share_cards(GameState* after, const GameState* s, const GameTables* t, int estate, int owners) noexcept nogil:
    """Give out the cards of an estate; `owners`: for each, lowest deck first, who takes it plus one, to the base `humans` + 1."""
    cdef int deck, seat, owner
    for seat in range(t.humans):
        after.estates[seat][estate] = s.estates[seat][estate]
    for deck in range(DECKS):
        if s.face_up[deck] == estate:
            owner = owners % (t.humans + 1)
            owners //= t.humans + 1
            if owner:
                after.estates[owner - 1][estate] += t.symbols[deck]


cdef inline int level_seats(const GameState* s, const GameTables* t, int estate) noexcept nogil:
    """Mask of the seats with as many symbols of an estate as another human, and at least one."""
    cdef int seat, other, mask = 0
    for seat in range(t.humans):
        for other in range(seat):
            if s.estates[seat][estate] and s.estates[seat][estate] == s.estates[other][estate]:
                mask |= 1 << seat | 1 << other
    return mask


cdef inline void hand_over_guards(GameState* after, const GameState* s, const Scoring* c, int way) noexcept nogil:
    cdef int i
    memcpy(after.guards, s.guards, sizeof(s.guards))
    for i in range(c.n_exchanges):                  # ways that take more than there is are tabled, but never asked for
        after.guards[c.exchanges[i].seat] = max(0, after.guards[c.exchanges[i].seat] - way % (c.exchanges[i].most + 1))
        way //= c.exchanges[i].most + 1


cdef inline void owners_by_estate(const Scoring* c, const GameState* s, int owners, int* by_estate) noexcept nogil:
    """From 3 bits a deck (who has taken its card, plus one), the number of owners in each estate as `share_cards` reads it."""
    cdef int deck, estate
    for estate in range(ESTATES):
        by_estate[estate] = 0
    for deck in range(DECKS):
        if c.owner_step[deck]:
            by_estate[s.face_up[deck]] += (owners >> 3 * deck & 7) * c.owner_step[deck]
