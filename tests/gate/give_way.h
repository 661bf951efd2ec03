/* give_way.h: included before everything else, every access by <stdatomic.h> may first hand the processor to another
 * thread.
 */
#ifndef STEALBENCH_GIVE_WAY_H
#define STEALBENCH_GIVE_WAY_H

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

#define before_access() give_way()
#include "tests/gate/each_access.h"

#endif
