/* asymmetric_fences.h: the asymmetric fences of queues/parts/fences.h for a model checker, in three models.
 *
 * By default both are sequentially consistent fences, which is what the contract promises. With -DINTERRUPTED the heavy
 * fence does what a kernel does: it makes main, the owner, run a sequentially consistent fence wherever main is, and
 * waits for that; the light fence does nothing. Main can be interrupted before each of its operations, at each light
 * fence, and after its last operation, so the fence is before the store that the light one follows, after the load that
 * it precedes, or in between. The checker chooses: a look at `fences_wanted` may find the request or an older value.
 * From its first join on main is idle, and a kernel does not wait for a thread that is not running. With -DMIXED in
 * addition, thieves that ask for the kind of fences are told that there are none, as in another translation unit. With
 * -DPAIRED the kernel has none: the light fence does nothing, the heavy one fences only the calling thread.
 *
 * Include before the deque. With -DINTERRUPTED no thread but main may own a deque that others steal from.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Fences take no time here. Each thread runs its own; with -DDEQUE_FENCE_LOOKS=1 threads share them, as outside. */
#define DEQUE_CLOCK() 0
#ifndef DEQUE_FENCE_LOOKS
#define DEQUE_FENCE_LOOKS 0
#endif

#ifdef PAIRED

#define DEQUE_FENCES_ASYMMETRIC() false
#define DEQUE_FENCE_LIGHT() ((void)0)
#define DEQUE_FENCE_HEAVY(asymmetric) ((void)(asymmetric), atomic_thread_fence(memory_order_seq_cst))
#define MAY_BE_INTERRUPTED() ((void)0)

#else

#ifdef MIXED
static bool thieves_ask; /* main writes it before there are thieves */
#define DEQUE_FENCES_ASYMMETRIC() (!thieves_ask)
#else
#define DEQUE_FENCES_ASYMMETRIC() true
#endif

#ifndef INTERRUPTED

#define DEQUE_FENCE_LIGHT() atomic_thread_fence(memory_order_seq_cst)
#define DEQUE_FENCE_HEAVY(asymmetric) ((void)(asymmetric), atomic_thread_fence(memory_order_seq_cst))
#define MAY_BE_INTERRUPTED() ((void)0)

#else

void __VERIFIER_assume(bool) __attribute__((__nothrow__));

static _Atomic unsigned fences_wanted, fences_run;
static _Thread_local bool can_be_interrupted; /* main, while there are other threads */

static inline void run_fences(unsigned up_to) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with both in interrupt_owner */
    atomic_store_explicit(&fences_run, up_to, memory_order_relaxed);
}

static inline void may_be_interrupted(void) {
    if (!can_be_interrupted)
        return;
    unsigned wanted = atomic_load_explicit(&fences_wanted, memory_order_relaxed);
    if (wanted > atomic_load_explicit(&fences_run, memory_order_relaxed))
        run_fences(wanted);
}

static inline void interrupt_owner(bool asymmetric) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in run_fences */
    if (asymmetric && !can_be_interrupted) {
        unsigned wanted = atomic_fetch_add_explicit(&fences_wanted, 1, memory_order_relaxed) + 1;
        __VERIFIER_assume(atomic_load_explicit(&fences_run, memory_order_relaxed) >= wanted);
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in run_fences */
}

#define DEQUE_FENCE_LIGHT() may_be_interrupted()
#define DEQUE_FENCE_HEAVY(asymmetric) interrupt_owner(asymmetric)
#define MAY_BE_INTERRUPTED() may_be_interrupted()

static inline void others_begin(void) {
    can_be_interrupted = true;
#ifdef MIXED
    if (!thieves_ask) /* a thief may be reading it */
        thieves_ask = true;
#endif
}

/* Main starts the other threads, and is idle while it waits for one. */
#define pthread_create(thread, attributes, work, argument)                                                             \
    (others_begin(), pthread_create(thread, attributes, work, argument))
#define pthread_join(thread, result) (run_fences(~0u), pthread_join(thread, result))

#endif

#endif
