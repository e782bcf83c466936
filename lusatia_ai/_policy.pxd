"""A cheap rule-based policy: for playouts, as a prior of the search, as a model of other players, and as a player."""

from ._core cimport *
from ._evaluation cimport *
from ._tables cimport *

cdef void score_moves(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                      float* scores) noexcept nogil
cdef Move_t greedy_move(const GameState* s, const GameTables* t, const Evaluation* e, Rng* rng) noexcept nogil
cdef void policy_weights(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                         float temperature, float* weights) noexcept nogil
