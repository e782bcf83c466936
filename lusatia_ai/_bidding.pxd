"""Town selection (rules 3) as a small model of its own, solved by max^n: who goes where, who bids, who gives way.

In a conflict nothing changes hands until one side gives way, so a whole conflict comes to a list of outcomes: who stays, and
what the payer's wagon stands at. `_bidding.pyx` works a conflict out from its highest bid down, so that only positions in
which somebody travels are kept. `Wagons` holds one in a fifth of a `GameState`.

*Favour left out of keys.* In town selection favour counts only by what it can pay with the king's help (rules 3.3). So each
position is solved as if everybody had the most favour that they can have with these guards, with a mask of the favour with
which each seat would find the same value. Less favour takes moves away. That changes nothing if they were not chosen anyway,
and if what was chosen can be paid, and all that remains has the same value as before, by its own masks. So a mask follows from
those of the positions that can come next, moved up by what is paid on the way. A position with favour outside its masks is
solved once more with just that favour, as a further version of it. Then what cannot be paid has not been looked at; its masks
end where it could be. So is one with the most favour that would take too long (`nodes_for_rich`).
"""

from ._core cimport *
from ._memo cimport *
from ._tables cimport *

from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    TOP = 12                 # of a counter
    MOST_WEALTH = 800        # of all humans together, for numbers in keys
    WAGON_WORDS = 3          # of the longest key
    MOST_PAIRS = 48          # favour, in pairs, is below this

# A position in which somebody is to travel.
ctypedef struct Wagons:
    int16_t guards[MAX_PLAYERS]
    int16_t favour[MAX_PLAYERS]
    uint8_t town[MAX_PLAYERS]        # where the wagon stands, on the counter or on the road
    int8_t counter[MAX_PLAYERS]      # 0-12, or ROAD
    uint8_t holder[TOWNS]            # who stands on the counter, or NONE
    uint8_t mover                    # who travels
    uint8_t left                     # town that the mover has been evicted from, or NONE
    uint8_t placed                   # how many of `Bidding.order` have had their turn, the mover included
    bint free                        # `favour` is the most that it can be with these guards

# The value of a position.
ctypedef struct Outlook:
    int16_t favour[MAX_PLAYERS]      # by seat: still to come
    uint64_t holds[MAX_PLAYERS]      # by seat: mask of the favour held, in pairs, with which the same comes out

# The value, in favour, of a position that begins tax collection. False if the search has stopped.
ctypedef bint (*CollectionValue)(void* engine, const GameState* s, double* value) noexcept nogil
# Count a position; False if the search is to stop.
ctypedef bint (*Visit)(void* engine) noexcept nogil

# One town selection: what stays the same, and what has been found out.
ctypedef struct Bidding:
    const GameTables* t
    void* engine                     # borrowed, for the two functions
    const uint64_t* nodes            # borrowed: how many have been counted in all
    uint64_t first_node              # how many of these when it began
    uint64_t rich_nodes              # spent on positions with the most favour
    uint64_t rich_end                # number at which such a position is given up
    bint gave_up                     # one has been
    CollectionValue collection_value
    Visit visit
    int ties                         # as of a solver
    int judge                        # seat that ties are judged by
    GameState start                  # what tax collection needs besides wagons, guards and favour
    uint8_t order[MAX_PLAYERS]       # who has still to take their turn at the start
    int n_order
    int wealth                       # of all at the start
    uint8_t cost[MAX_PLAYERS][TOWNS][TOWNS]    # of a journey
    int mask_words                   # of all masks of a value, packed
    uint8_t mask_word[MAX_PLAYERS]   # by seat: in which of them its mask is, and from which bit on
    uint8_t mask_shift[MAX_PLAYERS]
    Table positions                  # by everything but favour: the value with the most favour
    Table versions                   # by the same, and a number: values with the favour met, several side by side
    Table outcomes                   # by towns, order and guards at the end

cdef void begin_bidding(Bidding* b, const GameState* s, const GameTables* t) noexcept nogil
cdef bint open_bidding(Bidding* b, uint64_t bytes, uint64_t* supply) noexcept nogil
cdef void close_bidding(Bidding* b) noexcept nogil
cdef bint fits_bidding(const GameState* s, const GameTables* t) noexcept nogil
cdef bint bidding_value(Bidding* b, const GameState* s, double* value) noexcept nogil
