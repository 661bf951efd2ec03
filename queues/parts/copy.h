/* copy.h: copies many items at once, into and out of slots. A loop that masks each index takes twice as long; so does a
 * call for a few items, which are copied one by one.
 *
 * deque_copy, deque_copy_in, deque_copy_out and deque_copy_across are for plain slots, which no other thread touches
 * meanwhile; deque_copy_shared is for slots that thieves may read. What they copy does not overlap.
 */
#pragma once

/* How many items are moved. A model checker that cannot follow memcpy defines it before including. */
#ifndef DEQUE_COPY
#define DEQUE_COPY(to, from, n) memcpy(to, from, (n) * sizeof *(to))
#else
#define DEQUE_SINGLE_STORES /* of deque_copy_shared */
#endif

/* How many of n slots from position `at` of a ring of mask + 1 lie side by side. */
DEQUE_OPERATION size_t deque_run(uint64_t mask, uint64_t at, size_t n) {
    uint64_t run = mask + 1 - (at & mask);
    return n < run ? n : (size_t)run;
}

DEQUE_OPERATION void deque_copy(deque_item *to, const deque_item *from, size_t n) {
    if (n > 4) {
        DEQUE_COPY(to, from, n);
        return;
    }
    if (n > 0)
        to[0] = from[0];
    if (n > 1)
        to[1] = from[1];
    if (n > 2)
        to[2] = from[2];
    if (n > 3)
        to[3] = from[3];
}

/* Into a ring of mask + 1 slots, a power of two and at least n, from position `at` on. */
DEQUE_OPERATION void deque_copy_in(deque_item *slots, uint64_t mask, uint64_t at, const deque_item *items, size_t n) {
    size_t run = deque_run(mask, at, n);
    deque_copy(slots + (at & mask), items, run);
    if (run < n)
        deque_copy(slots, items + run, n - run);
}

/* Out of such a ring. */
DEQUE_OPERATION void deque_copy_out(const deque_item *slots, uint64_t mask, uint64_t at, deque_item *items, size_t n) {
    size_t run = deque_run(mask, at, n);
    deque_copy(items, slots + (at & mask), run);
    if (run < n)
        deque_copy(items + run, slots, n - run);
}

/* From one such ring into another. */
DEQUE_OPERATION void deque_copy_across(deque_item *to, uint64_t to_mask, uint64_t to_at, const deque_item *from,
                                       uint64_t from_mask, uint64_t from_at, size_t n) {
    size_t run = deque_run(to_mask, to_at, n);
    deque_copy_out(from, from_mask, from_at, to + (to_at & to_mask), run);
    if (run < n)
        deque_copy_out(from, from_mask, from_at + run, to, n - run);
}

/* What checks stores (a sanitizer, the lab, a model checker) gets single ones from deque_copy_shared. */
#if defined DEQUE_SINGLE_STORES
#elif defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__ || !defined __GNUC__
#define DEQUE_SINGLE_STORES
#elif defined __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define DEQUE_SINGLE_STORES
#endif
#endif

/* Into slots that thieves may read meanwhile. Such a thief learns afterwards that what it read does not count, so it
 * may see any mixture of old and new bytes: this is atomic_store_per_byte_memcpy of P1478, which C11 lacks. Many items
 * are copied by memcpy between two compiler fences. A few are stored one by one; two of these stores may write the same
 * slot, for that takes fewer branches. n at least 1; the fewest come first, for they take little longer than a branch.
 */
DEQUE_OPERATION void deque_copy_shared(_Atomic(deque_item) *to, const deque_item *from, size_t n) {
#define DEQUE_SHARE(i) atomic_store_explicit(&to[i], from[i], memory_order_relaxed) /* relaxed: as a push's store */
#ifdef DEQUE_SINGLE_STORES
    for (size_t i = 0; i < n; i++)
        DEQUE_SHARE(i);
#else
    if (n <= 2) {
        DEQUE_SHARE(0), DEQUE_SHARE(n - 1);
    } else if (n <= 4) {
        DEQUE_SHARE(0), DEQUE_SHARE(1), DEQUE_SHARE(n - 2), DEQUE_SHARE(n - 1);
    } else if (n <= 8) {
        DEQUE_SHARE(0), DEQUE_SHARE(1), DEQUE_SHARE(2), DEQUE_SHARE(3);
        DEQUE_SHARE(n - 4), DEQUE_SHARE(n - 3), DEQUE_SHARE(n - 2), DEQUE_SHARE(n - 1);
    } else {
        /* seq_cst, twice: no instruction; the compiler moves no store of a slot past it */
        atomic_signal_fence(memory_order_seq_cst);
        DEQUE_COPY((deque_item *)to, from, n);
        atomic_signal_fence(memory_order_seq_cst);
    }
#endif
#undef DEQUE_SHARE
}
