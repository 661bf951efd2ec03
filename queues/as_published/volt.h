/* as_published/volt.h: the ring of Volt exactly as printed, to show that the checks catch it.
 *
 * Volt's documentation, "Chase-Lev work-stealing deque" (Zig): a FIFO ring of 256 slots after Tokio's. Head packs two
 * 32-bit positions, steal in the upper half and real in the lower. A thief claims by moving real, copies, and releases
 * by moving steal after it; while the two differ, nobody else steals. Faults of the listing:
 *
 * 1. stealInto never asks whether the thief's own ring has room. Self holds CAPACITY items, the victim three: two are
 *    claimed, and the second goes where self's oldest still waits. That one is lost, and the stolen one comes out
 *    twice. One thread alone reaches it; with a thief at self that has claimed but not yet copied, fewer items do.
 *    (Tokio refuses to steal into a ring that is more than half full. ../volt.h asks.)
 * 2. A lost CAS, which may even have failed spuriously, is reported as nothing to steal, and so is a steal in progress.
 * 3. A thief that stops between claim and release blocks every other steal and, when the ring has gone round,
 *    every push.
 *
 * Where the listing goes on to spill half of a full ring into a global queue, this deque is full: a queue behind it is
 * its caller's business. The listing steals only into a ring; deque_steal is the same three phases for one item.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE DEQUE_STEAL_INTO
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/volt", .title = "Volt, as printed", .source = "Volt documentation",                        \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_LOCK_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE,                                                                             \
        .fault = "steal into a ring without room overwrites its oldest items; a lost race is reported as empty",       \
    }

struct deque {
    alignas(64) _Atomic uint64_t head; /* {steal, real} */
    alignas(64) _Atomic uint32_t tail; /* written by the owner alone */
    alignas(64) _Atomic(deque_item) *buffer;
    uint32_t capacity;
};

DEQUE_OPERATION uint64_t volt_pack(uint32_t steal, uint32_t real) { return (uint64_t)steal << 32 | real; }
DEQUE_OPERATION uint32_t volt_steal_of(uint64_t head) { return (uint32_t)(head >> 32); }
DEQUE_OPERATION uint32_t volt_real_of(uint64_t head) { return (uint32_t)head; }

/* At least two slots, where the listing has 256: half of one would be none. Positions start at the lower half of
 * first_index. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = ring_capacity(config, 256, RING_MAX_32);
    if (capacity == 0)
        return EINVAL;
    capacity = capacity < 2 ? 2 : capacity;
    deque->buffer = ring_slots(capacity);
    if (!deque->buffer)
        return ENOMEM;
    uint32_t start = (uint32_t)config->first_index;
    deque->capacity = (uint32_t)capacity;
    atomic_init(&deque->head, volt_pack(start, start));
    atomic_init(&deque->tail, start);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->buffer); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return deque->capacity; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint32_t real = volt_real_of(atomic_load_explicit(&deque->head, memory_order_relaxed));
    int32_t size = (int32_t)(atomic_load_explicit(&deque->tail, memory_order_relaxed) - real);
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION _Atomic(deque_item) *volt_slot(struct deque *deque, uint32_t position) {
    return &deque->buffer[position & (deque->capacity - 1)];
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint32_t tail = atomic_load_explicit(&deque->tail, memory_order_relaxed);
    /* acquire: pairs with the CAS that releases a steal */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    if (tail - volt_steal_of(head) >= deque->capacity)
        return DEQUE_FULL;
    /* release, both: pair with the acquire loads of slot and tail in steal */
    atomic_store_explicit(volt_slot(deque, tail), item, memory_order_release);
    atomic_store_explicit(&deque->tail, tail + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    /* acquire: pairs with the CASes of thieves */
    uint64_t head = atomic_load_explicit(&deque->head, memory_order_acquire);
    for (;;) {
        uint32_t real = volt_real_of(head);
        if (real == atomic_load_explicit(&deque->tail, memory_order_relaxed))
            return DEQUE_EMPTY;
        bool no_thief = volt_steal_of(head) == real;
        uint64_t next = volt_pack(no_thief ? real + 1 : volt_steal_of(head), real + 1);
        /* release: pairs with the acquire of head in steal; acquire on failure: with the CAS that was first */
        if (atomic_compare_exchange_weak_explicit(&deque->head, &head, next, memory_order_release,
                                                  memory_order_acquire)) {
            /* acquire: pairs with the release of the slot, by ourselves in push or in steal into this ring */
            *item = atomic_load_explicit(volt_slot(deque, real), memory_order_acquire);
            return DEQUE_OK;
        }
    }
}

/* A thief, phase 1: claims half of what is there (rounded up), at most `most`, by moving real alone. False when there
 * is nothing, when a steal is under way, or when the CAS fails. */
DEQUE_OPERATION bool volt_claim(struct deque *victim, uint32_t most, uint32_t *real, uint32_t *claimed) {
    /* acquire: pairs with the CASes of the owner and of other thieves */
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
    *real = volt_real_of(head);
    if (volt_steal_of(head) != *real)
        return false;
    /* acquire: pairs with the release of tail in push */
    uint32_t available = atomic_load_explicit(&victim->tail, memory_order_acquire) - *real;
    if (available == 0)
        return false;
    *claimed = available - available / 2;
    if (*claimed > most)
        *claimed = most;
    uint64_t next = volt_pack(*real, *real + *claimed);
    /* acq_rel: pairs with the other CASes on head */
    return atomic_compare_exchange_weak_explicit(&victim->head, &head, next, memory_order_acq_rel,
                                                 memory_order_acquire);
}

/* The same thief, phase 3: steal follows real, wherever the owner's pops have moved it by now. */
DEQUE_OPERATION void volt_release(struct deque *victim) {
    /* acquire, acq_rel: pair with the owner's CAS in pop and its acquire of head in push */
    uint64_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
    while (!atomic_compare_exchange_weak_explicit(&victim->head, &head,
                                                  volt_pack(volt_real_of(head), volt_real_of(head)),
                                                  memory_order_acq_rel, memory_order_acquire))
        ;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    uint32_t real, claimed;
    if (!volt_claim(victim, 1, &real, &claimed))
        return DEQUE_EMPTY; /* fault 2 */
    /* acquire: pairs with the release of the slot in push */
    *item = atomic_load_explicit(volt_slot(victim, real), memory_order_acquire);
    volt_release(victim);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint32_t real, claimed;
    uint32_t tail = atomic_load_explicit(&self->tail, memory_order_relaxed);
    *moved = 0;
    if (!volt_claim(victim, victim->capacity / 2, &real, &claimed))
        return DEQUE_EMPTY; /* fault 2 */
    /* acquire, here and below: pairs with the release of the slot in push */
    *first = atomic_load_explicit(volt_slot(victim, real), memory_order_acquire);
    for (uint32_t i = 1; i < claimed; i++) {
        deque_item item = atomic_load_explicit(volt_slot(victim, real + i), memory_order_acquire);
        /* release: pairs with the acquire of the slot in pop and steal; fault 1 */
        atomic_store_explicit(volt_slot(self, tail + i - 1), item, memory_order_release);
    }
    /* release: pairs with the acquire of tail in steal */
    if (claimed > 1)
        atomic_store_explicit(&self->tail, tail + claimed - 1, memory_order_release);
    *moved = claimed - 1;
    volt_release(victim);
    return DEQUE_OK;
}
