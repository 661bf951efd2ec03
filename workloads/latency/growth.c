/* growth.c: every single push of a deque that grows from a small first capacity, timed: a growth copies what is there
 * while the owner waits.
 *
 * Each round has a fresh deque, which grows at the same pushes; a round in which the thread lost its processor does not
 * count. push_largest is the longest push, each taken as it was in its fastest round: so no interrupt is taken for
 * growth. Quantiles and histogram are of all pushes. Growing and linked deques only; no thieves.
 */
#include "harness/measuring/counters.h"
#include "harness/measuring/latency.h"
#include "workloads/latency/microbenchmark.h"
#include "workloads/latency/supply.h"

static const struct parameter growth_parameters[] = {
    PARAMETER_INTEGER("size", 1000000, 64, 1 << 24, "items", "items that are pushed"),
    PARAMETERS_END,
};

#define FIRST_CAPACITY 16
#define ROUNDS_LEAST 5
#define ROUNDS_MAX 1000
#define TRIES_MAX 50 /* rounds that did not count, in a row */

struct growth {
    const struct cell *cell;
    struct latency latency;
    struct deque_config config;
    size_t size;
    size_t rounds, discarded;
    uint32_t *ticks, *least;  /* of each push: in a round, and in its fastest one of this repetition */
    struct counters counters; /* of the rounds that count, including the noting of times */
};

MEASURED size_t measured_growth(struct deque *deque, struct supply *supply, size_t size, uint32_t *ticks) {
    size_t pushed = 0;
    for (; pushed < size; pushed++) {
        deque_item item = supply_next(supply, deque);
        uint64_t begin = cycles_begin();
        enum deque_result result = deque_push(deque, item);
        OPERATION_DONE(result);
        uint64_t took = cycles_end() - begin;
        if (result != DEQUE_OK)
            break;
        supply_pushed(supply, item);
        ticks[pushed] = took < LOG_TICKS_MAX ? (uint32_t)took : LOG_TICKS_MAX;
    }
    return pushed;
}

/* One round: 0, 3 when memory ended. *counts: the thread was not displaced. */
static int play_round(struct growth *growth, bool *counts) {
    struct supply supply;
    struct deque *deque = DEQUE_ALLOC(sizeof *deque);
    if (!deque || !supply_open(&supply, growth->size, 0) || deque_init(deque, &growth->config) != 0)
        return 3;
    const struct counters before = growth->counters;
    long displaced = displacements();
    counters_start(&growth->counters);
    size_t pushed = measured_growth(deque, &supply, growth->size, growth->ticks);
    counters_stop(&growth->counters);
    *counts = displacements() == displaced;
    if (!*counts)
        growth->counters = before;
    deque_destroy(deque);
    DEQUE_FREE(deque);
    supply_close(&supply);
    if (pushed < growth->size)
        return 3;
    for (size_t i = 0; *counts && i < growth->size; i++) {
        histogram_record(&growth->latency.now[0], growth->ticks[i]);
        if (growth->ticks[i] < growth->least[i])
            growth->least[i] = growth->ticks[i];
    }
    growth->rounds += *counts;
    growth->discarded += !*counts;
    return 0;
}

/* One repetition: rounds for the minimum time. */
static int repeat(struct growth *growth, unsigned repetition) {
    uint64_t end = clock_nanoseconds() + (uint64_t)(growth->cell->minimum_time * 1e9);
    unsigned tries = 0;
    uint32_t largest = 0;
    memset(growth->least, 0xff, growth->size * sizeof growth->least[0]);
    growth->rounds = growth->discarded = 0;
    growth->counters = (struct counters){0};
    while (growth->rounds < ROUNDS_MAX && (growth->rounds < ROUNDS_LEAST || clock_nanoseconds() < end)) {
        bool counts = false;
        if (play_round(growth, &counts) != 0) {
            fprintf(stderr, "stealbench: no memory for %zu items\n", growth->size);
            return 3;
        }
        tries = counts ? 0 : tries + 1;
        if (tries == TRIES_MAX) {
            cell_no_sample(growth->cell, "owner", repetition, "push_largest", "ns", "busy");
            return 0;
        }
    }
    for (size_t i = 0; i < growth->size; i++)
        largest = growth->least[i] > largest ? growth->least[i] : largest;
    cell_sample(growth->cell, "owner", repetition, "push_largest", (double)largest * growth->latency.facts->tick, "ns",
                0);
    cell_sample(growth->cell, "process", repetition, "share_counted",
                (double)growth->rounds / (double)(growth->rounds + growth->discarded), "ratio", 0);
    counters_report(growth->cell, "owner", repetition, &growth->counters,
                    (double)growth->rounds * (double)growth->size);
    latency_report(&growth->latency, repetition, 0);
    return 0;
}

static const char *growth_unsupported(const struct cell *cell) {
    (void)cell;
    static const struct deque_traits traits = DEQUE_TRAITS;
    if (traits.bound == DEQUE_FIXED || traits.keeps_nothing)
        return "this deque does not grow";
    return NULL;
}

static int growth_run(const struct cell *cell) {
    static const char *const metrics[LATENCY_OUTCOMES] = {"push_latency"};
    static const struct deque_traits traits = DEQUE_TRAITS;
    static struct growth growth;
    struct cycles_facts cycles = cycles_calibrate();
    struct places places;
    int failure = take_place(cell, &places);
    if (failure)
        return failure == PLACES_DENIED ? 0 : failure;
    places_report(&places, cell, "owner", NULL);
    growth = (struct growth){.cell = cell, .size = (size_t)cell_integer(cell, "size")};
    growth.config = (struct deque_config){.capacity = FIRST_CAPACITY, .workers = 1};
    if (traits.mode)
        growth.config.mode = cell_choice(cell, traits.mode);
    growth.ticks = calloc(growth.size, sizeof growth.ticks[0]);
    growth.least = malloc(growth.size * sizeof growth.least[0]);
    failure =
        growth.ticks && growth.least && latency_open(&growth.latency, cell, &cycles, "owner", metrics) == 0 ? 0 : 3;
    cell_sample(cell, "process", 0, "sampling_cost", cycles.sampling_cost, "ns", 0);
    cell_sample(cell, "process", 0, "tick", cycles.tick, "ns", 0);
    for (unsigned i = 0; i < cell->repetitions && failure == 0; i++)
        failure = repeat(&growth, i);
    latency_close(&growth.latency);
    free(growth.ticks);
    free(growth.least);
    places_close(&places);
    return failure;
}

REGISTER_WORKLOAD(growth, .name = "growth", .summary = "the longest single push of a deque that grows",
                  .parameters = {growth_parameters}, .unsupported = growth_unsupported, .run = growth_run);
