/* onetbb.h: the task pool of oneTBB's arena slots: thieves exclude each other by a lock, the owner only at the last
 * item.
 *
 * Algorithm of tbb::detail::r1::arena_slot (Intel and others), github.com/uxlfoundation/oneTBB, src/tbb/arena_slot.h
 * and .cpp at 858bc6fc (August 2026), the head of pull request 2158. It is the THE protocol of Cilk, and differs from
 * the.h in three things: the pool is an array whose indices begin at 0 again when it is empty; when it is full, its
 * items move to the front, or into a larger array, under the lock; and the word that is the lock also says where the
 * array is, and that there is none to steal from.
 *
 *   deque_push      spawn, commit_spawned_tasks, publish_task_pool
 *   onetbb_room     prepare_task_pool, commit_relocated_tasks
 *   deque_pop       get_task
 *   onetbb_settle   acquire_task_pool, then reset_task_pool_and_leave or release_task_pool
 *   deque_steal     arena::steal_task, arena_slot::steal_task, unlock_task_pool
 *   onetbb_lock_soon, onetbb_lock   lock_task_pool, with pool_bounded_wait and without
 *   pool, items, size   task_pool, task_pool_ptr, my_task_pool_size
 *
 * Mode locked: "leave" as of that pull request: a thief that finds the pool locked tries five times, with 15 pauses,
 * and then goes elsewhere (LOST). "wait" as before it: the thief tries until the pool is free.
 *
 * The price: a read-modify-write in pop, two in steal, and a thief that stops inside stops the pool.
 *
 * What differs: the loads behind the two read-modify-writes that meet (tail in pop, head in steal) are sequentially
 * consistent. In oneTBB they acquire, and its comment calls the read-modify-write a full fence: it is one on x86, where
 * both are the same instructions, but not in C++, nor on Arm without its atomic instructions (v8.0). A pause is a loop
 * of 40 turns, for C has no instruction of that name; who waits tries after each, where oneTBB doubles its pauses.
 * Isolation, affinity and critical tasks are left out, and with them the holes in the pool. The first array is there
 * from the beginning.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "onetbb", .title = "oneTBB, growth apart", .source = "oneTBB arena_slot at 858bc6fc",                    \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .push_progress = DEQUE_BLOCKING, .pop_progress = DEQUE_BLOCKING,                                \
        .steal_progress = DEQUE_BLOCKING, .mode = "locked", .mode_values = "leave|wait",                               \
    }

#define ONETBB_DEFAULT_CAPACITY 64
#ifndef ONETBB_PAUSES
#define ONETBB_PAUSES 16 /* five tries: after 0, 1, 2, 4, 8 pauses. A model checker takes 1 */
#endif
#define ONETBB_PAUSE 40 /* turns of an empty loop */

enum onetbb_locked { ONETBB_LEAVE, ONETBB_WAIT };

struct deque {
    alignas(DEQUE_LINE) _Atomic(deque_item *) pool; /* items, or one of the two below; this line: what thieves write */
    _Atomic uint64_t head;                          /* the oldest item; whoever has the lock */
    alignas(DEQUE_LINE) _Atomic uint64_t tail;      /* one past the newest; this line: what the owner writes */
    uint64_t size;
    deque_item *items;
    uint64_t spare; /* the pool grows when moving would free less */
    enum onetbb_locked locked;
};

#define ONETBB_EMPTY ((deque_item *)0) /* thieves need not look at the array */
#define ONETBB_LOCKED ((deque_item *)UINTPTR_MAX)

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_asked(config, ONETBB_DEFAULT_CAPACITY, RING_MAX);
    if (capacity == 0 || config->mode > ONETBB_WAIT)
        return EINVAL;
    deque->items = DEQUE_ALLOC(capacity * sizeof *deque->items);
    if (!deque->items)
        return ENOMEM;
    deque->size = capacity;
    deque->spare = (capacity < ONETBB_DEFAULT_CAPACITY ? capacity : ONETBB_DEFAULT_CAPACITY) / 4;
    deque->locked = config->mode == ONETBB_WAIT ? ONETBB_WAIT : ONETBB_LEAVE;
    atomic_init(&deque->pool, ONETBB_EMPTY);
    atomic_init(&deque->head, 0);
    atomic_init(&deque->tail, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->items); }

/* A thief that was inside already may have raised head above the last item, which it did not see. One that comes later
 * sees it. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    /* acquire: pairs with the release of pool in onetbb_unlock; head is not older than what that thief left */
    bool locked = atomic_load_explicit(&deque->pool, memory_order_acquire) == ONETBB_LOCKED;
    size_t size = ring_between(&deque->head, &deque->tail);
    return size == 0 && locked ? 1 : size;
}

/* Tries to lock. What stood there: where the items are, and then we have the lock; EMPTY; or LOCKED. */
DEQUE_OPERATION deque_item *onetbb_try(struct deque *deque) {
    deque_item *pool = atomic_load_explicit(&deque->pool, memory_order_relaxed);
    if (pool == ONETBB_EMPTY || pool == ONETBB_LOCKED)
        return pool;
    /* acquire: pairs with the release of pool in onetbb_unlock; we see the array, and what was done under the lock */
    return atomic_compare_exchange_strong_explicit(&deque->pool, &pool, ONETBB_LOCKED, memory_order_acquire,
                                                   memory_order_relaxed)
               ? pool
               : ONETBB_LOCKED;
}

DEQUE_OPERATION void onetbb_pause(unsigned pauses) {
    for (unsigned i = 0; i < pauses * ONETBB_PAUSE; i++)
        atomic_signal_fence(memory_order_seq_cst); /* no instruction, but the turn of the loop stays */
}

/* The same, but waits. */
DEQUE_OPERATION deque_item *onetbb_lock(struct deque *deque) {
    deque_item *pool;
    while ((pool = onetbb_try(deque)) == ONETBB_LOCKED)
        onetbb_pause(1);
    return pool;
}

/* The same, but waits for a moment only. */
DEQUE_OPERATION deque_item *onetbb_lock_soon(struct deque *deque) {
    deque_item *pool = onetbb_try(deque);
    for (unsigned pauses = 1; pool == ONETBB_LOCKED && pauses < ONETBB_PAUSES; pauses *= 2) {
        onetbb_pause(pauses);
        pool = onetbb_try(deque);
    }
    return pool;
}

DEQUE_OPERATION void onetbb_unlock(struct deque *deque, deque_item *items) {
    /* release: pairs with the acquire of pool in onetbb_try */
    atomic_store_explicit(&deque->pool, items, memory_order_release);
}

/* Owner, whose array has no room behind tail, and is published therefore. Moves the items to its front, or into a
 * larger one. false when there is no memory; then nothing has changed. */
DEQUE_SLOW_PATH bool onetbb_room(struct deque *deque) {
    deque_item *old = deque->items;
    onetbb_lock(deque);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    size_t n = (size_t)(atomic_load_explicit(&deque->tail, memory_order_relaxed) - head);
    bool grow = n + 1 > deque->size - deque->spare, room = true;
    if (grow) {
        deque_item *items = NULL;
        if (deque->size <= RING_MAX / 2)
            items = DEQUE_ALLOC(2 * deque->size * sizeof *items);
        room = items != NULL;
        deque->items = room ? items : old;
        deque->size *= room ? 2 : 1;
    }
    if (room) {
        for (size_t i = 0; i < n; i++) /* upwards: they may overlap */
            deque->items[i] = old[head + i];
        /* relaxed: head is read by whoever has the lock; a pop reads it again */
        atomic_store_explicit(&deque->head, 0, memory_order_relaxed);
        /* release: pairs with the load of tail in steal; as every store of it, for the lock orders this one */
        atomic_store_explicit(&deque->tail, n, memory_order_release);
        if (grow)
            DEQUE_FREE(old);
    }
    onetbb_unlock(deque, deque->items);
    return room;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    if (tail == deque->size) {
        if (!onetbb_room(deque))
            return DEQUE_FULL;
        tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    }
    deque->items[tail] = item;
    /* release: pairs with the load of tail in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    if (atomic_load_explicit(&deque->pool, memory_order_relaxed) == ONETBB_EMPTY)
        onetbb_unlock(deque, deque->items);
    return DEQUE_OK;
}

/* Owner, having announced that it wants the item at `tail`, while a thief raised head above it. With the lock, head
 * says who has the item. */
DEQUE_SLOW_PATH bool onetbb_settle(struct deque *deque, uint64_t tail) {
    onetbb_lock(deque);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if ((int64_t)(head - tail) < 0) {
        onetbb_unlock(deque, deque->items);
        return true;
    }
    /* relaxed: thieves find less to take; what push publishes next comes after it, as after the two below */
    atomic_store_explicit(&deque->tail, 0, memory_order_relaxed);
    /* relaxed: as tail */
    atomic_store_explicit(&deque->head, 0, memory_order_relaxed);
    /* relaxed: as tail */
    atomic_store_explicit(&deque->pool, ONETBB_EMPTY, memory_order_relaxed);
    return head == tail;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    if (atomic_load_explicit(&deque->pool, memory_order_relaxed) == ONETBB_EMPTY)
        return DEQUE_EMPTY;
    /* seq_cst, both: pair with the change of head and the load of tail in steal; either the thief sees the lowered
     * tail, or we see the raised head */
    uint64_t tail = atomic_fetch_sub_explicit(&deque->tail, 1, memory_order_seq_cst) - 1;
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_seq_cst);
    if ((int64_t)(head - tail) > 0 && !onetbb_settle(deque, tail))
        return DEQUE_EMPTY;
    *item = deque->items[tail];
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    enum deque_result result = DEQUE_EMPTY;
    (void)self;
    deque_item *items = victim->locked == ONETBB_WAIT ? onetbb_lock(victim) : onetbb_lock_soon(victim);
    if (items == ONETBB_EMPTY || items == ONETBB_LOCKED)
        return items == ONETBB_EMPTY ? DEQUE_EMPTY : DEQUE_LOST;
    /* seq_cst, both: pair with the change of tail and the load of head in pop; the load also acquires what push wrote
     */
    uint64_t head = atomic_fetch_add_explicit(&victim->head, 1, memory_order_seq_cst);
    if ((int64_t)(atomic_load_explicit(&victim->tail, memory_order_seq_cst) - head) > 0) {
        *item = items[head];
        result = DEQUE_OK;
    } else {
        /* relaxed: it gives the owner nothing to read, and the next thief has it from the lock */
        atomic_store_explicit(&victim->head, head, memory_order_relaxed);
    }
    onetbb_unlock(victim, items);
    return result;
}
