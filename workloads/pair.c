/* pair.c: latency of a push and the pop that follows it, together.
 *
 * Deques hold `size` items; onto each, PAIRS times, one is pushed and popped. size=0: the item is the only one, and pop
 * has to make sure that no thief has it. It is what an owner does whose tasks are called at once, and tells apart what
 * separate loops over push and pop hide: a store of one that the next has to wait for.
 */
#include "workloads/microbenchmark.h"

#define PAIRS 512 /* each with an item of its own: an intrusive deque may not take one again at once */

static const struct parameter parameters[] = {
    {"size", PARAMETER_INTEGER, "64", 0, 1 << 20, NULL, "items", "items in each deque before; 0: all are last items"},
    MICROBENCHMARK_PARAMETERS,
};

struct pair {
    struct stand stand;
    size_t size; /* items in each deque */
};

/* Deque i takes items from set (i & mask), each of `each` items, of which the first `size` are in it. */
MEASURED void measured_pairs(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                             size_t each, size_t size) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *next = items + (i & mask) * each + size;
        for (const deque_item *end = next + PAIRS; next < end; next++) {
            deque_item item = (deque_item)0;
            OPERATION_DONE(deque_push(deque, *next));
            deque_pop(deque, &item);
            OPERATION_DONE(item);
        }
    }
}

static bool prepare(void *context, size_t deques) {
    struct pair *pair = context;
    if (!stand_reset(&pair->stand, deques))
        return false;
    stand_fill(&pair->stand, pair->size);
    return stand_sizes_are(&pair->stand, pair->size) && stand_chill(&pair->stand);
}

static void run_pairs(void *context, size_t deques) {
    struct pair *pair = context;
    measured_pairs(pair->stand.at, deques, stand_items(&pair->stand, 0), pair->stand.sets - 1, pair->stand.items_each,
                   pair->size);
}

static bool verify(void *context, size_t deques) {
    struct pair *pair = context;
    (void)deques;
    return stand_sizes_are(&pair->stand, pair->size);
}

/* One pair an iteration; the deque is made anew and filled before each. */
static void published_loop(void *context, struct gbench_loop *loop) {
    struct pair *pair = context;
    struct deque *deque = pair->stand.at[0];
    while (gbench_next(loop)) {
        deque_item item = (deque_item)0;
        gbench_pause(loop);
        prepare(pair, 1);
        gbench_resume(loop);
        OPERATION_DONE(deque_push(deque, stand_items(&pair->stand, 0)[pair->size]));
        deque_pop(deque, &item);
        OPERATION_DONE(item);
    }
}

static int run(const struct cell *cell) {
    struct pair pair = {.size = (size_t)cell_integer(cell, "size")};
    const size_t capacity = (size_t)cell_integer(cell, "capacity"), holds = pair.size + 1;
    struct places places;
    int failure = take_place(cell, &places);
    if (failure)
        return failure == PLACES_DENIED ? 0 : failure;
    const size_t each = pair.size + PAIRS, most = stand_most(cell, each);
    struct measurement measurement = {.cell = cell,
                                      .context = &pair,
                                      .prepare = prepare,
                                      .run = run_pairs,
                                      .verify = verify,
                                      .portions_most = most,
                                      .role = "owner",
                                      .operations = PAIRS,
                                      .published_loop = published_loop};
    struct measured measured;
    failure = stand_open(&pair.stand, cell, most, each, capacity ? capacity : holds, holds);
    if (failure == 0) {
        say_place(cell, &places, pair.stand.self, sizeof *pair.stand.self);
        failure = measure(&measurement, &measured);
    }
    if (failure == 0)
        measure_report(&measurement, &measured, "owner", "pair_latency",
                       cell_is(cell, "method", "published") ? 1e9 : 1e9 / PAIRS, "ns", 0);
    stand_close(&pair.stand);
    places_close(&places);
    return failure == STAND_UNSUPPORTED ? 0 : failure;
}

static const struct workload pair_workload = {
    .name = "pair",
    .summary = "latency of a push and the pop that follows it",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .unsupported = stand_unsupported,
    .run = run,
};
REGISTER_WORKLOAD(pair_workload);
