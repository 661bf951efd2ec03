/* deque.h: the contract that every deque in this folder keeps. Read this first, then chase_lev.h.
 * example.c uses a deque: two threads, one deque.
 *
 * A deque is one header, queues/NAME.h, in plain C11. It includes this file and defines, each function as
 * DEQUE_OPERATION (inlined) or DEQUE_SLOW_PATH (not inlined):
 *
 *   struct deque     its fields; what different threads write lies on different DEQUE_LINEs
 *   DEQUE_NATIVE     a preprocessor constant: the sum of the optional forms (parts/forms.h) that it has, or 0
 *   DEQUE_TRAITS     an initializer of struct deque_traits: what else the suite has to know
 *
 *   int    deque_init(struct deque *, const struct deque_config *);   0, EINVAL or ENOMEM; before any other call
 *   void   deque_destroy(struct deque *);                             after every other call of any thread
 *   size_t deque_capacity(const struct deque *);                      the most items it holds; 0: no limit
 *   size_t deque_size(const struct deque *);                          any thread: a snapshot, may be stale
 *
 *   enum deque_result deque_push(struct deque *, deque_item);         owner: OK or FULL (growth that fails is FULL)
 *   enum deque_result deque_pop(struct deque *, deque_item *);        owner: OK or EMPTY (a lost last item is EMPTY)
 *   enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *);
 *                                                                     any thief: OK, EMPTY or LOST
 *
 * `self` is the thief's own deque: its identity, its mailbox. Most deques ignore it: a caller without a deque of its
 * own passes NULL where the traits do not ask for one.
 *
 * Rules for all:
 * - An item is never 0. *item is unspecified unless the result is DEQUE_OK.
 * - LOST is not EMPTY: there was an item and another thread got it, or an answer came too late. EMPTY alone does not
 *   prove that a computation has ended.
 * - No call hangs because another thread has stopped, unless the traits say DEQUE_BLOCKING.
 * - deque_destroy also comes after every call to a deque with which deque_steal_into exchanged items and, for one that
 *   needs_self, to a deque that it stole from: a victim may answer when steal has returned.
 * - <stdatomic.h> with every order written out; a comment at each non-relaxed one names its partner. Publish with
 *   release stores, every store to the published variable included: in C++20 a plain store of the same thread does not
 *   continue a release sequence.
 * - No inline assembly, no compiler extensions in the algorithm, no 16-byte atomics, no _Atomic struct, no struct
 *   returned by value; every loop ends or can be bounded. The same file is timed, run under sanitizers, explored by
 *   the lab, model-checked and cross-compiled.
 * - Indices are unsigned 64-bit and compared by the sign of their difference, so that they may wrap.
 *
 * parts/ has what deques share, to be included after this file: copy.h copies many items, ring.h makes rings, fences.h
 * has asymmetric fences. Each other header beside this one is a deque; nothing lists it. A translation unit includes
 * one, named by DEQUE_HEADER, so a deque has no include guard.
 */
#pragma once

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parts/forms.h"

/* What a deque carries. A pointer, or an integer of 4 or 8 bytes for the payload experiment and the model checker. */
#ifndef DEQUE_ITEM
#define DEQUE_ITEM void *
#endif
typedef DEQUE_ITEM deque_item;

/* Two cache lines of 64 bytes: x86 fetches lines in pairs, so one line apart still means a shared pair. */
#ifndef DEQUE_LINE
#define DEQUE_LINE 128
#endif

/* An operation is inlined into the timed loop: a call doubled the cost of pop. A slow path (growth) stays out of it.
 * DEQUE_CALLED: nothing is inlined; a build that is not optimised is a third quicker then. */
#if defined(__GNUC__) && !defined(DEQUE_CALLED)
#define DEQUE_OPERATION __attribute__((always_inline, unused)) static inline
#define DEQUE_SLOW_PATH __attribute__((noinline, cold, unused)) static
#else
#define DEQUE_OPERATION static inline
#define DEQUE_SLOW_PATH static inline
#endif

/* A deque's memory: aligned to DEQUE_LINE, contents undefined, NULL when there is none. Whoever wants other memory
 * (placed, failing, a model checker's) defines both before including. */
#ifndef DEQUE_ALLOC
#define DEQUE_ALLOC(bytes) aligned_alloc(DEQUE_LINE, ((bytes) + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE)
#define DEQUE_FREE(pointer) free(pointer)
#endif

enum deque_result {
    DEQUE_OK,
    DEQUE_EMPTY, /* nothing to take now */
    DEQUE_FULL,  /* no room, or no memory to make room */
    DEQUE_LOST   /* another thread was first, or an answer came too late: worth another try */
};

/* What deque_init is told. 0 or NULL stands for the deque's own default. */
struct deque_config {
    size_t capacity;      /* items: a fixed deque holds at least this many, a growing one starts with this many */
    size_t block;         /* items in a block, for deques made of blocks */
    unsigned worker;      /* whose deque this is, from 0 */
    unsigned workers;     /* how many deques there are */
    struct deque *first;  /* worker 0's deque, for deques that share state */
    unsigned mode;        /* which of the traits' mode_values, from 0 */
    uint64_t first_index; /* where counters start: tests put it near a limit */
};

enum deque_owner_order { DEQUE_LIFO, DEQUE_FIFO };
enum deque_bound { DEQUE_FIXED, DEQUE_GROWABLE, DEQUE_LINKED };
enum deque_thieves {
    DEQUE_OWNER_ONLY, /* steal only by the owner's thread: references without synchronisation */
    DEQUE_ONE_THIEF,  /* one thief at a time: callers take turns */
    DEQUE_MANY_THIEVES
};
enum deque_progress { DEQUE_BLOCKING, DEQUE_OBSTRUCTION_FREE, DEQUE_LOCK_FREE, DEQUE_WAIT_FREE };
enum deque_delivery { DEQUE_ONCE, DEQUE_AT_LEAST_ONCE };

struct deque_traits {
    const char *id;     /* the file's path below queues/, without .h */
    const char *title;  /* for figures */
    const char *source; /* paper, post or project */
    enum deque_owner_order owner_order;
    enum deque_bound bound;
    enum deque_thieves thieves;
    unsigned native;              /* DEQUE_NATIVE */
    bool keeps_nothing;           /* has no storage: items that go in do not come out */
    bool needs_self;              /* deque_steal wants the thief's own deque */
    bool shared;                  /* the deques of all workers are one: config->first holds what is inside */
    bool sound;                   /* false: kept as published, known to lose or double items */
    bool reference;               /* to compare with, exempt from concurrent checks */
    bool aside;                   /* measured only where it is named, in no group */
    bool classic;                 /* of the group `classic`: the papers' deques, and those that programs run today */
    enum deque_delivery delivery; /* once, unless it is named */
    enum deque_progress push_progress, pop_progress, steal_progress; /* as claimed */
    unsigned thieves_leave;  /* the most items, with the default block, that no thief can take from the owner */
    bool one_a_request;      /* with DEQUE_POLL: an answer gives thieves one item, however many there are */
    bool asymmetric_fences;  /* uses parts/fences.h: its thieves make a system call where the kernel has it */
    bool thieves_overtake;   /* in a race a thief may take a newer item and leave an older one */
    const char *mode;        /* name of a setting of this deque's own, or NULL */
    const char *mode_values; /* its values, "full|skip"; the first is the default */
    const char *fault;       /* of an unsound one: what goes wrong, in one line */
};

/* The smallest power of two that is at least n. n at most 2^63. */
DEQUE_OPERATION size_t deque_round_up(size_t n) {
    size_t power = 1;
    while (power < n)
        power <<= 1;
    return power;
}
