/* split_cas.h: a failing compare-and-exchange as C11 has it, for a model checker that does not.
 *
 * GenMC 0.10 lets the read of a CAS that fails have the order of success: after CAS(acquire, relaxed) has failed it
 * takes for published what C11 leaves open. With SPLIT_CAS each strong CAS is a load of the failure's order, and a CAS
 * only where that load has found what was expected. No execution is lost by it: a CAS that fails has read a value that
 * the load could read as well, so the case that the load finds what is expected and the CAS does not is left out. Where
 * the failure's order asks for more than success has, a fence on the way of failure gives it.
 *
 * Without SPLIT_CAS nothing is changed. Include before the deque.
 */
#ifndef STEALBENCH_MODEL_SPLIT_CAS_H
#define STEALBENCH_MODEL_SPLIT_CAS_H

#include <stdatomic.h>
#include <stdbool.h>

#ifdef SPLIT_CAS

void __VERIFIER_assume(bool) __attribute__((__nothrow__));

#define SPLIT_CAS_ACQUIRES(order)                                                                                      \
    ((order) == memory_order_acquire || (order) == memory_order_acq_rel || (order) == memory_order_seq_cst)

#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure)                           \
    __extension__({                                                                                                    \
        __typeof__(object) split_object = (object);                                                                    \
        __typeof__(expected) split_expected = (expected);                                                              \
        const bool split_fence = SPLIT_CAS_ACQUIRES(failure) && !SPLIT_CAS_ACQUIRES(success);                          \
        __typeof__(*split_expected) split_seen =                                                                       \
            atomic_load_explicit(split_object, split_fence ? memory_order_relaxed : (failure));                        \
        bool split_same = split_seen == *split_expected;                                                               \
        if (split_same) {                                                                                              \
            bool split_done =                                                                                          \
                __c11_atomic_compare_exchange_strong(split_object, split_expected, (desired), (success), (failure));   \
            __VERIFIER_assume(split_done);                                                                             \
        } else {                                                                                                       \
            if (split_fence)                                                                                           \
                atomic_thread_fence(memory_order_acquire);                                                             \
            *split_expected = split_seen;                                                                              \
        }                                                                                                              \
        split_same;                                                                                                    \
    })

#endif

#endif
