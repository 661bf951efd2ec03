/* each_access.h: runs code before every access by <stdatomic.h> in the deque, without changing the deque's header.
 *
 * Included before the deque by preempt.c and stopped.c. The includer defines before_access(), a function or macro that
 * runs in the thread that is about to make the access. If it defines weak_exchange_fails(), too, this says of each weak
 * compare-and-exchange whether it fails for no reason, as it does on some processors.
 */
#ifndef STEALBENCH_EACH_ACCESS_H
#define STEALBENCH_EACH_ACCESS_H

#include <stdatomic.h>
#include <stdbool.h>

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

/* The value to be written is computed first, as it would be in a register. */
#define WITH(object, value, access)                                                                                    \
    __extension__({                                                                                                    \
        __typeof__(RAW_LOAD(object, memory_order_relaxed)) each_access_value = (value);                                \
        before_access();                                                                                               \
        access;                                                                                                        \
    })
#define atomic_load_explicit(object, order) (before_access(), RAW_LOAD(object, order))
#define atomic_store_explicit(object, value, order) WITH(object, value, RAW_STORE(object, each_access_value, order))
#define atomic_exchange_explicit(object, value, order)                                                                 \
    WITH(object, value, RAW_EXCHANGE(object, each_access_value, order))
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)                             \
    WITH(object, value, RAW_STRONG(object, expected, each_access_value, success, failure))
#ifndef weak_exchange_fails
#define weak_exchange_fails() false
#endif
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                               \
    WITH(object, value,                                                                                                \
         weak_exchange_fails() ? (*(expected) = RAW_LOAD(object, failure), false)                                      \
                               : RAW_WEAK(object, expected, each_access_value, success, failure))
#define atomic_fetch_add_explicit(object, value, order) WITH(object, value, RAW_ADD(object, each_access_value, order))
#define atomic_fetch_sub_explicit(object, value, order) WITH(object, value, RAW_SUB(object, each_access_value, order))
#define atomic_fetch_or_explicit(object, value, order) WITH(object, value, RAW_OR(object, each_access_value, order))
#define atomic_fetch_and_explicit(object, value, order) WITH(object, value, RAW_AND(object, each_access_value, order))
#define atomic_thread_fence(order) (before_access(), RAW_FENCE(order))

/* gcc 12 loses track of what is initialized if there is a call before each access. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#endif
