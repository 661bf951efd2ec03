/* ring.h: parts of ring deques that no paper describes: the number of slots, their memory, the number of items between
 * two positions, and the share of them that a thief asks for.
 */
#pragma once

#include "copy.h"

/* The most slots of a ring, by the bits of its positions. */
#define RING_MAX (SIZE_MAX / 4 / sizeof(deque_item))
#define RING_MAX_32 (UINT32_MAX / 4)

/* The slots that config asks for, or the deque's usual number: exact, and rounded up to a power of two. 0: too many.
 */
DEQUE_OPERATION size_t ring_asked(const struct deque_config *config, size_t usual, size_t max) {
    size_t capacity = config->capacity ? config->capacity : usual;
    return capacity <= max && capacity <= RING_MAX ? capacity : 0;
}
DEQUE_OPERATION size_t ring_capacity(const struct deque_config *config, size_t usual, size_t max) {
    size_t capacity = ring_asked(config, usual, max);
    return capacity ? deque_round_up(capacity) : 0;
}

/* The logarithm of a power of two. */
DEQUE_OPERATION unsigned ring_log2(size_t power) {
    unsigned log2 = 0;
    while ((size_t)1 << log2 < power)
        log2++;
    return log2;
}

/* How many blocks a deque of blocks has and of how many items, both powers of two: those that config asks for, else the
 * usual number of items, fewer where the capacity would make less than eight blocks; two blocks at least. false: too
 * many. */
DEQUE_OPERATION bool ring_blocks(const struct deque_config *config, size_t usual, size_t usual_block, size_t *count,
                                 size_t *block) {
    size_t capacity = config->capacity ? config->capacity : usual, eighth = capacity / 8;
    *block = config->block ? config->block : eighth < usual_block ? eighth : usual_block;
    if (capacity > RING_MAX / 256 || *block > RING_MAX / 256)
        return false;
    *block = deque_round_up(*block);
    *count = deque_round_up((capacity + *block - 1) / *block);
    if (*count < 2)
        *count = 2;
    return true;
}

/* A thief that is about to lose may read a slot that was never written. */
DEQUE_OPERATION void ring_clear(_Atomic(deque_item) *slots, size_t n) {
    for (size_t i = 0; i < n; i++)
        atomic_init(&slots[i], (deque_item)0);
}

/* n cleared slots that thieves may read while the owner writes; NULL when there is no memory. */
DEQUE_OPERATION _Atomic(deque_item) *ring_slots(size_t n) {
    _Atomic(deque_item) *slots = DEQUE_ALLOC(n * sizeof *slots);
    if (slots)
        ring_clear(slots, n);
    return slots;
}

/* Makes a deque's ring of such slots; 0, or EINVAL or ENOMEM. The mask is the number of slots less one. */
DEQUE_OPERATION int ring_make(const struct deque_config *config, size_t usual, size_t max, _Atomic(deque_item) **slots,
                              uint64_t *mask) {
    size_t capacity = ring_capacity(config, usual, max);
    if (capacity == 0)
        return EINVAL;
    *slots = ring_slots(capacity);
    *mask = capacity - 1;
    return *slots ? 0 : ENOMEM;
}

/* The same of plain slots, which nobody reads before they are written. */
DEQUE_OPERATION int ring_make_plain(const struct deque_config *config, size_t usual, size_t max, deque_item **slots,
                                    uint64_t *mask) {
    size_t capacity = ring_capacity(config, usual, max);
    if (capacity == 0)
        return EINVAL;
    *slots = DEQUE_ALLOC(capacity * sizeof **slots);
    *mask = capacity - 1;
    return *slots ? 0 : ENOMEM;
}

/* A larger ring of plain slots in place of one with n items from position first on. No other thread looks meanwhile.
 * false when there is no memory, and then nothing has changed. */
DEQUE_SLOW_PATH bool ring_grow_plain(deque_item **slots, uint64_t *mask, uint64_t first, size_t n, size_t wanted) {
    if (wanted > RING_MAX)
        return false;
    size_t capacity = deque_round_up(wanted);
    deque_item *larger = DEQUE_ALLOC(capacity * sizeof *larger);
    if (!larger)
        return false;
    deque_copy_across(larger, capacity - 1, first, *slots, *mask, first, n);
    DEQUE_FREE(*slots);
    *slots = larger;
    *mask = capacity - 1;
    return true;
}

/* A ring that grows while thieves read it: they follow a pointer to its present buffer, of which only the slots change.
 * Buffers that were left stay until the deque is destroyed, for a thief may still be reading there. */
struct ring_buffer {
    uint64_t mask;
    uint64_t capacity;            /* mask + 1; this and the next for deques whose originals have them as words */
    _Atomic(deque_item) *pointer; /* to slots */
    struct ring_buffer *smaller, *larger; /* those before and behind it in the order of growth; the owner's alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) slots[];
};

/* capacity is a power of two. NULL when there is no memory. */
DEQUE_OPERATION struct ring_buffer *ring_buffer_new(size_t capacity, struct ring_buffer *smaller) {
    if (capacity > RING_MAX)
        return NULL;
    struct ring_buffer *buffer = DEQUE_ALLOC(sizeof *buffer + capacity * sizeof buffer->slots[0]);
    if (!buffer)
        return NULL;
    buffer->mask = capacity - 1;
    buffer->capacity = capacity;
    buffer->pointer = buffer->slots;
    buffer->smaller = smaller;
    buffer->larger = NULL;
    if (smaller)
        smaller->larger = buffer;
    ring_clear(buffer->slots, capacity);
    return buffer;
}

/* Frees the largest buffer and all before it. */
DEQUE_OPERATION void ring_buffers_free(struct ring_buffer *buffer) {
    while (buffer) {
        struct ring_buffer *smaller = buffer->smaller;
        DEQUE_FREE(buffer);
        buffer = smaller;
    }
}

/* Owner: copies the items between two positions, which fit. */
DEQUE_OPERATION void ring_buffer_copy(const struct ring_buffer *from, struct ring_buffer *to, uint64_t first,
                                      uint64_t end) {
    for (uint64_t i = first; i != end; i++) {
        deque_item item = atomic_load_explicit(&from->slots[i & from->mask], memory_order_relaxed);
        atomic_store_explicit(&to->slots[i & to->mask], item, memory_order_relaxed);
    }
}

/* For deque_size: the items between two positions, a snapshot. */
DEQUE_OPERATION size_t ring_between(const _Atomic uint64_t *oldest, const _Atomic uint64_t *end) {
    uint64_t past = atomic_load_explicit(end, memory_order_relaxed);
    int64_t size = (int64_t)(past - atomic_load_explicit(oldest, memory_order_relaxed));
    return size > 0 ? (size_t)size : 0;
}

/* percent (1 to 100) of n items, rounded up, and at most max. */
DEQUE_OPERATION size_t ring_part(size_t n, unsigned percent, size_t max) {
    size_t part = n / 100 * percent + (n % 100 * percent + 99) / 100;
    return part < max ? part : max;
}

/* The same; 0 percent stands for half. */
DEQUE_OPERATION size_t ring_share(size_t n, unsigned percent, size_t max) {
    return ring_part(n, percent ? percent : 50, max);
}
