/* coroutine.h: a thread of the lab. It runs on its own stack, on the only core, until it hands over.
 *
 * On x86-64 the switch is a dozen instructions of assembly; elsewhere, or with -DLAB_UCONTEXT, it is swapcontext. Below
 * each stack is a guard page, so that an overflow is a fault and not a strange result.
 */
#ifndef STEALBENCH_LAB_COROUTINE_H
#define STEALBENCH_LAB_COROUTINE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(LAB_UCONTEXT)
#define LAB_UCONTEXT
#endif
#ifdef LAB_UCONTEXT
#include <ucontext.h>
#endif

struct coroutine {
    uintptr_t stack_low, stack_high; /* the stack proper, without its guard page */
#ifdef LAB_UCONTEXT
    ucontext_t context;
#else
    void *stack_pointer;
#endif
};

/* Makes the next switch to the coroutine call body, which must not return. The stack's bounds are already set. A stack
 * may be started again any number of times, whatever is left on it. */
void coroutine_start(struct coroutine *, void (*body)(void));

/* Saves the current point in from and continues where to was left. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
