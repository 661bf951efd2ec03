/* pop.c: latency of taking one item, and of draining.
 *
 * take=one: from deques that hold `size` items, half of them are popped one by one, so that the last item, which costs
 * more, is never reached. take=drain: everything, and the pop that finds nothing.
 * After A Lock-Free Work-Stealing Algorithm for Bulk Operations, section IV (figure omitted there).
 */
#include "workloads/latency/microbenchmark.h"

struct pop {
    struct prepared prepared;
    size_t size;  /* items in each deque */
    size_t taken; /* how many of them are popped */
    bool drain;
    enum chaining chaining;
};

static void run_pops(void *context, size_t deques) {
    struct pop *pop = context;
    if (pop->drain)
        measured_loops.drain(pop->prepared.at, deques, pop->size + 1);
    else
        measured_loops.pop[pop->chaining](pop->prepared.at, deques, pop->taken);
}

/* One pop (or one draining) an iteration; the deque is made anew and filled before each. */
static void published_pop(void *context, struct gbench_loop *loop) {
    struct pop *pop = context;
    struct deque *deque = pop->prepared.at[0];
    while (published_next(loop, prepared_prepare, pop)) {
        deque_item item = (deque_item)0;
        if (pop->drain) {
            for (size_t left = pop->size + 1; left > 0 && deque_pop(deque, &item) == DEQUE_OK; left--)
                OPERATION_DONE(item);
        } else {
            deque_pop(deque, &item);
            OPERATION_DONE(item);
        }
    }
}

static void report_pop(const struct measurement *measurement, const struct pop *pop, const struct measured *measured) {
    if (pop->drain) {
        measure_report(measurement, measured, "owner", "drain_latency_per_item", 1e9 / (double)pop->size, "ns", 0);
    } else {
        double pops = cell_is(measurement->cell, "method", "published") ? 1 : (double)pop->taken;
        measure_report(measurement, measured, "owner", "pop_latency", 1e9 / pops, "ns", 0);
    }
}

static int pop_run(const struct cell *cell) {
    struct pop pop = {.size = (size_t)cell_integer(cell, "size"),
                      .drain = cell_is(cell, "take", "drain"),
                      .chaining = chaining_of(cell)};
    pop.taken = pop.drain ? pop.size : (pop.size + 1) / 2;
    pop.prepared.before = pop.size;
    pop.prepared.after = pop.size - pop.taken;
    struct measurement measurement = {.cell = cell,
                                      .context = &pop,
                                      .prepare = prepared_prepare,
                                      .run = run_pops,
                                      .verify = prepared_verify,
                                      .operations = (double)pop.taken,
                                      .published_loop = published_pop};
    struct measured measured;
    int failure = measure_alone(&measurement, &pop.prepared, pop.size, pop.size, pop.size, &measured);
    report_pop(&measurement, &pop, &measured);
    return failure;
}

REGISTER_WORKLOAD(pop, .name = "pop", .summary = "latency of taking one item, and of draining",
                  .parameters = {pop_parameters, microbenchmark_parameters}, .unsupported = prepared_unsupported,
                  .run = pop_run);
