/* planted_push.h: the deque PLANTED_DEQUE whose push takes a chain of PLANTED_STEPS steps longer, and nothing else
 * does.
 *
 * Two builds of it with a few steps more and less are what the timing gate is tried with (gate_trials.py). A push
 * starts from what the thread's push before left, so that pushes cannot overlap.
 */
#ifndef STEALBENCH_PLANTED_PUSH_H
#define STEALBENCH_PLANTED_PUSH_H

#include "harness/trust/planted_chain.h"
#include PLANTED_DEQUE

static _Thread_local uint64_t planted_before;

/* Owner. */
DEQUE_OPERATION enum deque_result planted_push(struct deque *deque, deque_item item) {
    planted_before = planted_chain(planted_before);
    return deque_push(deque, item);
}

#define deque_push planted_push

#endif
