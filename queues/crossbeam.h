/* crossbeam.h: crossbeam-deque's Worker and Stealer, which Rayon and others run on; crossbeam_fifo.h is the other
 * flavor.
 *
 * Algorithm of crossbeam_deque (S. Glavina and others), github.com/crossbeam-rs/crossbeam,
 * crossbeam-deque/src/deque.rs at 7de845aa (August 2026). It is chase_lev.h with fences, and differs in three things:
 * the ring grows and shrinks; thieves take batches of at most 32 items, one CAS each (FIFO: all by one CAS); a thief
 * that finds another ring before its CAS than the one it read from gives up.
 *
 * deque_steal_batch is Stealer::steal_batch, into an array, and deque_steal_into Stealer::steal_batch_and_pop; the
 * other names are theirs. slots and mask are the Worker's own copy of ring (buffer).
 *
 * In FIFO order the owner takes the oldest, too: by a fetch_add of front, which it stores back when there was nothing.
 *
 * What differs, reclamation: in Rust a ring that was left is freed when all who were inside have left (epochs). Each
 * steal pins its thread, which is a store and a full fence, and that fence is the algorithm's own. Here each size of
 * the ring is kept, used again at that size, and freed with the deque. Why that is right: while front is what a thief
 * read, the slot of front holds the same item in every ring that was published since that item was pushed, and its CAS
 * fails if front moved. So the fence stands alone here, and a resize allocates less; but a batch has to look for the
 * ring anew at each item, for the one that it knew may have come back.
 *
 * What differs besides: the capacity that is asked for takes the place of Rust's smallest, 64; every store of back is a
 * release store; the flavor is a constant of the program, not a field; a share that the caller asks for in percent may
 * be larger than 32; growth that finds no memory refuses the item.
 */
#include "deque.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE (DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#ifndef CROSSBEAM_FIFO /* crossbeam_fifo.h */
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "crossbeam", .title = "crossbeam, rings kept", .source = "crossbeam-deque at 7de845aa",                  \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .classic = true, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
    }
#endif

#define CROSSBEAM_BATCH 32

/* As in Rust, front and back share a line, ring has one, and the owner's own words have one. */
struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t front;             /* the oldest item; thieves and the owner, by CAS */
    _Atomic uint64_t back;                                  /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(struct ring_buffer *) ring; /* written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots;         /* the owner's copy of where the slots are, and how many */
    uint64_t mask;
    size_t first_capacity; /* it never shrinks below this */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 64, RING_MAX);
    if (capacity == 0)
        return EINVAL;
    struct ring_buffer *ring = ring_buffer_new(capacity, NULL);
    if (!ring)
        return ENOMEM;
    deque->slots = ring->slots;
    deque->mask = ring->mask;
    deque->first_capacity = capacity;
    atomic_init(&deque->ring, ring);
    atomic_init(&deque->front, config->first_index);
    atomic_init(&deque->back, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    struct ring_buffer *ring = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    while (ring->larger)
        ring = ring->larger;
    ring_buffers_free(ring);
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->front, &deque->back); }

/* Owner. The items from front to back go into a ring of twice or half the size, which is published. false when there is
 * no memory; then nothing has changed. A smaller one is always there: the present one came of it by growing. */
DEQUE_SLOW_PATH bool crossbeam_resize(struct deque *deque, bool grow) {
    struct ring_buffer *from = atomic_load_explicit(&deque->ring, memory_order_relaxed);
    struct ring_buffer *to = grow ? from->larger : from->smaller;
    if (!to && !(to = ring_buffer_new(2 * ((size_t)from->mask + 1), from)))
        return false;
    /* acquire: as in push, for a ring that comes back. Relaxed is enough for a new one, as in Rust */
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    ring_buffer_copy(from, to, front, atomic_load_explicit(&deque->back, memory_order_relaxed));
    deque->slots = to->slots;
    deque->mask = to->mask;
    /* release: pairs with the acquire of ring in crossbeam_ring; publishes the mask and the copies
     */
    atomic_store_explicit(&deque->ring, to, memory_order_release);
    return true;
}

/* Owner, before a batch goes in: for how many of n items there is room, in a larger ring if need be. */
DEQUE_OPERATION size_t crossbeam_reserve(struct deque *deque, size_t n) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    /* seq_cst as Rust has it; FIFO needs the acquire: pairs with the CAS in crossbeam_take, as in push. LIFO has the
     * fence in crossbeam_left before it stores */
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_seq_cst);
    uint64_t used = back - front;
    while (deque->mask + 1 - used < n)
        if (!crossbeam_resize(deque, true))
            return (size_t)(deque->mask + 1 - used);
    return n;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    /* acquire: pairs with the CAS in crossbeam_take; the thief has read the slot before we write it again */
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_acquire);
    if ((int64_t)(back - front) > (int64_t)deque->mask && !crossbeam_resize(deque, true))
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[back & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of back in crossbeam_left, which may read any of our stores of
     * it and must see every slot below; publishes what the item points to */
    atomic_store_explicit(&deque->back, back + 1, memory_order_release);
    return DEQUE_OK;
}

#ifdef CROSSBEAM_FIFO
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    int64_t size = (int64_t)(back - atomic_load_explicit(&deque->front, memory_order_relaxed));
    if (size <= 0)
        return DEQUE_EMPTY;
    /* seq_cst as Rust has it; the acquire is needed: pairs with the CAS in crossbeam_take, as in push */
    uint64_t front = atomic_fetch_add_explicit(&deque->front, 1, memory_order_seq_cst);
    if ((int64_t)(back - front) <= 0) {
        /* relaxed: it gives thieves nothing to read, and push acquires from nobody but thieves */
        atomic_store_explicit(&deque->front, front, memory_order_relaxed);
        return DEQUE_EMPTY;
    }
    *item = atomic_load_explicit(&deque->slots[front & deque->mask], memory_order_relaxed);
    if (deque->mask >= deque->first_capacity && size <= (int64_t)(deque->mask + 1) / 4)
        crossbeam_resize(deque, false);
    return DEQUE_OK;
}
#else
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t back = atomic_load_explicit(&deque->back, memory_order_relaxed);
    if ((int64_t)(back - atomic_load_explicit(&deque->front, memory_order_relaxed)) <= 0)
        return DEQUE_EMPTY;
    atomic_store_explicit(&deque->back, --back, memory_order_release); /* as in push */
    /* pairs with the fence in crossbeam_left: either the thief sees the lowered back, or we see the raised front */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    int64_t left = (int64_t)(back - front);
    enum deque_result result = DEQUE_EMPTY;
    if (left >= 0) {
        *item = atomic_load_explicit(&deque->slots[back & deque->mask], memory_order_relaxed);
        if (left > 0) {
            if (deque->mask >= deque->first_capacity && left < (int64_t)(deque->mask + 1) / 4)
                crossbeam_resize(deque, false);
            return DEQUE_OK;
        }
        /* the last item: whoever moves front has it. seq_cst: pairs with the CAS in crossbeam_take */
        if (atomic_compare_exchange_strong_explicit(&deque->front, &front, front + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            result = DEQUE_OK;
    }
    atomic_store_explicit(&deque->back, back + 1, memory_order_release); /* as in push */
    return result;
}
#endif

/* A thief that knows front: how many items are there, perhaps less than none. */
DEQUE_OPERATION int64_t crossbeam_left(const struct deque *victim, uint64_t front) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pop */
    /* acquire: pairs with the release stores of back in push, pop and deque_steal_into */
    return (int64_t)(atomic_load_explicit(&victim->back, memory_order_acquire) - front);
}

DEQUE_OPERATION struct ring_buffer *crossbeam_ring(struct deque *victim) {
    /* acquire: pairs with the release of ring in crossbeam_resize; we may see a ring newer than back says */
    return atomic_load_explicit(&victim->ring, memory_order_acquire);
}

DEQUE_OPERATION deque_item crossbeam_read(struct ring_buffer *ring, uint64_t at) {
    return atomic_load_explicit(&ring->pointer[at & ring->mask], memory_order_relaxed);
}

/* A thief that has read n items from front on in this ring. */
DEQUE_OPERATION bool crossbeam_take(struct deque *victim, struct ring_buffer *ring, uint64_t front, size_t n) {
    /* seq_cst: pairs with the CAS and the fetch_add in pop, and with the acquire of front in push; after it the slots
     * may be reused */
    return crossbeam_ring(victim) == ring &&
           atomic_compare_exchange_strong_explicit(&victim->front, &front, front + n, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the CAS of the thief before us, so that back is at least as new */
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    if (crossbeam_left(victim, front) <= 0)
        return DEQUE_EMPTY;
    struct ring_buffer *ring = crossbeam_ring(victim);
    *item = crossbeam_read(ring, front);
    return crossbeam_take(victim, ring, front, 1) ? DEQUE_OK : DEQUE_LOST;
}

/* A thief that knows that there is an item at front: takes up to n, from front on. How many. */
DEQUE_OPERATION size_t crossbeam_batch(struct deque *victim, uint64_t front, deque_item *out, size_t n) {
#ifdef CROSSBEAM_FIFO
    struct ring_buffer *ring = crossbeam_ring(victim);
    for (size_t i = 0; i < n; i++)
        out[i] = crossbeam_read(ring, front + i);
    return crossbeam_take(victim, ring, front, n) ? n : 0;
#else
    size_t taken = 0;
    do {
        struct ring_buffer *ring = crossbeam_ring(victim); /* each time: the one before may be left, and come back */
        out[taken] = crossbeam_read(ring, front + taken);
        if (!crossbeam_take(victim, ring, front + taken, 1))
            break;
        taken++;
    } while (taken < n && crossbeam_left(victim, front + taken) > 0);
    return taken;
#endif
}

/* The deque's own share is half, rounded up, and at most 32. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    /* acquire: as in deque_steal */
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    int64_t left = crossbeam_left(victim, front);
    (void)self;
    *n = 0;
    if (left <= 0 || max == 0)
        return DEQUE_EMPTY;
    if (percent == 0 && max > CROSSBEAM_BATCH)
        max = CROSSBEAM_BATCH;
    *n = crossbeam_batch(victim, front, out, ring_share((size_t)left, percent, max));
    return *n > 0 ? DEQUE_OK : DEQUE_LOST;
}

/* The same into slots of self, from back on, but one item, which goes to *first: the newest; of FIFO deques the oldest.
 */
DEQUE_OPERATION size_t crossbeam_move(struct deque *victim, uint64_t front, struct deque *self, deque_item *first,
                                      size_t n) {
    uint64_t back = atomic_load_explicit(&self->back, memory_order_relaxed);
#ifdef CROSSBEAM_FIFO
    struct ring_buffer *ring = crossbeam_ring(victim);
    *first = crossbeam_read(ring, front);
    for (size_t i = 1; i < n; i++, back++)
        atomic_store_explicit(&self->slots[back & self->mask], crossbeam_read(ring, front + i), memory_order_relaxed);
    size_t taken = crossbeam_take(victim, ring, front, n) ? n : 0;
#else
    size_t taken = 0;
    do {
        struct ring_buffer *ring = crossbeam_ring(victim); /* as in crossbeam_batch */
        deque_item item = crossbeam_read(ring, front + taken);
        if (!crossbeam_take(victim, ring, front + taken, 1))
            break;
        if (taken++ > 0)
            atomic_store_explicit(&self->slots[back++ & self->mask], *first, memory_order_relaxed);
        *first = item;
    } while (taken < n && crossbeam_left(victim, front + taken) > 0);
#endif
    if (taken > 0)
        atomic_store_explicit(&self->back, back, memory_order_release); /* as in push */
    return taken;
}

DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    /* acquire: as in deque_steal */
    uint64_t front = atomic_load_explicit(&victim->front, memory_order_acquire);
    int64_t left = crossbeam_left(victim, front);
    *moved = 0;
    if (left <= 0)
        return DEQUE_EMPTY;
    size_t share = ring_share((size_t)left, 0, CROSSBEAM_BATCH);
    size_t taken = crossbeam_move(victim, front, self, first, 1 + crossbeam_reserve(self, share - 1));
    if (taken == 0)
        return DEQUE_LOST;
    *moved = taken - 1;
    return DEQUE_OK;
}
