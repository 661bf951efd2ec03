/* coroutine.h: a thread of the lab. It runs on its own stack, on the only core, until it hands over. Below each stack
 * is a guard page, so that an overflow is a fault and not a strange result. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero at first, but for the stack's bounds. */
struct coroutine {
    uintptr_t stack_low, stack_high; /* the stack proper, without its guard page */
    bool made;                       /* the stack has its first frame, which calls a body */
    void (*body)(void);
    jmp_buf first, now;
};

/* Makes the next switch to the coroutine call body, which must not return. A stack may be started again any number of
 * times, whatever is left on it. */
void coroutine_start(struct coroutine *, void (*body)(void));

/* Saves the current point in from and continues where to was left. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);
