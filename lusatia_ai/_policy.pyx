"""A cheap rule-based policy: for playouts, as a prior of the search, as a model of other players, and as a player.

Every legal move gets a score in favour, by one rule of thumb for each kind of decision: what the move gains now, what it
costs, and for rows what it gives to others. The policy takes the best one. It looks only at what the seat to act knows.
"""

from libc.math cimport expf

from ._core import require_layout

cdef float GOOD = 1.5              # favour for a piece of goods that finds a slot
cdef float SURPLUS = 0.2           # and for one that may find none
cdef float HORSE = 0.4             # favour for a horse: earlier in the storing order
cdef float SYMBOL = 0.8            # favour for an estate symbol, beyond what it scores now
cdef float KING = 2.0              # favour for each guard that the king has to give (rules 3.3)
cdef float OTHERS = 0.3            # how much another's point counts against a row
cdef float OPENED = 0.25           # how much of a bonus is lost when a row is left for others to fill


cdef void score_moves(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                      float* scores) noexcept nogil:
    """Write a score in favour for each of `n` legal moves; only differences within one position mean something."""
    cdef int i, decision = s.decision
    if decision == D_ROW:
        for i in range(n):
            scores[i] = row_score(s, t, moves[i])
    elif decision == D_TRAVEL:
        score_travel(s, t, e, moves, n, scores)
    elif decision == D_RESPOND:
        score_responses(s, t, e, moves, n, scores)
    elif decision == D_COLLECT:
        score_sides(s, t, e, moves, n, scores)
    elif decision == D_CARD:
        for i in range(n):
            scores[i] = symbols_score(s, t, s.face_up[move_argument(moves[i])], t.symbols[move_argument(moves[i])])
    elif decision == D_GREY:
        for i in range(n):
            scores[i] = symbols_score(s, t, move_argument(moves[i]), t.grey_symbols)
    elif decision == D_HAND_OVER:
        for i in range(n):
            scores[i] = hand_over_score(s, t, move_argument(moves[i]))
    else:
        score_goods(s, e, moves, n, scores)


# --- town selection -------------------------------------------------------------------------------

cdef inline float town_score(const GameState* s, const GameTables* t, const Evaluation* e, int seat,
                             int town) noexcept nogil:
    """What a town offers the seat: the best sides for its token, and the token."""
    cdef int token = s.town_token[town], extra
    if token == NONE:
        return 0
    extra = extra_arrows(s, t, seat, token)
    extra = extra if extra < EXTRAS else EXTRAS - 1
    return e.town_value[s.round][town][t.tokens[token].arrows][extra] + token_score(s, t, e, seat, token)


cdef float token_score(const GameState* s, const GameTables* t, const Evaluation* e, int seat, int token) noexcept nogil:
    """What holding the token is worth, with its centre in the easy game."""
    cdef const TokenTable* table = &t.tokens[token]
    cdef int i, estate, given
    cdef float score = e.token_value[s.round][token]
    if t.easy:
        score += (GOOD * popcount(occupied_lanes(table.centre_goods)) + table.centre_guards * e.guard_value[s.round]
                  + table.centre_horses * HORSE)
        return score if table.centre_estate == NONE else score + SYMBOL * t.grey_symbols
    if table.per_four:
        for i in range(s.n_companions[seat]):
            score += table.per_four * t.tokens[s.companions[seat][i]].four_arrows
        score += table.per_four * table.four_arrows
    for estate in range(ESTATES):
        score += table.per_symbol[estate] * s.estates[seat][estate]
        if table.per_dominated:
            score += table.per_dominated * dominates(s, t, seat, estate)
    if table.per_poorer:
        for i in range(t.humans):
            score += table.per_poorer * (s.favour[i] < s.favour[seat])
    if table.hand_most:
        given = s.guards[seat] if s.guards[seat] < table.hand_most else table.hand_most
        score += 0.8 * table.hand_each * given
    return score


cdef inline float price(const GameState* s, const Evaluation* e, int seat, int guards) noexcept nogil:
    """Favour that so many guards cost the seat, the king's help included."""
    cdef int own = s.guards[seat]
    if guards <= own:
        return guards * e.guard_value[s.round]
    return own * e.guard_value[s.round] + (guards - own) * KING


cdef inline float entry_score(const GameState* s, const GameTables* t, const Evaluation* e, int seat, int town,
                              int position) noexcept nogil:
    """Go to a town and pay what one offers there."""
    cdef int bid = 0 if s.occupant[town] == NONE else position
    return town_score(s, t, e, seat, town) - price(s, e, seat, travel_cost(s, t, seat, town) + bid)


cdef void score_travel(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                       float* scores) noexcept nogil:
    cdef float offer = 0
    cdef int i, town, position, last = -1
    for i in range(n):
        town = move_argument(moves[i]) >> 4
        position = move_argument(moves[i]) & 15
        if town != last:
            offer = town_score(s, t, e, s.seat, town)
            last = town
        scores[i] = offer - price(s, e, s.seat, travel_cost(s, t, s.seat, town)
                                  + (0 if s.occupant[town] == NONE else position))


cdef void score_responses(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                          float* scores) noexcept nogil:
    """Accepting brings the standing bid and the best other town; raising brings this town for the bid."""
    cdef float here, elsewhere, score
    cdef int i, town, seat = s.seat, own = s.wagon[s.seat], low
    here = town_score(s, t, e, seat, own)
    elsewhere = -KING * TOP_BID
    for town in range(TOWNS):
        if town == own or s.besieged >> town & 1:
            continue
        low = 0 if s.occupant[town] == NONE else s.position[s.occupant[town]] + 1
        if low > TOP_BID:
            continue
        score = entry_score(s, t, e, seat, town, low)
        if score > elsewhere:
            elsewhere = score
    for i in range(n):
        if move_kind(moves[i]) == M_ACCEPT:
            scores[i] = elsewhere + s.position[s.rival] * e.guard_value[s.round]
        else:
            scores[i] = here - price(s, e, seat, move_argument(moves[i]))


# --- tax collection -------------------------------------------------------------------------------

cdef inline float goods_score(uint32_t goods, const float* worth) noexcept nogil:
    return (count_of(goods, 0) * worth[0] + count_of(goods, 1) * worth[1]
            + count_of(goods, 2) * worth[2] + count_of(goods, 3) * worth[3])


cdef inline float sides_score(const GameState* s, const GameTables* t, const Evaluation* e, int town, int sides,
                              const float* worth) noexcept nogil:
    cdef const Yield* gain = &t.yields[town][sides]
    return goods_score(gain.goods, worth) + gain.guards * e.guard_value[s.round] + gain.horses * HORSE


cdef void score_sides(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                      float* scores) noexcept nogil:
    cdef float worth[GOODS]
    cdef int i, town = s.wagon[s.seat]
    goods_worth(s, t, worth)
    for i in range(n):
        scores[i] = sides_score(s, t, e, town, move_argument(moves[i]), worth)


cdef void goods_worth(const GameState* s, const GameTables* t, float* worth) noexcept nogil:
    """Favour that one more piece of each colour is worth to the seat to act, by the slots left and the pieces out."""
    cdef int row, player, colour, slots, pieces
    cdef uint32_t lanes
    for colour in range(GOODS):
        slots = pieces = 0
        for row in range(ROWS):
            slots += count_of(s.need[row], colour)
        for player in range(t.players):
            pieces += count_of(s.goods[player], colour)
        lanes = count_of(s.perks[s.seat].per_good, colour)
        worth[colour] = (GOOD if pieces < slots else SURPLUS) + (<float> lanes if pieces < slots else 0)
        if pieces < slots:
            worth[colour] += 0.1 * (slots - pieces)


cdef inline float symbols_score(const GameState* s, const GameTables* t, int estate, int symbols) noexcept nogil:
    """What so many more symbols of an estate score now, for the seat to act, and may score later."""
    cdef int other, mine = s.estates[s.seat][estate] + symbols, place = 0
    for other in range(t.humans):
        place += other != s.seat and s.estates[other][estate] >= mine
    return t.place_points[place] - estate_points(s, t, s.seat, estate) + SYMBOL * symbols


# --- goods: producers, Farmers, Merchants -----------------------------------------------------------

cdef void score_goods(const GameState* s, const Evaluation* e, const Move_t* moves, int n, float* scores) noexcept nogil:
    cdef int i, kind, argument, colour, row
    cdef float worth[GOODS]
    for colour in range(GOODS):
        worth[colour] = 0
        for row in range(ROWS):
            worth[colour] += count_of(s.need[row], colour)
        worth[colour] -= count_of(s.goods[s.seat], colour)
        worth[colour] = (GOOD + 0.1 * worth[colour] if worth[colour] > 0 else 0) + count_of(
            s.perks[s.seat].per_good, colour) * (worth[colour] > 0)
    for i in range(n):
        kind = move_kind(moves[i])
        argument = move_argument(moves[i])
        if kind == M_PASS:
            scores[i] = 0
        elif kind == M_PRODUCE:
            scores[i] = worth[argument]
        elif kind == M_FARMER:
            scores[i] = worth[argument] - e.guard_value[s.round]
        else:
            scores[i] = worth[argument & 15] - worth[argument >> 4] - 0.1


# --- storing --------------------------------------------------------------------------------------

cdef float row_score(const GameState* s, const GameTables* t, Move_t move) noexcept nogil:
    """What the seat to act gains by choosing a row, less a part of what it gives to others (rules 6.5 to 6.7)."""
    cdef const RowTable* table
    cdef int row, i, slot, colour, player
    cdef int mine = 0, others = 0
    cdef unsigned int empty
    cdef uint32_t goods, need
    cdef float score
    if move_kind(move) == M_CHAMBERLAIN:
        return chamberlain_score(s, t, move_argument(move))
    if move_kind(move) == M_PASS:
        return 0
    row = move_argument(move)
    table = row_table(s, t, row)
    empty = ((1 << table.n_slots) - 1) & ~s.filled[row]
    for i in range(t.players):
        player = t.fill_order[s.seat][i]
        goods = s.goods[player]
        need = empty
        while need:
            slot = lowest_bit(need)
            need &= need - 1
            colour = table.colour[slot]
            if count_of(goods, colour):
                goods -= piece(colour)
                empty &= ~(1 << slot)
                if i == 0:
                    mine += table.points[slot] + count_of(s.perks[player].per_good, colour)
                elif player < t.humans:
                    others += table.points[slot]
        if not empty:
            break
    score = mine - OTHERS * others
    if empty:
        return score - OPENED * table.bonus
    if row >= ROYAL:
        return score + table.bonus
    return score + s.perks[s.seat].estate_row + card_score(s, t, table.bonus)


cdef inline float card_score(const GameState* s, const GameTables* t, int bonus) noexcept nogil:
    """The best card on offer for a row with this bonus."""
    cdef int deck
    cdef float score, best = 0
    for deck in range(DECKS):
        if s.face_up[deck] != NONE and t.symbols[deck] <= bonus:
            score = symbols_score(s, t, s.face_up[deck], t.symbols[deck])
            if score > best:
                best = score
    return best


cdef inline float chamberlain_score(const GameState* s, const GameTables* t, int colour) noexcept nogil:
    """Four favour for a piece that finds no slot is sure at the end of the stage anyway (rules 6.8)."""
    cdef int row, slots = 0
    for row in range(ROWS):
        slots += count_of(s.need[row], colour)
    return 2.0 if slots else 2.5


cdef inline float hand_over_score(const GameState* s, const GameTables* t, int guards) noexcept nogil:
    """Rules 8.2: favour now, against the guards that break ties of estates."""
    cdef int estate, other, place, mine, theirs
    cdef float score = guards * t.tokens[s.token].hand_each
    for estate in range(ESTATES):
        if s.estates[s.seat][estate]:
            place = 0
            mine = s.estates[s.seat][estate] << 16 | (s.guards[s.seat] - guards)
            for other in range(t.humans):
                theirs = s.estates[other][estate] << 16 | s.guards[other]
                place += other != s.seat and theirs >= mine
            score += t.place_points[place]
    return score


# --- choosing -------------------------------------------------------------------------------------

cdef Move_t greedy_move(const GameState* s, const GameTables* t, const Evaluation* e, Rng* rng) noexcept nogil:
    """The legal move with the best score, equals by chance."""
    cdef Move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int n = legal_moves(s, t, moves), i, best = 0, ties = 1
    if n == 1:
        return moves[0]
    score_moves(s, t, e, moves, n, scores)
    for i in range(1, n):
        if scores[i] > scores[best]:
            best = i
            ties = 1
        elif scores[i] == scores[best]:
            ties += 1
            if rng_below(rng, ties) == 0:
                best = i
    return moves[best]


cdef void policy_weights(const GameState* s, const GameTables* t, const Evaluation* e, const Move_t* moves, int n,
                         float temperature, float* weights) noexcept nogil:
    """Write a softmax of the scores, which adds up to 1; `temperature` in favour."""
    cdef int i
    cdef float best, total = 0
    score_moves(s, t, e, moves, n, weights)
    best = weights[0]
    for i in range(1, n):
        if weights[i] > best:
            best = weights[i]
    for i in range(n):
        weights[i] = expf((weights[i] - best) / temperature)
        total += weights[i]
    for i in range(n):
        weights[i] /= total


# --- for Python -----------------------------------------------------------------------------------

def policy_move(StateCore core not None, Evaluator evaluator not None, uint64_t seed):
    """The code of the move that the policy makes at a decision; the seed breaks ties."""
    cdef Rng rng
    require_decision(core)
    rng_seed(&rng, seed)
    return greedy_move(&core.s, core.table(), &evaluator.c, &rng)


def move_scores(StateCore core not None, Evaluator evaluator not None):
    """The score of each legal move, in favour, as (move code, score) in canonical order."""
    cdef Move_t moves[MAX_MOVES]
    cdef float scores[MAX_MOVES]
    cdef int n
    require_decision(core)
    n = legal_moves(&core.s, core.table(), moves)
    score_moves(&core.s, core.table(), &evaluator.c, moves, n, scores)
    return [(moves[i], scores[i]) for i in range(n)]


cdef int require_decision(StateCore core) except -1:
    core.table()
    if is_over(&core.s) or is_chance(&core.s):
        raise ValueError("no seat is to act")
    return 0


require_layout("lusatia_ai._policy", sizeof(GameState), sizeof(GameTables))
