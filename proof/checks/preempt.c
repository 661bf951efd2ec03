/* preempt.c: the rounds of stress.c, but threads give way inside of operations.
 *
 * At full speed the window between two accesses of one operation is hit by chance, and hardly ever where threads share
 * a processor. Here every access by <stdatomic.h> in the deque, whose header stays as it is, may first hand the
 * processor to another thread, so that half-done operations meet even on one processor. This can hide reordering by the
 * compiler or the processor, which is left to stress.c and the model checker.
 */
#include "proof/checks/give_way.h"

#define STRESS_NAME "preempt"
#include "proof/checks/stress_rounds.h"

static const struct check preempt = {
    .name = STRESS_NAME,
    .summary = "the rounds of stress, with threads that give way inside of operations",
    .in_stamp = true,
    .run = stress_run,
};
REGISTER_CHECK(preempt);
