"""A linear estimate of the final standings, made between two rounds."""

from ._core cimport *
from ._tables cimport *

# What the estimate of a seat adds up, each times its weight.
cdef enum:
    E_BIAS
    E_FAVOUR
    E_FIRST_GUARDS          # guards in hand, up to 4
    E_MORE_GUARDS           # the 5th to the 10th
    E_MANY_GUARDS           # those from the 11th
    E_SYMBOLS               # estate symbols
    E_ESTATE_POINTS         # what the estates would score now
    E_TOKEN_POINTS          # what the final tokens would score now
    E_LATE                  # place in the order, 0 for the first to 1 for the last
    E_DISCOUNT              # from here on: what the companions add up to (`Perks`)
    E_EXTRA_ARROWS
    E_HALF_HORSES
    E_RECRUIT
    E_ZERO_BONUS
    E_SLOWEST
    E_ESTATE_ROW
    E_OCCUPY
    E_PRODUCER
    E_FARMER
    E_MERCHANT
    E_CHAMBERLAIN
    E_PER_GOOD
    FEATURES

cdef enum:
    EXTRAS = 3              # more extra arrows than two are valued like two

# Weights for one number of humans. By rounds completed, 0 to 5; owned by an `Evaluator`.
ctypedef struct Evaluation:
    double weight[ROUNDS][FEATURES]
    double temperature[ROUNDS]                  # favour; of the softmax that turns estimates into win shares
    float token_value[ROUNDS + 1][MAX_TOKENS]   # by round: favour that taking the token is worth, but for `final_value`
    float guard_value[ROUNDS + 1]               # by round: favour that one more guard is worth at its end
    float town_value[ROUNDS + 1][TOWNS][64][EXTRAS]   # by round, town, arrows, extra arrows: what the best sides yield


cdef void seat_features(const GameState* s, const GameTables* t, int seat, double* features) noexcept nogil
cdef void estimate_favour(const GameState* s, const GameTables* t, const Evaluation* e, double* favour) noexcept nogil
cdef void estimate_wins(const GameState* s, const GameTables* t, const Evaluation* e, const double* favour,
                        double* wins) noexcept nogil
cdef int token_points(const GameState* s, const GameTables* t, int seat) noexcept nogil

cdef class Evaluator:
    cdef Evaluation c
    cdef readonly Tables tables
    cdef int require_between_rounds(self, StateCore core) except -1
