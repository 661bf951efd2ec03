/* give_way.h: if included before everything else, every access by <stdatomic.h> may first hand the processor to another
 * thread, and every weak compare-and-exchange may fail for no reason, as it does on some processors.
 */
#pragma once

#include "harness/measuring/random.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Accesses before this thread gives way next. Drawn at random, short and long, so that no step is missed. */
static _Thread_local uint32_t accesses_left = 1;
static _Thread_local uint64_t give_way_random = 1;

static inline void give_way(void) {
    if (--accesses_left > 0)
        return;
    uint64_t drawn = random_next(&give_way_random);
    accesses_left = 1 + (uint32_t)(drawn >> 32) % (4u << (drawn >> 61));
    sched_yield();
}

/* One of eight, at random. */
static inline bool weak_exchange_fails(void) { return random_next(&give_way_random) >> 61 == 0; }

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

/* The compilers' own accesses. n: the end of gcc's name. */
#ifdef __clang__
#define RAW(operation, n, ...) __c11_atomic_##operation(__VA_ARGS__)
#define RAW_FETCH(operation, ...) __c11_atomic_fetch_##operation(__VA_ARGS__)
#define RAW_EXCHANGE_IF(strength, object, expected, value, success, failure)                                           \
    __c11_atomic_compare_exchange_##strength(object, expected, value, success, failure)
#else
#define RAW(operation, n, ...) __atomic_##operation##n(__VA_ARGS__)
#define RAW_FETCH(operation, ...) __atomic_fetch_##operation(__VA_ARGS__)
#define IS_weak true
#define IS_strong false
#define RAW_EXCHANGE_IF(strength, object, expected, value, success, failure)                                           \
    __atomic_compare_exchange_n(object, expected, value, IS_##strength, success, failure)
#endif

/* The value to be written is computed first, as it would be in a register. */
#define WITH(object, value, access)                                                                                    \
    __extension__({                                                                                                    \
        __typeof__(RAW(load, _n, object, memory_order_relaxed)) raw_value = (value);                                   \
        give_way();                                                                                                    \
        access;                                                                                                        \
    })
#define atomic_load_explicit(object, order) (give_way(), RAW(load, _n, object, order))
#define atomic_store_explicit(object, value, order) WITH(object, value, RAW(store, _n, object, raw_value, order))
#define atomic_exchange_explicit(object, value, order) WITH(object, value, RAW(exchange, _n, object, raw_value, order))
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)                             \
    WITH(object, value, RAW_EXCHANGE_IF(strong, object, expected, raw_value, success, failure))
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                               \
    WITH(object, value,                                                                                                \
         weak_exchange_fails() ? (*(expected) = RAW(load, _n, object, failure), false)                                 \
                               : RAW_EXCHANGE_IF(weak, object, expected, raw_value, success, failure))
#define atomic_fetch_add_explicit(object, value, order) WITH(object, value, RAW_FETCH(add, object, raw_value, order))
#define atomic_fetch_sub_explicit(object, value, order) WITH(object, value, RAW_FETCH(sub, object, raw_value, order))
#define atomic_fetch_or_explicit(object, value, order) WITH(object, value, RAW_FETCH(or, object, raw_value, order))
#define atomic_fetch_and_explicit(object, value, order) WITH(object, value, RAW_FETCH(and, object, raw_value, order))
#define atomic_thread_fence(order) (give_way(), RAW(thread_fence, , order))

/* gcc 12 loses track of what is initialized if there is a call before each access. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
