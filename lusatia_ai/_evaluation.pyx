"""A linear estimate of the final standings, made between two rounds.

Final favour is estimated seat by seat as a weighted sum of what the seat has: favour, guards, estate symbols, place in
the order, companions by what they do (so that it works for any component set). The weights are learned from self-play
by `benchmarks/learn_evaluation.py`, for each number of humans and of rounds completed. Win shares are a softmax of
the estimates.
"""

from libc.math cimport exp

from ._core import require_layout

cdef float GOOD = 1.5              # favour for a piece of goods that finds a slot, as in `_policy.pyx`
cdef float HORSE = 0.4             # favour for a horse

FEATURE_NAMES = (
    "bias", "favour", "first_guards", "more_guards", "many_guards", "symbols", "estate_points", "token_points", "late",
    "discount", "extra_arrows", "half_horses", "recruit", "zero_bonus", "slowest", "estate_row", "occupy", "producer",
    "farmer", "merchant", "chamberlain", "per_good",
)


cdef void seat_features(const GameState* s, const GameTables* t, int seat, double* features) noexcept nogil:
    """Write the FEATURES of one seat at the beginning of a round, before its set-up."""
    cdef int estate, place, guards = s.guards[seat], symbols = 0, points = 0
    for estate in range(ESTATES):
        symbols += s.estates[seat][estate]
        points += estate_points(s, t, seat, estate)
    place = 0
    while s.order[place] != seat:
        place += 1
    features[E_BIAS] = 1
    features[E_FAVOUR] = s.favour[seat]
    features[E_FIRST_GUARDS] = guards if guards < 4 else 4
    features[E_MORE_GUARDS] = 0 if guards < 4 else guards - 4 if guards < 10 else 6
    features[E_MANY_GUARDS] = 0 if guards < 10 else guards - 10
    features[E_SYMBOLS] = symbols
    features[E_ESTATE_POINTS] = points
    features[E_TOKEN_POINTS] = token_points(s, t, seat)
    features[E_LATE] = <double> place / (t.humans - 1)
    perk_features(&s.perks[seat], features)


cdef inline void perk_features(const Perks* perks, double* features) noexcept nogil:
    cdef int colour, per_good = 0
    for colour in range(GOODS):
        per_good += count_of(perks.per_good, colour)
    features[E_DISCOUNT] = perks.discount
    features[E_EXTRA_ARROWS] = perks.extra_arrows
    features[E_HALF_HORSES] = perks.half_horses
    features[E_RECRUIT] = perks.recruit
    features[E_ZERO_BONUS] = perks.zero_bonus
    features[E_SLOWEST] = perks.slowest
    features[E_ESTATE_ROW] = perks.estate_row
    features[E_OCCUPY] = perks.flags & F_OCCUPY != 0
    features[E_PRODUCER] = perks.flags & F_PRODUCER != 0
    features[E_FARMER] = perks.flags & F_FARMER != 0
    features[E_MERCHANT] = perks.flags & F_MERCHANT != 0
    features[E_CHAMBERLAIN] = perks.flags & F_CHAMBERLAIN != 0
    features[E_PER_GOOD] = per_good


cdef int token_points(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """What the seat's final tokens would score now (rules 8.1 to 8.3 and 8.5), handing over all guards that count."""
    cdef int i, other, estate, given, points = 0, fours = 0, dominated = 0, poorer = 0, guards = s.guards[seat]
    cdef const TokenTable* token
    for i in range(s.n_companions[seat]):
        fours += t.tokens[s.companions[seat][i]].four_arrows
    for i in range(s.n_companions[seat]):
        token = &t.tokens[s.companions[seat][i]]
        points += token.points + token.per_four * fours
        if token.per_dominated:
            for estate in range(ESTATES):
                points += token.per_dominated * dominates(s, t, seat, estate)
        if token.per_poorer:
            for other in range(t.humans):
                points += token.per_poorer * (s.favour[other] < s.favour[seat])
        if token.hand_most:
            given = guards if guards < token.hand_most else token.hand_most
            guards -= given
            points += given * token.hand_each
        for estate in range(ESTATES):
            points += token.per_symbol[estate] * s.estates[seat][estate]
    return points


cdef void estimate_favour(const GameState* s, const GameTables* t, const Evaluation* e, double* favour) noexcept nogil:
    """Write the estimated final favour of each human seat, at the beginning of a round from 1 to 6."""
    cdef int seat, i
    cdef double features[FEATURES]
    cdef double total
    cdef const double* weight = e.weight[s.round - 1]
    for seat in range(t.humans):
        seat_features(s, t, seat, features)
        total = 0
        for i in range(FEATURES):
            total += weight[i] * features[i]
        favour[seat] = total


cdef void estimate_wins(const GameState* s, const GameTables* t, const Evaluation* e, const double* favour,
                        double* wins) noexcept nogil:
    """Write the win share that each human seat can expect from these estimates; they add up to 1."""
    cdef int seat
    cdef double total = 0, best = favour[0], scale = 1 / e.temperature[s.round - 1]
    for seat in range(1, t.humans):
        if favour[seat] > best:
            best = favour[seat]
    for seat in range(t.humans):
        wins[seat] = exp((favour[seat] - best) * scale)
        total += wins[seat]
    for seat in range(t.humans):
        wins[seat] /= total


cdef class Evaluator:
    """Weights made ready for one game.

    Args:
        tables: the component set and variant.
        weights: for 0 to 5 rounds completed, a weight for each of `FEATURE_NAMES`.
        temperatures: for 0 to 5 rounds completed, favour.
    """

    def __init__(self, Tables tables not None, weights, temperatures):
        cdef int rounds, i
        self.tables = tables
        if len(weights) != ROUNDS or len(temperatures) != ROUNDS or any(len(row) != FEATURES for row in weights):
            raise ValueError(f"expected {ROUNDS} rows of {FEATURES} weights and {ROUNDS} temperatures")
        for rounds in range(ROUNDS):
            self.c.temperature[rounds] = temperatures[rounds]
            for i in range(FEATURES):
                self.c.weight[rounds][i] = weights[rounds][i]
        for i in range(ROUNDS + 1):
            value_tokens(&self.c, &tables.c, i)
            value_towns(&self.c, &tables.c, i)

    def __reduce__(self):
        return Evaluator, (self.tables, self.weights, self.temperatures)

    @property
    def weights(self):
        """For 0 to 5 rounds completed, a weight for each of `FEATURE_NAMES`."""
        return tuple([tuple([self.c.weight[rounds][i] for i in range(FEATURES)]) for rounds in range(ROUNDS)])

    @property
    def temperatures(self):
        """For 0 to 5 rounds completed, favour."""
        return tuple([self.c.temperature[rounds] for rounds in range(ROUNDS)])

    def favour(self, StateCore core not None):
        """The estimated final favour of each human seat, at the beginning of a round."""
        cdef double favour[MAX_PLAYERS]
        self.require_between_rounds(core)
        estimate_favour(&core.s, &self.tables.c, &self.c, favour)
        return tuple([favour[seat] for seat in range(self.tables.c.humans)])

    def wins(self, StateCore core not None):
        """The win share that each human seat can expect, at the beginning of a round."""
        cdef double favour[MAX_PLAYERS]
        cdef double wins[MAX_PLAYERS]
        self.require_between_rounds(core)
        estimate_favour(&core.s, &self.tables.c, &self.c, favour)
        estimate_wins(&core.s, &self.tables.c, &self.c, favour, wins)
        return tuple([wins[seat] for seat in range(self.tables.c.humans)])

    cdef int require_between_rounds(self, StateCore core) except -1:
        if core.tables is None or not self.tables.same_game(core.tables):
            raise ValueError("the state is of another game than the evaluator")
        if core.s.decision != D_ROUND:
            raise ValueError("estimates are made at the beginning of a round, before its set-up")
        return 0


cdef void value_tokens(Evaluation* e, const GameTables* t, int played):
    """What tokens are worth at the end of round `played`. After round 6 only final points count."""
    cdef int token, i
    cdef double features[FEATURES]
    cdef double total
    cdef const double* weight
    for token in range(t.n_tokens):
        e.token_value[played][token] = t.tokens[token].points
    if played == ROUNDS:
        return
    weight = e.weight[played]
    for token in range(t.n_tokens):
        perk_features(&t.tokens[token].perks, features)
        total = 0
        for i in range(E_DISCOUNT, FEATURES):
            total += weight[i] * features[i]
        e.token_value[played][token] += total + t.tokens[token].grey_cards * t.grey_symbols * weight[E_SYMBOLS]


cdef void value_towns(Evaluation* e, const GameTables* t, int played):
    """What guards and the best sides of each town are worth in round `played`, a piece of any colour being worth the same."""
    cdef int town, arrows, extra, i
    cdef float value, best
    cdef const Yield* gain
    if played == ROUNDS:
        e.guard_value[played] = 0.1
    else:
        e.guard_value[played] = 0.5 * (e.weight[played][E_FIRST_GUARDS] + e.weight[played][E_MORE_GUARDS])
    for town in range(TOWNS):
        for arrows in range(1, 64):
            for extra in range(EXTRAS):
                best = 0
                for i in range(t.n_rotations[arrows][extra]):
                    gain = &t.yields[town][t.rotations[arrows][extra][i]]
                    value = gain.guards * e.guard_value[played] + gain.horses * HORSE + GOOD * (
                        count_of(gain.goods, 0) + count_of(gain.goods, 1) + count_of(gain.goods, 2) + count_of(gain.goods, 3))
                    best = value if value > best else best
                e.town_value[played][town][arrows][extra] = best


def features_of(StateCore core not None):
    """For each human seat the values of `FEATURE_NAMES`, at the beginning of a round."""
    cdef double features[FEATURES]
    core.table()
    result = []
    for seat in range(core.tables.c.humans):
        seat_features(&core.s, &core.tables.c, seat, features)
        result.append(tuple([features[i] for i in range(FEATURES)]))
    return result


require_layout("lusatia_ai._evaluation", sizeof(GameState), sizeof(GameTables))
