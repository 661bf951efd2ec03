/* fences.h: asymmetric fences, of which only the rare side pays.
 *
 * They serve a protocol in which one side stores one word and then loads another, the other side does the reverse, and
 * one of them must see the other's store. Usually both sides have a sequentially consistent fence in between. Where one
 * side is rare, it can pay for both (D. Dice, H. Huang, M. Yang: Asymmetric Dekker synchronization, 2001;
 * P. E. McKenney, M. Desnoyers: membarrier(2)):
 *
 *   deque_fence_light()            the frequent side, an owner: binds the compiler alone, no instruction
 *   deque_fence_heavy(asymmetric)  the rare side, a thief, told its victim's kind: a sequentially consistent fence here
 *                                  and in every running thread of the process; a system call
 *
 * On N processors each heavy fence interrupts N threads. So threads share them: a fence serves all who asked before it
 * began, and after one, none begins for DEQUE_FENCE_REST times as long as it took. Who asks can do something else
 * meanwhile, such as look whether the fence is still needed:
 *
 *   deque_fence_ask(asymmetric)    the rare side, between its store and its load: a ticket
 *   deque_fence_passed(asymmetric, ticket, look)
 *                                  has a heavy fence passed that began since? Runs one if none is under way and the
 *                                  last is long enough ago. look is how often the caller has asked with this ticket:
 *                                  from DEQUE_FENCE_LOOKS on it runs one in any case, for nobody waits for a thread
 *                                  that has stopped
 *
 * A light fence and a heavy one order like two sequentially consistent fences. That needs Linux's membarrier, which not
 * every kernel has or allows. A deque asks deque_fences_asymmetric() once, in deque_init, and keeps the answer: its
 * kind, which its owner and every thief follow. Nobody asks again, since another translation unit (another standard,
 * C++, a sanitizer) may get another answer. Where a deque is not asymmetric, the heavy fence is one of its thread
 * alone, and the owner runs atomic_thread_fence(memory_order_seq_cst) in place of the light one.
 *
 * ThreadSanitizer does not know about membarrier, so under it the light fence is a full one. A simulator or a model
 * checker defines the three DEQUE_FENCE names below before including. With DEQUE_FENCES_PAIRED no deque of this
 * translation unit is asymmetric. DEQUE_FAIL ends the program with a message: if the kernel refuses what it granted,
 * a thief cannot go on.
 */
#pragma once

#ifndef DEQUE_FENCE_HEAVY
#if defined __SANITIZE_THREAD__
#define DEQUE_FENCE_LIGHT() atomic_thread_fence(memory_order_seq_cst)
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define DEQUE_FENCE_LIGHT() atomic_thread_fence(memory_order_seq_cst)
#endif
#endif
#ifndef DEQUE_FENCE_LIGHT
#define DEQUE_FENCE_LIGHT() atomic_signal_fence(memory_order_seq_cst)
#endif
#define DEQUE_FENCE_HEAVY(asymmetric) deque_fence_by_kernel(asymmetric)
#define DEQUE_FENCES_ASYMMETRIC() deque_fences_by_kernel()

#ifndef DEQUE_FAIL
#include <stdio.h>
#define DEQUE_FAIL(message) (fputs(message "\n", stderr), abort())
#endif
#ifdef __linux__
#include <sys/syscall.h>
#ifdef __cplusplus
#include <unistd.h>
#else
extern long syscall(long number, ...); /* of <unistd.h>, which does not declare it under -std=c11 */
#endif
#endif
/* Of <linux/membarrier.h>, which may be missing: MEMBARRIER_CMD_PRIVATE_EXPEDITED, and the one that registers for it.
 */
enum { DEQUE_MEMBARRIER_EXPEDITED = 8, DEQUE_MEMBARRIER_REGISTER = 16 };
DEQUE_SLOW_PATH bool deque_membarrier(int command) {
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0) == 0;
#else
    return command < 0; /* none */
#endif
}

/* Registering twice does no harm, so threads and translation units agree. */
DEQUE_SLOW_PATH bool deque_fences_by_kernel(void) {
#ifdef DEQUE_FENCES_PAIRED
    return false;
#else
    return deque_membarrier(DEQUE_MEMBARRIER_REGISTER);
#endif
}

DEQUE_SLOW_PATH void deque_fence_by_kernel(bool asymmetric) {
    /* seq_cst, here and below: pairs with every light fence; the kernel has other threads run one like it meanwhile */
    atomic_thread_fence(memory_order_seq_cst);
    if (asymmetric && !deque_membarrier(DEQUE_MEMBARRIER_EXPEDITED))
        DEQUE_FAIL("deque: the kernel refuses the membarrier that it granted before; no thief can steal without it");
    atomic_thread_fence(memory_order_seq_cst);
}
#endif

/* Nanoseconds, of any beginning. */
#ifndef DEQUE_CLOCK
#include <time.h>
#define DEQUE_CLOCK() deque_clock()
DEQUE_SLOW_PATH uint64_t deque_clock(void) {
    struct timespec now;
    return timespec_get(&now, TIME_UTC) ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}
#endif
#define DEQUE_FENCE_REST_MOST 1000000
#ifndef DEQUE_FENCE_REST
#define DEQUE_FENCE_REST 1
#endif
#ifndef DEQUE_FENCE_LOOKS
#define DEQUE_FENCE_LOOKS (1 << 16)
#endif

/* The heavy fences of the process, or where the linker does not join them, of a translation unit: less is shared then.
 */
struct deque_fences {
    alignas(DEQUE_LINE) _Atomic uint64_t state; /* two for each that has ended; odd: one is under way */
    _Atomic uint64_t rest;                      /* by the clock: when the next may begin */
    _Atomic uint64_t run;                       /* how many were run, those included that no ticket waited for */
};
#ifdef __GNUC__
__attribute__((weak)) struct deque_fences deque_fences;
#else
static struct deque_fences deque_fences;
#endif

DEQUE_OPERATION bool deque_fences_asymmetric(void) { return DEQUE_FENCES_ASYMMETRIC(); }
DEQUE_OPERATION void deque_fence_light(void) { DEQUE_FENCE_LIGHT(); }

DEQUE_SLOW_PATH uint64_t deque_fence_ask(bool asymmetric) {
    if (!asymmetric)
        return 0;
    /* seq_cst: pairs with the fence in deque_fence_by_kernel of the thread that raises state from what we read now, or
     * later: it comes before that one */
    atomic_thread_fence(memory_order_seq_cst);
    return (atomic_load_explicit(&deque_fences.state, memory_order_relaxed) + 3) & ~(uint64_t)1;
}

DEQUE_SLOW_PATH void deque_fence_alone(bool asymmetric) {
    DEQUE_FENCE_HEAVY(asymmetric);
    atomic_fetch_add_explicit(&deque_fences.run, 1, memory_order_relaxed); /* relaxed: a number for people */
}

DEQUE_SLOW_PATH bool deque_fence_passed(bool asymmetric, uint64_t ticket, uint64_t look) {
    if (!asymmetric || look >= DEQUE_FENCE_LOOKS) {
        deque_fence_alone(asymmetric);
        return true;
    }
    /* acquire: pairs with the release of state below; what the fence made seen, we see */
    uint64_t state = atomic_load_explicit(&deque_fences.state, memory_order_acquire);
    if ((int64_t)(state - ticket) >= 0)
        return true;
    if (state & 1)
        return false;
    uint64_t now = DEQUE_CLOCK(), rest = atomic_load_explicit(&deque_fences.rest, memory_order_relaxed);
    /* A clock that was set back counts as rested. relaxed, rest: comes with state, and is but a time */
    if (rest - now - 1 < DEQUE_FENCE_REST_MOST)
        return false;
    /* relaxed: the fence that follows orders it */
    if (!atomic_compare_exchange_strong_explicit(&deque_fences.state, &state, state + 1, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    deque_fence_alone(asymmetric);
    uint64_t end = DEQUE_CLOCK();
    atomic_store_explicit(&deque_fences.rest, end + DEQUE_FENCE_REST * (end - now), memory_order_relaxed);
    /* release: pairs with the acquire above */
    atomic_store_explicit(&deque_fences.state, state + 2, memory_order_release);
    return true;
}

DEQUE_OPERATION void deque_fence_heavy(bool asymmetric) {
    uint64_t ticket = deque_fence_ask(asymmetric);
    for (uint64_t look = 0; !deque_fence_passed(asymmetric, ticket, look); look++)
        ;
}
