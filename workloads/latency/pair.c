/* pair.c: latency of a push and the pop that follows it, together.
 *
 * Deques hold `size` items; PAIRS times, one item is pushed and popped. size=0: it is the only item, and pop has to
 * make sure that no thief has it. This is the pattern of an owner that runs each task at once. It shows what separate
 * loops over push and pop hide: a pop that has to wait for the store of the push before.
 */
#include "workloads/latency/microbenchmark.h"

static const struct parameter pair_parameters[] = {
    PARAMETER_INTEGER("size", 64, 0, 1 << 20, "items",
                      "items in each deque beforehand; 0: each pop takes the last item"),
    PARAMETER_OPERATIONS,
    PARAMETERS_END,
};

struct pair {
    struct prepared prepared;
    enum chaining chaining;
    size_t size; /* items in each deque */
};

static void run_pairs(void *context, size_t deques) {
    struct pair *pair = context;
    measured_loops.pairs[pair->chaining](pair->prepared.at, deques, prepared_items(&pair->prepared, 0),
                                         pair->prepared.sets - 1, pair->prepared.items_each, pair->size);
}

static const char *pair_unsupported(const struct cell *cell) {
    return cell_is(cell, "method", "published") ? "pair is not measured by the published method"
                                                : prepared_unsupported(cell);
}

static int pair_run(const struct cell *cell) {
    struct pair pair = {.size = (size_t)cell_integer(cell, "size"), .chaining = chaining_of(cell)};
    pair.prepared.before = pair.prepared.after = pair.size;
    struct measurement measurement = {.cell = cell,
                                      .context = &pair,
                                      .prepare = prepared_prepare,
                                      .run = run_pairs,
                                      .verify = prepared_verify,
                                      .operations = PAIRS};
    struct measured measured;
    const size_t holds = pair.size + 1;
    int failure = measure_alone(&measurement, &pair.prepared, pair.size + PAIRS, holds, holds, &measured);
    measure_report(&measurement, &measured, "owner", "pair_latency", 1e9 / PAIRS, "ns", 0);
    return failure;
}

REGISTER_WORKLOAD(pair, .name = "pair", .summary = "latency of a push and the pop that follows it",
                  .parameters = {pair_parameters, microbenchmark_parameters}, .unsupported = pair_unsupported,
                  .run = pair_run);
