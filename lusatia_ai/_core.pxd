"""The contract of the core: the state of a game and the functions that other extensions may call.

Nothing here allocates, raises or touches a Python object, except `StateCore` at the end.
"""

from ._tables cimport *

from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <string.h>
    /* A memcpy whose size the compiler knows becomes "rep movs", three times slower here than the C library's. */
    static inline void lusatia_copy(void *to, const void *from, size_t size) {
    #if defined(__GNUC__) || defined(__clang__)
        __asm__("" : "+r"(size));
    #endif
        memcpy(to, from, size);
    }
    """
    void copy_bytes "lusatia_copy"(void* to, const void* source, size_t size) noexcept nogil

# Stages, in the order of play.
cdef enum Stage:
    SETUP, ROUND_SETUP, TOWN_SELECTION, TAX_COLLECTION, STORING, FINAL_SCORING, GAME_OVER

# What is to be decided; chance events from D_SETUP to D_AUTOMA_CARD.
cdef enum Decision:
    D_PRODUCE, D_TRAVEL, D_RESPOND, D_COLLECT, D_GREY, D_FARMER, D_MERCHANT, D_ROW, D_CARD, D_HAND_OVER
    D_SETUP, D_ROUND, D_AUTOMA_TOWN, D_AUTOMA_CARD
    D_OVER

# A whole position. Zero-filled before use and without padding that matters: two equal positions are equal byte by byte
# up to `judged_favour`.
ctypedef struct GameState:
    # Drawn or chosen
    uint64_t token_pool      # tokens still to be drawn (easy game: the bag)
    uint64_t easy_used       # easy game: the used pile
    uint64_t used            # tokens decided on this round
    uint32_t goods[MAX_PLAYERS]       # packed
    uint32_t to_place        # nibbles: players still to act in town selection, next one lowest, NO_PLACE above
    int16_t favour[MAX_PLAYERS]       # 0-
    int16_t guards[MAX_PLAYERS]       # 0-
    uint16_t automa_deck     # mask of cards
    uint8_t stage            # Stage
    uint8_t decision         # Decision
    uint8_t seat             # who decides; the automa at an automa event; NONE
    uint8_t rival            # the other party of a conflict, the higher bidder; NONE outside a conflict
    uint8_t token            # the token that is decided on, or NONE
    uint8_t round            # 0-6
    uint8_t besieged         # mask of towns
    uint8_t fort             # drawn town or NONE
    uint8_t evicted_from     # town, while an evicted human chooses where to go; NONE
    uint8_t next_chooser     # index in storing_order
    uint8_t pending_card     # bonus while a card is being chosen, NONE
    uint8_t grey_left        # grey cards still to be taken from this token
    uint8_t tiles_left       # mask of warehouse tiles
    uint8_t tile_side        # 0: side I, 1: side II
    uint8_t tile[2]          # estate, royal; NONE between rounds
    uint8_t ring[TOWNS]      # town at each place, clockwise
    uint8_t order[MAX_PLAYERS]        # human seats
    uint8_t storing_order[MAX_PLAYERS]   # human seats; zeros outside storing
    uint8_t town_token[TOWNS]         # token on the town, or NONE
    uint8_t wagon[MAX_PLAYERS]        # town or NONE
    int8_t position[MAX_PLAYERS]      # 0-12, or ROAD
    uint8_t horses[MAX_PLAYERS]       # half horses
    uint8_t estates[MAX_PLAYERS][ESTATES]     # symbols
    uint8_t companions[MAX_PLAYERS][ROUNDS]   # tokens in the order acquired, then NONE
    uint8_t filled[ROWS]     # mask of slots
    uint8_t face_up[DECKS]   # estate or NONE
    uint8_t decks[DECKS][ESTATES]     # cards left
    uint8_t grey[ESTATES]    # cards left
    # Derived from the above
    uint8_t place_of[TOWNS]  # inverse of `ring`
    uint8_t occupant[TOWNS]  # player who holds the town's counter alone, or NONE (also during a conflict)
    uint8_t n_companions[MAX_PLAYERS]
    uint32_t need[ROWS]      # packed: empty slots of each colour
    Perks perks[MAX_PLAYERS]
    # What the views of final scoring show of the others (rules 8.2); no part of the position
    int16_t judged_favour[MAX_PLAYERS]
    int16_t judged_guards[MAX_PLAYERS]
    uint8_t judged_after     # hand-over decisions that had been made when these were noted: not 0 only after loading

# The outcome of a chance event; only the fields of its own event are read.
ctypedef struct Outcome:
    uint64_t display         # setup: tokens of pool 5-6
    uint8_t ring[TOWNS]      # setup
    uint8_t order[MAX_PLAYERS]        # setup
    uint8_t tokens[TOWNS]    # round: by town, NONE if besieged
    uint8_t face_up[DECKS]   # round
    uint8_t tile[2]          # round: estate, royal
    uint8_t besieged         # round
    uint8_t fort             # round
    uint8_t pick             # automa_town: town; automa_card: card

# Counter positions from `low` to `high`; none if `high` is lower.
ctypedef struct Span:
    int low
    int high

# xoshiro256++ of Blackman and Vigna (2019).
ctypedef struct Rng:
    uint64_t s[4]


# --- small accessors ---------------------------------------------------------------------------------------------------

cdef inline void copy_state(GameState* to, const GameState* source) noexcept nogil:
    copy_bytes(to, source, sizeof(GameState))

cdef inline bint is_chance(const GameState* s) noexcept nogil:
    return D_SETUP <= s.decision <= D_AUTOMA_CARD

cdef inline bint is_over(const GameState* s) noexcept nogil:
    return s.decision == D_OVER

cdef inline int wealth(const GameState* s, int seat) noexcept nogil:
    """Guards that the seat can pay, the king's help included (rules, terms)."""
    return s.guards[seat] + (s.favour[seat] >> 1)

cdef inline uint64_t rotate_left(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))

cdef inline uint64_t rng_next(Rng* rng) noexcept nogil:
    cdef uint64_t result = rotate_left(rng.s[0] + rng.s[3], 23) + rng.s[0]
    cdef uint64_t t = rng.s[1] << 17
    rng.s[2] ^= rng.s[0]
    rng.s[3] ^= rng.s[1]
    rng.s[1] ^= rng.s[2]
    rng.s[0] ^= rng.s[3]
    rng.s[2] ^= t
    rng.s[3] = rotate_left(rng.s[3], 45)
    return result

cdef inline uint32_t rng_below(Rng* rng, uint32_t n) noexcept nogil:
    """Uniform in 0..n-1, n at least 1, without bias (Lemire 2019)."""
    cdef uint64_t product = (rng_next(rng) >> 32) * n
    cdef uint32_t low = <uint32_t> product
    cdef uint32_t threshold
    if low < n:
        threshold = (<uint32_t> -n) % n
        while low < threshold:
            product = (rng_next(rng) >> 32) * n
            low = <uint32_t> product
    return <uint32_t> (product >> 32)


# --- rules that estimates share with the forward model -----------------------------------------------------------------

cdef inline int travel_cost(const GameState* s, const GameTables* t, int seat, int town) noexcept nogil:
    """Rules 3.2, in guards."""
    cdef int cost
    if s.wagon[seat] == NONE:
        return 0
    cost = t.distance[TOWNS if s.fort == NONE else s.place_of[s.fort]][s.place_of[s.wagon[seat]]][s.place_of[town]]
    cost -= s.perks[seat].discount
    return cost if cost > 1 else 1

cdef inline const RowTable* row_table(const GameState* s, const GameTables* t, int row) noexcept nogil:
    return &t.rows[s.tile[row >> 2]][s.tile_side][row & 3]

cdef inline int extra_arrows(const GameState* s, const GameTables* t, int seat, int token) noexcept nogil:
    """Rules 5.2: the seat's extra arrows, those that the token on its town brings included."""
    cdef int extra = s.perks[seat].extra_arrows + t.tokens[token].perks.extra_arrows
    return extra if extra < ROUNDS else ROUNDS

cdef inline bint dominates(const GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    cdef int other
    for other in range(t.humans):
        if s.estates[other][estate] > s.estates[seat][estate]:
            return False
    return s.estates[seat][estate] > 0

cdef inline int estate_points(const GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    """Rules 8.4."""
    cdef int other, mine, theirs, place = -1
    if not s.estates[seat][estate]:
        return 0
    mine = s.estates[seat][estate] << 16 | s.guards[seat]
    for other in range(t.humans):
        theirs = s.estates[other][estate] << 16 | s.guards[other]
        place += theirs >= mine     # the seat itself among them: the lowest place of those tied
    return t.place_points[place]

cdef inline int fixed_points(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """Rules 8.3."""
    cdef int i, points = 0, fours = 0
    for i in range(s.n_companions[seat]):
        fours += t.tokens[s.companions[seat][i]].four_arrows
    for i in range(s.n_companions[seat]):
        points += t.tokens[s.companions[seat][i]].points + t.tokens[s.companions[seat][i]].per_four * fours
    return points

cdef inline int symbol_points(const GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    """Rules 8.5 for one estate."""
    cdef int i, points = 0
    cdef bint dominated = dominates(s, t, seat, estate)
    cdef const TokenTable* token
    for i in range(s.n_companions[seat]):
        token = &t.tokens[s.companions[seat][i]]
        points += token.per_symbol[estate] * s.estates[seat][estate] + token.per_dominated * dominated
    return points


# --- the forward model -------------------------------------------------------------------------------------------------

cdef void rng_seed(Rng* rng, uint64_t seed) noexcept nogil
cdef int legal_moves(const GameState* s, const GameTables* t, Move_t* moves) noexcept nogil
cdef void apply_move(GameState* s, const GameTables* t, Move_t move) noexcept nogil
cdef void draw_chance(const GameState* s, const GameTables* t, Rng* rng, Outcome* outcome) noexcept nogil
cdef void apply_chance(GameState* s, const GameTables* t, const Outcome* outcome) noexcept nogil
cdef void draw_until_decision(GameState* s, const GameTables* t, Rng* rng) noexcept nogil
cdef Move_t random_move(const GameState* s, const GameTables* t, Rng* rng) noexcept nogil
cdef int random_playout(GameState* s, const GameTables* t, Rng* rng) noexcept nogil
cdef void next_placement(GameState* s, const GameTables* t) noexcept nogil
cdef void next_helper(GameState* s, const GameTables* t, int place) noexcept nogil
cdef uint64_t towns_for_automa(const GameState* s, const GameTables* t) noexcept nogil
cdef void end_storing(GameState* s, const GameTables* t) noexcept nogil
cdef int hand_over_after(const GameState* s, const GameTables* t, int seat, int token) noexcept nogil
cdef int winners_of(const GameState* s, const GameTables* t) noexcept nogil
cdef uint64_t hash_state(const GameState* s) noexcept nogil
cdef const char* check_state(const GameState* s, const GameTables* t) noexcept nogil


# --- their owners in Python ----------------------------------------------------------------------------------------------

cdef int read_outcome(dict raw, Outcome* out) except -1

cdef class StateCore:
    cdef GameState s
    cdef Rng rng                      # what chance is drawn from, unless `manual`
    cdef readonly Tables tables
    cdef readonly bint manual
    cdef const GameTables* table(self) except NULL
