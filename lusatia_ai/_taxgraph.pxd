"""Tax collection and helpers as a graph of positions without guards, worked out once for all guards that there may be.

Guards decide nothing but whether a Farmer can be used (rules 6.3). So positions are kept as if everybody had plenty of them,
and each move, in canonical order, with the guards that it brings or costs; who does not have these cannot make it. A solver
then values a position together with the guards held by looking at a few numbers. Favour is left out, too: the graph serves
where it plays no part.
"""

from ._core cimport *
from ._guards cimport *
from ._memo cimport *
from ._reduce cimport *
from ._rows cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    PLENTY = 10000           # of guards

cdef enum TaxNext:
    TO_POSITION              # of this graph
    TO_ROWS                  # the choosing of rows begins
    TO_END                   # the stage is over already

# A move. Without padding.
ctypedef struct TaxEdge:
    int32_t after            # TO_POSITION, TO_ROWS: number
    Move_t move
    uint16_t next            # TaxNext
    int16_t guards[MAX_PLAYERS]      # by seat: gained, or spent
    int16_t favour[MAX_PLAYERS]

# A position in which somebody collects, takes a grey card or decides on a helper.
ctypedef struct TaxNode:
    GameState base           # everybody having PLENTY of guards, and no favour
    uint32_t first           # edge
    uint32_t n_edges         # 0: not yet worked out
    GuardRules rules

# What the final scoring looks at, but for guards and cards taken.
ctypedef struct Aftermath:
    GameState base           # as the stage ends, without favour; nobody has guards but the recruits, who have come
    GuardRules rules

# Where the choosing of rows begins.
ctypedef struct RowsStart:
    Rows rows                # without cards
    int32_t node             # number in `RowGraph`; -1: there was no room for it
    uint32_t context         # index
    uint32_t aftermath       # number

ctypedef struct TaxGraph:
    Pool nodes               # of TaxNode
    Pool edges               # of TaxEdge
    Pool starts              # of RowsStart
    Pool aftermaths          # of Aftermath
    Index node_index
    Index aftermath_index


cdef inline bint tax_open(TaxGraph* g, uint64_t bytes, uint64_t* supply) noexcept nogil:
    """An empty graph that will take at most so many bytes. False: no memory."""
    cdef uint64_t share = bytes // 8
    return (pool_open(&g.nodes, sizeof(TaxNode), 3 * share, supply)
            and pool_open(&g.edges, sizeof(TaxEdge), 2 * share, supply)
            and pool_open(&g.starts, sizeof(RowsStart), share, supply)
            and pool_open(&g.aftermaths, sizeof(Aftermath), share, supply)
            and index_open(&g.node_index) and index_open(&g.aftermath_index))


cdef inline void tax_close(TaxGraph* g) noexcept nogil:
    pool_close(&g.nodes)
    pool_close(&g.edges)
    pool_close(&g.starts)
    pool_close(&g.aftermaths)
    index_close(&g.node_index)
    index_close(&g.aftermath_index)


cdef inline TaxNode* tax_node(const TaxGraph* g, int32_t number) noexcept nogil:
    return <TaxNode*> g.nodes.items + number


cdef inline int32_t tax_number(TaxGraph* g, const GameState* s, const GameTables* t, Comparison compared,
                               int uses) noexcept nogil:
    """The number of a position, whatever its guards and favour; -1 if there is no room for it."""
    cdef TaxNode fresh
    cdef int32_t number
    cdef int seat
    copy_state(&fresh.base, s)
    if s.stage == STORING:                             # the order of play is over, but for exchanges
        order_exchanges(&fresh.base, s, t)
        memset(fresh.base.horses, 0, sizeof(fresh.base.horses))
    forget_counters(&fresh.base, t)
    memset(fresh.base.favour, 0, sizeof(fresh.base.favour))
    for seat in range(t.humans):
        fresh.base.guards[seat] = PLENTY
    number = index_find(&g.node_index, g.nodes.items, sizeof(TaxNode), &fresh, sizeof(GameState))
    if number >= 0:
        return number
    fresh.first = fresh.n_edges = 0
    find_rules(&fresh.rules, &fresh.base, t, compared, uses)
    return pool_add(&g.nodes, &g.node_index, &fresh, sizeof(GameState))


cdef inline int32_t aftermath_number(TaxGraph* g, const GameState* s, const GameTables* t, Comparison compared,
                                     int uses) noexcept nogil:
    """The same for what comes after the stage."""
    cdef Aftermath fresh
    cdef int32_t number
    copy_lasting(&fresh.base, s, t)
    memset(fresh.base.favour, 0, sizeof(fresh.base.favour))
    memset(fresh.base.guards, 0, sizeof(fresh.base.guards))
    recruit(&fresh.base, t)
    number = index_find(&g.aftermath_index, g.aftermaths.items, sizeof(Aftermath), &fresh, sizeof(GameState))
    if number >= 0:
        return number
    find_rules(&fresh.rules, &fresh.base, t, compared, uses)
    return pool_add(&g.aftermaths, &g.aftermath_index, &fresh, sizeof(GameState))


cdef inline const Aftermath* aftermath(const TaxGraph* g, int32_t number) noexcept nogil:
    return <const Aftermath*> g.aftermaths.items + number


cdef inline const TaxEdge* tax_edges(const TaxGraph* g, const TaxNode* node) noexcept nogil:
    return <const TaxEdge*> g.edges.items + node.first


cdef inline bint can_pay(const TaxEdge* edge, int humans, const int16_t* guards, int16_t* left) noexcept nogil:
    """Whether there are the guards that a move costs; `left`: the guards after it."""
    cdef int seat
    for seat in range(humans):
        left[seat] = guards[seat] + edge.guards[seat]
        if left[seat] < 0:
            return False
    return True
