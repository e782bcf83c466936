"""Guards reduced to what a solver must tell apart, from tax collection on.

From there on guards buy nothing. They count by what can be spent, on Farmers and in exchanges (rules 6.3, 8.2), and by who
has more of them when all is over: among those with equally many symbols of an estate (8.4), and for the win (8.6).

So two positions that differ in guards alone have the same moves and the same value, for all play, if each seat has as many
as it can spend in both, or equally many; and if for each two seats that may be compared, whatever they still gain and spend,
the sign of their difference is the same in both. For one pair that puts the difference of today into a range: between the
nearest differences of what they still gain and spend, or on one of these. `level_by` takes the position with the fewest
guards that obeys all these bounds. They are differences that must be large enough (x >= y + c), and numbers that must be
large enough: of all solutions, one has the fewest guards at every seat, and it is reached by raising what is too low. The
bounds of that solution are those of the position that it stands for, so equal positions are brought to the same one.
"""

from ._core cimport *
from ._rows cimport index_of
from ._tables cimport *

from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memset

cdef enum:
    ANY_DIFFERENCE = 20000

# Which seats may be compared by their guards.
cdef enum Comparison:
    NOBODY
    LEVEL_IN_ESTATES         # those that can come to have equally many symbols of an estate
    EVERYBODY

# What guards may still be spent on and gained by, besides tax collection.
cdef enum Use:
    FARMERS = 1
    RECRUITS = 2             # of the clean-up (rules 7.1)
    EXCHANGES = 4            # of final scoring

# What happens to the guards of a seat from now on.
ctypedef struct Flow:
    uint64_t gains           # mask of the numbers that it may gain; 0: not known
    int spent                # the most that it can spend


# What tells which guards of a position no longer matter; it does not depend on how many there are.
ctypedef struct GuardRules:
    Flow flows[MAX_PLAYERS]
    uint8_t compared[MAX_PLAYERS][MAX_PLAYERS]       # for a seat and a lower one


cdef inline void level_guards(GameState* s, const GameTables* t, Comparison compared, int uses) noexcept nogil:
    """Take off guards that no longer matter; `uses`: a mask of Use."""
    cdef GuardRules rules
    find_rules(&rules, s, t, compared, uses)
    level_by(&rules, t.humans, s.guards)


cdef inline void find_rules(GuardRules* rules, const GameState* s, const GameTables* t, Comparison compared, int uses) noexcept nogil:
    cdef int seat, other
    memset(rules, 0, sizeof(GuardRules))
    for seat in range(t.humans):
        rules.flows[seat] = flow_of(s, t, seat, uses)
        for other in range(seat):
            rules.compared[seat][other] = (
                compared == EVERYBODY or compared == LEVEL_IN_ESTATES and may_be_level(s, t, seat, other))


cdef inline void level_by(const GuardRules* rules, int humans, int16_t* guards) noexcept nogil:
    """Take off the guards that no longer matter."""
    cdef int ahead[MAX_PLAYERS][MAX_PLAYERS]         # by how much at least the first stays ahead of the second
    cdef int level[MAX_PLAYERS]
    cdef int seat, other, low, high
    cdef bint raised = True
    for seat in range(humans):
        level[seat] = min(<int> guards[seat], rules.flows[seat].spent)
        for other in range(seat):
            low, high = -ANY_DIFFERENCE, ANY_DIFFERENCE
            if rules.compared[seat][other]:
                difference_range(&rules.flows[seat], &rules.flows[other], guards[seat] - guards[other], &low, &high)
            ahead[seat][other] = low
            ahead[other][seat] = -high
    while raised:
        raised = False
        for seat in range(humans):
            for other in range(humans):
                if other != seat and level[seat] < level[other] + ahead[seat][other]:
                    level[seat] = level[other] + ahead[seat][other]
                    raised = True
    for seat in range(humans):
        guards[seat] = level[seat]


cdef inline void difference_range(const Flow* a, const Flow* b, int difference, int* low, int* high) noexcept nogil:
    """The differences a - b that compare like this one, whatever both still gain and spend."""
    cdef uint64_t of_a, of_b = b.gains
    cdef int nearest, farthest
    if not a.gains or not b.gains:
        low[0] = high[0] = difference
    while of_b:
        of_a = a.gains
        while of_a:                                   # they end level if the difference is one of nearest to farthest
            nearest = lowest_bit(of_b) - lowest_bit(of_a) - b.spent
            farthest = lowest_bit(of_b) - lowest_bit(of_a) + a.spent
            if nearest <= difference <= farthest:
                low[0] = high[0] = difference
            elif farthest < difference:
                low[0] = max(low[0], farthest + 1)
            else:
                high[0] = min(high[0], nearest - 1)
            of_a &= of_a - 1
        of_b &= of_b - 1


cdef inline Flow flow_of(const GameState* s, const GameTables* t, int seat, int uses) noexcept nogil:
    cdef Flow flow
    cdef int i, own = 0, token
    flow.spent = 0
    if uses & RECRUITS:
        own = s.perks[seat].recruit
    for i in range(s.n_companions[seat]):
        flow.spent += guards_for(&t.tokens[s.companions[seat][i]], uses)
    if not collects_later(s, t, seat):
        flow.gains = one_of_numbers(own)
        return flow
    token = s.town_token[s.wagon[seat]]
    if not t.easy:
        flow.spent += guards_for(&t.tokens[token], uses)
        if uses & RECRUITS:
            own += t.tokens[token].perks.recruit
    flow.gains = gains_in_town(s, t, seat, token, own)
    return flow


cdef inline uint64_t gains_in_town(const GameState* s, const GameTables* t, int seat, int token, int own) noexcept nogil:
    """Mask of the numbers of guards that a seat can gain with the token of its town, `own` being added; 0 if not known."""
    cdef int i, extra = extra_arrows(s, t, seat, token), arrows = t.tokens[token].arrows
    cdef uint64_t one, gains = 0
    own += t.tokens[token].centre_guards
    for i in range(t.n_rotations[arrows][extra]):
        one = one_of_numbers(own + t.yields[s.wagon[seat]][t.rotations[arrows][extra][i]].guards)
        if not one:
            return 0
        gains |= one
    return gains


cdef inline uint64_t one_of_numbers(int number) noexcept nogil:
    """A mask with this bit, or 0 if there is none."""
    return <uint64_t> 1 << number if number < 64 else 0


cdef inline int guards_for(const TokenTable* token, int uses) noexcept nogil:
    """The most guards that can be spent on a token."""
    cdef int most = 0
    if uses & FARMERS and token.perks.flags & F_FARMER:
        most = 1
    if uses & EXCHANGES:
        most += token.hand_most
    return most


cdef inline bint collects_later(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """Whether a seat is still to take what its town gives; the last in order begins (rules 5.1)."""
    if s.stage != TAX_COLLECTION:
        return False
    if seat == s.seat:
        return s.decision == D_COLLECT
    return index_of(s.order, seat) < index_of(s.order, s.seat)


cdef inline bint may_be_level(const GameState* s, const GameTables* t, int seat, int other) noexcept nogil:
    """Whether two seats can end with equally many symbols of an estate, and at least one (rules 8.4)."""
    cdef int estate, deck, difference, few
    cdef uint64_t reached
    for estate in range(ESTATES):
        difference = s.estates[seat][estate] - s.estates[other][estate]
        if not difference and s.estates[seat][estate]:
            return True
        few = grey_symbols_to_come(s, t, seat, estate) + grey_symbols_to_come(s, t, other, estate)
        reached = <uint64_t> 1 << 32                  # mask of the differences, shifted, that cards can bring about
        if difference < -16 or difference > 16 or few > 8:
            return True
        reached = reached << difference if difference >= 0 else reached >> -difference
        for deck in range(DECKS):
            if s.face_up[deck] == estate:
                reached |= reached << t.symbols[deck] | reached >> t.symbols[deck]
        while few:
            reached |= reached << 1 | reached >> 1
            few -= 1
        if reached >> 32 & 1 and (difference or reached & (reached - 1)):
            return True
    return False


cdef inline int grey_symbols_to_come(const GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    """The most symbols of an estate on grey cards that a seat can still take (rules 5.3, 5.4)."""
    cdef int cards = 0
    if s.stage == TAX_COLLECTION and seat == s.seat and s.decision == D_GREY:
        cards = s.grey_left
    elif collects_later(s, t, seat):
        cards = t.tokens[s.town_token[s.wagon[seat]]].grey_cards
        if t.tokens[s.town_token[s.wagon[seat]]].centre_estate == estate:
            cards += 1
    return t.grey_symbols * min(cards, <int> s.grey[estate])
