/* split_cas.h: gives a model checker a failing compare-and-exchange with C11's meaning.
 *
 * In GenMC 0.10 the read of a failing CAS has the success order. So after CAS(acquire, relaxed) has failed, GenMC takes
 * data for published that C11 does not publish. With SPLIT_CAS each strong CAS is a load with the failure order,
 * followed by a CAS only if that load found the expected value. No execution is lost: a failing CAS reads a value that
 * the load could also read, so the case where only the load finds the expected value is left out. If the failure order
 * is stronger than the success order, a fence on the failure path supplies it.
 *
 * Without SPLIT_CAS nothing is changed. Include before the deque.
 */
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
