/* preempt.c: the rounds of stress.c, but threads give way inside of operations.
 *
 * At full speed the window between two accesses of one operation is hit by chance, and hardly ever where threads share
 * a processor. Here every access by <stdatomic.h> in the deque, whose header stays as it is, may first hand the
 * processor to another thread, so that half-done operations meet even on one processor. What it changes, it can hide:
 * reordering by the compiler or the processor is stress.c's and the model checker's.
 */
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

#define STRESS_NAME "preempt"
#include "tests/gate/stress_rounds.h"

static const struct check preempt = {
    .name = STRESS_NAME,
    .summary = "the rounds of stress, with threads that give way inside of operations",
    .in_stamp = true,
    .run = stress_run,
};
REGISTER_CHECK(preempt);
