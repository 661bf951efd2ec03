/* stdexec.h: the queue of stdexec's static_thread_pool: block-based work stealing, whose blocks count their rounds.
 *
 * Algorithm of exec::bwos::lifo_queue (M. Nadolski and others), github.com/NVIDIA/stdexec,
 * include/exec/detail/bwos_lifo_queue.hpp at e92245d5 (August 2026), that is with the repair dcac2387 of pull request
 * 1967; after J. Wang et al.: BWoS, OSDI 2023. It differs from bwos_lifo.h in three things: blocks know their round by
 * 32 bits in place of whole positions; the owner alone moves the oldest block, and thieves walk from there up to the
 * owner's; a push that comes to a block waits for thieves that still read there.
 *
 *   stdexec_go_up     advance_put_index, is_writable, grant, reclaim
 *   stdexec_go_down   advance_get_index, reduce_round, takeover
 *   last, start       last_block_, start_block_: round and index of the owner's block, and of the oldest
 *
 * The words `head` and `steal_tail` of a block hold a round and an index each. In the owner's block the index of
 * steal_tail is the block's size, which thieves take for "nothing to steal". To grant a block the owner exchanges the
 * two words; to take it back it exchanges them again. A granted block is full.
 *
 * The price: thieves cannot have the owner's block, and may pass older items by (thieves_overtake).
 *
 * What differs from the original: a thief's claim, its CAS of steal_tail, acquires. There it is relaxed, which on weak
 * memory gives a thief what was in the slot before (as_shipped/stdexec_bwos_rounds.h). On x86 both are the same
 * instruction. A thief that loses a race, or finds a block that went round under it, says LOST and does not try again.
 * Layout is as there: words on lines of 64 bytes; the address and size of a block's items share a line with steal_tail.
 */
#include "deque.h"
#include "parts/ring.h"

/* As static_thread_pool has them: 32 blocks of 8. */
#define STDEXEC_DEFAULT_BLOCK 8
#define DEQUE_BLOCK STDEXEC_DEFAULT_BLOCK

#define DEQUE_NATIVE DEQUE_PUSH_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "stdexec", .title = "stdexec, batch copied", .source = "stdexec at e92245d5; Wang et al.: OSDI 2023",    \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_WAIT_FREE,                               \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = STDEXEC_DEFAULT_BLOCK, .thieves_overtake = true,           \
    }

#define STDEXEC_LINE 64

struct stdexec_block {
    alignas(STDEXEC_LINE) _Atomic uint64_t head;        /* round and index: where the owner's part begins */
    alignas(STDEXEC_LINE) _Atomic uint64_t tail;        /* an index: one past the newest; written by the owner alone */
    alignas(STDEXEC_LINE) _Atomic uint64_t steal_count; /* how many items thieves have read in this round */
    alignas(STDEXEC_LINE) _Atomic uint64_t steal_tail;  /* round and index: what is stolen next */
    deque_item *items;
    uint64_t size;
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t last;    /* written by the owner alone, as start */
    alignas(STDEXEC_LINE) _Atomic uint64_t start; /* with what is never written after deque_init */
    struct stdexec_block *blocks;
    uint64_t mask;
};

DEQUE_OPERATION uint64_t stdexec_word(uint64_t round, uint64_t index) { return round << 32 | index; }
DEQUE_OPERATION uint32_t stdexec_round(uint64_t word) { return (uint32_t)(word >> 32); }
DEQUE_OPERATION uint64_t stdexec_index(uint64_t word) { return word & UINT32_MAX; }

DEQUE_OPERATION uint64_t stdexec_after(const struct deque *deque, uint64_t block) {
    uint64_t index = (block + 1) & deque->mask;
    return stdexec_word(stdexec_round(block) + (uint64_t)(index == 0), index);
}
DEQUE_OPERATION uint64_t stdexec_before(const struct deque *deque, uint64_t block) {
    return stdexec_word(stdexec_round(block) - (uint64_t)(stdexec_index(block) == 0), (block - 1) & deque->mask);
}
DEQUE_OPERATION struct stdexec_block *stdexec_block_at(const struct deque *deque, uint64_t block) {
    return &deque->blocks[block & deque->mask];
}

/* Every block but the first looks as if thieves had emptied it one round ago. */
DEQUE_OPERATION void stdexec_begin(struct deque *deque, uint64_t round, size_t size, deque_item *items) {
    for (uint64_t i = 0; i <= deque->mask; i++) {
        struct stdexec_block *block = &deque->blocks[i];
        uint64_t emptied = stdexec_word(round - 1, size);
        block->items = items + i * size;
        block->size = size;
        atomic_init(&block->head, i == 0 ? stdexec_word(round, 0) : emptied);
        atomic_init(&block->tail, i == 0 ? 0 : size);
        atomic_init(&block->steal_count, i == 0 ? 0 : size);
        atomic_init(&block->steal_tail, i == 0 ? stdexec_word(round, size) : emptied);
    }
    atomic_init(&deque->last, stdexec_word(round, 0));
    atomic_init(&deque->start, stdexec_word(round, 0));
}

/* config->block and the number of blocks are rounded up to powers of two; there are at least two blocks. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t count, size;
    if (!ring_blocks(config, 256, STDEXEC_DEFAULT_BLOCK, &count, &size) || size > UINT32_MAX || count > UINT32_MAX)
        return EINVAL;
    deque_item *items = DEQUE_ALLOC(count * size * sizeof *items);
    deque->blocks = DEQUE_ALLOC(count * sizeof *deque->blocks);
    if (!deque->blocks || !items) {
        DEQUE_FREE(deque->blocks);
        DEQUE_FREE(items);
        return ENOMEM;
    }
    deque->mask = count - 1;
    stdexec_begin(deque, config->first_index >> 32, size, items);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->blocks[0].items);
    DEQUE_FREE(deque->blocks);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    return (size_t)((deque->mask + 1) * deque->blocks[0].size);
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= deque->mask; i++) {
        const struct stdexec_block *block = &deque->blocks[i];
        uint64_t first = stdexec_index(atomic_load_explicit(&block->steal_tail, memory_order_relaxed));
        if (first == block->size)
            first = stdexec_index(atomic_load_explicit(&block->head, memory_order_relaxed));
        uint64_t end = atomic_load_explicit(&block->tail, memory_order_relaxed);
        sum += end > first ? end - first : 0;
    }
    return (size_t)sum;
}

/* Owner, whose block is full: grants it to the thieves and opens the next one, which must be used up. */
DEQUE_OPERATION bool stdexec_go_up(struct deque *deque, uint64_t owner) {
    uint64_t up = stdexec_after(deque, owner), start = atomic_load_explicit(&deque->start, memory_order_relaxed);
    struct stdexec_block *block = stdexec_block_at(deque, owner), *next = stdexec_block_at(deque, up);
    if (atomic_load_explicit(&next->steal_tail, memory_order_relaxed) !=
        stdexec_word(stdexec_round(up) - (uint64_t)1, next->size))
        return false;
    if (stdexec_index(start) == stdexec_index(up))
        atomic_store_explicit(&deque->start, stdexec_after(deque, start), memory_order_relaxed);
    uint64_t end = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
    uint64_t head = atomic_exchange_explicit(&block->head, end, memory_order_relaxed);
    /* release: pairs with the acquire of the CAS in steal; publishes the items and what they point to */
    atomic_store_explicit(&block->steal_tail, head, memory_order_release);
    uint64_t claimed = stdexec_index(atomic_load_explicit(&next->head, memory_order_relaxed));
    /* acquire: pairs with the release of steal_count in steal; thieves have read the items before we write there again
     */
    while (atomic_load_explicit(&next->steal_count, memory_order_acquire) != claimed)
        continue;
    atomic_store_explicit(&next->head, stdexec_word(stdexec_round(up), 0), memory_order_relaxed);
    /* relaxed: it gives thieves nothing to read */
    atomic_store_explicit(&next->tail, 0, memory_order_relaxed);
    /* relaxed: as tail */
    atomic_store_explicit(&next->steal_tail, stdexec_word(stdexec_round(up), next->size), memory_order_relaxed);
    /* relaxed: as tail */
    atomic_store_explicit(&next->steal_count, 0, memory_order_relaxed);
    atomic_store_explicit(&deque->last, up, memory_order_relaxed);
    return true;
}

/* Owner, whose block is empty: leaves it and takes the one before back from the thieves. */
DEQUE_OPERATION bool stdexec_go_down(struct deque *deque, uint64_t owner) {
    if (atomic_load_explicit(&deque->start, memory_order_relaxed) == owner)
        return false;
    uint64_t down = stdexec_before(deque, owner);
    struct stdexec_block *block = stdexec_block_at(deque, owner), *previous = stdexec_block_at(deque, down);
    /* The block that it leaves looks used up in the round before, so that it can be opened again in this one. */
    uint64_t end = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
    /* relaxed: it gives thieves nothing to read */
    atomic_store_explicit(&block->steal_tail, stdexec_word(stdexec_round(end) - (uint64_t)1, stdexec_index(end)),
                          memory_order_relaxed);
    uint64_t used_up = atomic_load_explicit(&previous->head, memory_order_relaxed);
    /* relaxed: what is taken back we have written ourselves, and the mark gives thieves nothing to read */
    uint64_t first = atomic_exchange_explicit(&previous->steal_tail, used_up, memory_order_relaxed);
    atomic_store_explicit(&previous->head, first, memory_order_relaxed);
    atomic_store_explicit(&deque->last, down, memory_order_relaxed);
    return true;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    size_t pushed = 0;
    do {
        struct stdexec_block *block = stdexec_block_at(deque, atomic_load_explicit(&deque->last, memory_order_relaxed));
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed), room = block->size - tail;
        size_t part = n - pushed < room ? n - pushed : (size_t)room;
        deque_copy(block->items + tail, items + pushed, part);
        pushed += part;
        /* release: as in push */
        atomic_store_explicit(&block->tail, tail + part, memory_order_release);
    } while (pushed < n && stdexec_go_up(deque, atomic_load_explicit(&deque->last, memory_order_relaxed)));
    return pushed;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    for (;;) {
        uint64_t owner = atomic_load_explicit(&deque->last, memory_order_relaxed);
        struct stdexec_block *block = stdexec_block_at(deque, owner);
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (tail < block->size) {
            block->items[tail] = item;
            /* release, here and in pop: pairs with the acquire of tail in steal */
            atomic_store_explicit(&block->tail, tail + 1, memory_order_release);
            return DEQUE_OK;
        }
        if (!stdexec_go_up(deque, owner))
            return DEQUE_FULL;
    }
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    for (;;) {
        uint64_t owner = atomic_load_explicit(&deque->last, memory_order_relaxed);
        struct stdexec_block *block = stdexec_block_at(deque, owner);
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (tail != 0 && tail != stdexec_index(atomic_load_explicit(&block->head, memory_order_relaxed))) {
            *item = block->items[tail - 1];
            atomic_store_explicit(&block->tail, tail - 1, memory_order_release);
            return DEQUE_OK;
        }
        if (!stdexec_go_down(deque, owner))
            return DEQUE_EMPTY;
    }
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t thief = atomic_load_explicit(&victim->start, memory_order_relaxed);
    (void)self;
    do {
        struct stdexec_block *block = stdexec_block_at(victim, thief);
        uint64_t at = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
        if (stdexec_index(at) != block->size) {
            /* acquire: pairs with the release of tail in push */
            if (stdexec_index(at) == atomic_load_explicit(&block->tail, memory_order_acquire))
                return DEQUE_EMPTY;
            /* acquire: pairs with the release of steal_tail in stdexec_go_up. It is the CAS that needs it: the owner
             * may have had the block since we looked, and granted it again from the same position */
            if (!atomic_compare_exchange_strong_explicit(&block->steal_tail, &at, at + 1, memory_order_acquire,
                                                         memory_order_relaxed))
                return DEQUE_LOST;
            *item = block->items[stdexec_index(at)];
            /* release: pairs with the acquire of steal_count in stdexec_go_up */
            atomic_fetch_add_explicit(&block->steal_count, 1, memory_order_release);
            return DEQUE_OK;
        }
        if (stdexec_round(at) != stdexec_round(thief)) /* the owner has left it, or has come round meanwhile */
            return (int32_t)(stdexec_round(at) - stdexec_round(thief)) < 0 ? DEQUE_EMPTY : DEQUE_LOST;
        thief = stdexec_after(victim, thief);
    } while ((int64_t)(thief - atomic_load_explicit(&victim->last, memory_order_relaxed)) < 0);
    return DEQUE_EMPTY;
}
