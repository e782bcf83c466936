"""Exact solving: the contract for other extensions."""

from ._bidding cimport *
from ._core cimport *
from ._guards cimport *
from ._memo cimport *
from ._reduce cimport *
from ._rowgraph cimport *
from ._rows cimport *
from ._scoring cimport *
from ._taxgraph cimport *
from ._tables cimport *

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef enum Objective:
    FAVOUR, MARGIN, WIN

cdef enum Horizon:
    END_OF_STAGE, END_OF_ROUND

cdef enum Ties:
    TIES_FIRST, TIES_WORST, TIES_BEST

# Techniques that can be left out, to measure what they gain.
cdef enum Technique:
    MEMORY = 1               # remember what has been found out
    FACTORING = 2            # leave favour out of keys where it plays no part
    REDUCTION = 4            # take off spare pieces, mark rows that lack pieces
    CLASSES = 8              # remember what cards can still change, not who has which
    LEVELLING = 16           # forget differences of guards and counters that no longer matter
    BOUNDS = 32              # leave out moves that cannot be best
    ALPHA_BETA = 64          # leave out moves that one side or the other will not allow
    BIDDING = 128            # work conflicts of town selection out on a model of their own
    GRAPHS = 256             # play moves once for all guards and all classes of cards

cdef enum:
    WIDTH = 2 * MAX_PLAYERS  # a value: a utility for each seat, then (if the objective is WIN) a favour for each seat
    ROWS_WORDS = 8           # of the longest key of `Rows`

# What a round's end is worth to each seat, in favour, at a position that waits for the set-up of the next round.
ctypedef void (*Leaf)(const GameState* s, const GameTables* t, void* context, double* value) noexcept nogil

# What the cards on offer can still change. Two positions are of one class if all that can follow with cards changes favour
# in the same way: it depends on who has taken which card, and on the estate rows that can still get full.
# Class 0: no card can change anything.
ctypedef struct CardClass:
    uint16_t next[ROYAL][DECKS][MAX_PLAYERS]  # by the row that has got full, the deck, and who takes its card: the class then
    uint16_t without[ROYAL]          # by row: the class if no card will be taken for it
    uint16_t shift[DECKS][MAX_PLAYERS]        # by deck and who takes its card: number of what it adds to favour
    double least[MAX_PLAYERS]        # by seat: the least and most that can still be added
    double most[MAX_PLAYERS]
    uint16_t code                    # 0, or (CLASSES being left out) what keeps it from being equal to another
    uint8_t rows                     # mask of estate rows that can still get full and buy a card
    uint8_t offered                  # mask of decks whose card they can buy

# Of a class, what is asked for all the time.
ctypedef struct ClassSteps:
    uint16_t within[1 << ROYAL]      # by mask of the estate rows that can still get full: the class that is left
    int16_t most[MAX_PLAYERS]

# What each way in which cards can go adds to favour, compared with none being taken.
ctypedef struct Profile:
    uint64_t hash
    double* added            # owned; by code of the owners, then by seat
    uint8_t bonus[ROYAL]     # of the estate rows
    uint8_t face_up          # mask of decks
    uint16_t cards[1 << ROYAL]       # by mask of estate rows: the class before any card is taken

# What comes after the stage.
ctypedef struct Ending:
    GameState base           # when the choosing of rows began; without what no longer matters
    double added[MAX_PLAYERS]        # by seat: favour if no card is taken (not for GAINS)
    int32_t profile          # number of what cards add to it (not for GAINS)

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
    bint tracks              # keys hold what is tracked
    bint bids                # town selection is solved on the model of `bidding`
    Bidding bidding
    bint graphs              # choices of rows in which cards matter are solved on `row_graph`
    bint collects            # tax collection and helpers are solved on `tax_graph`
    bint crowded             # a graph, or what there are numbers for, has run out of room
    uint64_t table_bytes
    uint64_t supply          # how many of these tables and graphs may still take
    Table rows_table
    RowGraph row_graph
    Table class_table        # by a position of `row_graph` and a class of cards
    TaxGraph tax_graph
    Table tax_table          # by a position of `tax_graph` and guards
    Table ending_table       # by an aftermath and guards: number of the ending
    Table selection_table    # up to town selection
    Table tree_table         # after it
    Board boards[TILES][TILES][2]
    RowContext* contexts     # owned
    uint32_t n_contexts
    uint32_t most_contexts
    Index context_index
    Ending* endings          # owned
    uint32_t n_endings
    uint32_t most_endings
    Index ending_index
    CardClass* classes       # owned
    ClassSteps* steps        # owned; of each class
    uint32_t n_classes
    uint32_t most_classes
    Index class_index
    double (*shifts)[MAX_PLAYERS]    # owned
    uint32_t n_shifts
    uint32_t most_shifts
    Index shift_index
    Profile* profiles        # owned
    uint32_t n_profiles
    uint32_t most_profiles
    uint64_t nodes
    uint64_t max_nodes
    uint64_t next_look
    void* should_stop        # borrowed, a Python callable that is asked at every look; NULL: none
    double deadline
    bint plain               # whole states only, without any of the techniques
    int left_out             # mask of Technique
    bint quiet
    bint scoring_root        # the position to be solved is in final scoring: its decisions are remembered
    bint stopped
    bint interrupted
    double low[WIDTH]        # when stopped: between which bounds the value of the position left last lies
    double high[WIDTH]

cdef bint solve_storing(Engine* e, GameState* s, uint64_t max_nodes) noexcept nogil

cdef class Solver:
    cdef Engine e
    cdef readonly Tables tables
    cdef object should_stop
    cdef double[2] prices    # of a guard and a symbol, for `value_round_end`
    cdef int set_leaf(self, Leaf leaf, void* context, bint additive) except -1
    cdef int prepare(self, StateCore state, GameState* s) except -1
