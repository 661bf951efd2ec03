/* hotspot.h: the task queue of HotSpot's garbage collectors: ABP on a ring, with a tag.
 *
 * Differs from chase_lev.h in that bottom and top are indices into the ring, not positions that count up for ever. Top
 * shares a word with a tag that goes up whenever top comes round to 0 and whenever the owner finds or makes the deque
 * empty. So the word never has the same value twice (unless a thief sleeps for 2^32 tags).
 *
 * Algorithm of push, pop_local, pop_local_slow (hotspot_pop_last) and pop_global (deque_steal) of GenericTaskQueue in
 * OpenJDK's gc/shared/taskqueue.hpp, itself after Arora, Blumofe, Plaxton (abp.h).
 *
 * Two slots of the ring stay unused: bottom one below top, which only a pop and a steal of the last item at once lead
 * to, means empty as well and must not look like full. A capacity of a power of two less two wastes nothing.
 *
 * The price is the fence in pop, but a pop that finds the deque empty right away pays nothing.
 *
 * What differs from HotSpot: slots are atomic; stores of bottom in pop and of age are release stores; the ring's size
 * is a setting; a thief that finds nothing looks at top again, since an empty ring and one that has wrapped around
 * meanwhile look alike; the overflow stack belongs to the pool.
 *
 * Mode orders: of steal, as in chase_lev.h. HotSpot has a fence there on POWER alone, and elsewhere keeps the loads in
 * order, which on x86 takes no instruction, as in "accesses".
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "hotspot", .title = "HotSpot ABP ring", .source = "OpenJDK, gc/shared/taskqueue.hpp",                    \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "orders", .mode_values = "accesses|fences",                         \
    }

#define HOTSPOT_UNUSED 2

enum hotspot_orders { HOTSPOT_ACCESSES, HOTSPOT_FENCES };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t age;    /* top, the oldest item, in the upper half, tag in the lower */
    alignas(DEQUE_LINE) _Atomic uint32_t bottom; /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;
    uint32_t mask;
    enum hotspot_orders orders;
};

DEQUE_OPERATION uint64_t hotspot_age(uint32_t top, uint32_t tag) { return (uint64_t)top << 32 | tag; }
DEQUE_OPERATION uint32_t hotspot_top(uint64_t age) { return (uint32_t)(age >> 32); }
DEQUE_OPERATION uint32_t hotspot_tag(uint64_t age) { return (uint32_t)age; }

/* How many items are between the two; bottom one below top means none. */
DEQUE_OPERATION uint32_t hotspot_items(uint32_t bottom, uint32_t top, uint32_t mask) {
    uint32_t items = (bottom - top) & mask;
    return items == mask ? 0 : items;
}

/* Indices start at the lower bits of first_index, the tag at its lower half. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_asked(config, 1022, RING_MAX_32);
    if (capacity == 0 || config->mode > HOTSPOT_FENCES)
        return EINVAL;
    capacity = deque_round_up(capacity + HOTSPOT_UNUSED);
    deque->slots = ring_slots(capacity);
    if (!deque->slots)
        return ENOMEM;
    deque->mask = (uint32_t)capacity - 1;
    deque->orders = config->mode == HOTSPOT_FENCES ? HOTSPOT_FENCES : HOTSPOT_ACCESSES;
    uint32_t first = (uint32_t)config->first_index & deque->mask;
    atomic_init(&deque->age, hotspot_age(first, (uint32_t)config->first_index));
    atomic_init(&deque->bottom, first);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1 - HOTSPOT_UNUSED; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint32_t top = hotspot_top(atomic_load_explicit(&deque->age, memory_order_relaxed));
    return hotspot_items(bottom, top, deque->mask);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the CAS in steal; the thief has read the slot before we write it again */
    uint32_t top = hotspot_top(atomic_load_explicit(&deque->age, memory_order_acquire));
    if (((bottom - top) & deque->mask) == deque->mask + 1 - HOTSPOT_UNUSED)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[bottom], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, (bottom + 1) & deque->mask, memory_order_release);
    return DEQUE_OK;
}

/* Owner, having lowered bottom to the last item, or below it when a thief was faster: the deque is empty afterwards in
 * either case, top is where bottom is, and the tag a new one. */
DEQUE_OPERATION enum deque_result hotspot_pop_last(struct deque *deque, uint32_t bottom, uint64_t age) {
    uint64_t empty = hotspot_age(bottom, hotspot_tag(age) + 1);
    /* seq_cst: pairs with the CAS in steal, one of the two has the item; acquire on failure: that thief has read its
     * slot before we write it again */
    if (hotspot_top(age) == bottom &&
        atomic_compare_exchange_strong_explicit(&deque->age, &age, empty, memory_order_seq_cst, memory_order_acquire))
        return DEQUE_OK;
    /* release: pairs with the load of age or the fence in steal; whoever sees the new tag sees the lowered bottom */
    atomic_store_explicit(&deque->age, empty, memory_order_release);
    return DEQUE_EMPTY;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint32_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == hotspot_top(atomic_load_explicit(&deque->age, memory_order_relaxed)))
        return DEQUE_EMPTY;
    bottom = (bottom - 1) & deque->mask;
    /* release: pairs with the acquire of bottom in steal, which may read any of our stores of it and must see every
     * slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    /* acquire: pairs with the CAS in steal; a thief that has passed a slot has read it before we write it again */
    uint64_t age = atomic_load_explicit(&deque->age, memory_order_acquire);
    *item = atomic_load_explicit(&deque->slots[bottom], memory_order_relaxed);
    if (hotspot_items(bottom, hotspot_top(age), deque->mask) > 0)
        return DEQUE_OK;
    return hotspot_pop_last(deque, bottom, age);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t age;
    uint32_t bottom;
    (void)self;
    if (victim->orders == HOTSPOT_ACCESSES) {
        /* seq_cst, both: pair with the fence in pop; the one of age also pairs with the owner's store or CAS of it and
         * with the CAS of the thief before us, so that bottom is not from before; the one of bottom with its release
         * stores */
        age = atomic_load_explicit(&victim->age, memory_order_seq_cst);
        bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    } else {
        age = atomic_load_explicit(&victim->age, memory_order_relaxed);
        /* pairs with the fence in pop; and, for what we saw of age, with the owner's store or CAS of it and with the
         * CAS of the thief before us, so that bottom below is not from before */
        atomic_thread_fence(memory_order_seq_cst);
        /* acquire: pairs with the release stores of bottom */
        bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    }
    uint32_t top = hotspot_top(age);
    if (hotspot_items(bottom, top, victim->mask) == 0)
        return atomic_load_explicit(&victim->age, memory_order_relaxed) == age ? DEQUE_EMPTY : DEQUE_LOST;
    deque_item taken = atomic_load_explicit(&victim->slots[top], memory_order_relaxed);
    uint32_t next = (top + 1) & victim->mask;
    uint32_t tag = next == 0 ? hotspot_tag(age) + 1 : hotspot_tag(age);
    /* seq_cst: pairs with the CAS in hotspot_pop_last and with the acquires of age by the owner */
    if (!atomic_compare_exchange_strong_explicit(&victim->age, &age, hotspot_age(next, tag), memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
