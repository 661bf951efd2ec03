/* adnan_sato.h: one thief at a time; the more items its victim has, the more it takes.
 *
 * Adnan, M. Sato: Dynamic multiple work stealing strategy for flexible load balancing, IEICE Transactions on
 * Information and Systems E95.D(6), 2012. Theirs is the strategy, for the logical stacks of StackThreads/MP: a thief is
 * alone with its victim, and the number of tasks depends on the victim's load.
 *
 * What differs from the paper: it has the strategy alone; the rest is ours. The number of tasks is the load divided by
 * the number of workers (a share, if all but the victim were idle). The protocol moves several items safely on a ring.
 *
 * A thief first takes its turn at the victim, then announces in one word which items it wants: from top to `end`. It
 * reads them, and moves top there by a CAS on that word. The owner works at bottom and looks at the word after it has
 * lowered bottom: it takes a wanted item back by a CAS that lowers `end` to it, and the thief gets the rest. So the
 * owner never waits, not even for a thief that has stopped halfway; other thieves are told LOST.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE DEQUE_STEAL_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "adnan_sato", .title = "after Adnan, Sato", .source = "Adnan, Sato: IEICE Transactions 2012",            \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .aside = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,               \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

/* Positions have 32 bits, because two of them share a word; they wrap. */
struct deque {
    alignas(
        DEQUE_LINE) _Atomic uint64_t wanted; /* top in the upper half, end in the lower; equal: no thief wants any */
    alignas(DEQUE_LINE) _Atomic bool busy;   /* a thief has the turn */
    alignas(DEQUE_LINE) _Atomic uint32_t bottom; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint32_t mask;
    uint32_t workers;
};

DEQUE_OPERATION uint64_t adnan_sato_wanted(uint32_t top, uint32_t end) { return (uint64_t)top << 32 | end; }
DEQUE_OPERATION uint32_t adnan_sato_top(uint64_t wanted) { return (uint32_t)(wanted >> 32); }
DEQUE_OPERATION uint32_t adnan_sato_end(uint64_t wanted) { return (uint32_t)wanted; }

/* config->workers below 2 counts as 2. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint64_t mask;
    int error = ring_make(config, 1024, RING_MAX_32, &deque->slots, &mask);
    if (error)
        return error;
    uint32_t first = (uint32_t)config->first_index;
    deque->mask = (uint32_t)mask;
    deque->workers = config->workers < 2 ? 2 : config->workers;
    atomic_init(&deque->wanted, adnan_sato_wanted(first, first));
    atomic_init(&deque->busy, false);
    atomic_init(&deque->bottom, first);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint32_t top = adnan_sato_top(atomic_load_explicit(&deque->wanted, memory_order_relaxed));
    int32_t size = (int32_t)(bottom - top);
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the release of wanted in adnan_sato_take; the thief has read the slots before we write them
     * again */
    if (bottom - adnan_sato_top(atomic_load_explicit(&deque->wanted, memory_order_acquire)) > deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in adnan_sato_take; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

/* Owner, having lowered bottom to an item that a thief wants. True: the owner gets the item. A few iterations at
 * most: there is only one thief, which announces once and takes once, or gives up. */
DEQUE_SLOW_PATH bool adnan_sato_take_back(struct deque *deque, uint32_t bottom, uint64_t wanted) {
    while ((int32_t)(bottom - adnan_sato_top(wanted)) >= 0) {
        if ((int32_t)(bottom - adnan_sato_end(wanted)) >= 0)
            return true;
        /* relaxed: it publishes nothing; whoever changes wanted first has the item, the CAS in adnan_sato_take or this
         */
        if (atomic_compare_exchange_strong_explicit(&deque->wanted, &wanted,
                                                    adnan_sato_wanted(adnan_sato_top(wanted), bottom),
                                                    memory_order_relaxed, memory_order_relaxed))
            return true;
    }
    return false;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    /* release, here and below: pairs with the acquire of bottom in adnan_sato_take, which may read any of our stores of
     * it and must see every slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in adnan_sato_take: either the thief sees the lowered bottom, or we see what it wants */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t wanted = atomic_load_explicit(&deque->wanted, memory_order_relaxed);
    if ((int32_t)(bottom - adnan_sato_end(wanted)) < 0 && !adnan_sato_take_back(deque, bottom, wanted)) {
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
        return DEQUE_EMPTY;
    }
    *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
    return DEQUE_OK;
}

/* The thief whose turn it is. Takes up to n (not 0) items, oldest first; returns how many. */
DEQUE_OPERATION uint32_t adnan_sato_take(struct deque *victim, uint32_t n, deque_item *out) {
    uint32_t top = adnan_sato_top(atomic_load_explicit(&victim->wanted, memory_order_relaxed));
    uint64_t wanted = adnan_sato_wanted(top, top + n);
    /* release, here and below: pairs with the acquire of wanted in push, which may read any of our stores of it and
     * must know that slots below top have been read */
    atomic_store_explicit(&victim->wanted, wanted, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of bottom in push and pop */
    uint32_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int32_t)(bottom - top) < (int32_t)n)
        n = (int32_t)(bottom - top) > 0 ? bottom - top : 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = atomic_load_explicit(&victim->slots[(top + i) & victim->mask], memory_order_relaxed);
    /* Fails only if the owner has taken items back; then end has the new limit. */
    while (!atomic_compare_exchange_strong_explicit(&victim->wanted, &wanted, adnan_sato_wanted(top + n, top + n),
                                                    memory_order_release, memory_order_relaxed))
        n = adnan_sato_end(wanted) - top < n ? adnan_sato_end(wanted) - top : n;
    return n;
}

/* percent 0: the load divided by the number of workers. */
DEQUE_OPERATION uint32_t adnan_sato_share(const struct deque *victim, unsigned percent, size_t max) {
    size_t load = deque_size(victim);
    size_t share = percent ? load / 100 * percent + (load % 100 * percent + 99) / 100
                           : (load + victim->workers - 1) / victim->workers;
    return (uint32_t)(share < max ? share : max);
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    *n = 0;
    if (max == 0 || deque_size(victim) == 0)
        return DEQUE_EMPTY;
    /* acquire: pairs with the release below; what the thief before us left of wanted */
    if (atomic_exchange_explicit(&victim->busy, true, memory_order_acquire))
        return DEQUE_LOST;
    uint32_t share = adnan_sato_share(victim, percent, max);
    if (share > 0)
        *n = adnan_sato_take(victim, share, out);
    /* release: pairs with the acquire above */
    atomic_store_explicit(&victim->busy, false, memory_order_release);
    return *n > 0 ? DEQUE_OK : share > 0 ? DEQUE_LOST : DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    return deque_steal_batch(victim, self, 0, item, 1, &n);
}
