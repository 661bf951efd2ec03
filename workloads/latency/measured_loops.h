/* measured_loops.h: the timed loops, each a MEASURED function that contains operations and nothing else. OPERATION_DONE
 * after an operation keeps the compiler from merging it with the next.
 *
 * A compiler can turn one loop into several machine codes, and at a nanosecond the choice between them can matter more
 * than the choice of deque. So the executable exists in several variants of the code (setup/compiler.py), and an
 * invocation draws one: results are then of a deque's source, not of one machine code.
 */
#pragma once

#include "harness/measuring/deque_under_test.h"

/* A loop's place in a cache line can be worth a tenth of its time. So each loop starts on a line of its own;
 * MEASURED_SHIFT (bytes of padding before it) lets the suite measure how much that matters. */
#ifndef MEASURED_SHIFT
#define MEASURED_SHIFT 0
#endif
#ifdef __clang__ /* makes no clones, and does not know that attribute */
#define MEASURED __attribute__((noinline, aligned(64))) static
#else
#define MEASURED __attribute__((noinline, noclone, aligned(64))) static
#endif
#if MEASURED_SHIFT > 0
#define MEASURED_START() __asm__ volatile(".skip %c0, 0x90" : : "i"(MEASURED_SHIFT))
#else
#define MEASURED_START() ((void)0)
#endif
/* Most variants have a nop behind each operation: a locked instruction that meets itself at a certain distance costs a
 * quarter more, and any instruction in between prevents that. */
#ifdef OPERATION_GAP
#define OPERATION_GAP_CODE "nop"
#else
#define OPERATION_GAP_CODE ""
#endif
#define OPERATION_DONE(value) __asm__ volatile(OPERATION_GAP_CODE : : "r"(value) : "memory")

/* How operations of one loop depend on each other: the parameter `operations`. */
enum chaining {
    IN_A_ROW,    /* on one deque after the other; what joins two is the deque's own memory */
    INDEPENDENT, /* each on another deque than the last: none waits for another, so this is what the core can get
                    through */
    DEPENDENT    /* as in a row, each at an address that is known when the one before has its result */
};
#define CHAINING_CHOICES "in_a_row|independent|dependent"
#define INDEPENDENT_DEQUES 8 /* that take turns */

/* All loops. deques, count: on each of them in turn; items, mask: deque i takes set (i & mask) of the
 * items; *lost: grows by attempts that another thread won. */
struct measured_loops {
    /* `each` single pushes into each deque; `batches` of `batch` items; `batches` lists, one after the other */
    void (*push_single[DEPENDENT + 1])(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                       size_t each);
    void (*push_batch)(struct deque *const *deques, size_t count, const deque_item *items, size_t mask, size_t batches,
                       size_t batch);
    void (*push_list)(struct deque *const *deques, size_t count, struct deque_list *lists, size_t batches);
    /* `each` pops from each deque; until the deque is empty, at most max */
    void (*pop[DEPENDENT + 1])(struct deque *const *deques, size_t count, size_t each);
    void (*drain)(struct deque *const *deques, size_t count, size_t max);
    /* PAIRS pairs on each deque, of items from sets of `each`, of which the first `size` are in it */
    void (*pairs[DEPENDENT + 1])(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                 size_t each, size_t size);
    /* return the items taken from all victims */
    size_t (*steal_single)(struct deque *const *victims, size_t count, struct deque *self, size_t wanted, size_t *lost);
    size_t (*steal_native)(struct deque *const *victims, size_t count, struct deque *self, unsigned percent,
                           deque_item *out, size_t max, size_t *lost);
};

extern const struct measured_loops measured_loops; /* variants/loops.c */

#define PAIRS 512 /* each with an item of its own: an intrusive deque may not take one again at once */
