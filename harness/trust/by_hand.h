/* by_hand.h: what the hand-written loops share. They pose as the workloads push and pop, so that the driver runs them
 * between the suite's own in the same balanced order. They time themselves, without Google Benchmark and prepared
 * stands: one clock read before a loop and one after, divided by the number of operations. A repetition is the median
 * of its loops: other programs on the machine would spoil a mean.
 */
#pragma once

#include "harness/measuring/median.h"
#include "workloads/latency/microbenchmark.h"

/* prepare and go through `operations` operations; only the latter is timed. */
struct by_hand {
    void (*prepare)(void *context);
    void (*loop)(void *context);
    void *context;
    double operations;
};

/* One sample a repetition: nanoseconds an operation. */
static int by_hand_measure(const struct cell *cell, const struct by_hand *work, const char *metric) {
    struct places places;
    int failure = take_place(cell, &places);
    if (failure)
        return failure == PLACES_DENIED ? 0 : failure;
    places_report(&places, cell, "owner", NULL);
    static double loops[1 << 16]; /* ns an operation, of each */
    for (unsigned repetition = 0; repetition < cell->repetitions; repetition++) {
        uint64_t spent = 0;
        size_t count = 0;
        work->prepare(work->context); /* once untimed, so that both kinds of loop start warm */
        work->loop(work->context);
        while ((double)spent < cell->minimum_time * 1e9 && count < sizeof loops / sizeof loops[0]) {
            work->prepare(work->context);
            uint64_t start = clock_nanoseconds();
            work->loop(work->context);
            uint64_t took = clock_nanoseconds() - start;
            spent += took;
            loops[count++] = (double)took / work->operations;
        }
        cell_sample(cell, "owner", repetition, metric, median(loops, count), "ns", 0);
    }
    places_close(&places);
    return 0;
}

/* The loops are written for single operations, warm, by the corrected method. */
static const char *by_hand_unsupported(const struct cell *cell) {
    if (!cell_is(cell, "method", "corrected") || !cell_is(cell, "cache", "warm"))
        return "the hand-written loop knows method=corrected, cache=warm only";
    return NULL;
}

/* Registers the hand-written loop NAME (push or pop): run_NAME runs a cell of it. */
#define BY_HAND_WORKLOAD(its_name, text)                                                                               \
    REGISTER_WORKLOAD(its_name, .name = #its_name, .summary = text,                                                    \
                      .parameters = {its_name##_parameters, microbenchmark_parameters},                                \
                      .unsupported = by_hand_unsupported, .run = run_##its_name)
