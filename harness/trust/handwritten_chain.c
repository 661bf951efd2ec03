/* handwritten_chain.c: the planted chain in a loop written by hand, with nothing of the suite around it. */
#include "harness/trust/by_hand.h"

#define OPERATIONS 40000

static uint64_t *chain_value;

static void no_preparation(void *context) { (void)context; }

MEASURED void chain_loop(void *context) {
    (void)context;
    MEASURED_START();
    uint64_t *value = chain_value;
    for (int i = 0; i < OPERATIONS; i++) {
        *value = planted_chain(*value);
        OPERATION_DONE(value);
    }
}

static int run_for(const struct cell *cell, const char *metric) {
    chain_value = DEQUE_ALLOC(DEQUE_LINE);
    if (!chain_value)
        return 3;
    *chain_value = cell->seed;
    int failure = by_hand_measure(
        cell, &(struct by_hand){.prepare = no_preparation, .loop = chain_loop, .operations = OPERATIONS}, metric);
    DEQUE_FREE(chain_value);
    return failure;
}

static int run_push(const struct cell *cell) { return run_for(cell, "push_latency"); }
static int run_pop(const struct cell *cell) { return run_for(cell, "pop_latency"); }

BY_HAND_WORKLOAD(push, "the planted chain, written by hand");
BY_HAND_WORKLOAD(pop, "the planted chain, written by hand");
