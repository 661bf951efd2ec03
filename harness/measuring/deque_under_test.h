/* deque_under_test.h: the one deque of this translation unit, with every form of the contract.
 *
 * Forms that the deque has itself (DEQUE_NATIVE) are used. The others are supplied here by repeating single operations.
 * A caller that measures a form asks DEQUE_HAS whether it is native; if not, it flags its samples as emulated.
 */
#pragma once

#ifndef DEQUE_HEADER
#error "name the deque: -DDEQUE_HEADER='\"queues/chase_lev.h\"'"
#endif
#include DEQUE_HEADER

#define DEQUE_HAS(form) ((DEQUE_NATIVE & (form)) != 0)

_Static_assert(!DEQUE_HAS(DEQUE_LISTS) || sizeof(deque_item) == sizeof(void *),
               "the items of an intrusive deque are pointers: it carries no others");

/* Owner. Pushes the first items of the array, oldest first, until one does not fit. Returns how many were pushed. */
#if !(DEQUE_NATIVE & DEQUE_PUSH_BATCH)
DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    size_t pushed = 0;
    while (pushed < n && deque_push(deque, items[pushed]) == DEQUE_OK)
        pushed++;
    return pushed;
}
#endif

/* Owner. Reserves slots outside the deque; commit pushes them as a batch. May push fewer if there is less room than
 * expected. */
#if !(DEQUE_NATIVE & DEQUE_RESERVE)
#define DEQUE_RESERVED 1024
typedef deque_item deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) { *slot = item; }
DEQUE_OPERATION deque_slot *deque_reserved(void) {
    static _Thread_local deque_slot slots[DEQUE_RESERVED];
    return slots;
}
DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    size_t capacity = deque_capacity(deque), size = deque_size(deque), room = n;
    if (capacity && capacity - size < n)
        room = size < capacity ? capacity - size : 0;
    *span = room < DEQUE_RESERVED ? room : DEQUE_RESERVED;
    return *span > 0 ? deque_reserved() : NULL;
}
DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    return deque_push_batch(deque, deque_reserved(), n);
}
#endif

/* How many of size items percent means: rounded up, so that 1 % of anything is at least one item; 0 means half. */
DEQUE_OPERATION size_t deque_share(size_t size, unsigned percent) {
    if (percent == 0)
        percent = 50;
    return size / 100 * percent + (size % 100 * percent + 99) / 100;
}

/* Any thief. Steals one by one, oldest first, until it has the share or a steal fails. */
#if !(DEQUE_NATIVE & DEQUE_STEAL_BATCH)
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    size_t wanted = deque_share(deque_size(victim), percent);
    enum deque_result result = DEQUE_EMPTY;
    if (wanted > max)
        wanted = max;
    *n = 0;
    while (*n < wanted && (result = deque_steal(victim, self, &out[*n])) == DEQUE_OK)
        ++*n;
    return *n > 0 ? DEQUE_OK : result;
}
#endif

/* The owner of self, as a thief. Returns one item to run at once, and moves up to half of the victim's items into self.
 * Each item is pushed into self before the next is stolen. So if self refuses (full, no memory), there is only one item
 * to place. */
#if !(DEQUE_NATIVE & DEQUE_STEAL_INTO)
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    size_t wanted = deque_share(deque_size(victim), 50);
    enum deque_result result = deque_steal(victim, self, first);
    *moved = 0;
    while (result == DEQUE_OK && *moved + 1 < wanted && deque_push(self, *first) == DEQUE_OK) {
        ++*moved;
        result = deque_steal(victim, self, first);
    }
    if (result == DEQUE_OK || *moved == 0)
        return result;
    --*moved; /* the last steal failed: take an item back to run; other thieves may have taken it from self by now */
    return deque_pop(self, first) == DEQUE_OK ? DEQUE_OK : DEQUE_LOST;
}
#endif

/* Any thread. How many items a thief could take now: a snapshot, which may be out of date. */
DEQUE_OPERATION size_t deque_stealable(const struct deque *deque) {
#ifdef DEQUE_STEALABLE
    return DEQUE_STEALABLE(deque);
#else
    const struct deque_traits traits = DEQUE_TRAITS;
    size_t size = deque_size(deque);
    return size > traits.thieves_leave ? size - traits.thieves_leave : 0;
#endif
}

#if !(DEQUE_NATIVE & DEQUE_POLL)
DEQUE_OPERATION void deque_poll(struct deque *deque) { (void)deque; }
#endif

/* Owner. A deque without places only has pop. */
#if !(DEQUE_NATIVE & DEQUE_PLACES)
DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    (void)deque;
    return 0;
}
DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    (void)place;
    return deque_pop(deque, item);
}
#endif

/* Owner. */
#if !(DEQUE_NATIVE & DEQUE_PUSH_AT)
DEQUE_OPERATION enum deque_result deque_push_at(struct deque *deque, deque_item item, uint64_t place) {
    (void)place;
    return deque_push(deque, item);
}
DEQUE_OPERATION enum deque_result deque_pop_own(struct deque *deque, deque_item item, uint64_t place) {
    (void)deque, (void)item, (void)place;
    return DEQUE_EMPTY;
}
#endif

/* What main knows of the deque (harness/deque_main.c): each translation unit has it, and the linker keeps one. */
#ifdef DEQUE_ID
#include "harness/measuring/describe.h"
__attribute__((weak)) const struct deque_here deque_here = {DEQUE_TRAITS, DEQUE_ID, sizeof(deque_item)};
#endif
