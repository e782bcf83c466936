"""Sampling worlds: full positions that one seat's view allows."""

from ._core cimport *
from ._tables cimport *

cdef enum:
    MAX_RESTS = 16          # ways kept in which the known hands can be taken out of the cards of one estate
    MAX_EXCHANGES = 36

# Cards of one estate that are in hidden hands or discarded.
ctypedef struct CardRest:
    uint8_t grey            # grey cards: all of them are in hidden hands
    uint8_t cards[DECKS]    # coloured cards by deck: in hidden hands, or discarded
    uint8_t known           # mask of the decks of which a known hand holds a card

# What a view leaves open.
ctypedef struct HiddenHands:
    int n_guards
    uint8_t guard_seat[MAX_PLAYERS]
    int16_t guard_low[MAX_PLAYERS]
    int16_t guard_span[MAX_PLAYERS]      # number of values from the low one, at least 1
    int n_estates
    uint8_t estate_seat[MAX_PLAYERS]
    int n_rests[ESTATES]                 # at least 1 where estates are hidden
    CardRest rests[ESTATES][MAX_RESTS]
    uint8_t taken                        # mask of the decks whose card of this round is in a hand (rules 6.6)
    int n_exchanges                      # hand-over decisions that others have made and the view does not show
    uint8_t exchange_seat[MAX_EXCHANGES]
    uint8_t exchange_token[MAX_EXCHANGES]

cdef void deal_hidden(GameState* s, const GameTables* t, const HiddenHands* hidden, Rng* rng) noexcept nogil

cdef class Worlds:
    cdef GameState base                  # the view; hidden guards and estates are 0
    cdef HiddenHands hidden
    cdef readonly Tables tables
