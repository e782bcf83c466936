"""Max^n through town selection on the model of `_bidding.pxd`."""

from ._core import require_layout

from libc.string cimport memcpy, memset

cdef enum:
    SIDE_BY_SIDE = 3         # versions in an entry
    LAST_ENTRY = 1000        # of versions of a position; what comes after them is not kept
    RICH_SHARE = 8           # nodes spent on positions with the most favour, for each other node
    FIRST_RICH = 2000        # nodes spent on them in any case

cdef uint64_t ALL = (<uint64_t> 1 << MOST_PAIRS) - 1

# A conflict between two sides, which bid in turn.
ctypedef struct Conflict:
    int town
    int seat[2]              # who bids first, who answers
    int lowest               # first bid
    int top[2]               # the highest bid that each side can pay
    Outlook paid[2][TOP + 1] # what comes out if this side pays this bid: the other gives way
    int after[2][TOP + 1]    # if this side answers this bid of the other: who pays what, in the end, as in `outcome_of`

# The best of the moves looked at.
ctypedef struct Choice:
    bint made
    Outlook value            # its masks are what the moves looked at have in common
    uint64_t payable         # favour with which the move can be paid


# --- positions ------------------------------------------------------------------------------------------

cdef bint fits_bidding(const GameState* s, const GameTables* t) noexcept nogil:
    """Whether the model holds a position of town selection: no automas, no free placement, numbers that fit."""
    cdef int seat, total = 0
    for seat in range(t.humans):
        total += wealth(s, seat)
        if s.favour[seat] >> 1 >= MOST_PAIRS:
            return False
    return s.stage == TOWN_SELECTION and s.round > 1 and not t.automas and total <= MOST_WEALTH


cdef inline int number_to_place(const GameState* s) noexcept nogil:
    """How many have still to take their turn, besides who decides."""
    cdef int n = 0
    while s.to_place >> 4 * n & NO_PLACE != NO_PLACE:
        n += 1
    return n


cdef void begin_bidding(Bidding* b, const GameState* s, const GameTables* t) noexcept nogil:
    """Note what stays the same from a position on; what is remembered must be of this town selection."""
    cdef int seat, start, goal
    cdef GameState from_here
    b.t = t
    copy_state(&b.start, s)
    copy_state(&from_here, s)
    b.first_node = b.nodes[0]
    b.rich_nodes = 0
    b.wealth = 0
    b.n_order = number_to_place(s)
    for seat in range(b.n_order):
        b.order[seat] = s.to_place >> 4 * seat & NO_PLACE
    for seat in range(t.humans):
        b.wealth += wealth(s, seat)
        for start in range(TOWNS):
            for goal in range(TOWNS):
                from_here.wagon[seat] = start
                b.cost[seat][start][goal] = travel_cost(&from_here, t, seat, goal)
    pack_masks(b)


cdef void wagons_of(const GameState* s, const GameTables* t, Wagons* w) noexcept nogil:
    """The wagons of a position; in a conflict, neither of the two is on a counter and nobody travels."""
    cdef int seat
    memset(w, 0, sizeof(Wagons))
    memset(w.holder, NONE, sizeof(w.holder))
    for seat in range(t.humans):
        w.guards[seat] = s.guards[seat]
        w.favour[seat] = s.favour[seat]
        w.town[seat] = s.wagon[seat]
        w.counter[seat] = s.position[seat]
        if s.position[seat] != ROAD:
            w.holder[s.wagon[seat]] = seat
    w.mover = s.seat
    w.left = s.evicted_from


cdef inline int wealth_of(const Wagons* w, int seat) noexcept nogil:
    return w.guards[seat] + (w.favour[seat] >> 1)


cdef inline int pay_guards(Wagons* w, int seat, int owed) noexcept nogil:
    """Rules 3.3; what cannot be paid is waived (rules 3.8). Returns the pairs of favour paid."""
    cdef int paid = min(owed, <int> w.guards[seat]), pairs = min(owed - paid, w.favour[seat] >> 1)
    w.guards[seat] -= paid
    w.favour[seat] -= 2 * pairs
    return pairs


cdef inline void enrich(const Bidding* b, Wagons* w) noexcept nogil:
    """Give everybody the most favour that they can have with these guards: no more than at the start, and together with
    what all have in guards no more than all had then, since bids go from hand to hand."""
    cdef int seat, left = b.wealth
    for seat in range(b.t.humans):
        left -= w.guards[seat]
    for seat in range(b.t.humans):
        w.favour[seat] = min(<int> b.start.favour[seat], 2 * left + 1)


cdef inline int settle_conflict(const Bidding* b, Wagons* w, const Conflict* c, int payer, int bid) noexcept nogil:
    """Rules 3.7: one side pays the bid that it stands at; the other leaves. Returns the pairs of favour paid."""
    cdef int stays = c.seat[payer], leaves = c.seat[1 - payer], pairs = pay_guards(w, stays, bid)
    w.guards[leaves] += bid
    w.town[stays] = w.town[leaves] = c.town
    w.counter[stays] = bid
    w.counter[leaves] = ROAD
    w.holder[c.town] = stays
    w.mover = leaves
    w.left = c.town
    if w.free:
        enrich(b, w)
    return pairs


cdef inline int occupy_town(const Bidding* b, Wagons* w, int town, int counter) noexcept nogil:
    """Enter a free town and pay the journey; then it is the next seat's turn, or nobody's. Returns the pairs paid."""
    cdef int seat = w.mover, pairs = pay_guards(w, seat, b.cost[seat][w.town[seat]][town])
    w.town[seat] = town
    w.counter[seat] = counter
    w.holder[town] = seat
    w.left = NONE
    w.mover = b.order[w.placed] if w.placed < b.n_order else NONE
    w.placed += 1
    if w.free:
        enrich(b, w)
    return pairs


# --- masks of favour ----------------------------------------------------------------------------------

cdef inline uint64_t below(int pairs) noexcept nogil:
    """Less than so many pairs of favour."""
    return 0 if pairs <= 0 else ALL if pairs >= MOST_PAIRS else (<uint64_t> 1 << pairs) - 1


cdef inline uint64_t at_least(int pairs) noexcept nogil:
    return ALL & ~below(pairs)


cdef inline uint64_t before_paying(uint64_t mask, int pairs) noexcept nogil:
    """The favour that is in the mask once so many pairs have been paid."""
    return mask << pairs & ALL if pairs < MOST_PAIRS else 0


cdef inline bint holds_for(const Bidding* b, const Wagons* w, const Outlook* found) noexcept nogil:
    """Whether a value found holds with the favour of `w`."""
    cdef int seat
    for seat in range(b.t.humans):
        if not found.holds[seat] >> (w.favour[seat] >> 1) & 1:
            return False
    return True


# --- what is remembered -----------------------------------------------------------------------------------

cdef void pack_masks(Bidding* b) noexcept nogil:
    """Lay out the masks of a value: nobody comes to have more favour than at the start."""
    cdef int seat, bits, used = 0
    b.mask_words = 1
    for seat in range(b.t.humans):
        bits = (b.start.favour[seat] >> 1) + 1
        if used + bits > 64:
            b.mask_words += 1
            used = 0
        b.mask_word[seat] = b.mask_words - 1
        b.mask_shift[seat] = used
        used += bits


cdef inline int words_of_favour(int humans) noexcept nogil:
    return (humans * <int> sizeof(int16_t) + 7) // 8


cdef inline int words_of_value(const Bidding* b) noexcept nogil:
    """Masks, then favour."""
    return b.mask_words + words_of_favour(b.t.humans)


cdef inline void read_value(const Bidding* b, const uint64_t* words, Outlook* found) noexcept nogil:
    cdef int seat
    memcpy(found.favour, words + b.mask_words, b.t.humans * sizeof(int16_t))
    for seat in range(b.t.humans):
        found.holds[seat] = words[b.mask_word[seat]] >> b.mask_shift[seat] & below((b.start.favour[seat] >> 1) + 1)


cdef inline void write_value(const Bidding* b, uint64_t* words, const Outlook* found) noexcept nogil:
    cdef int seat
    memset(words, 0, words_of_value(b) * sizeof(uint64_t))
    memcpy(words + b.mask_words, found.favour, b.t.humans * sizeof(int16_t))
    for seat in range(b.t.humans):
        words[b.mask_word[seat]] |= (found.holds[seat] & below((b.start.favour[seat] >> 1) + 1)) << b.mask_shift[seat]


cdef inline uint64_t wagons_key(const Bidding* b, const Wagons* w, uint64_t* key) noexcept nogil:
    """The key of a position without favour, and its hash; what is remembered is fetched from memory in the meantime."""
    cdef int seat
    cdef uint64_t at
    key[0] = 1 | (w.mover & 7) << 1 | (w.left & 7) << 4 | w.placed << 7
    key[1] = 0
    for seat in range(b.t.humans):
        key[0] |= <uint64_t> (w.counter[seat] + 1 | w.town[seat] << 4) << (10 + 7 * seat)
        if seat == 4:
            key[2] = 0
        key[1 + seat // 4] |= <uint64_t> w.guards[seat] << 12 * (seat % 4)
    at = table_hash(&b.positions, key)
    if not w.free:
        prefetch(entry_at(&b.versions, at, 0))
    return at


cdef inline bint find_position(const Bidding* b, const uint64_t* key, uint64_t at, Outlook* found) noexcept nogil:
    """The value with the most favour."""
    cdef const uint64_t* entry = table_entry(&b.positions, key, at)
    if entry != NULL:
        read_value(b, entry + b.positions.words, found)
    return entry != NULL


cdef inline uint64_t* version_in(const Bidding* b, uint64_t* entry, int i) noexcept nogil:
    return entry + b.versions.words + i * words_of_value(b)


cdef inline bint is_empty(const Bidding* b, const uint64_t* version) noexcept nogil:
    """A value found holds at least for the favour that it was found with, so its masks have bits."""
    return version[0] == 0


cdef bint find_version(const Bidding* b, const Wagons* w, uint64_t* key, uint64_t at, Outlook* found) noexcept nogil:
    """A value that holds for the favour of `w`. Uses up the key."""
    cdef uint64_t* entry
    cdef int i, number
    for number in range(LAST_ENTRY):
        entry = table_entry(&b.versions, key, at)
        if entry == NULL:
            return False
        for i in range(SIDE_BY_SIDE):
            if is_empty(b, version_in(b, entry, i)):
                return False
            read_value(b, version_in(b, entry, i), found)
            if holds_for(b, w, found):
                return True
        at = next_entry(b, key)
    return False


cdef void keep_version(Bidding* b, uint64_t* key, uint64_t at, const Outlook* found) noexcept nogil:
    """Keep a value as a further version. Uses up the key."""
    cdef uint64_t* entry
    cdef int i, number
    for number in range(LAST_ENTRY):
        entry = table_entry(&b.versions, key, at)
        if entry == NULL:
            entry = table_room(&b.versions, key, at) - b.versions.words
            memset(version_in(b, entry, 0), 0, b.versions.width * sizeof(uint64_t))
        for i in range(SIDE_BY_SIDE):
            if is_empty(b, version_in(b, entry, i)):
                write_value(b, version_in(b, entry, i), found)
                return
        at = next_entry(b, key)


cdef inline uint64_t next_entry(const Bidding* b, uint64_t* key) noexcept nogil:
    """Go on to the key of the next entry of versions; returns its hash."""
    key[1] += <uint64_t> 1 << 48
    return key_hash(key, b.versions.words)


cdef bint open_bidding(Bidding* b, uint64_t bytes, uint64_t* supply) noexcept nogil:
    """Forget everything. False if there is no memory. `begin_bidding` must have been called."""
    cdef int humans = b.t.humans, words = 2 if humans <= 4 else 3
    return (table_open(&b.positions, words, words_of_value(b), False, bytes // 8 * 4, supply)
            and table_open(&b.versions, words, SIDE_BY_SIDE * words_of_value(b), False, bytes // 8 * 3, supply)
            and table_open(&b.outcomes, 1 if humans <= 4 else 2, humans, True, bytes // 8, supply))


cdef void close_bidding(Bidding* b) noexcept nogil:
    table_close(&b.positions)
    table_close(&b.versions)
    table_close(&b.outcomes)


# --- the end of town selection ---------------------------------------------------------------------------

cdef bint outcome_value(Bidding* b, const Wagons* w, Outlook* out) noexcept nogil:
    """When everybody has arrived. The counters decide the order, and where the Beggar's favour goes (rules 4)."""
    cdef uint64_t key[2]
    cdef uint64_t at
    cdef double value[MAX_PLAYERS]
    cdef int seat, other, place
    key[0] = key[1] = 0
    for seat in range(b.t.humans):
        place = 1
        for other in range(b.t.humans):
            place += rank_of(b, w, other) < rank_of(b, w, seat)
        key[seat // 4] |= <uint64_t> (place | w.town[seat] << 3 | w.guards[seat] << 6) << 16 * (seat % 4)
    at = table_hash(&b.outcomes, key)
    if not table_find(&b.outcomes, key, at, value):
        if not collect_taxes(b, w, value):
            return False
        table_keep(&b.outcomes, key, at, value)
    for seat in range(b.t.humans):
        out.favour[seat] = <int16_t> value[seat]
        if w.counter[seat] == 0:
            out.favour[seat] += b.start.perks[seat].zero_bonus
        out.holds[seat] = ALL
    return True


cdef inline int rank_of(const Bidding* b, const Wagons* w, int seat) noexcept nogil:
    """The lower acts first in the next town selection (rules 4.2)."""
    return w.counter[seat] * 8 + b.t.number[w.town[seat]]


cdef bint collect_taxes(Bidding* b, const Wagons* w, double* value) noexcept nogil:
    """The favour that is still to come from tax collection on."""
    cdef GameState s
    cdef double found[2 * MAX_PLAYERS]
    cdef int seat
    copy_state(&s, &b.start)
    memset(s.occupant, NONE, sizeof(s.occupant))
    for seat in range(b.t.humans):
        s.wagon[seat] = w.town[seat]
        s.position[seat] = w.counter[seat]
        s.guards[seat] = w.guards[seat]
        s.occupant[w.town[seat]] = seat
    s.evicted_from = NONE
    s.to_place = NO_PLACES
    next_placement(&s, b.t)
    if not b.collection_value(b.engine, &s, found):
        return False
    for seat in range(b.t.humans):
        value[seat] = found[seat] - s.favour[seat]
    return True


# --- max^n ----------------------------------------------------------------------------------------------

cdef inline bint better_for(const Bidding* b, int seat, const Outlook* a, const Outlook* best, bint earlier) noexcept nogil:
    """Whether a seat takes `a` rather than the best so far; `earlier`: it is the lower in canonical order."""
    cdef int order = a.favour[seat] - best.favour[seat]
    if order == 0 and b.ties:
        order = a.favour[b.judge] - best.favour[b.judge]
        if b.ties == 1:
            order = -order
    return order > 0 or order == 0 and earlier


cdef inline void add_masks(const Bidding* b, Outlook* out, const Outlook* other) noexcept nogil:
    """Only with favour that the other holds for, too."""
    cdef int seat
    for seat in range(b.t.humans):
        out.holds[seat] &= other.holds[seat]


cdef inline uint64_t no_more_than(const Wagons* w, int seat, int guards) noexcept nogil:
    """The favour with which a seat cannot pay more guards; where favour is the most that there can be, all of it."""
    return ALL if w.free else below(guards + 1 - w.guards[seat])


cdef inline void seen_from_before(Outlook* out, int seat, int pairs) noexcept nogil:
    """The value before a seat pays so many pairs of favour, by a move that is not chosen: it may as well be impossible."""
    out.favour[seat] -= 2 * pairs
    out.holds[seat] = before_paying(out.holds[seat], pairs) | below(pairs)


cdef inline bint may_bid(const Bidding* b, const Wagons* w) noexcept nogil:
    """Whether who travels may come to a town that is held, or others follow. If not, the value need not be remembered:
    it is found as soon as it would be looked up."""
    cdef int seat, cost, mover = w.mover
    for seat in range(b.t.humans):
        if seat != mover and w.counter[seat] != ROAD and w.town[seat] != w.left and w.counter[seat] < TOP:
            cost = b.cost[mover][w.town[mover]][w.town[seat]]
            if wealth_of(w, mover) > cost + w.counter[seat]:
                return True
    return w.placed < b.n_order


cdef bint value_of(Bidding* b, const Wagons* w, Outlook* out) noexcept nogil:
    """The value of a position, or of the end. False if the search has stopped."""
    cdef uint64_t key[WAGON_WORDS]
    cdef uint64_t at
    if w.mover == NONE:
        return outcome_value(b, w, out)
    if w.free and not may_bid(b, w):
        return travel_value(b, w, out)
    at = wagons_key(b, w, key)
    return value_of_key(b, w, key, at, out)


cdef bint value_of_key(Bidding* b, const Wagons* w, uint64_t* key, uint64_t at, Outlook* out) noexcept nogil:
    """The same where the key has been made, which is used up."""
    cdef bint found = find_position(b, key, at, out)
    if w.free:
        return found or may_go_on(b) and solve_position(b, w, key, at, out)
    if not found:
        found = solve_rich(b, w, key, at, out)
        if not found and not b.gave_up:
            return False
    return found and holds_for(b, w, out) or value_of_version(b, w, key, at, out)


cdef bint value_of_version(Bidding* b, const Wagons* w, const uint64_t* key, uint64_t at, Outlook* out) noexcept nogil:
    """The value with just this favour."""
    cdef uint64_t copy[WAGON_WORDS]
    memcpy(copy, key, b.versions.words * sizeof(uint64_t))
    if find_version(b, w, copy, at, out):
        return True
    if not b.visit(b.engine) or not travel_value(b, w, out):
        return False
    memcpy(copy, key, b.versions.words * sizeof(uint64_t))
    keep_version(b, copy, at, out)
    return True


cdef inline uint64_t nodes_for_rich(const Bidding* b) noexcept nogil:
    """How many more nodes may be spent on positions with the most favour.

    Most often one of them stands for many. But where all are poor, there can be many times as many of them as of others.
    So they get no more than a fixed share of the nodes.
    """
    cdef uint64_t allowed = RICH_SHARE * (b.nodes[0] - b.first_node - b.rich_nodes) + FIRST_RICH
    return allowed - b.rich_nodes if allowed > b.rich_nodes else 0


cdef inline bint may_go_on(Bidding* b) noexcept nogil:
    """Whether to go on with a position with the most favour."""
    b.gave_up = b.nodes[0] >= b.rich_end
    return not b.gave_up


cdef bint solve_rich(Bidding* b, const Wagons* w, const uint64_t* key, uint64_t at, Outlook* out) noexcept nogil:
    """The value with the most favour. False if it takes too long (`gave_up`) or the search has stopped."""
    cdef Wagons rich = w[0]
    cdef uint64_t before = b.nodes[0]
    cdef bint done
    rich.free = True
    enrich(b, &rich)
    b.rich_end = before + nodes_for_rich(b)
    done = may_go_on(b) and solve_position(b, &rich, key, at, out)
    b.rich_nodes += b.nodes[0] - before
    return done


cdef bint solve_position(Bidding* b, const Wagons* w, const uint64_t* key, uint64_t at, Outlook* out) noexcept nogil:
    """The value with the most favour by trying all moves, kept under the key."""
    if not b.visit(b.engine) or not travel_value(b, w, out):
        return False
    write_value(b, table_room(&b.positions, key, at), out)
    return True


cdef bint travel_value(Bidding* b, const Wagons* w, Outlook* out) noexcept nogil:
    """By trying all towns, and all bids."""
    cdef int seat = w.mover, town, cost
    cdef Choice best
    best.made = False
    for town in range(b.t.humans):
        best.value.holds[town] = ALL
    for town in range(TOWNS):
        if b.start.besieged >> town & 1 or town == w.left:
            continue
        cost = b.cost[seat][w.town[seat]][town]
        if wealth_of(w, seat) < cost:
            best.value.holds[seat] &= no_more_than(w, seat, cost - 1)
        elif w.holder[town] == NONE:
            if not try_free_town(b, w, town, &best):
                return False
        elif w.counter[w.holder[town]] < TOP:
            if not try_bids(b, w, town, &best):
                return False
    if not best.made and not travel_destitute(b, w, &best):
        return False
    out[0] = best.value
    out.holds[seat] &= best.payable
    return True


cdef bint travel_destitute(Bidding* b, const Wagons* w, Choice* best) noexcept nogil:
    """Rules 3.8. What is waived depends on all the favour that there is."""
    cdef int town, pairs = w.favour[w.mover] >> 1
    for town in range(TOWNS):
        if not b.start.besieged >> town & 1 and town != w.left and w.holder[town] == NONE:
            if not try_free_town(b, w, town, best):
                return False
    best.payable = 0 if w.free else at_least(pairs) & below(pairs + 1)
    best.value.holds[w.mover] = best.payable
    return True


cdef inline void look_at(const Bidding* b, int seat, const Outlook* value, uint64_t payable, Choice* best) noexcept nogil:
    """Choose a move if it is better for `seat` than those before; `payable`: the favour with which it can be paid."""
    add_masks(b, &best.value, value)
    if not best.made or better_for(b, seat, value, &best.value, False):
        memcpy(best.value.favour, value.favour, sizeof(value.favour))
        best.payable = payable
        best.made = True


cdef inline bint try_free_town(Bidding* b, const Wagons* w, int town, Choice* best) noexcept nogil:
    """Rules 3.4."""
    cdef int counter, pairs
    cdef Wagons later
    cdef Outlook value
    for counter in range(2 if b.start.perks[w.mover].flags & F_OCCUPY else 1):
        later = w[0]
        pairs = occupy_town(b, &later, town, counter)
        if not value_of(b, &later, &value):
            return False
        seen_from_before(&value, w.mover, pairs)
        look_at(b, w.mover, &value, at_least(pairs), best)
    return True


cdef bint try_bids(Bidding* b, const Wagons* w, int town, Choice* best) noexcept nogil:
    """Rules 3.5: all first bids in a town that is held."""
    cdef Conflict c
    cdef Wagons here = w[0]
    cdef Outlook all
    cdef int bid, taken = 0, seat = w.mover, pairs = pay_guards(&here, seat, b.cost[seat][w.town[seat]][town])
    if not conflict_values(b, &here, town, seat, w.holder[town], w.counter[w.holder[town]] + 1, &c, &all):
        return False
    for bid in range(c.lowest, c.top[0] + 1):
        if not taken or better_for(b, seat, outcome_of(&c, c.after[1][bid]), outcome_of(&c, c.after[1][taken]),
                                   first_as_text(bid, taken)):
            taken = bid
    if taken:
        memcpy(all.favour, outcome_of(&c, c.after[1][taken]).favour, sizeof(all.favour))
    seen_from_before(&all, seat, pairs)
    if taken:
        look_at(b, seat, &all, at_least(pairs + max(0, taken - here.guards[seat])), best)
    else:
        add_masks(b, &best.value, &all)
    return True


cdef inline Outlook* outcome_of(Conflict* c, int code) noexcept nogil:
    """Codes are 16 for the side that answers the first bid, 0 for the other, plus the bid."""
    return &c.paid[code >> 4][code & 15]


cdef bint conflict_values(Bidding* b, const Wagons* w, int town, int first, int second, int lowest, Conflict* c,
                          Outlook* all) noexcept nogil:
    """What comes out of a conflict after each bid (rules 3.6, 3.7), from the highest down.

    Args:
        w: the journey being paid; which of the two holds the town does not matter.
        first: who makes the first bid, `lowest` or more, to which `second` answers.
        all: the masks of the whole conflict are written there.

    Returns:
        False if the search has stopped.
    """
    cdef int bid, side, code, raised
    cdef int best[2]                                  # by side: of its bids above this one, the one that it prefers; 0: none
    c.town = town
    c.seat[0] = first
    c.seat[1] = second
    c.lowest = lowest
    for side in range(2):
        c.top[side] = min(<int> TOP, wealth_of(w, c.seat[side]))
        best[side] = 0
    for side in range(b.t.humans):
        all.holds[side] = ALL
    if c.top[0] < lowest:
        all.holds[first] = no_more_than(w, first, lowest - 1)
        return True
    for side in range(2):
        if c.top[side] < TOP:
            all.holds[c.seat[side]] = no_more_than(w, c.seat[side], c.top[side])
    if not value_payments(b, w, c, all):
        return False
    for bid in range(TOP, lowest - 1, -1):
        for side in range(2):                         # that answers this bid of the other
            if not may_stand_at(c, 1 - side, bid):
                continue
            code = 16 * (1 - side) + bid
            raised = best[side]
            if raised and better_for(b, c.seat[side], outcome_of(c, c.after[1 - side][raised]), outcome_of(c, code), False):
                code = c.after[1 - side][raised]
                all.holds[c.seat[side]] &= at_least(raised - w.guards[c.seat[side]])
            c.after[side][bid] = code
        for side in range(2):                         # whose bid this is
            if may_stand_at(c, side, bid) and (not best[side] or better_for(
                    b, c.seat[side], outcome_of(c, c.after[1 - side][bid]), outcome_of(c, c.after[1 - side][best[side]]),
                    first_as_text(bid, best[side]))):
                best[side] = bid
    return True


cdef inline bint may_stand_at(const Conflict* c, int side, int bid) noexcept nogil:
    """Whether a side can come to bid so much."""
    return bid <= c.top[side] and bid >= c.lowest + side


cdef bint value_payments(Bidding* b, const Wagons* w, Conflict* c, Outlook* all) noexcept nogil:
    """The values if one side gives way, for all bids of the other: first all keys, so that memory is read meanwhile."""
    cdef Wagons later[2][TOP + 1]
    cdef uint64_t keys[2][TOP + 1][WAGON_WORDS]
    cdef uint64_t at[2][TOP + 1]
    cdef int pairs[2][TOP + 1]
    cdef bint kept[2][TOP + 1]
    cdef int side, bid
    cdef bint done
    for side in range(2):
        for bid in range(c.lowest + side, c.top[side] + 1):
            later[side][bid] = w[0]
            pairs[side][bid] = settle_conflict(b, &later[side][bid], c, side, bid)
            kept[side][bid] = not w.free or may_bid(b, &later[side][bid])
            if kept[side][bid]:
                at[side][bid] = wagons_key(b, &later[side][bid], keys[side][bid])
    for side in range(2):
        for bid in range(c.lowest + side, c.top[side] + 1):
            if kept[side][bid]:
                done = value_of_key(b, &later[side][bid], keys[side][bid], at[side][bid], &c.paid[side][bid])
            else:
                done = travel_value(b, &later[side][bid], &c.paid[side][bid])
            if not done:
                return False
            seen_from_before(&c.paid[side][bid], c.seat[side], pairs[side][bid])
            add_masks(b, all, &c.paid[side][bid])
    return True


cdef bint bidding_value(Bidding* b, const GameState* s, double* value) noexcept nogil:
    """The max^n value, in favour, of a position that fits (`fits_bidding`). False if the search has stopped.

    `begin_bidding` must have been called with it, or with one from which it can come about.
    """
    cdef Wagons w
    cdef Conflict c
    cdef Outlook found
    cdef int seat
    wagons_of(s, b.t, &w)
    w.placed = b.n_order - number_to_place(s)
    if s.decision == D_TRAVEL:
        if not value_of(b, &w, &found):
            return False
    else:
        if not conflict_values(b, &w, s.wagon[s.seat], s.rival, s.seat, s.position[s.rival], &c, &found):
            return False
        found = outcome_of(&c, c.after[1][c.lowest])[0]
    for seat in range(b.t.humans):
        value[seat] = s.favour[seat] + found.favour[seat]
    return True


require_layout("lusatia_ai._bidding", sizeof(GameState), sizeof(GameTables))
