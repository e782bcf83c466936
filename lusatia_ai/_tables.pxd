"""Constants, moves and compiled component tables: what stays the same for a whole game.

Everything is indexed by small integers. Towns, goods, estates, tokens, warehouse tiles and automa cards are numbered in
the plain string order of their ids, so that moves generated in ascending order are in canonical order (formats.md).
Players are numbered by seat: first the humans, then the automas. Pieces of goods are packed into a `uint32_t`, eight
bits a colour, each lane at most 127: see `occupied_lanes`.
"""

from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define lusatia_popcount(x) __builtin_popcountll(x)
    #define lusatia_lowest_bit(x) __builtin_ctzll(x)
    #else
    static int lusatia_popcount(unsigned long long x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
    static int lusatia_lowest_bit(unsigned long long x) { int n = 0; for (; !(x & 1); x >>= 1) n++; return n; }
    #endif
    """
    int popcount "lusatia_popcount"(uint64_t x) noexcept nogil
    int lowest_bit "lusatia_lowest_bit"(uint64_t x) noexcept nogil
    const uint32_t LOW_LANES "0x7F7F7F7Fu"
    const uint32_t TOP_LANES "0x80808080u"
    const uint32_t NO_PLACES "0xFFFFFFFFu"


cdef enum:
    TOWNS = 6
    TILES = 6                # warehouse tiles
    MAX_PLAYERS = 6
    GOODS = 4
    ESTATES = 3
    ROUNDS = 6
    DECKS = 4                # estate decks, by symbols
    ROWS = 8                 # rows 0-3: estate warehouse; rows 4-7: royal warehouse
    ROYAL = 4                # first row of the royal warehouse
    MAX_TOKENS = 64
    MAX_CARDS = 16           # automa cards
    MAX_SLOTS = 8
    TOP_BID = 12
    ROAD = -1                # counter position of a wagon that is not on a counter
    NONE = 255               # no seat, town, token, card or tile
    NO_PLACE = 0xF           # end of the nibble list `to_place`
    MAX_MOVES = 128          # a buffer of this size holds the moves of any decision

# A move is kind * 256 + argument.
cdef enum MoveKind:
    M_PRODUCE      # colour
    M_GO           # town * 16 + counter position
    M_ACCEPT       # 0
    M_RAISE        # counter position
    M_COLLECT      # mask of sides
    M_GREY         # estate
    M_FARMER       # colour
    M_MERCHANT     # colour given * 16 + colour taken
    M_ROW          # row 0-7
    M_CHAMBERLAIN  # colour
    M_CARD         # deck
    M_HAND_OVER    # guards
    M_PASS         # 0
    MOVE_KINDS

# Bits of `Perks.flags` and `TokenTable.flags`.
cdef enum Flag:
    F_OCCUPY = 1          # may enter a free town at 1
    F_PRODUCER = 2
    F_FARMER = 4
    F_MERCHANT = 8
    F_CHAMBERLAIN = 16
    F_HAND_OVER = 32

cdef enum Arrow:
    STAY, CLOCKWISE, COUNTERCLOCKWISE

ctypedef uint16_t Move_t


# What a player's companions add up to. Derived from `companions`; kept so that no playout has to add it up.
ctypedef struct Perks:
    uint32_t per_good        # packed: favour for each piece of a colour stored
    uint8_t discount         # guards off each journey
    uint8_t extra_arrows
    uint8_t half_horses
    uint8_t recruit          # guards a clean-up
    uint8_t zero_bonus       # favour for standing at 0
    uint8_t slowest          # favour for being last in the storing order
    uint8_t estate_row       # favour when the own estate row gets full
    uint8_t flags            # Flag bits

# What one tax token does.
ctypedef struct TokenTable:
    Perks perks              # what it adds to its holder's perks
    uint32_t centre_goods    # packed (easy game)
    uint8_t centre_guards
    uint8_t centre_horses
    uint8_t centre_estate    # NONE, or the estate of the grey card in the centre
    uint8_t arrows           # mask of sides 0-5
    uint8_t grey_cards       # taken at once
    uint8_t produce          # mask of colours
    uint8_t skip_points      # Chamberlain
    uint8_t four_arrows      # 1 if it has exactly four
    uint8_t points           # final
    uint8_t per_four         # final: for each own token with four arrows
    uint8_t per_dominated    # final: for each estate in which nobody has more
    uint8_t per_poorer       # final: for each other human with less favour
    uint8_t hand_most        # final: guards that may be handed over
    uint8_t hand_each        # final: favour for each of them
    uint8_t per_symbol[ESTATES]

# What a set of sides of a town yields.
ctypedef struct Yield:
    uint32_t goods           # packed
    uint8_t guards
    uint8_t horses

ctypedef struct RowTable:
    uint32_t need            # packed: slots of each colour
    uint8_t n_slots          # 0: the tile has no such row
    uint8_t bonus
    uint8_t colour[MAX_SLOTS]
    uint8_t points[MAX_SLOTS]

ctypedef struct AutomaTable:
    uint8_t n_arrows
    uint8_t arrows[6]
    uint16_t raises[2]       # mask of positions: [0] rounds 1-3, [1] rounds 4-6

# A component set and a variant, compiled. Constant once made; owned by a `Tables`.
ctypedef struct GameTables:
    int humans
    int automas
    int players
    bint easy
    bint must_contribute
    bint score_automas
    int start_favour
    int start_guards
    uint8_t number[TOWNS]                       # 1-6
    Yield yields[TOWNS][64]                     # by mask of sides, on the side that the variant asks for
    TokenTable tokens[MAX_TOKENS]
    int n_tokens
    uint64_t pools[3]                           # masks of tokens; [0] alone in the easy game
    uint8_t n_rotations[64][ROUNDS + 1]         # by arrow mask and number of extra arrows, the latter cut off at 6
    uint8_t rotations[64][ROUNDS + 1][64]       # sets of sides in canonical order
    RowTable rows[TILES][2][4]                  # by warehouse tile, side, row
    uint8_t symbols[DECKS]
    uint8_t deck_copies                         # cards an estate in a full deck
    uint8_t grey_symbols
    uint8_t grey_copies                         # cards an estate in the full supply
    int n_cards
    AutomaTable cards[MAX_CARDS]
    uint8_t distance[TOWNS + 1][TOWNS][TOWNS]   # by ring position of the fort (6: none), from, to: guards
    uint8_t fill_order[MAX_PLAYERS][MAX_PLAYERS]   # by chooser
    uint8_t place_points[MAX_PLAYERS]           # estate scoring by place
    uint8_t n_besieged_sets
    uint8_t besieged_sets[20]                   # masks of towns
    uint8_t open_towns


cdef inline Move_t make_move(int kind, int argument) noexcept nogil:
    return <Move_t> (kind << 8 | argument)

cdef inline int move_kind(Move_t move) noexcept nogil:
    return move >> 8

cdef inline int move_argument(Move_t move) noexcept nogil:
    return move & 0xFF

cdef inline bint first_as_text(int a, int b) noexcept nogil:
    """Whether a number below 1,000 comes before another in plain string order: 1, 10, 11, 2, ..."""
    cdef int a_filled = a * (100 if a < 10 else 10 if a < 100 else 1), b_filled = b * (100 if b < 10 else 10 if b < 100 else 1)
    return a_filled < b_filled or a_filled == b_filled and a < b

cdef inline uint32_t piece(int colour) noexcept nogil:
    """One piece of this colour, packed."""
    return (<uint32_t> 1) << (8 * colour)

cdef inline int count_of(uint32_t packed, int colour) noexcept nogil:
    return (packed >> (8 * colour)) & 0xFF

cdef inline uint32_t occupied_lanes(uint32_t packed) noexcept nogil:
    """The top bit of each lane that is not 0 (lanes are at most 128, so no addition carries into the next)."""
    return (packed + LOW_LANES) & TOP_LANES


cdef class Move:
    cdef readonly int code            # as `Move_t`
    cdef readonly str text            # in the notation of formats.md

cdef class Tables:
    cdef GameTables c
    cdef readonly object components   # a ComponentSet
    cdef readonly object variant      # a Variant
    cdef readonly tuple towns, goods, estates, tokens, tiles, cards   # ids by internal number
    cdef readonly tuple effects       # what companions do, by token; empty in easy games
    cdef readonly dict moves          # text -> Move
    cdef list by_code                 # code -> Move or None
    cdef int _add_yield(self, Yield* total, entry) except -1
    cdef int _compile_centre(self, TokenTable* table, entry) except -1
    cdef int _compile_effects(self, TokenTable* table, effects) except -1
