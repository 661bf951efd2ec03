/* go_runq.h: the run queue of Go's scheduler, a FIFO ring from which thieves take half into rings of their own.
 *
 * Algorithm of runqput, runqget, runqgrab, runqsteal and runqputslow in Go's src/runtime/proc.go (D. Vyukov and
 * others). One position at either end. A thief copies what it wants first, to where it wants it, and takes it
 * afterwards by one CAS of head; if that fails the copies were for nothing. So no item is ever claimed and not yet
 * taken, and a stopped thief delays nobody. Slots may be read by thieves that are about to lose.
 *
 * The price is a CAS in pop; push has none, and nobody has a fence.
 *
 * As in Go, head and tail share a line. go_runq_padded.h shows what that costs. Go's slots follow them in the same
 * struct, so the first lie on that line, too; ours are behind a pointer.
 *
 * What differs from Go: positions of 64 bits instead of 32, which no sleeping thief outlives; the capacity is a
 * setting; a thief's own ring need not be empty, it takes what fits; a lost race is reported where Go tries again;
 * pop loads head relaxed where Go acquires it, because the owner alone writes slots, and push acquires head;
 * runnext and the global queue belong to the pool, which calls go_runq_spill when push says FULL.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "go_runq", .title = "Go run queue", .source = "Go, runtime/proc.go", .owner_order = DEQUE_FIFO,          \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true,   \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
    }

#ifndef GO_RUNQ_APART /* go_runq_padded.h sets the fields apart */
#define GO_RUNQ_APART
#endif
#define DEQUE_SPILL go_runq_spill

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t head; /* the oldest item; thieves and the owner's pop, by CAS */
    GO_RUNQ_APART _Atomic uint64_t tail;       /* one past the newest; written by the owner alone */
    GO_RUNQ_APART _Atomic(deque_item) *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make(config, 256, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->head, config->first_index);
    atomic_init(&deque->tail, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    int64_t size = (int64_t)(atomic_load_explicit(&deque->tail, memory_order_relaxed) - head);
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the CAS in go_runq_take; the thief has read the slot before we write it again */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    if (tail - head > deque->mask)
        return DEQUE_FULL;
    atomic_store_explicit(&deque->slots[tail & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquire of tail in go_runq_look; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    _Atomic(deque_item) *slots = deque->slots;
    uint64_t mask = deque->mask;
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the CAS in go_runq_take, as in push */
    uint64_t room = mask + 1 - (tail - atomic_load_explicit(&deque->head, memory_order_acquire));
    if (n > room)
        n = (size_t)room;
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&slots[(tail + i) & mask], items[i], memory_order_relaxed);
    /* release: pairs with the acquire of tail in go_runq_look; publishes the whole batch */
    atomic_store_explicit(&deque->tail, tail + n, memory_order_release);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    while (head != tail) {
        *item = atomic_load_explicit(&deque->slots[head & deque->mask], memory_order_relaxed);
        /* release: pairs with the acquire of head in go_runq_look; a thief that finds head here finds tail beyond it */
        if (atomic_compare_exchange_weak_explicit(&deque->head, &head, head + 1, memory_order_release,
                                                  memory_order_relaxed))
            return DEQUE_OK;
    }
    return DEQUE_EMPTY;
}

/* Owner: the older half, or the one slot. The item that was refused follows it into the global queue. */
DEQUE_SLOW_PATH size_t go_runq_spill(struct deque *deque, deque_item *items, size_t max) {
    uint64_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    size_t capacity = (size_t)deque->mask + 1, half = capacity - capacity / 2;
    if (tail - head != capacity || max < half)
        return 0;
    for (size_t i = 0; i < half; i++)
        items[i] = atomic_load_explicit(&deque->slots[(head + i) & deque->mask], memory_order_relaxed);
    /* release: pairs with the acquire of head in go_runq_look, as in pop */
    bool taken = atomic_compare_exchange_strong_explicit(&deque->head, &head, head + half, memory_order_release,
                                                         memory_order_relaxed);
    return taken ? half : 0;
}

/* A thief's first step: how many items, from head on, are percent of what it sees (0: half), rounded up, at most
 * `most`. If head moves on between the two loads that can be more than there ever were; the CAS will fail then. */
DEQUE_OPERATION enum deque_result go_runq_look(struct deque *victim, unsigned percent, size_t most, uint64_t *head,
                                               size_t *count) {
    /* acquire: pairs with the CASes of head, so that tail below is not behind head */
    *head = atomic_load_explicit(&victim->head, memory_order_acquire);
    /* acquire: pairs with the release stores of tail */
    uint64_t available = atomic_load_explicit(&victim->tail, memory_order_acquire) - *head;
    if (available == 0 || most == 0)
        return DEQUE_EMPTY;
    *count = ring_share((size_t)available, percent, most);
    return DEQUE_OK;
}

/* The thief's last step, after copying: did it get them? */
DEQUE_OPERATION enum deque_result go_runq_take(struct deque *victim, uint64_t head, size_t count) {
    /* release: pairs with the acquire of head in push (our copies are made) and in go_runq_look */
    bool taken = atomic_compare_exchange_strong_explicit(&victim->head, &head, head + count, memory_order_release,
                                                         memory_order_relaxed);
    return taken ? DEQUE_OK : DEQUE_LOST;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t head;
    size_t count;
    (void)self;
    enum deque_result result = go_runq_look(victim, 0, 1, &head, &count);
    if (result != DEQUE_OK)
        return result;
    deque_item taken = atomic_load_explicit(&victim->slots[head & victim->mask], memory_order_relaxed);
    result = go_runq_take(victim, head, 1);
    if (result == DEQUE_OK)
        *item = taken;
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    _Atomic(deque_item) *slots = victim->slots;
    uint64_t head, mask = victim->mask;
    size_t count;
    (void)self;
    *n = 0;
    enum deque_result result = go_runq_look(victim, percent, max, &head, &count);
    if (result != DEQUE_OK)
        return result;
    for (size_t i = 0; i < count; i++)
        out[i] = atomic_load_explicit(&slots[(head + i) & mask], memory_order_relaxed);
    result = go_runq_take(victim, head, count);
    if (result == DEQUE_OK)
        *n = count;
    return result;
}

/* The newest of the stolen items is to run at once. The others are copied into free slots of self, which belong to it
 * once the CAS has succeeded. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    _Atomic(deque_item) *from = victim->slots, *to = self->slots;
    uint64_t head, from_mask = victim->mask, to_mask = self->mask;
    size_t count;
    uint64_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed);
    /* acquire: pairs with the CAS in go_runq_take, as in push */
    uint64_t used = tail - atomic_load_explicit(&self->head, memory_order_acquire);
    *moved = 0;
    enum deque_result result = go_runq_look(victim, 0, (size_t)(to_mask + 1 - used) + 1, &head, &count);
    if (result != DEQUE_OK)
        return result;
    for (size_t i = 0; i < count - 1; i++) {
        deque_item item = atomic_load_explicit(&from[(head + i) & from_mask], memory_order_relaxed);
        atomic_store_explicit(&to[(tail + i) & to_mask], item, memory_order_relaxed);
    }
    deque_item newest = atomic_load_explicit(&from[(head + count - 1) & from_mask], memory_order_relaxed);
    result = go_runq_take(victim, head, count);
    if (result != DEQUE_OK)
        return result;
    if (count > 1)
        /* release: pairs with the acquire of tail in go_runq_look */
        atomic_store_explicit(&self->tail, tail + count - 1, memory_order_release);
    *first = newest;
    *moved = count - 1;
    return DEQUE_OK;
}
