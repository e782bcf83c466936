"""Positions of choosing rows as a graph, worked out once for all that cards may still be worth.

What can be chosen, what is stored and who comes next do not depend on cards. So the graph holds positions without them: each
with its moves in canonical order, what these bring, and where they lead. A solver then values a position of the graph
together with a class of cards by looking at a few numbers, and pays for playing moves only once for the ten or twenty
classes that occur with it.
"""

from ._core cimport *
from ._memo cimport *
from ._rows cimport *
from ._reduce cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    ALL_DECKS = (1 << DECKS) - 1
    STAGE_OVER = -1          # instead of the number of a position

# A move. Of `gain`, only the human seats are kept.
ctypedef struct RowEdge:
    int32_t after            # number of the position after it, or STAGE_OVER
    int16_t most             # favour that it, and what can follow it, bring to who decides; without cards
    uint8_t card_for         # estate row whose bonus can buy a card, plus one; or 0
    uint8_t fillable         # mask of the estate rows that can still get full after it
    int16_t gain[MAX_PLAYERS]        # by seat, in favour

# A position without cards.
ctypedef struct RowNode:
    Rows rows
    uint32_t context         # number
    uint32_t first           # edge
    uint8_t n_edges          # 0: not yet worked out
    uint8_t seat             # who decides

ctypedef struct RowGraph:
    Pool nodes               # of RowNode
    Pool edges               # of RowEdge
    Index index


cdef inline bint graph_open(RowGraph* g, int humans, uint64_t bytes, uint64_t* supply) noexcept nogil:
    """An empty graph that will take about so many bytes at the most. False: no memory."""
    cdef RowEdge edge
    cdef size_t size = (<uint8_t*> &edge.gain[humans] - <uint8_t*> &edge + 3) & ~<size_t> 3
    cdef uint64_t share = bytes // 16
    return (pool_open(&g.nodes, sizeof(RowNode), 8 * share, supply) and pool_open(&g.edges, size, 7 * share, supply)
            and index_open(&g.index))


cdef inline void graph_close(RowGraph* g) noexcept nogil:
    pool_close(&g.nodes)
    pool_close(&g.edges)
    index_close(&g.index)


cdef inline RowNode* row_node(const RowGraph* g, int32_t number) noexcept nogil:
    return <RowNode*> g.nodes.items + number


cdef inline RowEdge* row_edge(const RowGraph* g, uint32_t number) noexcept nogil:
    return <RowEdge*> (<uint8_t*> g.edges.items + number * g.edges.size)


cdef inline int rows_to_fill(const RowContext* c, const Rows* r) noexcept nogil:
    """Mask of the estate rows that can still get full, the one whose card is being chosen among them."""
    cdef int row, mask = (1 << r.pending) >> 1
    for row in range(ROYAL):
        if r.empty & c.board.row_slots[row] and not r.broken >> row & 1:
            mask |= 1 << row
    return mask


cdef inline int32_t graph_number(RowGraph* g, const RowContext* c, const GameTables* t, const Rows* r) noexcept nogil:
    """The number of a position in which a row is to be chosen, whatever its cards; -1 if there is no room for it."""
    cdef RowNode node
    cdef size_t compared = <const uint8_t*> &node.first - <const uint8_t*> &node
    cdef int32_t number
    node.rows = r[0]
    node.rows.cards = node.rows.offered = 0
    node.context = c.id
    number = index_find(&g.index, g.nodes.items, sizeof(RowNode), &node, compared)
    if number >= 0:
        return number
    node.first = node.n_edges = 0
    node.seat = seat_of(c, t, r)
    return pool_add(&g.nodes, &g.index, &node, compared)


cdef inline bint graph_expand(RowGraph* g, const RowContext* c, const GameTables* t, int32_t number) noexcept nogil:
    """Work out the moves of a position, unless that has been done. False if there is no room for it."""
    cdef Move_t moves[ROW_MOVES]
    cdef RowEdge edge
    cdef Rows r, after
    cdef int gain[MAX_PLAYERS]
    cdef int i, n, seat, most, deciding = row_node(g, number).seat
    cdef int32_t first
    if row_node(g, number).n_edges:
        return True
    r = row_node(g, number).rows
    n = rows_moves(c, t, &r, moves)
    first = pool_take(&g.edges, n) if pool_has_room(&g.nodes, n) else -1
    if first < 0:
        return False
    for i in range(n):
        memset(&edge, 0, sizeof(RowEdge))
        memset(gain, 0, sizeof(gain))
        after = r
        play_without_cards(c, t, &after, moves[i], gain, &edge)
        most = gain[deciding] + rows_most(c, t, &after, deciding)
        if c.tracking == LEADS:
            track_leads(c, t, &after, gain)
            if deciding == c.judge:
                most += c.per_poorer * (t.humans - 1)
        if rows_over(&after):
            edge.after = STAGE_OVER
            end_rows(c, t, &after, gain)
        else:
            edge.after = graph_number(g, c, t, &after)
            if edge.after < 0:
                return False
        for seat in range(t.humans):
            edge.gain[seat] = gain[seat]
        edge.most = most
        edge.fillable = rows_to_fill(c, &after)
        memcpy(row_edge(g, first + i), &edge, g.edges.size)
    row_node(g, number).first = first
    row_node(g, number).n_edges = n
    return True


cdef inline void play_without_cards(const RowContext* c, const GameTables* t, Rows* r, Move_t move, int* gain,
                                    RowEdge* edge) noexcept nogil:
    """Carry out a move, and note for which row a card could be taken then."""
    r.offered = ALL_DECKS
    play_rows(c, t, r, move, gain)
    edge.card_for = r.pending
    r.offered = 0
    if r.pending:
        r.pending = 0
        settle(c, t, r)
