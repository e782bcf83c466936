"""Exact solving: the contract for other extensions."""

from ._core cimport *
from ._rows cimport *
from ._tables cimport *

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef enum Objective:
    FAVOUR, MARGIN, WIN

cdef enum Horizon:
    END_OF_STAGE, END_OF_ROUND

cdef enum Ties:
    TIES_FIRST, TIES_WORST, TIES_BEST

cdef enum:
    WIDTH = 2 * MAX_PLAYERS  # a value: a utility for each seat, then (if the objective is WIN) a favour for each seat
    TREE_WORDS = 16          # of the longest key of a position outside the choosing of rows
    ROWS_WORDS = 8           # of the longest key of `Rows`

# What a round's end is worth to each seat, in favour, at a position that waits for the set-up of the next round.
ctypedef void (*Leaf)(const GameState* s, const GameTables* t, void* context, double* value) noexcept nogil

# Open addressing in one block: entries of `words` words of key and `width` doubles.
ctypedef struct Table:
    uint64_t* entries        # owned; a key whose first word is 0 is an empty entry
    uint64_t size            # entries, a power of two
    uint64_t used
    uint64_t most            # entries, a power of two
    int words
    int width
    int stride               # words + width

# What comes after the stage, as far as it adds to favour: for each way in which the cards can go.
ctypedef struct Ending:
    GameState base           # when the choosing of rows began; without what no longer matters
    double* added            # owned; by cards taken, then by seat; NULL if it is worked out position by position
    double* least            # owned; the least and most that can still come of it
    double* most
    uint64_t hash

# One solver: its goal, what it remembers, and when it is to stop.
ctypedef struct Engine:
    const GameTables* t
    int objective
    int horizon
    int ties
    int seat
    int width
    bint paranoid
    Leaf leaf                # NULL: favour as it is
    void* leaf_context
    bint leaf_additive       # its value for a seat is the seat's favour and what does not depend on favour
    bint forgets_favour      # keys leave favour out from tax collection on
    bint wide                # keys hold more than 15 pieces of a colour
    Table rows_table
    Table tree_table
    Board boards[TILES][TILES][2]
    RowContext* contexts     # owned
    uint32_t n_contexts
    uint32_t most_contexts
    int32_t* context_index   # owned; open addressing by hash
    Ending* endings          # owned
    int32_t n_endings
    int32_t most_endings
    uint64_t nodes
    uint64_t max_nodes
    uint64_t next_look
    double deadline
    bint quiet
    bint stopped
    bint interrupted
    double low[WIDTH]        # when stopped: between which bounds the value of the position left last lies
    double high[WIDTH]

cdef class Solver:
    cdef Engine e
    cdef readonly Tables tables
    cdef int prepare(self, StateCore state, GameState* s) except -1
