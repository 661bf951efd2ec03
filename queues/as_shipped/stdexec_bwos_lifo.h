/* as_shipped/stdexec_bwos_lifo.h: the queue of stdexec's static_thread_pool, which lost tasks for more than two years.
 *
 * Source: github.com/NVIDIA/stdexec, include/exec/detail/bwos_lifo_queue.hpp from 3a0439c9 (October 2023) on, here as
 * of aa677cc6. Issues 1692 (the pool's benchmark hangs, November 2025) and 1755 (its cause, January 2026); repaired by
 * dcac2387 (pull request 1967, March 2026), with blocks that know their round. The algorithm is BWoS (Wang et al.: OSDI
 * 2023); right ones are ../stdexec.h and ../bwos_lifo.h.
 *
 * The queue is a ring of blocks. The owner works in one; thieves work in the oldest. Owner and thieves each have a
 * counter of blocks, and neither looks at the other's when it matters. In a block, `steal_tail` is where thieves take;
 * the block's size stands there for "nothing to steal", whether thieves have taken all or the owner has it.
 *
 * The fault: a thief finds the next block stealable and stops before it moves on. The owner takes that block back. The
 * thief moves into it, reads "nothing to steal" as "used up", and goes on to the block behind. What is put into the
 * block that was passed is out of thieves' reach, and out of the owner's when thieves have emptied the block behind it.
 * Besides, the counters of blocks are relaxed throughout, so that a thief may read an item that it has not seen
 * written: ThreadSanitizer still complains after the repair (issue 2172).
 *
 * The original at aa677cc6 fails `stress` within seconds with each of three seeds; at e92245d5, with the repair, which
 * is another algorithm, ../stdexec.h, it passes. What differs: there are twice as many blocks as the capacity asks for,
 * for one block is always refused; C11.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_BLOCK STDEXEC_DEFAULT_BLOCK
#define DEQUE_SHOWN_BY "--client=blocks_over --block=1 --fault=lost --schedules=200000"
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/stdexec_bwos_lifo", .title = "stdexec's BWoS, as shipped",                                   \
        .source = "stdexec before dcac2387", .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED,                          \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_BLOCKING,        \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = STDEXEC_DEFAULT_BLOCK,    \
        .fault = "thieves pass a block that the owner has taken back: its items never come out",                       \
    }

#define STDEXEC_DEFAULT_BLOCK 32

struct stdexec_block {
    alignas(DEQUE_LINE) _Atomic uint64_t head, tail; /* the owner's part */
    alignas(DEQUE_LINE) _Atomic uint64_t steal_tail; /* where thieves take; the block's size: nothing to steal */
    _Atomic uint64_t steal_head;                     /* how many steals have ended */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t owner;
    alignas(DEQUE_LINE) _Atomic uint64_t thief;
    alignas(DEQUE_LINE) struct stdexec_block *blocks;
    deque_item *items;
    uint64_t mask; /* blocks, less one */
    uint64_t size; /* of a block */
};

DEQUE_OPERATION struct stdexec_block *stdexec_block_at(const struct deque *deque, uint64_t number) {
    return &deque->blocks[number & deque->mask];
}
DEQUE_OPERATION deque_item *stdexec_items(const struct deque *deque, uint64_t number) {
    return &deque->items[(number & deque->mask) * deque->size];
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t count, size;
    if (!ring_blocks(config, 1024, STDEXEC_DEFAULT_BLOCK, &count, &size))
        return EINVAL;
    count *= 2;
    deque->blocks = DEQUE_ALLOC(count * sizeof *deque->blocks);
    deque->items = DEQUE_ALLOC(count * size * sizeof *deque->items);
    if (!deque->blocks || !deque->items) {
        DEQUE_FREE(deque->blocks);
        DEQUE_FREE(deque->items);
        return ENOMEM;
    }
    for (size_t i = 0; i < count * size; i++)
        deque->items[i] = (deque_item)0;
    for (size_t i = 0; i < count; i++) {
        atomic_init(&deque->blocks[i].head, 0);
        atomic_init(&deque->blocks[i].tail, 0);
        atomic_init(&deque->blocks[i].steal_head, 0);
        atomic_init(&deque->blocks[i].steal_tail, size);
    }
    deque->mask = count - 1;
    deque->size = size;
    atomic_init(&deque->owner, 1);
    atomic_init(&deque->thief, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->blocks);
    DEQUE_FREE(deque->items);
}

/* All blocks but the one that is always refused. */
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)(deque->mask * deque->size); }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= deque->mask; i++) {
        const struct stdexec_block *block = &deque->blocks[i];
        uint64_t first = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
        if (first == deque->size)
            first = atomic_load_explicit(&block->head, memory_order_relaxed);
        uint64_t end = atomic_load_explicit(&block->tail, memory_order_relaxed);
        sum += end > first ? end - first : 0;
    }
    return (size_t)sum;
}

/* Owner: opens the next block and gives the full one to the thieves. The loop waits for steals that have not ended. */
DEQUE_OPERATION bool stdexec_next(struct deque *deque, uint64_t owner) {
    if (owner + 1 - atomic_load_explicit(&deque->thief, memory_order_relaxed) > deque->mask)
        return false;
    struct stdexec_block *block = stdexec_block_at(deque, owner), *next = stdexec_block_at(deque, owner + 1);
    if (atomic_load_explicit(&next->steal_tail, memory_order_relaxed) != deque->size)
        return false;
    uint64_t head = atomic_exchange_explicit(&block->head, deque->size, memory_order_relaxed);
    /* release: pairs with the acquire of steal_tail in stdexec_onwards */
    atomic_store_explicit(&block->steal_tail, head, memory_order_release);
    atomic_store_explicit(&deque->owner, owner + 1, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&next->tail, memory_order_relaxed);
    while (atomic_load_explicit(&next->steal_head, memory_order_acquire) != tail)
        continue;
    atomic_store_explicit(&next->head, 0, memory_order_relaxed);
    atomic_store_explicit(&next->tail, 0, memory_order_relaxed);
    atomic_store_explicit(&next->steal_tail, deque->size, memory_order_relaxed);
    atomic_store_explicit(&next->steal_head, 0, memory_order_relaxed);
    return true;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    do {
        uint64_t owner = atomic_load_explicit(&deque->owner, memory_order_relaxed);
        struct stdexec_block *block = stdexec_block_at(deque, owner);
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (tail < deque->size) {
            stdexec_items(deque, owner)[tail] = item;
            /* release: pairs with the acquire of tail in deque_steal */
            atomic_store_explicit(&block->tail, tail + 1, memory_order_release);
            return DEQUE_OK;
        }
    } while (stdexec_next(deque, atomic_load_explicit(&deque->owner, memory_order_relaxed)));
    return DEQUE_FULL;
}

/* Owner: takes the block before its own back from the thieves. */
DEQUE_OPERATION bool stdexec_back(struct deque *deque) {
    uint64_t before = atomic_load_explicit(&deque->owner, memory_order_relaxed) - 1;
    struct stdexec_block *block = stdexec_block_at(deque, before);
    uint64_t first = atomic_exchange_explicit(&block->steal_tail, deque->size, memory_order_relaxed);
    if (first == deque->size)
        first = atomic_load_explicit(&block->head, memory_order_relaxed);
    else
        atomic_store_explicit(&block->head, first, memory_order_relaxed);
    if (first == atomic_load_explicit(&block->tail, memory_order_relaxed))
        return false;
    uint64_t thief = atomic_load_explicit(&deque->thief, memory_order_relaxed);
    if (thief == before) { /* a round on, so that neither counter runs below 0 */
        before += deque->mask + 1;
        atomic_store_explicit(&deque->thief, thief + deque->mask, memory_order_relaxed);
    }
    atomic_store_explicit(&deque->owner, before, memory_order_relaxed);
    return true;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    do {
        uint64_t owner = atomic_load_explicit(&deque->owner, memory_order_relaxed);
        struct stdexec_block *block = stdexec_block_at(deque, owner);
        uint64_t head = atomic_load_explicit(&block->head, memory_order_relaxed);
        if (head == deque->size)
            return DEQUE_EMPTY;
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (head != tail) {
            *item = stdexec_items(deque, owner)[tail - 1];
            atomic_store_explicit(&block->tail, tail - 1, memory_order_release);
            return DEQUE_OK;
        }
    } while (stdexec_back(deque));
    return DEQUE_EMPTY;
}

/* A thief that found "nothing to steal" in block `thief`: is there a block behind it? */
DEQUE_OPERATION bool stdexec_onwards(struct deque *victim, uint64_t thief) {
    const struct stdexec_block *next = stdexec_block_at(victim, thief + 1);
    uint64_t expected = thief;
    /* acquire: pairs with the release of steal_tail in stdexec_next */
    if (atomic_load_explicit(&next->steal_tail, memory_order_acquire) != victim->size) {
        /* the fault: the owner may have taken that block back by now */
        atomic_compare_exchange_strong_explicit(&victim->thief, &expected, thief + 1, memory_order_relaxed,
                                                memory_order_relaxed);
        return true;
    }
    return atomic_load_explicit(&victim->thief, memory_order_relaxed) != thief;
}

/* A lost race is reported; stdexec's thief tries again. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint64_t thief, at;
    do {
        thief = atomic_load_explicit(&victim->thief, memory_order_relaxed);
        struct stdexec_block *block = stdexec_block_at(victim, thief);
        at = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
        if (at == victim->size)
            continue;
        /* acquire: pairs with the release of tail in deque_push */
        if (at == atomic_load_explicit(&block->tail, memory_order_acquire))
            return DEQUE_EMPTY;
        if (!atomic_compare_exchange_strong_explicit(&block->steal_tail, &at, at + 1, memory_order_relaxed,
                                                     memory_order_relaxed))
            return DEQUE_LOST;
        *item = stdexec_items(victim, thief)[at];
        /* release: pairs with the acquire of steal_head in stdexec_next */
        atomic_fetch_add_explicit(&block->steal_head, 1, memory_order_release);
        return DEQUE_OK;
    } while (stdexec_onwards(victim, thief));
    return DEQUE_EMPTY;
}
