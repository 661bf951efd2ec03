/* steal_half.h: a thief takes up to half of what it sees by one CAS.
 *
 * D. Hendler, N. Shavit: Non-blocking steal-half work queues, PODC 2002. Theirs: a thief takes half by one CAS, and
 * the owner needs one only now and then. Ours: when that is (below).
 *
 * As in Chase-Lev the owner works at bottom and thieves at top, on a ring. A thief reads the older half of the items
 * and then moves top past all of them at once. So both sides may want more than the last item: the owner must not pop
 * an item that a thief under way may still take by its CAS. The owner knows their range: halfway up to the highest
 * bottom since it last made such CASes fail. It makes them fail, by a CAS that increments a
 * tag beside top, only when it has popped down that far: about once each time the number of items has halved.
 *
 * Where this departs from the paper, and why: there, the range that a thief may take is kept beside top, and the owner
 * adjusts it by a CAS as often as the number of items passes a power of two, up or down. Here it follows from top and
 * bottom, so that pushing needs no CAS and thieves always see the newest half. The paper assumes sequential
 * consistency; the fence in pop, as in Chase-Lev, is what that assumption costs.
 *
 * Mode orders: of steal, as in chase_lev.h. The paper names no fence.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "steal_half", .title = "Steal-half", .source = "Hendler, Shavit: PODC 2002", .owner_order = DEQUE_LIFO,  \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                    \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .mode = "orders", .mode_values = "accesses|fences",                                                            \
    }

enum steal_half_orders { STEAL_HALF_ACCESSES, STEAL_HALF_FENCES };

/* Positions have 32 bits, because top shares a word with the tag; they wrap. */
struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t age;    /* top in the upper half, tag in the lower; thieves and owner by CAS */
    alignas(DEQUE_LINE) _Atomic uint32_t bottom; /* one past the newest; this line: written by the owner alone */
    uint32_t highest;                            /* the highest bottom since the tag was last incremented */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint32_t mask;
    enum steal_half_orders orders;
};

DEQUE_OPERATION uint64_t steal_half_age(uint32_t top, uint32_t tag) { return (uint64_t)top << 32 | tag; }
DEQUE_OPERATION uint32_t steal_half_top(uint64_t age) { return (uint32_t)(age >> 32); }
DEQUE_OPERATION uint32_t steal_half_tag(uint64_t age) { return (uint32_t)age; }

/* How many of n items a thief may take at once. */
DEQUE_OPERATION uint32_t steal_half_of(uint32_t n) { return n - n / 2; }

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    uint64_t mask;
    if (config->mode > STEAL_HALF_FENCES)
        return EINVAL;
    int error = ring_make(config, 1024, RING_MAX_32, &deque->slots, &mask);
    if (error)
        return error;
    uint32_t first = (uint32_t)config->first_index;
    deque->mask = (uint32_t)mask;
    deque->orders = config->mode == STEAL_HALF_FENCES ? STEAL_HALF_FENCES : STEAL_HALF_ACCESSES;
    deque->highest = first;
    atomic_init(&deque->age, steal_half_age(first, first));
    atomic_init(&deque->bottom, first);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint32_t top = steal_half_top(atomic_load_explicit(&deque->age, memory_order_relaxed));
    int32_t size = (int32_t)(bottom - top);
    return size > 0 ? (size_t)size : 0;
}

/* Owner. How many more items fit. */
DEQUE_OPERATION uint32_t steal_half_room(struct deque *deque, uint32_t bottom) {
    /* acquire: pairs with the release of age in steal_half_take; the thief has read the slots before we write them
     * again */
    uint32_t top = steal_half_top(atomic_load_explicit(&deque->age, memory_order_acquire));
    return deque->mask + 1 - (bottom - top);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (steal_half_room(deque, bottom) == 0)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal_half_take; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

/* Owner, after the fence in pop. Is the item at bottom beyond what any thief under way may take? */
DEQUE_OPERATION bool steal_half_out_of_reach(const struct deque *deque, uint32_t bottom, uint64_t age) {
    uint32_t top = steal_half_top(age), reach = top + steal_half_of(deque->highest - top);
    return (int32_t)(bottom - top) > 0 && (int32_t)(bottom - reach) >= 0;
}

/* Owner, having announced that it wants the item at bottom, when a thief under way may be after it too. In every
 * iteration but the last a thief has taken something. */
DEQUE_SLOW_PATH bool steal_half_settle(struct deque *deque, uint32_t bottom, uint64_t age) {
    for (;;) {
        uint32_t top = steal_half_top(age);
        if ((int32_t)(bottom - top) < 0)
            return false;
        uint64_t next =
            bottom == top ? steal_half_age(top + 1, steal_half_tag(age)) : steal_half_age(top, steal_half_tag(age) + 1);
        /* relaxed: the fence in pop comes before it; the load of age in steal_half_take acquires, or a fence comes
         * after it. So who sees the new tag sees the lowered bottom */
        if (atomic_compare_exchange_strong_explicit(&deque->age, &age, next, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            deque->highest = bottom;
            return true;
        }
    }
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    if ((int32_t)(bottom + 1 - deque->highest) > 0)
        deque->highest = bottom + 1;
    /* release, here and below: pairs with the acquire of bottom in steal_half_take, which may read any of our stores
     * of it and must see every slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal_half_take: either the thief sees the lowered bottom, or we see its raised top, or
     * its CAS is for the age that we see */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t age = atomic_load_explicit(&deque->age, memory_order_relaxed);
    bool last = false;
    if (!steal_half_out_of_reach(deque, bottom, age)) {
        if (!steal_half_settle(deque, bottom, age)) {
            atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
            return DEQUE_EMPTY;
        }
        last = steal_half_top(atomic_load_explicit(&deque->age, memory_order_relaxed)) == bottom + 1;
    }
    *item = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
    if (last)
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

/* Thief. Up to max (not 0), at most half, of what is there: the oldest into first, the others into out, or into the
 * ring of self, which is the thief's own, from its bottom on. */
DEQUE_OPERATION enum deque_result steal_half_take(struct deque *victim, uint32_t max, deque_item *first,
                                                  deque_item *out, struct deque *self, uint32_t *n) {
    uint64_t age;
    uint32_t bottom;
    if (victim->orders == STEAL_HALF_ACCESSES) {
        /* seq_cst, both: pair with the fence in pop; the one of age also makes bottom at least as new, the one of
         * bottom also pairs with the release stores of it */
        age = atomic_load_explicit(&victim->age, memory_order_seq_cst);
        bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    } else {
        age = atomic_load_explicit(&victim->age, memory_order_relaxed);
        /* pairs with the fence in pop, and makes bottom below at least as new as age */
        atomic_thread_fence(memory_order_seq_cst);
        /* acquire: pairs with the release stores of bottom in push and pop */
        bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    }
    uint32_t top = steal_half_top(age);
    if ((int32_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    uint32_t share = steal_half_of(bottom - top);
    if (share > max)
        share = max;
    deque_item oldest = atomic_load_explicit(&victim->slots[top & victim->mask], memory_order_relaxed);
    uint32_t into = self ? atomic_load_explicit(&self->bottom, memory_order_relaxed) - 1 : 0;
    for (uint32_t i = 1; i < share; i++) {
        deque_item item = atomic_load_explicit(&victim->slots[(top + i) & victim->mask], memory_order_relaxed);
        if (self)
            atomic_store_explicit(&self->slots[(into + i) & self->mask], item, memory_order_relaxed);
        else
            out[i - 1] = item;
    }
    /* seq_cst: pairs with the fence in pop and the acquire of age in steal_half_room; after it the slots may be written
     * again */
    if (!atomic_compare_exchange_strong_explicit(&victim->age, &age, steal_half_age(top + share, steal_half_tag(age)),
                                                 memory_order_seq_cst, memory_order_relaxed))
        return DEQUE_LOST;
    *first = oldest;
    *n = share;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint32_t n;
    (void)self;
    return steal_half_take(victim, 1, item, NULL, NULL, &n);
}

/* Half after half until percent is taken; 0: half, by one CAS. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    enum deque_result result = DEQUE_EMPTY;
    size_t wanted = ring_share(deque_size(victim), percent, max);
    uint32_t part = 0;
    (void)self;
    *n = 0;
    while (*n < wanted && (result = steal_half_take(victim, (uint32_t)(wanted - *n), out + *n, out + *n + 1, NULL,
                                                    &part)) == DEQUE_OK) {
        *n += part;
        if (percent == 0)
            break;
    }
    return *n > 0 ? DEQUE_OK : result;
}

DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint32_t bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed), n = 0;
    enum deque_result result = steal_half_take(victim, steal_half_room(self, bottom) + 1, first, NULL, self, &n);
    *moved = n > 0 ? n - 1 : 0;
    if (*moved > 0) /* release: as in push */
        atomic_store_explicit(&self->bottom, bottom + n - 1, memory_order_release);
    return result;
}
