"""What a solver remembers: a transposition table of limited size with exact keys, and numbers for equal things.

Keys are compared in full, so a table never takes one position for another. It begins small, since clearing memory takes
longer than solving a small position, and grows up to its limit; from then on new entries replace old ones.

Each reserves as many addresses as it may ever need, and takes memory as it grows: where several share a supply, no more than
is left of that.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__GNUC__) || defined(__clang__)
    #define lusatia_prefetch(address) __builtin_prefetch(address)
    #else
    #define lusatia_prefetch(address) ((void) (address))
    #endif
    #if defined(__unix__) || defined(__APPLE__)
    #include <sys/mman.h>
    #endif
    /* A cleared block of which only what is used takes memory. */
    static inline void *lusatia_block(size_t bytes) {
    #if defined(__unix__) || defined(__APPLE__)
        void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        return block == MAP_FAILED ? NULL : block;
    #else
        return calloc(bytes, 1);
    #endif
    }
    static inline void lusatia_free_block(void *block, size_t bytes) {
    #if defined(__unix__) || defined(__APPLE__)
        if (block != NULL)
            munmap(block, bytes);
    #else
        free(block);
    #endif
    }
    /* Entries are found at random: large pages, where the system has them, for what will be used next of a block. */
    static inline void lusatia_large_pages(void *block, size_t bytes) {
    #if defined(MADV_HUGEPAGE)
        const size_t page = (size_t) 1 << 21;
        size_t skipped = -(size_t) block & (page - 1);
        if (bytes >= 2 * page)
            madvise((char *) block + skipped, bytes - skipped, MADV_HUGEPAGE);
    #endif
    }
    """
    void prefetch "lusatia_prefetch"(const void* address) noexcept nogil
    void* cleared_block "lusatia_block"(size_t bytes) noexcept nogil
    void free_block "lusatia_free_block"(void* block, size_t bytes) noexcept nogil
    void use_large_pages "lusatia_large_pages"(void* block, size_t bytes) noexcept nogil

cdef enum:
    WINDOW = 8               # entries looked at from where a key belongs
    FIRST_SIZE = 1 << 10     # entries of a table before it grows
    QUICK_SIZE = 1 << 16     # entries up to which growing by four takes no time to speak of
    MOST_STRIDE = 32         # words of the longest entry
    WHOLE_INFINITY = 32767
    LARGE_POOL = 1 << 21     # bytes from which on a pool has large pages, and takes so many at once

# Open addressing in one block; each entry is `words` words of key, then a value.
ctypedef struct Table:
    uint64_t* entries        # owned: a block for `most`; a key whose first word is 0 is an empty entry
    uint64_t size            # entries, below 2**32
    uint64_t used
    uint64_t most            # entries that it has addresses for
    uint64_t* supply         # borrowed: bytes that it may still take; NULL: not opened yet
    uint64_t taken           # of these
    int words
    int width                # numbers in a value
    int stride               # words of an entry
    bint settled             # it does not grow now
    bint whole               # values are whole numbers below 32,000 or infinite, four to a word; else doubles

# Items that stay, by number, in one block of which only what is used takes memory.
ctypedef struct Pool:
    void* items              # owned
    size_t size              # of an item
    uint32_t n
    uint32_t most
    uint64_t* supply         # as of a table
    uint64_t taken

# Numbers of equal things, by their hash: open addressing, at most half full.
ctypedef struct Index:
    int32_t* numbers         # owned; plus one, 0: empty
    uint64_t size            # a power of two


cdef inline uint64_t hash_bytes(const void* data, size_t size) noexcept nogil:
    cdef const uint8_t* bytes = <const uint8_t*> data
    cdef uint64_t h = 0x9E3779B97F4A7C15, word
    cdef size_t done = 0
    while done < size:
        word = 0
        memcpy(&word, bytes + done, 8 if size - done >= 8 else size - done)
        h = (h ^ word) * <uint64_t> 0xBF58476D1CE4E5B9
        h ^= h >> 31
        done += 8
    return h

cdef inline bint same_words(const uint64_t* a, const uint64_t* b, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if a[i] != b[i]:
            return False
    return True

cdef inline bint take(uint64_t* supply, uint64_t* taken, uint64_t bytes) noexcept nogil:
    """False if so many bytes are not left."""
    if supply[0] < bytes:
        return False
    supply[0] -= bytes
    taken[0] += bytes
    return True

cdef inline void give_back(uint64_t* supply, uint64_t* taken) noexcept nogil:
    if supply != NULL:
        supply[0] += taken[0]
    taken[0] = 0

cdef inline bint table_open(Table* table, int words, int width, bint whole, uint64_t bytes, uint64_t* supply) noexcept nogil:
    """An empty table that will take at most so many bytes (but at least room for FIRST_SIZE entries). False: no memory."""
    table_close(table)
    table.supply = supply
    table.words = words
    table.width = width
    table.whole = whole
    table.stride = words + ((width + 3) // 4 if whole else width)
    table.most = min(max(bytes // (8 * table.stride), <uint64_t> FIRST_SIZE), <uint64_t> 0xFFFFFFFF)
    table.size = FIRST_SIZE
    table.used = 0
    table.settled = False
    table.entries = <uint64_t*> cleared_block(table.most * table.stride * 8)
    while table.entries == NULL and table.most > FIRST_SIZE:
        table.most = max(table.most // 2, <uint64_t> FIRST_SIZE)
        table.entries = <uint64_t*> cleared_block(table.most * table.stride * 8)
    return table.entries != NULL

cdef inline void table_close(Table* table) noexcept nogil:
    """Give its memory back."""
    give_back(table.supply, &table.taken)
    free_block(table.entries, table.most * table.stride * 8)
    table.entries = NULL

cdef inline uint64_t* entry_at(const Table* table, uint64_t at, int i) noexcept nogil:
    """The i-th entry from where a key of hash `at` belongs."""
    cdef uint64_t place = ((at >> 32) * table.size >> 32) + i
    if place >= table.size:
        place -= table.size
    return &table.entries[place * table.stride]

cdef inline uint64_t key_hash(const uint64_t* key, int words) noexcept nogil:
    cdef uint64_t h = 0x9E3779B97F4A7C15
    cdef int i
    for i in range(words):
        h = (h ^ key[i]) * <uint64_t> 0xBF58476D1CE4E5B9
        h ^= h >> 31
    return h

cdef inline uint64_t table_hash(const Table* table, const uint64_t* key) noexcept nogil:
    """The hash of a key; its entry is fetched from memory in the meantime."""
    cdef uint64_t at = key_hash(key, table.words)
    prefetch(entry_at(table, at, 0))
    return at

cdef inline uint64_t* table_entry(const Table* table, const uint64_t* key, uint64_t at) noexcept nogil:
    """The entry of a key of hash `at`, or NULL."""
    cdef uint64_t* entry
    cdef int i
    for i in range(WINDOW):
        entry = entry_at(table, at, i)
        if entry[0] == 0:
            return NULL
        if same_words(entry, key, table.words):
            return entry
    return NULL

cdef inline bint table_find(const Table* table, const uint64_t* key, uint64_t at, double* value) noexcept nogil:
    """Read the value kept for a key of hash `at`, if there is one."""
    cdef const uint64_t* entry = table_entry(table, key, at)
    cdef const int16_t* whole
    cdef int j
    if entry == NULL:
        return False
    if not table.whole:
        memcpy(value, &entry[table.words], table.width * sizeof(double))
        return True
    whole = <const int16_t*> &entry[table.words]
    for j in range(table.width):
        value[j] = whole[j]
        if whole[j] == WHOLE_INFINITY or whole[j] == -WHOLE_INFINITY:
            value[j] = INFINITY if whole[j] > 0 else -INFINITY
    return True

cdef inline uint64_t* table_place(Table* table, const uint64_t* key, uint64_t at) noexcept nogil:
    """Where the value of a key of hash `at` goes: its own entry, an empty one, or one whose content is given up."""
    cdef uint64_t* entry
    cdef int i
    for i in range(WINDOW):
        entry = entry_at(table, at, i)
        if entry[0] == 0:
            table.used += 1
            break
        if same_words(entry, key, table.words):
            break
    else:
        entry = entry_at(table, at, at % WINDOW)
    memcpy(entry, key, table.words * 8)
    return &entry[table.words]

cdef inline void table_grow(Table* table) noexcept nogil:
    """Larger, in place, if there is memory left for it. An entry that finds no place is given up.

    Entries belong to places in the order of their hashes, so from the last to the first they move up, into what has been
    cleared already. Only some of the first few may meet others that have not yet moved; those are moved once more.
    """
    cdef uint64_t moved[MOST_STRIDE]
    cdef uint64_t i = table.size, at, larger = min(table.size * (4 if table.size < QUICK_SIZE else 2), table.most)
    cdef uint64_t* entry
    if not take(table.supply, &table.taken, (larger - table.size) * table.stride * 8):
        table.settled = True
        return
    table.size = larger
    use_large_pages(table.entries, table.size * table.stride * 8)
    while i:
        i -= 1
        entry = &table.entries[i * table.stride]
        if entry[0]:
            memcpy(moved, entry, table.stride * 8)
            entry[0] = 0
            table.used -= 1
            at = key_hash(moved, table.words)
            memcpy(table_place(table, moved, at), &moved[table.words], (table.stride - table.words) * 8)

cdef inline void table_settle(Table* table, double seconds) noexcept nogil:
    """Let it grow only if that takes no more than so many seconds, at 4 ns for each byte of the larger one."""
    table.settled = 2.0 * table.size * table.stride * 8 * 4e-9 > seconds

cdef inline uint64_t* table_room(Table* table, const uint64_t* key, uint64_t at) noexcept nogil:
    """As `table_place`, in a table that grows if it is half full."""
    if table.used * 2 > table.size and table.size < table.most and not table.settled:
        table_grow(table)
    return table_place(table, key, at)

cdef inline void table_keep(Table* table, const uint64_t* key, uint64_t at, const double* value) noexcept nogil:
    """Keep the value of a key of hash `at`."""
    cdef uint64_t* place = table_room(table, key, at)
    cdef int16_t* whole
    cdef int j
    if not table.whole:
        memcpy(place, value, table.width * sizeof(double))
        return
    whole = <int16_t*> place
    for j in range(table.width):
        whole[j] = <int16_t> (value[j] if -WHOLE_INFINITY < value[j] < WHOLE_INFINITY
                              else WHOLE_INFINITY if value[j] > 0 else -WHOLE_INFINITY)

cdef inline bint index_open(Index* index) noexcept nogil:
    """An empty index."""
    free(index.numbers)
    index.size = FIRST_SIZE
    index.numbers = <int32_t*> calloc(index.size, sizeof(int32_t))
    return index.numbers != NULL

cdef inline int32_t index_find(const Index* index, const void* items, size_t size, const void* wanted,
                               size_t compared) noexcept nogil:
    """The number of the item (of `size` bytes each) that equals `wanted` in its first `compared` bytes; -1: none."""
    cdef uint64_t at = hash_bytes(wanted, compared)
    cdef int32_t number
    while True:
        number = index.numbers[at & (index.size - 1)] - 1
        if number < 0 or memcmp(<const uint8_t*> items + number * size, wanted, compared) == 0:
            return number
        at += 1

cdef inline void index_put(Index* index, const void* item, size_t compared, int32_t number) noexcept nogil:
    cdef uint64_t at = hash_bytes(item, compared)
    while index.numbers[at & (index.size - 1)]:
        at += 1
    index.numbers[at & (index.size - 1)] = number + 1

cdef inline bint index_add(Index* index, const void* items, size_t size, size_t compared, uint32_t number) noexcept nogil:
    """Enter the item of this number, those below being in it. False if there is no memory."""
    cdef int32_t* numbers
    cdef uint32_t i
    if 2 * <uint64_t> number >= index.size:
        numbers = <int32_t*> calloc(4 * index.size, sizeof(int32_t))
        if numbers == NULL:
            return False
        free(index.numbers)
        index.numbers = numbers
        index.size *= 4
        for i in range(number):
            index_put(index, <const uint8_t*> items + i * size, compared, i)
    index_put(index, <const uint8_t*> items + number * size, compared, number)
    return True

cdef inline void index_close(Index* index) noexcept nogil:
    free(index.numbers)
    index.numbers = NULL

cdef inline bint pool_open(Pool* pool, size_t size, uint64_t bytes, uint64_t* supply) noexcept nogil:
    """An empty pool that will take at most so many bytes (but at least one item). False: no memory."""
    pool_close(pool)
    pool.supply = supply
    pool.size = size
    pool.n = 0
    pool.most = max(min(bytes // size, <uint64_t> 0x7FFFFFFF), <uint64_t> 1)
    pool.items = cleared_block(pool.most * size)
    while pool.items == NULL and pool.most > 1:
        pool.most //= 2
        pool.items = cleared_block(pool.most * size)
    return pool.items != NULL

cdef inline void pool_close(Pool* pool) noexcept nogil:
    give_back(pool.supply, &pool.taken)
    free_block(pool.items, pool.most * pool.size)
    pool.items = NULL

cdef inline bint pool_has_room(Pool* pool, uint32_t more) noexcept nogil:
    """Whether so many more items can be taken; their memory is set aside."""
    return more <= pool.most - pool.n and ((pool.n + more) * pool.size <= LARGE_POOL + pool.taken
                                           or take(pool.supply, &pool.taken, LARGE_POOL))

cdef inline int32_t pool_take(Pool* pool, uint32_t more) noexcept nogil:
    """The number of the first of so many new items. -1: there is no room."""
    cdef uint64_t before = pool.n * pool.size, after = (pool.n + more) * pool.size
    if not pool_has_room(pool, more):
        return -1
    pool.n += more
    if before < LARGE_POOL <= after:
        use_large_pages(pool.items, pool.most * pool.size)
    return pool.n - more

cdef inline int32_t pool_add(Pool* pool, Index* index, const void* item, size_t compared) noexcept nogil:
    """The number of a new item, which the index finds from now on by its first `compared` bytes. -1: there is no room."""
    cdef int32_t number = pool_take(pool, 1)
    if number < 0:
        return -1
    memcpy(<uint8_t*> pool.items + number * pool.size, item, pool.size)
    return number if index_add(index, pool.items, pool.size, compared, number) else -1

cdef inline void* with_room(void* items, size_t size, uint32_t n, uint32_t* room) noexcept nogil:
    """The items, moved if there was no room for one more; NULL if there is no memory for it."""
    cdef void* grown
    if n < room[0]:
        return items
    grown = realloc(items, (2 * room[0] + 16) * size)
    if grown != NULL:
        room[0] = 2 * room[0] + 16
    return grown
