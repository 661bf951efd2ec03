/* private.h: deques that only their owner touches; thieves ask for items.
 *
 * U. A. Acar, A. Charguéraud, M. Rainey: Scheduling parallel programs by work stealing with private deques, PPoPP 2013;
 * the receiver-initiated form.
 *
 * Push and pop are those of an unsynchronised ring. A thief that finds `offers` set puts the address of its own deque
 * into the victim's `request` and waits, with a look at its own line only; the owner, when it polls, clears the request
 * and puts its oldest item into the thief's `mailbox`, or sets `refused` there. An owner that does not poll cannot be
 * stolen from. `offers` is set with the first item and cleared with the last.
 *
 * Where this departs from the paper, and why: there, a thief waits until it is answered. Here it waits for a bounded
 * time and withdraws, and that must lose no item. A mailbox is 0 exactly while its thief waits. The owner delivers by a
 * CAS from 0 to the item and keeps the item if the CAS fails. The thief withdraws by a CAS from 0 to something else; if
 * the CAS fails, an item has come. So a late answer stays with the victim, or, if the thief waits again by then (for
 * this victim or another), the thief gets it. A waiting thief answers requests itself.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE (DEQUE_POLL + DEQUE_RESERVE)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "private", .title = "private", .source = "Acar, Charguéraud, Rainey: PPoPP 2013",                        \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .needs_self = true, .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,          \
        .steal_progress = DEQUE_BLOCKING,                                                                              \
    }

/* How often a thief looks before it withdraws. */
#ifndef PRIVATE_PATIENCE
#define PRIVATE_PATIENCE 1000
#endif

/* The value of a mailbox if nobody waits and no item has come: not 0. */
#define PRIVATE_NOT_WAITING ((deque_item)(uintptr_t)1)

struct deque {
    alignas(DEQUE_LINE) _Atomic(struct deque *) request; /* a thief's deque; thieves by CAS, the owner by exchange */
    _Atomic bool offers;                                 /* written by the owner: there is an item to ask for */
    alignas(DEQUE_LINE) _Atomic(deque_item) mailbox;     /* of this deque's owner, as a thief; 0: it waits */
    _Atomic bool refused;                                /* the victim has nothing: it waits in vain */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    _Atomic uint64_t top;                        /* the oldest item */
    deque_item *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    atomic_init(&deque->request, NULL);
    atomic_init(&deque->offers, false);
    atomic_init(&deque->refused, false);
    atomic_init(&deque->mailbox, PRIVATE_NOT_WAITING);
    atomic_init(&deque->bottom, config->first_index);
    atomic_init(&deque->top, config->first_index);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

/* The indices are atomic for this function alone. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return ring_between(&deque->top, &deque->bottom); }

/* Owner. relaxed: what thieves read of it only decides whether they ask */
DEQUE_OPERATION void private_offer(struct deque *deque, bool offers) {
    atomic_store_explicit(&deque->offers, offers, memory_order_relaxed);
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t items = bottom - atomic_load_explicit(&deque->top, memory_order_relaxed);
    if (items - 1 >= deque->mask) { /* none, or no room */
        if (items > 0)
            return DEQUE_FULL;
        private_offer(deque, true);
    }
    deque->slots[bottom & deque->mask] = item;
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return DEQUE_OK;
}

typedef deque_item deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) { *slot = item; }

DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t room = deque->mask + 1 - (bottom - atomic_load_explicit(&deque->top, memory_order_relaxed));
    *span = deque_run(deque->mask, bottom, n < room ? n : (size_t)room);
    return *span > 0 ? deque->slots + (bottom & deque->mask) : NULL;
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (n > 0 && bottom == atomic_load_explicit(&deque->top, memory_order_relaxed))
        private_offer(deque, true);
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_relaxed);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t items = bottom - atomic_load_explicit(&deque->top, memory_order_relaxed);
    if (items <= 1) {
        if (items == 0)
            return DEQUE_EMPTY;
        private_offer(deque, false);
    }
    *item = deque->slots[(bottom - 1) & deque->mask];
    atomic_store_explicit(&deque->bottom, bottom - 1, memory_order_relaxed);
    return DEQUE_OK;
}

/* Owner. Gives the thief that asks the oldest item, if there is one and the thief still waits. */
DEQUE_SLOW_PATH void private_answer(struct deque *deque) {
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    /* acquire: pairs with the release of request in deque_steal; the thief's deque has been made, and it waits */
    struct deque *thief = atomic_exchange_explicit(&deque->request, NULL, memory_order_acquire);
    if (!thief) /* withdrawn since deque_poll looked */
        return;
    deque_item waits = (deque_item)0;
    if (top == atomic_load_explicit(&deque->bottom, memory_order_relaxed)) {
        atomic_store_explicit(&thief->refused, true, memory_order_relaxed);
    } else if (/* release: pairs with the acquire of mailbox in deque_steal; publishes what the item points to */
               atomic_compare_exchange_strong_explicit(&thief->mailbox, &waits, deque->slots[top & deque->mask],
                                                       memory_order_release, memory_order_relaxed)) {
        atomic_store_explicit(&deque->top, top + 1, memory_order_relaxed);
        if (top + 1 == atomic_load_explicit(&deque->bottom, memory_order_relaxed))
            private_offer(deque, false);
    }
}

DEQUE_OPERATION void deque_poll(struct deque *deque) {
    if (atomic_load_explicit(&deque->request, memory_order_relaxed))
        private_answer(deque);
}

/* Thief, in need of self. LOST: somebody else is asking, the victim did not answer in time, or it had nothing left. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    struct deque *nobody = NULL, *us = self;
    deque_item got = (deque_item)0;
    if (!atomic_load_explicit(&victim->offers, memory_order_relaxed))
        return DEQUE_EMPTY;
    if (atomic_load_explicit(&victim->request, memory_order_relaxed))
        return DEQUE_LOST;
    atomic_store_explicit(&self->refused, false, memory_order_relaxed);
    /* relaxed: the release of request below publishes both */
    atomic_store_explicit(&self->mailbox, got, memory_order_relaxed);
    /* release: pairs with the acquire of request in private_answer */
    if (atomic_compare_exchange_strong_explicit(&victim->request, &nobody, self, memory_order_release,
                                                memory_order_relaxed)) {
        for (int look = 0; look < PRIVATE_PATIENCE && !atomic_load_explicit(&self->mailbox, memory_order_relaxed) &&
                           !atomic_load_explicit(&self->refused, memory_order_relaxed);
             look++)
            deque_poll(self);
        /* relaxed: the next thief publishes itself */
        if (atomic_load_explicit(&victim->request, memory_order_relaxed) == self)
            atomic_compare_exchange_strong_explicit(&victim->request, &us, NULL, memory_order_relaxed,
                                                    memory_order_relaxed);
    }
    /* acquire, for the failure: pairs with the release of mailbox in private_answer; an item has come */
    if (atomic_compare_exchange_strong_explicit(&self->mailbox, &got, PRIVATE_NOT_WAITING, memory_order_acquire,
                                                memory_order_acquire))
        return DEQUE_LOST;
    *item = got;
    return DEQUE_OK;
}
