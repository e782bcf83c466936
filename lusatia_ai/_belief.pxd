"""Sampling worlds: full positions that one seat's view allows."""

from ._core cimport *
from ._evaluation cimport *
from ._policy cimport *
from ._tables cimport *

cdef enum:
    MAX_EXCHANGES = 36

# One possibility for the hidden guards of a seat. Its favour is open, but not always told to who follows a game.
ctypedef struct GuardValue:
    double cumulative                # running sum of weights
    int16_t guards
    int16_t favour

# The hidden guards of one seat.
ctypedef struct HiddenGuards:
    uint8_t seat
    int first                        # index in `values`
    int n
    int most                         # numbers up to here may follow the last value, at the same favour
    double tail                      # weight of each of them as a share of the one before, from 0 to less than 1
    double total                     # weights of the values and of what follows

# One way in which the known hands can be made up: the cards that are then in hidden hands or discarded.
ctypedef struct CardRest:
    double cumulative                # running sum of weights of the ways
    uint8_t grey[ESTATES]            # grey cards: all of them are in hidden hands
    uint8_t cards[ESTATES][DECKS]    # coloured cards: in hidden hands, or discarded
    uint8_t known                    # mask of the decks of which a known hand holds a card

# One whole position of those that worlds are drawn from.
ctypedef struct Particle:
    double cumulative                # running sum of weights
    GameState state

# What worlds are drawn from. Owned by a `Worlds`; constant once made.
ctypedef struct WorldSource:
    GameState base                   # the view; hidden guards are 0, hidden estates what is known of them
    bint certain                     # nothing is hidden: every world is `base`
    int n_particles                  # if not 0, worlds are drawn from these positions, and nothing below counts
    const Particle* particles
    int n_guards
    HiddenGuards guards[MAX_PLAYERS]
    int n_values
    const GuardValue* values
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
    cdef int _add_guards(self, GuardValue* values, int seat, possible, int most, double tail) except -1


cdef class GuardFilter:
    cdef readonly Tables tables
    cdef Evaluator evaluator
    cdef readonly int seat
    cdef readonly int n
    cdef readonly double tail
    cdef int beyond                  # so many numbers of guards above the last possibility can be had
    cdef GameState* states           # owned: by start value, the position if the seat had so many guards
    cdef double* weights             # owned; 0: impossible
