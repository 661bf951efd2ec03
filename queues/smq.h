/* smq.h: a worker's queue of the Stealing Multi-Queue: a heap of its own, and a few of the most urgent items where
 * thieves can take them.
 *
 * A. Postnikova, N. Koval, G. Nadiradze, D. Alistarh: Multi-Queues Can Be State-of-the-Art Priority Schedulers, PPoPP
 * 2022, arXiv 2109.00657 (section 3, SMQ via d-ary heaps).
 *
 * The owner fills the buffer with the heap's best items and publishes it by one store of `state`, which holds an epoch,
 * how many items the buffer has, and how many of them are taken. A thief reads the next item and takes it by a CAS, or
 * takes all that are left (deque_steal_into). When none is left, the owner fills the buffer by its next operation.
 * Among items of the same priority the oldest comes first, so that without priorities this is a FIFO queue.
 *
 * A worker of the Multi-Queue now and then tries a steal before it pops, and the steal takes nothing if the thief's own
 * queue has something as urgent: DEQUE_STEAL_FIRST, and `self` in deque_steal.
 *
 * Where this departs from the paper, and why:
 * - There, the listing's owner takes from its heap as long as there is something in it. Here, as in the authors' code,
 *   it takes the better of heap and buffer, from the buffer like a thief, by a CAS: a pop gives the most urgent item.
 * - There, whoever takes from the buffer takes all of it, by a flag "stolen". Here deque_steal_into does so, but
 *   deque_steal and the owner take one item. So the flag is a count.
 * - There, a thief keeps what it stole in a list of its own and runs it first. Here deque_steal_into puts it into the
 *   thief's heap, where it is taken by its priority and can be stolen again.
 */
#ifndef STEALBENCH_SMQ_H
#define STEALBENCH_SMQ_H

#include "ring.h"

#define DEQUE_NATIVE (DEQUE_STEAL_INTO + DEQUE_POLL + DEQUE_PRIORITIES)
#define DEQUE_STEAL_FIRST 8
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "smq", .title = "Stealing Multi-Queue", .source = "Postnikova et al.: PPoPP 2022",                       \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_GROWABLE, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,     \
        .sound = true, .delivery = DEQUE_ONCE, .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE,      \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

#define SMQ_DEFAULT_CAPACITY 256
#define SMQ_BUFFER 4 /* items that thieves can take before the owner has to do something */
#define SMQ_ARITY 4

struct smq_entry {
    deque_item item;
    uint64_t order; /* of the push, among items of the same priority */
    uint32_t priority;
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t state; /* epoch << 16 | items in the buffer << 8 | items taken of them */
    alignas(DEQUE_LINE) _Atomic(deque_item) buffer[SMQ_BUFFER];
    _Atomic uint32_t priorities[SMQ_BUFFER];
    alignas(DEQUE_LINE) struct smq_entry filled[SMQ_BUFFER]; /* the owner's copy of the buffer; from here on: its own */
    struct smq_entry *heap;
    _Atomic size_t count; /* items in the heap; atomic for deque_size alone */
    size_t room;
    uint64_t order;
};

DEQUE_OPERATION unsigned smq_held(uint64_t state) { return (unsigned)(state >> 8 & 0xff); }
DEQUE_OPERATION unsigned smq_taken(uint64_t state) { return (unsigned)(state & 0xff); }

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    deque->room = ring_asked(config, SMQ_DEFAULT_CAPACITY, RING_MAX / 4);
    if (deque->room == 0)
        return EINVAL;
    deque->heap = DEQUE_ALLOC(deque->room * sizeof *deque->heap);
    if (!deque->heap)
        return ENOMEM;
    deque->order = config->first_index;
    atomic_init(&deque->count, 0);
    atomic_init(&deque->state, config->first_index << 16);
    for (size_t i = 0; i < SMQ_BUFFER; i++) {
        atomic_init(&deque->buffer[i], (deque_item)0);
        atomic_init(&deque->priorities[i], 0);
    }
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->heap); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    (void)deque;
    return 0;
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t state = atomic_load_explicit(&deque->state, memory_order_relaxed);
    return atomic_load_explicit(&deque->count, memory_order_relaxed) + smq_held(state) - smq_taken(state);
}

/* --- the heap: the owner's alone */

/* By fields: the model checker cannot follow the copy of a structure. */
DEQUE_OPERATION void smq_copy(struct smq_entry *to, const struct smq_entry *from) {
    to->item = from->item;
    to->order = from->order;
    to->priority = from->priority;
}

DEQUE_OPERATION bool smq_before(const struct smq_entry *a, const struct smq_entry *b) {
    return a->priority != b->priority ? a->priority < b->priority : (int64_t)(a->order - b->order) < 0;
}

/* Room for n more. false: there is no memory. */
DEQUE_SLOW_PATH bool smq_grow(struct deque *deque, size_t n) {
    size_t count = atomic_load_explicit(&deque->count, memory_order_relaxed), room = 2 * deque->room + n;
    if (room > RING_MAX / 4)
        return false;
    struct smq_entry *heap = DEQUE_ALLOC(room * sizeof *heap);
    if (!heap)
        return false;
    for (size_t i = 0; i < count; i++)
        smq_copy(&heap[i], &deque->heap[i]);
    DEQUE_FREE(deque->heap);
    deque->heap = heap;
    deque->room = room;
    return true;
}

DEQUE_OPERATION bool smq_has_room(struct deque *deque, size_t n) {
    return atomic_load_explicit(&deque->count, memory_order_relaxed) + n <= deque->room || smq_grow(deque, n);
}

/* There is room. */
DEQUE_OPERATION void smq_insert(struct deque *deque, const struct smq_entry *entry) {
    size_t at = atomic_load_explicit(&deque->count, memory_order_relaxed);
    atomic_store_explicit(&deque->count, at + 1, memory_order_relaxed);
    for (size_t above; at > 0 && smq_before(entry, &deque->heap[above = (at - 1) / SMQ_ARITY]); at = above)
        smq_copy(&deque->heap[at], &deque->heap[above]);
    smq_copy(&deque->heap[at], entry);
}

/* The best; there is one. */
DEQUE_OPERATION void smq_extract(struct deque *deque, struct smq_entry *best) {
    const size_t count = atomic_load_explicit(&deque->count, memory_order_relaxed) - 1;
    const struct smq_entry *last = &deque->heap[count];
    smq_copy(best, &deque->heap[0]);
    atomic_store_explicit(&deque->count, count, memory_order_relaxed);
    for (size_t at = 0, least, end;; at = least) {
        least = at * SMQ_ARITY + 1;
        end = least + SMQ_ARITY < count ? least + SMQ_ARITY : count;
        for (size_t i = least + 1; i < end; i++)
            least = smq_before(&deque->heap[i], &deque->heap[least]) ? i : least;
        if (least >= count || !smq_before(&deque->heap[least], last)) {
            smq_copy(&deque->heap[at], last);
            return;
        }
        smq_copy(&deque->heap[at], &deque->heap[least]);
    }
}

/* --- the buffer */

/* Owner: state is the present one, and nothing is left in the buffer. */
DEQUE_OPERATION void smq_fill(struct deque *deque, uint64_t state) {
    uint64_t n = 0;
    for (; n < SMQ_BUFFER && atomic_load_explicit(&deque->count, memory_order_relaxed) > 0; n++) {
        smq_extract(deque, &deque->filled[n]);
        atomic_store_explicit(&deque->buffer[n], deque->filled[n].item, memory_order_relaxed);
        atomic_store_explicit(&deque->priorities[n], deque->filled[n].priority, memory_order_relaxed);
    }
    /* release: pairs with the acquire in smq_steal; publishes the buffer and what its items point to */
    if (n > 0)
        atomic_store_explicit(&deque->state, ((state >> 16) + 1) << 16 | n << 8, memory_order_release);
}

DEQUE_OPERATION void deque_poll(struct deque *deque) {
    /* acquire: pairs with the CAS in smq_steal; thieves have read the buffer before we write it again */
    uint64_t state = atomic_load_explicit(&deque->state, memory_order_acquire);
    if (smq_taken(state) == smq_held(state))
        smq_fill(deque, state);
}

DEQUE_OPERATION enum deque_result deque_push_by(struct deque *deque, deque_item item, uint32_t priority) {
    if (!smq_has_room(deque, 1))
        return DEQUE_FULL;
    struct smq_entry entry = {.item = item, .order = deque->order++, .priority = priority};
    smq_insert(deque, &entry);
    deque_poll(deque);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_by(deque, item, 0);
}

/* Owner: the best item of the buffer, if none in the heap is better, else NULL. */
DEQUE_OPERATION const struct smq_entry *smq_best_filled(const struct deque *deque, uint64_t state) {
    const struct smq_entry *next = &deque->filled[smq_taken(state) % SMQ_BUFFER];
    const bool heap = atomic_load_explicit(&deque->count, memory_order_relaxed) > 0;
    if (smq_taken(state) == smq_held(state) || (heap && smq_before(&deque->heap[0], next)))
        return NULL;
    return next;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    /* acquire: pairs with the CAS in smq_steal, as in deque_poll */
    uint64_t state = atomic_load_explicit(&deque->state, memory_order_acquire);
    const struct smq_entry *best;
    struct smq_entry own;
    /* acquire: pairs with the release of state in smq_steal, as above. Of ours no thief needs to know */
    while ((best = smq_best_filled(deque, state)) &&
           !atomic_compare_exchange_weak_explicit(&deque->state, &state, state + 1, memory_order_acquire,
                                                  memory_order_acquire))
        continue;
    if (best) {
        state++;
        *item = best->item;
    } else if (atomic_load_explicit(&deque->count, memory_order_relaxed) > 0) {
        smq_extract(deque, &own);
        *item = own.item;
    } else {
        return DEQUE_EMPTY;
    }
    if (smq_taken(state) == smq_held(state))
        smq_fill(deque, state);
    return DEQUE_OK;
}

/* The owner of self, as a thief: is an item of that priority no more urgent than what it has itself? */
DEQUE_OPERATION bool smq_has_as_urgent(const struct deque *self, uint32_t priority) {
    uint64_t state = atomic_load_explicit(&self->state, memory_order_relaxed);
    const struct smq_entry *best = smq_best_filled(self, state);
    if (!best && atomic_load_explicit(&self->count, memory_order_relaxed) > 0)
        best = &self->heap[0];
    return best && best->priority <= priority;
}

/* n: 1, or all that is left. */
DEQUE_OPERATION enum deque_result smq_steal(struct deque *victim, struct deque *self, bool all, struct smq_entry *out,
                                            size_t *n) {
    /* acquire: pairs with the release in smq_fill */
    uint64_t state = atomic_load_explicit(&victim->state, memory_order_acquire);
    const unsigned first = smq_taken(state), past = all ? smq_held(state) : first + 1;
    if (first == smq_held(state))
        return DEQUE_EMPTY;
    for (unsigned i = first; i < past; i++) {
        out[i - first].item = atomic_load_explicit(&victim->buffer[i], memory_order_relaxed);
        out[i - first].priority = atomic_load_explicit(&victim->priorities[i], memory_order_relaxed);
    }
    if (self && smq_has_as_urgent(self, out[0].priority))
        return DEQUE_EMPTY;
    *n = past - first;
    /* release: pairs with the acquire of state in deque_poll and deque_pop, which may write the buffer again */
    return atomic_compare_exchange_strong_explicit(&victim->state, &state, state + *n, memory_order_release,
                                                   memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    struct smq_entry entry;
    size_t n;
    enum deque_result result = smq_steal(victim, self, false, &entry, &n);
    if (result == DEQUE_OK)
        *item = entry.item;
    return result;
}

/* Without memory for all it takes one. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    struct smq_entry entries[SMQ_BUFFER];
    size_t n = 0;
    enum deque_result result = smq_steal(victim, self, smq_has_room(self, SMQ_BUFFER), entries, &n);
    *moved = 0;
    if (result != DEQUE_OK)
        return result;
    *first = entries[0].item;
    for (; *moved + 1 < n; ++*moved) {
        entries[*moved + 1].order = self->order++;
        smq_insert(self, &entries[*moved + 1]);
    }
    deque_poll(self);
    return DEQUE_OK;
}

#endif
