"""Single-observer information-set MCTS (Cowling, Powley and Whitehouse 2012), open loop over chance.

Each iteration samples a world from the observer's view, walks down the tree along moves that are legal in this world,
adds one node, plays on at random to the end, and adds the result to every node passed. A node stands for the moves that
lead to it, whatever chance did in between (open loop). Backups are max^n: each node keeps a value for every seat, and
who decides prefers moves by their own.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from ._belief cimport *
from ._core cimport *
from ._tables cimport *

from ._core import require_layout


cdef enum:
    NO_NODE = -1
    CODES = MOVE_KINDS << 8
    LONGEST_LINE = 512       # nodes passed in one iteration; deeper moves are played out at random

ctypedef struct Node:
    double value[MAX_PLAYERS]        # by seat: sum of utilities
    double favour[MAX_PLAYERS]       # by seat: sum of final favour
    int32_t first_child              # NO_NODE: none yet
    int32_t next_sibling             # NO_NODE: the last child
    uint32_t visits
    uint32_t available               # iterations in which this move was legal when its parent was visited
    Move_t move                      # that leads here


cdef class Searcher:
    """One tree.

    Args:
        worlds: where iterations take their worlds from.
        seed: of everything random in this tree.
        exploration: the UCB1 constant, for utilities from 0 to 1.
        favour_weight: how much of the utility is final favour (as a share of 100 points) instead of win share.
        max_nodes: the tree stops growing there, and goes on counting.
    """

    cdef Worlds worlds
    cdef Rng rng
    cdef Node* nodes                 # owned
    cdef int32_t n_nodes, capacity, max_nodes
    cdef double exploration, favour_weight
    cdef readonly unsigned long long iterations
    cdef uint64_t stamp              # of the current set of legal moves, from 1
    cdef uint64_t stamps[CODES]      # by move code: equal to `stamp` if legal now and without a node

    def __cinit__(self, Worlds worlds not None, uint64_t seed, double exploration=0.7, double favour_weight=0.1,
                  int32_t max_nodes=2_000_000):
        if max_nodes < 1 or not exploration >= 0 or not 0 <= favour_weight < 1:
            raise ValueError(f"max_nodes {max_nodes}, exploration {exploration}, favour_weight {favour_weight}; allowed: "
                             "at least 1, at least 0, from 0 to less than 1")
        self.worlds = worlds
        self.exploration = exploration
        self.favour_weight = favour_weight
        self.max_nodes = max_nodes
        rng_seed(&self.rng, seed)
        self.reserve(1024)
        memset(&self.nodes[0], 0, sizeof(Node))
        self.nodes[0].first_child = self.nodes[0].next_sibling = NO_NODE
        self.n_nodes = 1

    def __dealloc__(self):
        free(self.nodes)

    cdef int reserve(self, long long wanted) except -1:
        """Make room for `wanted` nodes, at most `max_nodes`."""
        cdef Node* grown
        if wanted > self.max_nodes:
            wanted = self.max_nodes
        if wanted > self.capacity:
            grown = <Node*> realloc(self.nodes, wanted * sizeof(Node))
            if grown == NULL:
                raise MemoryError(f"no memory for a search tree of {wanted} nodes")
            self.nodes = grown
            self.capacity = <int32_t> wanted
        return 0

    def run(self, int iterations):
        """Do so many iterations more. An iteration adds at most one node, so room is made before, not in between."""
        cdef int i
        if self.n_nodes + iterations > self.capacity:
            self.reserve(max(self.n_nodes + iterations, 2 * <long long> self.capacity))
        with nogil:
            for i in range(iterations):
                self.iterate()
        self.iterations += iterations

    cdef void iterate(self) noexcept nogil:
        cdef const GameTables* t = &self.worlds.tables.c
        cdef GameState s
        cdef int32_t path[LONGEST_LINE]
        cdef int32_t node = 0, child
        cdef int length = 1
        cdef bint expanded = False
        path[0] = 0
        sample_world(&self.worlds.source, &s, t, &self.rng)
        draw_until_decision(&s, t, &self.rng)
        while not expanded and not is_over(&s) and length < LONGEST_LINE:
            child = self.descend(&s, t, node, &expanded)
            if child == NO_NODE:
                break
            apply_move(&s, t, self.nodes[child].move)
            draw_until_decision(&s, t, &self.rng)
            path[length] = child
            length += 1
            node = child
        random_playout(&s, t, &self.rng)
        self.back_up(&s, t, path, length)

    cdef int32_t descend(self, const GameState* s, const GameTables* t, int32_t node, bint* expanded) noexcept nogil:
        """The child to go to: a new one for a move without one, else the best by UCB1. NO_NODE if the tree is full."""
        cdef Move_t moves[MAX_MOVES]
        cdef int n = legal_moves(s, t, moves), i, fresh = n
        cdef int32_t child = self.nodes[node].first_child, best = NO_NODE
        cdef double score, best_score = -1.0
        self.stamp += 1
        for i in range(n):
            self.stamps[moves[i]] = self.stamp
        while child != NO_NODE:
            if self.stamps[self.nodes[child].move] == self.stamp:
                self.stamps[self.nodes[child].move] = 0
                fresh -= 1
                self.nodes[child].available += 1
                score = self.ucb(child, s.seat)
                if score > best_score:
                    best_score = score
                    best = child
            child = self.nodes[child].next_sibling
        if fresh == 0 or self.n_nodes >= self.capacity:
            return best
        expanded[0] = True
        return self.add_child(node, self.fresh_move(moves, n, rng_below(&self.rng, fresh)))

    cdef inline double ucb(self, int32_t node, int seat) noexcept nogil:
        cdef const Node* child = &self.nodes[node]
        cdef double visits = child.visits
        return child.value[seat] / visits + self.exploration * sqrt(log(<double> child.available) / visits)

    cdef inline Move_t fresh_move(self, const Move_t* moves, int n, int skip) noexcept nogil:
        """The move number `skip` among those that have no node yet."""
        cdef int i
        for i in range(n):
            if self.stamps[moves[i]] == self.stamp:
                if skip == 0:
                    return moves[i]
                skip -= 1
        return moves[n - 1]

    cdef inline int32_t add_child(self, int32_t parent, Move_t move) noexcept nogil:
        cdef int32_t node = self.n_nodes
        cdef Node* child = &self.nodes[node]
        self.n_nodes += 1
        memset(child, 0, sizeof(Node))
        child.move = move
        child.available = 1
        child.first_child = NO_NODE
        child.next_sibling = self.nodes[parent].first_child
        self.nodes[parent].first_child = node
        return node

    cdef void back_up(self, const GameState* s, const GameTables* t, const int32_t* path, int length) noexcept nogil:
        cdef double value[MAX_PLAYERS]
        cdef int winners = winners_of(s, t), seat, i
        cdef Node* node
        for seat in range(t.humans):
            value[seat] = (1.0 - self.favour_weight) / popcount(winners) if winners >> seat & 1 else 0.0
            value[seat] += self.favour_weight * 0.01 * s.favour[seat]
        for i in range(length):
            node = &self.nodes[path[i]]
            node.visits += 1
            for seat in range(t.humans):
                node.value[seat] += value[seat]
                node.favour[seat] += s.favour[seat]

    def moves(self):
        """The moves at the root: (move code, visits, available, mean win shares, mean favours), the latter by seat."""
        cdef int32_t child = self.nodes[0].first_child
        cdef int seat, humans = self.worlds.tables.c.humans
        cdef Node* node
        result = []
        while child != NO_NODE:
            node = &self.nodes[child]
            result.append((
                node.move, node.visits, node.available,
                tuple([self.win_share(node, seat) for seat in range(humans)]),
                tuple([node.favour[seat] / node.visits for seat in range(humans)]),
            ))
            child = node.next_sibling
        return result

    cdef double win_share(self, const Node* node, int seat):
        """The share of wins among the utilities that `back_up` has added up."""
        cdef double favour = self.favour_weight * 0.01 * node.favour[seat]
        return (node.value[seat] - favour) / (1.0 - self.favour_weight) / node.visits

    @property
    def tree_size(self):
        """Nodes in the tree."""
        return self.n_nodes


require_layout("lusatia_ai._search", sizeof(GameState), sizeof(GameTables))
