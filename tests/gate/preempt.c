/* preempt.c: the rounds of stress.c, but threads give way inside of operations.
 *
 * At full speed the window between two accesses of one operation is hit by chance, and hardly ever where threads share
 * a processor. Here every access by <stdatomic.h> in the deque, whose header stays as it is, may first hand the
 * processor to another thread, so that half-done operations meet even on one processor. What it changes, it can hide:
 * reordering by the compiler or the processor is stress.c's and the model checker's.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/* Accesses before this thread gives way next. Drawn anew each time, short and long, so that no step is missed. */
static _Thread_local uint32_t accesses_left = 1;
static _Thread_local uint32_t preempt_random = 1;

static inline void give_way(void) {
    if (--accesses_left > 0)
        return;
    preempt_random = preempt_random * 1664525u + 1013904223u;
    accesses_left = 1 + (preempt_random >> 16) % (4u << (preempt_random >> 29));
    sched_yield();
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and_explicit
#undef atomic_thread_fence

#ifdef __clang__
#define RAW_LOAD(object, order) __c11_atomic_load(object, order)
#define RAW_STORE(object, value, order) __c11_atomic_store(object, value, order)
#define RAW_EXCHANGE(object, value, order) __c11_atomic_exchange(object, value, order)
#define RAW_STRONG(object, expected, value, success, failure)                                                          \
    __c11_atomic_compare_exchange_strong(object, expected, value, success, failure)
#define RAW_WEAK(object, expected, value, success, failure)                                                            \
    __c11_atomic_compare_exchange_weak(object, expected, value, success, failure)
#define RAW_ADD(object, value, order) __c11_atomic_fetch_add(object, value, order)
#define RAW_SUB(object, value, order) __c11_atomic_fetch_sub(object, value, order)
#define RAW_OR(object, value, order) __c11_atomic_fetch_or(object, value, order)
#define RAW_AND(object, value, order) __c11_atomic_fetch_and(object, value, order)
#define RAW_FENCE(order) __c11_atomic_thread_fence(order)
#else
#define RAW_LOAD(object, order) __atomic_load_n(object, order)
#define RAW_STORE(object, value, order) __atomic_store_n(object, value, order)
#define RAW_EXCHANGE(object, value, order) __atomic_exchange_n(object, value, order)
#define RAW_STRONG(object, expected, value, success, failure)                                                          \
    __atomic_compare_exchange_n(object, expected, value, false, success, failure)
#define RAW_WEAK(object, expected, value, success, failure)                                                            \
    __atomic_compare_exchange_n(object, expected, value, true, success, failure)
#define RAW_ADD(object, value, order) __atomic_fetch_add(object, value, order)
#define RAW_SUB(object, value, order) __atomic_fetch_sub(object, value, order)
#define RAW_OR(object, value, order) __atomic_fetch_or(object, value, order)
#define RAW_AND(object, value, order) __atomic_fetch_and(object, value, order)
#define RAW_FENCE(order) __atomic_thread_fence(order)
#endif

/* The value to be written is there before the thread gives way, as it would be in a register. */
#define WITH(object, value, access)                                                                                    \
    __extension__({                                                                                                    \
        __typeof__(RAW_LOAD(object, memory_order_relaxed)) preempt_value = (value);                                    \
        give_way();                                                                                                    \
        access;                                                                                                        \
    })
#define atomic_load_explicit(object, order) (give_way(), RAW_LOAD(object, order))
#define atomic_store_explicit(object, value, order) WITH(object, value, RAW_STORE(object, preempt_value, order))
#define atomic_exchange_explicit(object, value, order) WITH(object, value, RAW_EXCHANGE(object, preempt_value, order))
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)                             \
    WITH(object, value, RAW_STRONG(object, expected, preempt_value, success, failure))
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                               \
    WITH(object, value, RAW_WEAK(object, expected, preempt_value, success, failure))
#define atomic_fetch_add_explicit(object, value, order) WITH(object, value, RAW_ADD(object, preempt_value, order))
#define atomic_fetch_sub_explicit(object, value, order) WITH(object, value, RAW_SUB(object, preempt_value, order))
#define atomic_fetch_or_explicit(object, value, order) WITH(object, value, RAW_OR(object, preempt_value, order))
#define atomic_fetch_and_explicit(object, value, order) WITH(object, value, RAW_AND(object, preempt_value, order))
#define atomic_thread_fence(order) (give_way(), RAW_FENCE(order))

/* gcc 12 loses sight of what is initialized where a call stands before each access. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define STRESS_NAME "preempt"
#include "tests/gate/stress_rounds.h"

static const struct check preempt = {
    .name = STRESS_NAME,
    .summary = "the rounds of stress, with threads that give way inside of operations",
    .in_stamp = true,
    .run = stress_run,
};
REGISTER_CHECK(preempt);
