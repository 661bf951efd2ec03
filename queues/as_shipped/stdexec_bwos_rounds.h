/* as_shipped/stdexec_bwos_rounds.h: the queue of stdexec's static_thread_pool after its repair of March 2026.
 *
 * Source: github.com/NVIDIA/stdexec, include/exec/detail/bwos_lifo_queue.hpp at e92245d5 (August 2026), from dcac2387
 * (pull request 1967) on. What was wrong before is in stdexec_bwos_lifo.h, which has this fault, too; a right one is
 * ../bwos_lifo.h.
 *
 * The queue is a ring of blocks. `head` and `steal_tail` of a block each hold a round and an index. In the owner's
 * block the index of `steal_tail` is the block's size, which thieves take for "nothing to steal". To grant a block the
 * owner exchanges the two words, and to take it back it exchanges them again.
 *
 * The fault: a thief's CAS of `steal_tail` is relaxed (line 556 there), and the thief reads the slot after it (line
 * 563). Nothing orders that read behind the owner's last grant. The thief's load of `tail` acquires, but may read an
 * old tail. So the thief may find what was in the slot before: that item comes out twice, and the new one is lost.
 * This happens
 *  - if the owner takes a block back after the thief has read `steal_tail`, and grants it again from the same position;
 *  - if the thief reads the `steal_tail` of this round and the `tail` of the round before;
 *  - with a block's first grant, for `tail` begins as if the block were full: nothing comes out, and an item is lost.
 *
 * With slots that are plain, as they are there, C++ calls the read a data race. x86 shows nothing.
 *
 * The repair is one word: the CAS acquires (form "repaired"). The owner's grant releases already. It does not suffice
 * that the load of `steal_tail` before it (line 533) acquires (form "load"): that is of no use in the first case.
 *
 * Found by: `lab explore --memory=weak --slots=atomic`, and GenMC under RC11 and IMM.
 *
 * What differs: a lost race is reported, where stdexec's thief tries again; C11.
 */
#ifndef STEALBENCH_AS_SHIPPED_STDEXEC_BWOS_ROUNDS_H
#define STEALBENCH_AS_SHIPPED_STDEXEC_BWOS_ROUNDS_H

#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_BLOCK ROUNDS_DEFAULT_BLOCK
#define DEQUE_SHOWN_BY "--memory=weak --slots=atomic"
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/stdexec_bwos_rounds", .title = "stdexec's BWoS, with rounds",                                \
        .source = "stdexec at e92245d5", .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED,                              \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .delivery = DEQUE_ONCE,                 \
        .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,           \
        .thieves_leave = ROUNDS_DEFAULT_BLOCK, .mode = "code", .mode_values = "shipped|repaired|load",                 \
        .fault = "a thief's claim does not acquire: on weak memory it takes what was in the slot before",              \
    }

#define ROUNDS_DEFAULT_CAPACITY 1024
#define ROUNDS_DEFAULT_BLOCK 32

enum { ROUNDS_SHIPPED, ROUNDS_REPAIRED, ROUNDS_LOAD }; /* the order of mode_values */

struct rounds_block {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* round and index: where the owner's part begins */
    alignas(DEQUE_LINE) _Atomic uint64_t tail; /* an index: where it ends */
    alignas(DEQUE_LINE) _Atomic uint64_t steal_count;
    alignas(DEQUE_LINE) _Atomic uint64_t steal_tail; /* round and index: where thieves take */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t last;  /* the owner's block: its round and its index */
    alignas(DEQUE_LINE) _Atomic uint64_t start; /* the oldest block: as last */
    alignas(DEQUE_LINE) struct rounds_block *blocks;
    deque_item *items;
    uint64_t mask; /* blocks, less one */
    uint64_t size; /* of a block */
    unsigned mode;
};

DEQUE_OPERATION uint64_t rounds_word(uint64_t round, uint64_t index) { return round << 32 | index; }
DEQUE_OPERATION uint32_t rounds_round(uint64_t word) { return (uint32_t)(word >> 32); }
DEQUE_OPERATION uint64_t rounds_index(uint64_t word) { return word & UINT32_MAX; }

DEQUE_OPERATION uint64_t rounds_after(const struct deque *deque, uint64_t word) {
    uint64_t index = (word + 1) & deque->mask;
    return rounds_word((uint32_t)(rounds_round(word) + (index == 0)), index);
}
DEQUE_OPERATION uint64_t rounds_before(const struct deque *deque, uint64_t word) {
    return rounds_word((uint32_t)(rounds_round(word) - (rounds_index(word) == 0)), (word - 1) & deque->mask);
}
DEQUE_OPERATION struct rounds_block *rounds_block_at(const struct deque *deque, uint64_t word) {
    return &deque->blocks[rounds_index(word)];
}
DEQUE_OPERATION deque_item *rounds_items(const struct deque *deque, uint64_t word) {
    return &deque->items[rounds_index(word) * deque->size];
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t count, size;
    if (config->mode > ROUNDS_LOAD ||
        !ring_blocks(config, ROUNDS_DEFAULT_CAPACITY, ROUNDS_DEFAULT_BLOCK, &count, &size))
        return EINVAL;
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
        uint64_t used_up = rounds_word(i == 0 ? 0 : UINT32_MAX, size); /* the round before the first */
        atomic_init(&deque->blocks[i].head, i == 0 ? 0 : used_up);
        atomic_init(&deque->blocks[i].tail, i == 0 ? 0 : size);
        atomic_init(&deque->blocks[i].steal_count, i == 0 ? 0 : size);
        atomic_init(&deque->blocks[i].steal_tail, used_up);
    }
    deque->mask = count - 1;
    deque->size = size;
    deque->mode = config->mode;
    atomic_init(&deque->last, 0);
    atomic_init(&deque->start, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->blocks);
    DEQUE_FREE(deque->items);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)((deque->mask + 1) * deque->size); }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= deque->mask; i++) {
        const struct rounds_block *block = &deque->blocks[i];
        uint64_t first = rounds_index(atomic_load_explicit(&block->steal_tail, memory_order_relaxed));
        if (first == deque->size)
            first = rounds_index(atomic_load_explicit(&block->head, memory_order_relaxed));
        uint64_t end = atomic_load_explicit(&block->tail, memory_order_relaxed);
        sum += end > first ? end - first : 0;
    }
    return (size_t)sum;
}

/* Owner: grants its full block to the thieves, and opens the next one, which must be used up. */
DEQUE_OPERATION bool rounds_go_up(struct deque *deque, uint64_t owner) {
    uint64_t up = rounds_after(deque, owner), start = atomic_load_explicit(&deque->start, memory_order_relaxed);
    struct rounds_block *block = rounds_block_at(deque, owner), *next = rounds_block_at(deque, up);
    if (atomic_load_explicit(&next->steal_tail, memory_order_relaxed) !=
        rounds_word((uint32_t)(rounds_round(up) - 1), deque->size))
        return false;
    if (rounds_index(start) == rounds_index(up))
        atomic_store_explicit(&deque->start, rounds_after(deque, start), memory_order_relaxed);
    uint64_t end = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
    uint64_t head = atomic_exchange_explicit(&block->head, end, memory_order_relaxed);
    /* release: pairs with the acquire of the CAS in deque_steal, if that is repaired */
    atomic_store_explicit(&block->steal_tail, head, memory_order_release);
    uint64_t claimed = rounds_index(atomic_load_explicit(&next->head, memory_order_relaxed));
    while (atomic_load_explicit(&next->steal_count, memory_order_acquire) != claimed)
        continue; /* a thief still reads what it has claimed */
    atomic_store_explicit(&next->head, rounds_word(rounds_round(up), 0), memory_order_relaxed);
    atomic_store_explicit(&next->tail, 0, memory_order_relaxed);
    atomic_store_explicit(&next->steal_tail, rounds_word(rounds_round(up), deque->size), memory_order_relaxed);
    atomic_store_explicit(&next->steal_count, 0, memory_order_relaxed);
    atomic_store_explicit(&deque->last, up, memory_order_relaxed);
    return true;
}

/* Owner: leaves its empty block and takes the one before it back from the thieves. */
DEQUE_OPERATION bool rounds_go_down(struct deque *deque, uint64_t owner) {
    if (atomic_load_explicit(&deque->start, memory_order_relaxed) == owner)
        return false;
    uint64_t down = rounds_before(deque, owner);
    struct rounds_block *block = rounds_block_at(deque, owner), *previous = rounds_block_at(deque, down);
    /* the block that it leaves can be opened again in the same round */
    uint64_t end = atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
    atomic_store_explicit(&block->steal_tail, rounds_word((uint32_t)(rounds_round(end) - 1), rounds_index(end)),
                          memory_order_relaxed);
    uint64_t used_up = atomic_load_explicit(&previous->head, memory_order_relaxed);
    uint64_t first = atomic_exchange_explicit(&previous->steal_tail, used_up, memory_order_relaxed);
    atomic_store_explicit(&previous->head, first, memory_order_relaxed);
    atomic_store_explicit(&deque->last, down, memory_order_relaxed);
    return true;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    for (;;) {
        uint64_t owner = atomic_load_explicit(&deque->last, memory_order_relaxed);
        struct rounds_block *block = rounds_block_at(deque, owner);
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (tail < deque->size) {
            rounds_items(deque, owner)[tail] = item;
            /* release: pairs with the acquire of tail in deque_steal */
            atomic_store_explicit(&block->tail, tail + 1, memory_order_release);
            return DEQUE_OK;
        }
        if (!rounds_go_up(deque, owner))
            return DEQUE_FULL;
    }
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    for (;;) {
        uint64_t owner = atomic_load_explicit(&deque->last, memory_order_relaxed);
        struct rounds_block *block = rounds_block_at(deque, owner);
        uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
        if (tail != 0 && tail != rounds_index(atomic_load_explicit(&block->head, memory_order_relaxed))) {
            *item = rounds_items(deque, owner)[tail - 1];
            atomic_store_explicit(&block->tail, tail - 1, memory_order_release);
            return DEQUE_OK;
        }
        if (!rounds_go_down(deque, owner))
            return DEQUE_EMPTY;
    }
}

/* Claims position `at`. An order has to be a constant, so there is a CAS for each. */
DEQUE_OPERATION bool rounds_claim(struct rounds_block *block, uint64_t at, bool repaired) {
    if (repaired) /* acquire: pairs with the release of steal_tail in rounds_go_up */
        return atomic_compare_exchange_strong_explicit(&block->steal_tail, &at, at + 1, memory_order_acquire,
                                                       memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&block->steal_tail, &at, at + 1, memory_order_relaxed,
                                                   memory_order_relaxed); /* the fault */
}

DEQUE_OPERATION uint64_t rounds_where_to_steal(const struct rounds_block *block, bool acquires) {
    return acquires ? atomic_load_explicit(&block->steal_tail, memory_order_acquire)
                    : atomic_load_explicit(&block->steal_tail, memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t thief = atomic_load_explicit(&victim->start, memory_order_relaxed);
    (void)self;
    do {
        struct rounds_block *block = rounds_block_at(victim, thief);
        uint64_t at = rounds_where_to_steal(block, victim->mode == ROUNDS_LOAD);
        if (rounds_index(at) != victim->size) {
            /* acquire: pairs with the release of tail in deque_push, if it reads the tail of this grant */
            if (rounds_index(at) == atomic_load_explicit(&block->tail, memory_order_acquire))
                return DEQUE_EMPTY;
            if (!rounds_claim(block, at, victim->mode == ROUNDS_REPAIRED))
                return DEQUE_LOST;
            *item = rounds_items(victim, thief)[rounds_index(at)];
            /* release: pairs with the acquire of steal_count in rounds_go_up */
            atomic_fetch_add_explicit(&block->steal_count, 1, memory_order_release);
            return DEQUE_OK;
        }
        if (rounds_round(at) != rounds_round(thief))
            return DEQUE_EMPTY;
        thief = rounds_after(victim, thief);
    } while (thief < atomic_load_explicit(&victim->last, memory_order_relaxed));
    return DEQUE_EMPTY;
}

#endif
