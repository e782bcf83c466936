"""Sampling worlds: full positions that one seat's view allows."""

from ._core cimport *
from ._tables cimport *

cdef enum:
    GUARD_VALUES = 64        # numbers of hidden guards with a weight of their own; further ones have a geometric tail
    MAX_EXCHANGES = 36

# The hidden guards of one seat.
ctypedef struct HiddenGuards:
    uint8_t seat
    int16_t low
    int16_t high
    int16_t n                        # entries of `cumulative`: values from `low` on
    double total                     # their weights and the tail
    double tail                      # weight of each further value as a share of the one before, below 1
    double cumulative[GUARD_VALUES]  # running sums of weights

# One way in which the known hands can be made up: the cards that are then in hidden hands or discarded.
ctypedef struct CardRest:
    double cumulative                # running sum of weights of the ways
    uint8_t grey[ESTATES]            # grey cards: all of them are in hidden hands
    uint8_t cards[ESTATES][DECKS]    # coloured cards: in hidden hands, or discarded
    uint8_t known                    # mask of the decks of which a known hand holds a card

# What worlds are drawn from. Owned by a `Worlds`; constant once made.
ctypedef struct WorldSource:
    GameState base                   # the view; hidden guards and estates are 0
    bint certain                     # nothing is hidden: every world is `base`
    int n_particles                  # if not 0, a world is one of the particles instead of `base` with hands dealt
    const GameState* particles
    const double* cumulative         # running sums of their weights
    int n_guards
    HiddenGuards guards[MAX_PLAYERS]
    int n_estates
    uint8_t estate_seat[MAX_PLAYERS]
    uint8_t grey_due[MAX_PLAYERS]    # by hidden hand: grey cards that its companions have brought
    uint64_t held_below[DECKS]       # chance of 2**32 that a card which left the deck and is in no known hand is in a hidden one
    int n_rests                      # at least 1 where estates are hidden
    const CardRest* rests
    uint8_t taken                    # mask of the decks whose card of this round is in a hand (rules 6.6)
    int n_exchanges                  # hand-over decisions that others have made and the view does not show
    uint8_t exchange_seat[MAX_EXCHANGES]
    uint8_t exchange_token[MAX_EXCHANGES]
    uint64_t all_below               # chance of 2**32 that as many guards as possible are handed over

cdef void sample_world(const WorldSource* source, GameState* s, const GameTables* t, Rng* rng) noexcept nogil

cdef class Worlds:
    cdef WorldSource source
    cdef readonly Tables tables
    cdef readonly bint certain       # nothing is hidden: every world is the same position
