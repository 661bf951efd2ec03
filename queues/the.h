/* the.h: the THE protocol of Cilk-5: nobody locks out the owner but a thief after the same item.
 *
 * Differs from chase_lev.h in how the last item is settled: by a lock. Thieves keep each other out by it; the owner
 * takes it only when it finds head above its tail. Each side first announces what it wants, then checks whether the
 * other wants the same: the owner lowers tail, a thief raises head before it looks.
 *
 * M. Frigo, C. E. Leiserson, K. H. Randall: The implementation of the Cilk-5 multithreaded language, PLDI 1998. After
 * its three words: tail T, head H, and the exception E, which only their exceptions need and which is left out.
 *
 * Where this departs: the array is a ring, and a raised head does not yet mean that the slot has been read. So push
 * looks at a second word, `freed`, that a thief writes when it is done.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "the", .title = "THE", .source = "Frigo, Leiserson, Randall: PLDI 1998", .owner_order = DEQUE_LIFO,      \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true,   \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_BLOCKING, .steal_progress = DEQUE_BLOCKING,            \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic bool locked;   /* whoever waits for it does so on a line of its own */
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* this line: who has the lock; one past what that thief wants */
    _Atomic uint64_t freed;                    /* the oldest item; slots below may be written again */
    alignas(DEQUE_LINE) _Atomic uint64_t tail; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) deque_item *slots;     /* this line: never written after deque_init */
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->locked, false);
    atomic_init(&deque->head, config->first_index);
    atomic_init(&deque->freed, config->first_index);
    atomic_init(&deque->tail, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->freed, &deque->tail); }

DEQUE_OPERATION void the_lock(struct deque *deque) {
    bool locked = true;
    while (locked) {
        while (atomic_load_explicit(&deque->locked, memory_order_relaxed))
            continue;
        locked = false;
        /* acquire: pairs with the release in the_unlock; head is what the one before us left */
        locked = !atomic_compare_exchange_strong_explicit(&deque->locked, &locked, true, memory_order_acquire,
                                                          memory_order_relaxed);
    }
}

DEQUE_OPERATION void the_unlock(struct deque *deque) {
    /* release: pairs with the acquire in the_lock */
    atomic_store_explicit(&deque->locked, false, memory_order_release);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the release of freed in steal; the thief has read the slot before we write it again */
    if (tail - atomic_load_explicit(&deque->freed, memory_order_acquire) > deque->mask)
        return DEQUE_FULL;
    deque->slots[tail & deque->mask] = item;
    /* release: pairs with the acquire of tail in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

/* Owner, having announced that it wants the item at `tail`. With no thief inside, head says who has it. */
DEQUE_SLOW_PATH bool the_settle(struct deque *deque, uint64_t tail) {
    the_lock(deque);
    bool ours = (int64_t)(tail - atomic_load_explicit(&deque->head, memory_order_relaxed)) >= 0;
    if (!ours) /* release: pairs with the acquire of tail in steal */
        atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    the_unlock(deque);
    return ours;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed) - 1;
    /* release: pairs with the acquire of tail in steal, which may read any of our stores of it and must see every slot
     * below */
    atomic_store_explicit(&deque->tail, tail, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered tail, or we see the raised head */
    atomic_thread_fence(memory_order_seq_cst);
    if ((int64_t)(tail - atomic_load_explicit(&deque->head, memory_order_relaxed)) < 0 && !the_settle(deque, tail))
        return DEQUE_EMPTY;
    *item = deque->slots[tail & deque->mask];
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    enum deque_result result = DEQUE_EMPTY;
    (void)self;
    the_lock(victim);
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_relaxed);
    atomic_store_explicit(&victim->head, head + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of tail in push and pop */
    if ((int64_t)(atomic_load_explicit(&victim->tail, memory_order_acquire) - head) > 0) {
        *item = victim->slots[head & victim->mask];
        /* release: pairs with the acquire of freed in push */
        atomic_store_explicit(&victim->freed, head + 1, memory_order_release);
        result = DEQUE_OK;
    } else {
        atomic_store_explicit(&victim->head, head, memory_order_relaxed);
    }
    the_unlock(victim);
    return result;
}
