/* The language: C11, or C++17 and later. */
#ifdef __cplusplus
#include <atomic>
#define DEQUE_ATOMIC(type) ::std::atomic<type>
#define DEQUE_ORDER(order) ::std::memory_order_##order
struct PREFIX_memory { /* C assigns what comes from malloc to any pointer */
    void *start;
    template <typename type> operator type *() const { return static_cast<type *>(start); }
};
#define DEQUE_MEMORY(start) (PREFIX_memory{start})
#else
#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#define DEQUE_ATOMIC(type) _Atomic(type)
#define DEQUE_ORDER(order) memory_order_##order
#define DEQUE_MEMORY(start) (start)
#endif
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* With DEQUE_CHECK_OWNER defined, a call that is the owner's alone aborts in any other thread. The first thread that
 * makes one is the owner. */
#ifdef DEQUE_CHECK_OWNER
#include <pthread.h>
#include <stdio.h>
#define DEQUE_OWNER_FIELD DEQUE_ATOMIC(uintptr_t) owner;
#define DEQUE_OWNER_NONE(deque) atomic_store_explicit(&(deque)->owner, (uintptr_t)0, memory_order_relaxed)
#define DEQUE_OWNER_CALLS(deque, call) deque_owner_calls(&(deque)->owner, call)
static inline void deque_owner_calls(DEQUE_ATOMIC(uintptr_t) * owner, const char *call) {
    uintptr_t known = 0, me = (uintptr_t)pthread_self();
    /* relaxed: it orders nothing; the program itself hands a deque over */
    if (atomic_compare_exchange_strong_explicit(owner, &known, me, memory_order_relaxed, memory_order_relaxed) ||
        known == me)
        return;
    fprintf(stderr, "%s: called by a second thread, but a deque has one owner\n", call);
    abort();
}
#else
#define DEQUE_OWNER_FIELD
#define DEQUE_OWNER_NONE(deque) ((void)0)
#define DEQUE_OWNER_CALLS(deque, call) ((void)0)
#endif
