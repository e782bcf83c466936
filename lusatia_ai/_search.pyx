"""Information-set MCTS over an arena of nodes (Cowling, Powley and Whitehouse 2012).

Each iteration takes a world that the observer's view allows, walks down the tree along moves that are legal in this
world, adds a node, plays on by a playout policy to the horizon, and adds the result to every node passed. Without
chance nodes a node stands for the moves that lead to it, whatever chance did in between (open loop).

Which tree is walked:

- single observer: one tree for all seats, branching on moves (SO-ISMCTS);
- multiple observers: a tree for each seat, branching on what this seat sees of each move and, at its root, on the hand
  that the world gives it (MO-ISMCTS);
- determinized: a tree for each of a few fixed worlds with a fixed stream of chance (perfect-information Monte Carlo).
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from ._belief cimport *
from ._core cimport *
from ._evaluation cimport *
from ._policy cimport *
from ._tables cimport *

from ._core import require_layout


cdef enum:
    NO_NODE = -1
    CODES = MOVE_KINDS << 8
    LONGEST_LINE = 256       # edges walked in one iteration; what lies deeper is played out
    LONGEST_PLAYOUT = 4096   # moves that MAST remembers of one iteration
    MOST_ROOT_MOVES = 4 * MAX_MOVES   # different moves at the root, over all worlds
    MOST_WORLDS = 64         # of determinized search

cdef double WIDE_SPREAD = 0.05          # standard deviation of utilities from which on exploration is what is set
cdef double LEAST_EXPLORATION = 0.005   # share of it that is left where utilities do not differ at all

# Labels of edges: a move is (seat << 16 | move code); the others have one of these bits.
cdef uint32_t CHANCE = 1u << 31
cdef uint32_t PRIVATE = 1u << 30    # what a seat does not see: another's hand-over; at a root: the seat's own hand

cdef enum Algorithm:
    SINGLE_OBSERVER, MULTIPLE_OBSERVER, DETERMINIZED

cdef enum Selection:
    UCB, UCB_TUNED, PUCT

cdef enum Backup:
    MAX_N, PARANOID, OWN_SCORE

cdef enum Playout:
    UNIFORM, GREEDY, MAST

cdef enum ChanceNodes:
    OPEN_LOOP, AUTOMA_NODES, ALL_NODES

ALGORITHMS = ("so", "mo", "determinized")
SELECTIONS = ("ucb", "ucb_tuned", "puct")
BACKUPS = ("maxn", "paranoid", "own")
PLAYOUTS = ("uniform", "greedy", "mast")
CHANCE_NODES = ("none", "automa", "all")

ctypedef struct Node:
    double value             # sum of utilities for the seat whose move leads here
    double square            # sum of their squares
    uint32_t label           # of the edge that leads here
    int32_t first_child      # NO_NODE: none yet
    int32_t next_sibling     # NO_NODE: the last child
    uint32_t visits
    uint32_t available       # iterations in which this move was legal when its parent was visited
    float prior              # the policy's probability, when the node was made

# What became of the iterations that went through a move at the root; sums, by seat.
ctypedef struct RootStats:
    uint32_t iterations
    double win[MAX_PLAYERS]
    double favour[MAX_PLAYERS]
    double rank[MAX_PLAYERS]         # 1 for the first; tied seats share the mean of their places
    double win_square[MAX_PLAYERS]
    double favour_square[MAX_PLAYERS]
    double rank_square[MAX_PLAYERS]

# How an iteration ended; by seat.
ctypedef struct Standing:
    double win[MAX_PLAYERS]          # win share
    double favour[MAX_PLAYERS]
    double rank[MAX_PLAYERS]

ctypedef struct Settings:
    int algorithm, selection, backup, playout, chance_nodes
    int horizon                      # rounds looked ahead, the present one included; 0: to the end of the game
    int worlds                       # of determinized search
    double exploration
    double win_weight, favour_weight, rank_weight    # of the utility; they add up to 1
    double prior_temperature         # favour
    double epsilon                   # share of uniformly random moves in playouts
    double widening                  # children allowed for each square root of visits; 0: all
    double history                   # weight of MAST averages in selection
    double taste[3]                  # favour that the observer sees in a later place in the order, a guard, a symbol

# Nodes passed in an iteration, by tree.
ctypedef struct Path:
    int length
    int32_t nodes[LONGEST_LINE]
    uint8_t seat[LONGEST_LINE]       # whose move leads there; NONE: not a move that counts


cdef class Searcher:
    """The tree or trees of one search in one thread.

    Args:
        worlds: where iterations take their worlds from.
        evaluator: of the standings between rounds.
        observer: the seat that searches.
        seed: of everything random here, 0 to 2**64 - 1.
        settings: a dict with the fields of `Settings`, choices by their place in ALGORITHMS and so on.
        max_nodes: where the tree stops growing; iterations go on without.
        only: the codes of the moves that are tried at the root, in worlds where one of them is legal; None for all moves.
    """

    cdef Worlds worlds
    cdef Evaluator evaluator
    cdef Settings settings
    cdef Rng rng
    cdef int observer
    cdef Node* nodes                 # owned
    cdef int32_t n_nodes, capacity, max_nodes
    cdef int n_trees                 # roots are the first nodes
    cdef readonly unsigned long long iterations
    cdef readonly unsigned long long reused       # iterations taken over from an earlier search
    cdef int last_round              # the horizon: rounds after this one are estimated
    cdef uint64_t stamp              # of the current set of legal moves, from 1
    cdef uint64_t stamps[CODES]      # by move code: equal to `stamp` if legal now and without a node
    cdef int16_t slot_of[CODES]      # by move code: index in `root_stats`, or -1
    cdef RootStats root_stats[MOST_ROOT_MOVES]
    cdef Move_t root_moves[MOST_ROOT_MOVES]
    cdef tuple only                  # codes of the moves that are tried at the root; None: all
    cdef bint restricted             # whether there are some
    cdef bint tasteful               # whether the observer likes things beyond what they are worth
    cdef uint8_t wanted[CODES]       # by move code: 1 for these
    cdef int n_root_moves
    cdef GameState* fixed            # owned; the worlds of determinized search
    cdef Rng* fixed_chance           # owned; their streams of chance
    cdef double* mast                # owned; sum of utilities and number of iterations by seat and move code
    cdef uint32_t* played            # owned; labels of the moves of this iteration, for MAST
    cdef int n_played

    def __cinit__(self, Worlds worlds not None, Evaluator evaluator not None, int observer, uint64_t seed,
                  dict settings not None, int32_t max_nodes, tuple only=None):
        cdef int code
        if max_nodes < 4 * MAX_PLAYERS or not 0 <= observer < worlds.tables.c.humans:
            raise ValueError(f"max_nodes {max_nodes}, observer {observer}; allowed: at least {4 * MAX_PLAYERS}, a human seat")
        if not evaluator.tables.same_game(worlds.tables):
            raise ValueError("the evaluator is made for another game")
        self.worlds = worlds
        self.evaluator = evaluator
        self.observer = observer
        self.settings = settings
        self.max_nodes = max_nodes
        self.only = only
        self.restricted = only is not None
        self.tasteful = any(self.settings.taste[i] != 0 for i in range(3))
        memset(self.wanted, 0, sizeof(self.wanted))
        for code in only or ():
            self.wanted[code] = 1
        self.last_round = self.worlds.source.base.round + self.settings.horizon - 1 if self.settings.horizon else ROUNDS
        rng_seed(&self.rng, seed)
        self.reserve(1024)
        if self.settings.algorithm == DETERMINIZED:
            self.fix_worlds()
        if self.settings.playout == MAST or self.settings.history > 0:
            self.mast = <double*> calloc(2 * MAX_PLAYERS * CODES, sizeof(double))
            self.played = <uint32_t*> malloc(LONGEST_PLAYOUT * sizeof(uint32_t))
            if self.mast == NULL or self.played == NULL:
                raise MemoryError("no memory for move averages")
        self.plant()

    def __dealloc__(self):
        free(self.nodes)
        free(self.fixed)
        free(self.fixed_chance)
        free(self.mast)
        free(self.played)

    cdef int fix_worlds(self) except -1:
        self.fixed = <GameState*> malloc(self.settings.worlds * sizeof(GameState))
        self.fixed_chance = <Rng*> malloc(self.settings.worlds * sizeof(Rng))
        if self.fixed == NULL or self.fixed_chance == NULL:
            raise MemoryError("no memory for the worlds of determinized search")
        self.draw_fixed()
        return 0

    cdef void draw_fixed(self) noexcept nogil:
        cdef int i
        for i in range(self.settings.worlds):
            self.draw_world(&self.fixed[i])
            rng_seed(&self.fixed_chance[i], rng_next(&self.rng))

    cdef inline void draw_world(self, GameState* s) noexcept nogil:
        sample_world(&self.worlds.source, s, &self.worlds.tables.c, &self.rng)

    cdef void plant(self) noexcept:
        """Nothing but roots."""
        cdef int i
        self.n_trees = 1
        if self.settings.algorithm == MULTIPLE_OBSERVER:
            self.n_trees = self.worlds.tables.c.humans
        elif self.settings.algorithm == DETERMINIZED:
            self.n_trees = self.settings.worlds
        self.n_nodes = 0
        for i in range(self.n_trees):
            self.add_root()
        self.forget_root()

    cdef void forget_root(self) noexcept:
        self.n_root_moves = 0
        memset(self.slot_of, -1, sizeof(self.slot_of))

    cdef inline void add_root(self) noexcept:
        cdef Node* root = &self.nodes[self.n_nodes]
        memset(root, 0, sizeof(Node))
        root.first_child = root.next_sibling = NO_NODE
        self.n_nodes += 1

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

    # --- iterations -----------------------------------------------------------------------------------

    cdef inline int keep_wanted(self, Move_t* moves, int n) noexcept nogil:
        """Move the wanted ones to the front; their number, or `n` if there are none."""
        cdef int i, kept = 0
        for i in range(n):
            if self.wanted[moves[i]]:
                moves[kept] = moves[i]
                kept += 1
        return kept if kept else n

    def run(self, int iterations, bint until_full=False):
        """Do so many iterations more; `until_full`: fewer if the tree stops growing, but at least one."""
        cdef int done = 0
        while done < iterations:
            if self.capacity - self.n_nodes < 2 * LONGEST_LINE:
                self.reserve(2 * <long long> self.capacity)
            with nogil:
                while done < iterations:
                    self.iterate()
                    done += 1
                    self.iterations += 1
                    if until_full and self.is_full():
                        done = iterations
                    if self.capacity - self.n_nodes < 2 * LONGEST_LINE and self.capacity < self.max_nodes:
                        break

    cdef inline bint is_full(self) noexcept nogil:
        return self.n_nodes >= self.max_nodes or (
            self.capacity >= self.max_nodes and self.n_nodes + MAX_PLAYERS > self.max_nodes)

    cdef void iterate(self) noexcept nogil:
        cdef GameState s
        cdef Rng fixed_stream
        cdef Rng* chance = &self.rng
        cdef Path path
        cdef Standing standing, liked
        cdef const Standing* wanted = &standing
        cdef int32_t cursor[MAX_PLAYERS]
        cdef int world, seat
        path.length = self.n_played = 0
        if self.settings.algorithm == DETERMINIZED:
            world = self.iterations % self.settings.worlds
            copy_state(&s, &self.fixed[world])
            fixed_stream = self.fixed_chance[world]
            chance = &fixed_stream
            cursor[0] = world
        else:
            self.draw_world(&s)
            for seat in range(self.n_trees):
                cursor[seat] = seat
            if self.settings.algorithm == MULTIPLE_OBSERVER:
                self.enter_roots(&s, cursor)
        self.walk(&s, cursor, &path, chance)
        self.play_on(&s, chance)
        self.judge(&s, &standing)
        if self.tasteful and not is_over(&s):
            liked = standing
            self.like(&s, &liked)
            wanted = &liked
        self.back_up(&path, &standing, wanted)

    cdef void enter_roots(self, const GameState* s, int32_t* cursor) noexcept nogil:
        """A seat that does not search knows its own hand: its tree branches on what this world gives it."""
        cdef int seat
        cdef uint32_t hand
        for seat in range(self.n_trees):
            if seat != self.observer:
                hand = <uint32_t> s.guards[seat] & 0x7FF
                hand = hand << 18 | s.estates[seat][0] << 12 | s.estates[seat][1] << 6 | s.estates[seat][2]
                cursor[seat] = self.child_with(cursor[seat], PRIVATE | (hand & (PRIVATE - 1)))

    cdef inline bint beyond(self, const GameState* s) noexcept nogil:
        """Whether the horizon is reached."""
        return s.decision == D_OVER or (s.decision == D_ROUND and s.round > self.last_round)

    cdef void walk(self, GameState* s, int32_t* cursor, Path* path, Rng* chance) noexcept nogil:
        """From the roots down to a new node."""
        cdef const GameTables* t = &self.worlds.tables.c
        cdef bint expanded = False
        cdef int32_t child
        cdef int tree, seat
        cdef Move_t move
        while path.length < LONGEST_LINE - MAX_PLAYERS and not self.beyond(s):
            if is_chance(s):
                if not self.pass_chance(s, cursor, chance):
                    return
                continue
            seat = s.seat
            tree = seat if self.settings.algorithm == MULTIPLE_OBSERVER else 0
            child = self.descend(s, t, cursor[tree], path.length == 0, &expanded)
            if child == NO_NODE:
                return
            move = self.nodes[child].label & 0xFFFF
            self.step(path, child, seat)
            cursor[tree] = child
            if self.n_trees > 1 and self.settings.algorithm == MULTIPLE_OBSERVER:
                if not self.others_see(s, cursor, path, seat, move):
                    apply_move(s, t, move)
                    return
            apply_move(s, t, move)
            if expanded:
                return

    cdef inline void step(self, Path* path, int32_t node, int seat) noexcept nogil:
        path.nodes[path.length] = node
        path.seat[path.length] = seat
        path.length += 1

    cdef bint others_see(self, const GameState* s, int32_t* cursor, Path* path, int seat, Move_t move) noexcept nogil:
        """Lead the trees of the other seats along what these see of a move. False if there is no room."""
        cdef int other
        cdef uint32_t label
        for other in range(self.n_trees):
            if other != seat:
                label = <uint32_t> seat << 16 | move
                if move_kind(move) == M_HAND_OVER:       # rules 8.2: seen when all are made
                    label = PRIVATE | <uint32_t> seat << 16
                cursor[other] = self.child_with(cursor[other], label)
                if cursor[other] == NO_NODE:
                    return False
                self.step(path, cursor[other], NONE)
        return True

    cdef bint pass_chance(self, GameState* s, int32_t* cursor, Rng* chance) noexcept nogil:
        """Draw a chance event; with chance nodes, branch on it. False if there is no room."""
        cdef const GameTables* t = &self.worlds.tables.c
        cdef Outcome outcome
        cdef int event = s.decision, tree
        cdef int trees = self.n_trees if self.settings.algorithm == MULTIPLE_OBSERVER else 1
        draw_chance(s, t, chance, &outcome)
        apply_chance(s, t, &outcome)
        if self.settings.chance_nodes == ALL_NODES or (
                self.settings.chance_nodes == AUTOMA_NODES and event in (D_AUTOMA_TOWN, D_AUTOMA_CARD)):
            for tree in range(trees):
                cursor[tree] = self.child_with(cursor[tree], chance_label(s, event, &outcome))
                if cursor[tree] == NO_NODE:
                    return False
        return True

    cdef int32_t child_with(self, int32_t node, uint32_t label) noexcept nogil:
        """The child along this edge, made if there is none. NO_NODE if the tree is full."""
        cdef int32_t child = self.nodes[node].first_child
        while child != NO_NODE:
            if self.nodes[child].label == label:
                return child
            child = self.nodes[child].next_sibling
        return self.add_child(node, label, 0)

    cdef inline int32_t add_child(self, int32_t parent, uint32_t label, float prior) noexcept nogil:
        cdef int32_t node = self.n_nodes
        cdef Node* child = &self.nodes[node]
        if node >= self.capacity:
            return NO_NODE
        self.n_nodes += 1
        memset(child, 0, sizeof(Node))
        child.label = label
        child.prior = prior
        child.available = 1
        child.first_child = NO_NODE
        child.next_sibling = self.nodes[parent].first_child
        self.nodes[parent].first_child = node
        return node

    # --- selection ------------------------------------------------------------------------------------

    cdef int32_t descend(self, const GameState* s, const GameTables* t, int32_t node, bint at_root,
                         bint* expanded) noexcept nogil:
        """The child to go to, a new one included (then `expanded`). NO_NODE if there is none and no room."""
        cdef Move_t moves[MAX_MOVES]
        cdef float priors[MAX_MOVES]
        cdef int n = legal_moves(s, t, moves), i, fresh = n, pick = -1, children = 0
        cdef uint32_t seat_bits = <uint32_t> s.seat << 16
        cdef int32_t child = self.nodes[node].first_child, best = NO_NODE
        cdef double score, best_score = -1e300, value = 0, visits = 0, known_log = 0
        cdef double exploration = self.settings.exploration if at_root else self.exploration_at(node, seat_bits)
        cdef uint32_t logged = 0, parent_visits = 0
        cdef Node* entry
        if at_root and self.restricted:
            n = fresh = self.keep_wanted(moves, n)
        self.stamp += 1
        for i in range(n):
            self.stamps[moves[i]] = self.stamp
        while child != NO_NODE:
            entry = &self.nodes[child]
            if entry.label & 0xFFFF0000u == seat_bits and self.stamps[entry.label & 0xFFFF] == self.stamp:
                self.stamps[entry.label & 0xFFFF] = 0
                fresh -= 1
                children += 1
                entry.available += 1
                value += entry.value
                visits += entry.visits
                if entry.available > parent_visits:
                    parent_visits = entry.available
                if entry.available != logged:
                    logged = entry.available
                    known_log = log(<double> logged)
                score = self.selection_score(entry, s.seat, known_log, exploration)
                if at_root and self.reused and self.slot_of[entry.label & 0xFFFF] < 0:
                    score = 1e300        # a move taken over from an earlier search needs one iteration of this one
                if score > best_score:
                    best_score = score
                    best = child
            child = self.nodes[child].next_sibling
        if fresh == 0 or self.n_nodes >= self.capacity:
            return best
        if self.settings.widening > 0 and children >= 1 + self.settings.widening * sqrt(visits):
            return best
        if self.settings.selection == PUCT:
            self.mixed_priors(s, t, moves, n, priors)
            pick = self.fresh_with_best_prior(moves, n, priors)
            if best != NO_NODE:
                score = value / (visits if visits > 0 else 1)
                if score + exploration * priors[pick] * sqrt(<double> parent_visits) <= best_score:
                    return best
        elif self.settings.widening > 0:
            self.mixed_priors(s, t, moves, n, priors)
            pick = self.fresh_with_best_prior(moves, n, priors)
        else:
            pick = self.fresh_at_random(moves, n, rng_below(&self.rng, fresh))
            priors[pick] = 0
        expanded[0] = n > 1              # a forced move is no reason to stop here
        return self.add_child(node, seat_bits | moves[pick], priors[pick])

    cdef inline double exploration_at(self, int32_t node, uint32_t seat_bits) noexcept nogil:
        """The exploration constant at a node other than a root: less for PUCT where the utilities found hardly differ.

        Otherwise small differences, such as a point of favour in a game that is decided, would drown in exploration. The
        moves of a root are reported, so each of them should be known well enough.
        """
        cdef double value = 0, square = 0, visits = 0, variance
        cdef int32_t child = self.nodes[node].first_child
        if self.settings.selection != PUCT:
            return self.settings.exploration
        while child != NO_NODE:
            if self.nodes[child].label & 0xFFFF0000u == seat_bits:
                value += self.nodes[child].value
                square += self.nodes[child].square
                visits += self.nodes[child].visits
            child = self.nodes[child].next_sibling
        if visits < 2:
            return self.settings.exploration
        variance = square / visits - (value / visits) * (value / visits)
        if variance >= WIDE_SPREAD * WIDE_SPREAD:
            return self.settings.exploration
        return self.settings.exploration * (LEAST_EXPLORATION + sqrt(variance if variance > 0 else 0) / WIDE_SPREAD)

    cdef inline double selection_score(self, const Node* node, int seat, double log_available,
                                       double exploration) noexcept nogil:
        """How much this child is worth a visit: its mean value and a bonus for being little known.

        UCB1 and UCB1-tuned of Auer, Cesa-Bianchi and Fischer (2002), with availability in the place of the parent's visits
        (Cowling, Powley and Whitehouse 2012); PUCT as in Silver et al. (2017).
        """
        cdef double visits = node.visits if node.visits else 1e-3
        cdef double mean = node.value / visits, variance, bonus
        if self.settings.selection == PUCT:
            bonus = node.prior * sqrt(<double> node.available) / (1 + visits)
        elif self.settings.selection == UCB:
            bonus = sqrt(log_available / visits)
        else:
            variance = node.square / visits - mean * mean
            variance = (variance if variance > 0 else 0) + sqrt(2 * log_available / visits)
            bonus = sqrt(log_available / visits * (variance if variance < 0.25 else 0.25))
        mean += exploration * bonus
        if self.settings.history > 0:
            mean += self.settings.history * self.mast_mean(seat, node.label & 0xFFFF) / (1 + visits)
        return mean

    cdef inline void mixed_priors(self, const GameState* s, const GameTables* t, const Move_t* moves, int n,
                                  float* priors) noexcept nogil:
        """The policy's probabilities, with a share of 1 in 10 spread evenly so that no move is never tried."""
        cdef int i
        policy_weights(s, t, &self.evaluator.c, moves, n, self.settings.prior_temperature, priors)
        for i in range(n):
            priors[i] = <float> 0.9 * priors[i] + <float> 0.1 / n

    cdef inline int fresh_with_best_prior(self, const Move_t* moves, int n, const float* priors) noexcept nogil:
        cdef int i, best = -1
        for i in range(n):
            if self.stamps[moves[i]] == self.stamp and (best < 0 or priors[i] > priors[best]):
                best = i
        return best

    cdef inline int fresh_at_random(self, const Move_t* moves, int n, int skip) noexcept nogil:
        """The index of the move number `skip` among those that have no node yet."""
        cdef int i
        for i in range(n):
            if self.stamps[moves[i]] == self.stamp:
                if skip == 0:
                    return i
                skip -= 1
        return n - 1

    # --- playouts -------------------------------------------------------------------------------------

    cdef void play_on(self, GameState* s, Rng* chance) noexcept nogil:
        """Play by the playout policy until the horizon."""
        cdef const GameTables* t = &self.worlds.tables.c
        cdef Move_t move
        if self.settings.playout == UNIFORM and self.last_round >= ROUNDS and self.mast == NULL and (
                self.settings.algorithm != DETERMINIZED):
            random_playout(s, t, &self.rng)
            return
        while not self.beyond(s):
            if is_chance(s):
                draw_until_next(s, t, chance, self.last_round)
            else:
                move = self.playout_move(s, t)
                if self.mast != NULL and self.n_played < LONGEST_PLAYOUT:
                    self.played[self.n_played] = <uint32_t> s.seat << 16 | move
                    self.n_played += 1
                apply_move(s, t, move)

    cdef inline Move_t playout_move(self, const GameState* s, const GameTables* t) noexcept nogil:
        cdef Settings* settings = &self.settings
        if settings.playout == UNIFORM or (
                settings.epsilon > 0 and (rng_next(&self.rng) >> 11) * 1.1102230246251565e-16 < settings.epsilon):
            return random_move(s, t, &self.rng)
        if settings.playout == GREEDY:
            return greedy_move(s, t, &self.evaluator.c, &self.rng)
        return self.mast_move(s, t)

    cdef Move_t mast_move(self, const GameState* s, const GameTables* t) noexcept nogil:
        """The move with the best average over all iterations, wherever it was played (Finnsson and Bjornsson 2008)."""
        cdef Move_t moves[MAX_MOVES]
        cdef int n = legal_moves(s, t, moves), i, best = 0
        cdef double score, best_score = -1e300
        for i in range(n):
            score = self.mast_mean(s.seat, moves[i])
            if score > best_score:
                best_score = score
                best = i
        return moves[best]

    cdef inline double mast_mean(self, int seat, int code) noexcept nogil:
        cdef const double* entry = &self.mast[2 * (seat * CODES + code)]
        return entry[0] / entry[1] if entry[1] > 0 else 1.0      # untried moves first

    # --- results --------------------------------------------------------------------------------------

    cdef void judge(self, const GameState* s, Standing* standing) noexcept nogil:
        """Final standings, or what they are estimated to be at the horizon."""
        cdef const GameTables* t = &self.worlds.tables.c
        cdef int winners, seat, i
        if not is_over(s):
            estimate_favour(s, t, &self.evaluator.c, standing.favour)
            self.compare_estimates(s, standing)
            return
        winners = winners_of(s, t)
        for seat in range(t.humans):
            standing.win[seat] = 1.0 / popcount(winners) if winners >> seat & 1 else 0.0
            standing.favour[seat] = s.favour[seat]
            standing.rank[seat] = 1
            for i in range(t.humans):
                if i != seat:
                    standing.rank[seat] += 0.5 * (
                        (standing_key(s, i) > standing_key(s, seat)) + (standing_key(s, i) >= standing_key(s, seat)))

    cdef inline void compare_estimates(self, const GameState* s, Standing* standing) noexcept nogil:
        """Win shares and ranks that go with estimates of favour."""
        cdef const GameTables* t = &self.worlds.tables.c
        estimate_wins(s, t, &self.evaluator.c, standing.favour, standing.win)
        expected_ranks(standing.favour, t.humans, self.evaluator.c.temperature[s.round - 1], standing.rank)

    cdef void like(self, const GameState* s, Standing* standing) noexcept nogil:
        """The standing as the observer's taste sees it, which decides, but is not reported."""
        cdef int me = self.observer, place = 0
        while s.order[place] != me:
            place += 1
        standing.favour[me] += (self.settings.taste[0] * place + self.settings.taste[1] * s.guards[me]
                                + self.settings.taste[2] * (s.estates[me][0] + s.estates[me][1] + s.estates[me][2]))
        self.compare_estimates(s, standing)

    cdef void utilities(self, const Standing* standing, double* utility) noexcept nogil:
        """What each seat is taken to want, about 0 to 1, by the settings of utility and backup."""
        cdef int humans = self.worlds.tables.c.humans, seat, other
        cdef const Settings* settings = &self.settings
        cdef double rival
        for seat in range(humans):
            utility[seat] = settings.win_weight * standing.win[seat]
            if settings.favour_weight > 0:
                rival = -1e300
                for other in range(humans):
                    if other != seat and standing.favour[other] > rival:
                        rival = standing.favour[other]
                utility[seat] += settings.favour_weight * (0.5 + 0.01 * (standing.favour[seat] - rival))
            if settings.rank_weight > 0:
                utility[seat] += settings.rank_weight * (humans - standing.rank[seat]) / (humans - 1)
        for seat in range(humans):
            if seat != self.observer:
                if settings.backup == PARANOID:
                    utility[seat] = 1 - utility[self.observer]
                elif settings.backup == OWN_SCORE:
                    utility[seat] = 0.01 * standing.favour[seat]

    cdef void back_up(self, const Path* path, const Standing* standing, const Standing* wanted) noexcept nogil:
        """`wanted`: what decides; `standing`: what is reported."""
        cdef double utility[MAX_PLAYERS]
        cdef int i, seat
        cdef Node* node
        self.utilities(wanted, utility)
        for i in range(path.length):
            node = &self.nodes[path.nodes[i]]
            node.visits += 1
            seat = path.seat[i]
            if seat != NONE:
                node.value += utility[seat]
                node.square += utility[seat] * utility[seat]
                if self.mast != NULL:
                    self.remember(node.label, utility)
        if path.length:
            self.note_root(self.nodes[path.nodes[0]].label & 0xFFFF, standing)
        for i in range(self.n_played):
            self.remember(self.played[i], utility)

    cdef inline void remember(self, uint32_t label, const double* utility) noexcept nogil:
        cdef int seat = label >> 16
        cdef double* entry = &self.mast[2 * (seat * CODES + (label & 0xFFFF))]
        entry[0] += utility[seat]
        entry[1] += 1

    cdef inline void note_root(self, int code, const Standing* standing) noexcept nogil:
        cdef int seat, slot = self.slot_of[code]
        cdef RootStats* stats
        if slot < 0:
            if self.n_root_moves == MOST_ROOT_MOVES:
                return
            slot = self.slot_of[code] = self.n_root_moves
            self.root_moves[slot] = code
            memset(&self.root_stats[slot], 0, sizeof(RootStats))
            self.n_root_moves += 1
        stats = &self.root_stats[slot]
        stats.iterations += 1
        for seat in range(self.worlds.tables.c.humans):
            stats.win[seat] += standing.win[seat]
            stats.favour[seat] += standing.favour[seat]
            stats.rank[seat] += standing.rank[seat]
            stats.win_square[seat] += standing.win[seat] * standing.win[seat]
            stats.favour_square[seat] += standing.favour[seat] * standing.favour[seat]
            stats.rank_square[seat] += standing.rank[seat] * standing.rank[seat]

    def moves(self):
        """The moves at the root: move code -> (visits, availability, utilities, iterations, sums by seat).

        Visits, availability and the sum of utilities count iterations taken over from earlier searches; the sums (win
        share, favour, rank, and the squares of the three) are over the `iterations` of this search alone.
        """
        cdef int32_t child
        cdef int tree, slot, humans = self.worlds.tables.c.humans
        cdef Node* node
        cdef RootStats* stats
        result = {}
        for tree in self.root_range():
            child = self.nodes[tree].first_child
            while child != NO_NODE:
                node = &self.nodes[child]
                slot = self.slot_of[node.label & 0xFFFF] if not node.label & (CHANCE | PRIVATE) else -1
                if slot >= 0:
                    stats = &self.root_stats[slot]
                    visits, available, value, _, _ = result.get(self.root_moves[slot], (0, 0, 0.0, 0, ()))
                    result[self.root_moves[slot]] = (
                        visits + node.visits, available + node.available, value + node.value, stats.iterations,
                        (by_seat(stats.win, humans), by_seat(stats.favour, humans), by_seat(stats.rank, humans),
                         by_seat(stats.win_square, humans), by_seat(stats.favour_square, humans),
                         by_seat(stats.rank_square, humans)),
                    )
                child = node.next_sibling
        return result

    cdef object root_range(self):
        """The roots whose children are the observer's moves."""
        if self.settings.algorithm == MULTIPLE_OBSERVER:
            return range(self.observer, self.observer + 1)
        return range(self.n_trees)

    def line(self, int code):
        """The moves that follow a move at the root most often, itself first, as (seat, move code)."""
        cdef int32_t node = NO_NODE, child, best
        result = []
        for tree in self.root_range():
            child = self.child_along(tree, <uint32_t> self.worlds.source.base.seat << 16 | code)
            if child != NO_NODE and (node == NO_NODE or self.nodes[child].visits > self.nodes[node].visits):
                node = child
        while node != NO_NODE:
            if not self.nodes[node].label & (CHANCE | PRIVATE):
                result.append((self.nodes[node].label >> 16, self.nodes[node].label & 0xFFFF))
            best = NO_NODE
            child = self.nodes[node].first_child
            while child != NO_NODE:
                if self.nodes[child].visits > 0 and (best == NO_NODE or self.nodes[child].visits > self.nodes[best].visits):
                    best = child
                child = self.nodes[child].next_sibling
            node = best
        return result

    cdef int32_t child_along(self, int32_t node, uint32_t label) noexcept:
        cdef int32_t child = self.nodes[node].first_child
        while child != NO_NODE and self.nodes[child].label != label:
            child = self.nodes[child].next_sibling
        return child

    # --- from one search to the next --------------------------------------------------------------------

    def advance(self, played, Worlds worlds not None):
        """Go on with the part of the tree that matches the moves played since.

        Args:
            played: (seat, move code) for each move since the root, in order.
            worlds: of the view that is searched now.

        Returns:
            Whether anything could be kept. If not, or where nothing is worth keeping (determinized search), the tree is new.
        """
        cdef int32_t node = 0
        # The trees of several observers begin at hands that the next worlds may not deal, and chance nodes need the draws.
        cdef bint kept = self.settings.algorithm == SINGLE_OBSERVER and self.settings.chance_nodes == OPEN_LOOP
        if worlds.tables is not self.worlds.tables:
            raise ValueError("the worlds are of another game")
        if kept:
            for seat, code in played:
                node = self.child_along(node, <uint32_t> seat << 16 | <uint32_t> code)
                if node == NO_NODE:
                    kept = False
                    break
        self.worlds = worlds
        self.iterations = self.reused = 0
        self.last_round = worlds.source.base.round + self.settings.horizon - 1 if self.settings.horizon else ROUNDS
        if self.settings.algorithm == DETERMINIZED:
            self.draw_fixed()
        if not kept:
            self.plant()
            return False
        self.keep_subtree(node)
        return True

    cdef int keep_subtree(self, int32_t root) except -1:
        """Move the part below `root` to the front of the arena, in the same order: what follows a node lies behind it."""
        cdef int32_t i, child, n = 0
        cdef int32_t* place = <int32_t*> calloc(self.n_nodes, sizeof(int32_t))     # 0: not kept; else the new one, plus 1
        if place == NULL:
            raise MemoryError("no memory to move the search tree")
        self.nodes[root].next_sibling = NO_NODE
        place[root] = 1
        for i in range(root, self.n_nodes):
            if place[i]:
                n += 1
                place[i] = n
                child = self.nodes[i].first_child
                while child != NO_NODE:
                    place[child] = 1
                    child = self.nodes[child].next_sibling
        for i in range(root, self.n_nodes):
            if place[i]:
                self.nodes[place[i] - 1] = self.nodes[i]
                self.relink(&self.nodes[place[i] - 1], place)
        free(place)
        self.n_nodes = n
        self.reused = self.nodes[0].visits
        self.forget_root()
        return 0

    cdef inline void relink(self, Node* node, const int32_t* place) noexcept nogil:
        """Let a node that has been moved point to the new places."""
        if node.first_child != NO_NODE:
            node.first_child = place[node.first_child] - 1
        if node.next_sibling != NO_NODE:
            node.next_sibling = place[node.next_sibling] - 1

    @property
    def tree_size(self):
        """Nodes in the tree."""
        return self.n_nodes

    @property
    def full(self):
        """Whether the tree has stopped growing."""
        return self.is_full()

    # --- to other processes -----------------------------------------------------------------------------

    def __reduce__(self):
        arena = (<char*> self.nodes)[:self.n_nodes * sizeof(Node)]
        roots = (<char*> self.root_stats)[:self.n_root_moves * sizeof(RootStats)]
        codes = [self.root_moves[i] for i in range(self.n_root_moves)]
        stream = (self.rng.s[0], self.rng.s[1], self.rng.s[2], self.rng.s[3])
        averages = (<char*> self.mast)[:2 * MAX_PLAYERS * CODES * sizeof(double)] if self.mast != NULL else None
        fixed = None
        if self.settings.algorithm == DETERMINIZED:
            fixed = ((<char*> self.fixed)[:self.settings.worlds * sizeof(GameState)],
                     (<char*> self.fixed_chance)[:self.settings.worlds * sizeof(Rng)])
        args = (self.worlds, self.evaluator, self.observer, 0, self.settings, self.max_nodes, self.only)
        return _restored, (args, arena, roots, codes, stream, self.iterations, self.reused, averages, fixed)

    cdef int restore(self, bytes arena, bytes roots, codes, stream, iterations, reused, averages, fixed) except -1:
        cdef int i
        self.reserve(len(arena) // sizeof(Node))
        self.n_nodes = len(arena) // sizeof(Node)
        memcpy(self.nodes, <const char*> arena, len(arena))
        memcpy(self.root_stats, <const char*> roots, len(roots))
        self.forget_root()
        for i, code in enumerate(codes):
            self.root_moves[i] = code
            self.slot_of[<int> code] = i
        self.n_root_moves = len(codes)
        for i in range(4):
            self.rng.s[i] = stream[i]
        self.iterations = iterations
        self.reused = reused
        if averages is not None:
            memcpy(self.mast, <const char*> averages, len(averages))
        if fixed is not None:
            memcpy(self.fixed, <const char*> fixed[0], len(fixed[0]))
            memcpy(self.fixed_chance, <const char*> fixed[1], len(fixed[1]))
        return 0


def _restored(args, arena, roots, codes, stream, iterations, reused, averages, fixed):
    cdef Searcher searcher = Searcher(*args)
    searcher.restore(arena, roots, codes, stream, iterations, reused, averages, fixed)
    return searcher


cdef tuple by_seat(const double* column, int humans):
    return tuple([column[seat] for seat in range(humans)])


cdef inline void draw_until_next(GameState* s, const GameTables* t, Rng* rng, int last_round) noexcept nogil:
    """Draw chance up to the next decision or the horizon."""
    cdef Outcome outcome
    while is_chance(s) and not (s.decision == D_ROUND and s.round > last_round):
        draw_chance(s, t, rng, &outcome)
        apply_chance(s, t, &outcome)


cdef inline uint32_t chance_label(const GameState* s, int event, const Outcome* outcome) noexcept nogil:
    """An edge for what chance did; round set-ups, which are too many to number, by their hash."""
    if event in (D_AUTOMA_TOWN, D_AUTOMA_CARD):
        return CHANCE | <uint32_t> event << 16 | outcome.pick
    return CHANCE | <uint32_t> (hash_state(s) & (PRIVATE - 1))


cdef inline int standing_key(const GameState* s, int seat) noexcept nogil:
    """Rules 8.6: favour, then guards."""
    return s.favour[seat] << 16 | s.guards[seat]


cdef inline void expected_ranks(const double* favour, int humans, double temperature, double* rank) noexcept nogil:
    """1 and the chances of every other seat to end before this one, each by the logistic of the difference."""
    cdef int seat, other
    for seat in range(humans):
        rank[seat] = 1
        for other in range(humans):
            if other != seat:
                rank[seat] += 1 / (1 + exp((favour[seat] - favour[other]) / temperature))


NODE_SIZE = sizeof(Node)
"""Bytes for each node of a tree."""

require_layout("lusatia_ai._search", sizeof(GameState), sizeof(GameTables))
