/* saturn.h: Saturn's deque, that of OCaml 5's schedulers: Chase-Lev on a ring that grows and shrinks.
 *
 * Differs from chase_lev.h in three things. It has no fences: what meets are a read-modify-write of bottom and loads,
 * all sequentially consistent, as OCaml's atomics are. The owner keeps what it last saw of top, so push reads the
 * thieves' line only when the ring seems full. And the ring grows and shrinks.
 *
 * Algorithm of Ws_deque in Saturn 1.0 (OCaml; T. Laurent, KC Sivaramakrishnan, N. Assouad, T. Kelly; as optimised by
 * V. Karvonen in pull request 124, 2024), itself after Chase and Lev and Le et al. (chase_lev.h). saturn_move is its
 * realloc, saturn_grow the last branch of its push, cached_top its top_cache, ring its tab.
 *
 * The real top can only be further than the one that the owner keeps, so the deque can only be emptier than it looks.
 * A pop that meets a thief at the last item learns of top too, whoever wins. A full ring is copied into one twice as
 * large; a pop that leaves no more than a third of what was added to the first capacity moves back into one half as
 * large.
 *
 * Mode bottom: "increment" changes bottom by one read-modify-write in push and in pop, as Saturn does, for OCaml has no
 * release store that is cheaper; "store" stores it, for push needs a release and pop a sequentially consistent store.
 *
 * What differs from Saturn: a ring that was left is not garbage that somebody collects, for a thief may still read
 * there. It stays until the deque is destroyed and is used again at that size, so that there is one of each and
 * growth that comes back needs no memory. A thief that still looks at it does no harm: while top is what it read, the
 * slot that belongs to top has the same item in every ring that was published since, and its CAS fails if top moved.
 * Items are not boxed; in Saturn the taker empties an item's box, for the collector's sake. A thief that lost
 * says so and does not try again. Growth that finds no memory refuses the item.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "saturn", .title = "Saturn", .source = "Saturn 1.0 Ws_deque (OCaml)", .owner_order = DEQUE_LIFO,         \
        .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                 \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .mode = "bottom", .mode_values = "increment|store",                                                            \
    }

enum saturn_bottom { SATURN_INCREMENT, SATURN_STORE };

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;               /* the oldest item; thieves, the owner's last pop: by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;            /* one past the newest; written by the owner alone */
    uint64_t cached_top;                                    /* owner only: top as it was last seen */
    alignas(DEQUE_LINE) _Atomic(struct ring_buffer *) ring; /* this line: written when the ring changes */
    size_t first_capacity;                                  /* owner only: it never shrinks below this */
    enum saturn_bottom how;                                 /* how the owner changes bottom */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 16, RING_MAX);
    if (capacity == 0 || config->mode > SATURN_STORE)
        return EINVAL;
    struct ring_buffer *ring = ring_buffer_new(capacity, NULL);
    if (!ring)
        return ENOMEM;
    deque->first_capacity = capacity;
    deque->how = config->mode == SATURN_STORE ? SATURN_STORE : SATURN_INCREMENT;
    deque->cached_top = config->first_index;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    atomic_init(&deque->ring, ring);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    while (ring->larger)
        ring = ring->larger;
    ring_buffers_free(ring);
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* Owner. The items between top and bottom go into another ring, which is published. They have to fit. */
DEQUE_OPERATION void saturn_move(struct deque *deque, const struct ring_buffer *from, struct ring_buffer *to,
                                 uint64_t top, uint64_t bottom) {
    ring_buffer_copy(from, to, top, bottom);
    /* release: pairs with the acquire of ring in steal; publishes the mask and the copies */
    atomic_store_explicit(&deque->ring, to, memory_order_release);
}

/* Owner. The ring of twice the size, with all items, published. NULL when there is no memory; then nothing has changed.
 */
DEQUE_SLOW_PATH struct ring_buffer *saturn_grow(struct deque *deque, struct ring_buffer *ring, uint64_t bottom) {
    if (!ring->larger && !ring_buffer_new(2 * ((size_t)ring->mask + 1), ring))
        return NULL;
    saturn_move(deque, ring, ring->larger, deque->cached_top, bottom);
    return ring->larger;
}

/* Owner. Into the ring of half the size, which is there: the present one came of it by growing. */
DEQUE_SLOW_PATH void saturn_shrink(struct deque *deque, struct ring_buffer *ring, uint64_t top, uint64_t bottom) {
    saturn_move(deque, ring, ring->smaller, top, bottom);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    if (bottom - deque->cached_top > ring->mask) {
        /* acquire: pairs with the CAS in steal; a thief has read the slots below top before we write them again */
        deque->cached_top = atomic_load_explicit(&deque->top, memory_order_acquire);
        if (bottom - deque->cached_top > ring->mask) {
            ring = saturn_grow(deque, ring, bottom);
            if (!ring)
                return DEQUE_FULL;
        }
    }
    atomic_store_explicit(&ring->slots[bottom & ring->mask], item, memory_order_relaxed);
    /* release, both: pair with the load of bottom in steal; publish the slot and what the item points to */
    if (deque->how == SATURN_STORE)
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    else
        atomic_fetch_add_explicit(&deque->bottom, 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    /* seq_cst, both: pair with the load of bottom in steal; either the thief sees the lowered bottom, or we see the
     * raised top. As a release it publishes every slot below to a thief that reads it. */
    if (deque->how == SATURN_STORE)
        atomic_store_explicit(&deque->bottom, bottom, memory_order_seq_cst);
    else
        atomic_fetch_sub_explicit(&deque->bottom, 1, memory_order_seq_cst);
    /* seq_cst: pairs with the CAS in steal; as an acquire too, for after it the slot may be written again */
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_seq_cst);
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    int64_t left = (int64_t)(bottom - top);
    if (left > 0) {
        *item = atomic_load_explicit(&ring->slots[bottom & ring->mask], memory_order_relaxed);
        if (3 * (uint64_t)left <= ring->mask + 1 - deque->first_capacity)
            saturn_shrink(deque, ring, top, bottom);
        return DEQUE_OK;
    }
    enum deque_result result = DEQUE_EMPTY;
    if (left == 0) {
        *item = atomic_load_explicit(&ring->slots[bottom & ring->mask], memory_order_relaxed);
        deque->cached_top = top + 1; /* whoever wins */
        /* the last item: whoever moves top has it. seq_cst: pairs with the loads of top in steal. acquire, when a thief
         * did: pairs with its CAS; it has read the slot before push writes it again */
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                    memory_order_acquire))
            result = DEQUE_OK;
    }
    /* release: pairs with the load of bottom in steal, as in push */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* seq_cst, both: pair with the change of bottom and the load of top in pop; as acquires, with the CAS of the thief
     * before us and with what the owner did to bottom */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    if ((int64_t)(bottom - top) <= 0)
        return DEQUE_EMPTY;
    /* acquire: pairs with the release of ring in saturn_move; we may see a ring newer than bottom says */
    struct ring_buffer *ring = atomic_load_explicit(&victim->ring, memory_order_acquire);
    deque_item taken = atomic_load_explicit(&ring->slots[top & ring->mask], memory_order_relaxed);
    /* seq_cst: pairs with the loads of top in pop and steal, and with its acquire in push; after it the slot may be
     * reused */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
