"""Final scoring (rules 8.2 to 8.5), worked out for all ways in which the cards on offer can go.

Estates score apart from each other, each by who has how many of its symbols and by the guards left. So what an estate brings
is worked out once for each way in which its own cards can go: a few dozen, where all ways together are hundreds. Who hands
guards over need not think about an estate in which nobody who does so is level with another, since guards decide nothing
there. Of an estate in which they must, the choices are worked out with it, unless there are two such estates at once.
"""

from ._core cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    MOST_EXCHANGES = MAX_PLAYERS * ROUNDS

# What is known of an estate whose cards have gone in one way.
cdef enum EstateState:
    CLOSED                   # its points: exchanges make no difference to them
    OPEN                     # its points, but for those of places, on which exchanges bear
    WORKED_OUT               # its points and all that exchanges bring, if no other estate is open

# One exchange of final scoring.
ctypedef struct Exchange:
    uint8_t seat
    uint8_t each                 # favour for a guard
    uint8_t most                 # guards

# The estates of one position at the end of the last round, and its exchanges in the order in which they are decided.
ctypedef struct Scoring:
    GameState after              # used to work things out
    int n_exchanges
    Exchange exchanges[MOST_EXCHANGES]
    int n_owners[ESTATES]        # ways in which the cards of an estate can go
    int owner_step[DECKS]        # what an owner of a deck's card adds to the number of such a way; 0: no card
    int16_t* points[ESTATES]     # owned, in one block; by owners of the estate's cards, and seat
    uint8_t* state[ESTATES]      # owned; by owners: EstateState
    int16_t fixed[MAX_PLAYERS]   # by seat: what does not depend on any of this
    int16_t handed[MAX_PLAYERS]  # by seat: for all guards that it can hand over


cdef inline bint open_scoring(Scoring* c, const GameState* s, const GameTables* t) noexcept nogil:
    """Table what needs no thinking. False if there is no memory for it.

    Args:
        s: as the last storing stage ends, but with the guards of recruits given already.
    """
    cdef int estate, deck, seat, exchanging, n = 0
    cdef int16_t* points
    cdef uint8_t* states
    memset(c, 0, sizeof(Scoring))
    copy_state(&c.after, s)
    exchanging = list_exchanges(c, s, t)
    for estate in range(ESTATES):
        c.n_owners[estate] = 1
        for deck in range(DECKS):
            if s.face_up[deck] == estate:
                c.owner_step[deck] = c.n_owners[estate]
                c.n_owners[estate] *= t.humans + 1
        n += c.n_owners[estate]
    points = <int16_t*> malloc(n * (t.humans * sizeof(int16_t) + 1))
    if points == NULL:
        return False
    states = <uint8_t*> (points + n * t.humans)
    for estate in range(ESTATES):
        c.points[estate] = points
        c.state[estate] = states
        points += c.n_owners[estate] * t.humans
        states += c.n_owners[estate]
        table_estate(c, s, t, estate, exchanging)
    for seat in range(t.humans):
        c.fixed[seat] = fixed_points(s, t, seat)
    return True


cdef inline void close_scoring(Scoring* c) noexcept nogil:
    free(c.points[0])


cdef inline int list_exchanges(Scoring* c, const GameState* s, const GameTables* t) noexcept nogil:
    """In the order of play; of one seat the dearer first (rules 8.2). Returns a mask of the seats that have one."""
    cdef int place, seat, token, left, n, seats = 0
    cdef Exchange* exchange
    for place in range(t.humans):
        seat = s.order[place]
        left = s.guards[seat]
        token = hand_over_after(s, t, seat, NONE)
        while token != NONE:
            exchange = &c.exchanges[c.n_exchanges]
            exchange.seat = seat
            exchange.each = t.tokens[token].hand_each
            exchange.most = t.tokens[token].hand_most
            n = min(<int> exchange.most, left)
            left -= n
            c.handed[seat] += n * exchange.each
            c.n_exchanges += 1
            seats |= 1 << seat
            token = hand_over_after(s, t, seat, token)
    return seats


cdef inline void table_estate(Scoring* c, const GameState* s, const GameTables* t, int estate, int exchanging) noexcept nogil:
    cdef int owners, seat
    for owners in range(c.n_owners[estate]):
        share_cards(&c.after, s, t, estate, owners)
        c.state[estate][owners] = OPEN if level_seats(&c.after, t, estate) & exchanging else CLOSED
        for seat in range(t.humans):
            c.points[estate][owners * t.humans + seat] = symbol_points(&c.after, t, seat, estate)
            if c.state[estate][owners] == CLOSED:
                c.points[estate][owners * t.humans + seat] += estate_points(&c.after, t, seat, estate)


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


cdef inline void owners_by_estate(const Scoring* c, const GameState* s, int owners, int* by_estate) noexcept nogil:
    """From 3 bits a deck (who has taken its card, plus one), the number of owners in each estate as `share_cards` reads it."""
    cdef int deck, estate
    for estate in range(ESTATES):
        by_estate[estate] = 0
    for deck in range(DECKS):
        if c.owner_step[deck]:
            by_estate[s.face_up[deck]] += (owners >> 3 * deck & 7) * c.owner_step[deck]
