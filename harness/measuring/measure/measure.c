#include "harness/measuring/measure/measure.h"
#include <stdio.h>

/* The pilot aims above the required length, so that a batch that later runs faster than the pilot still reaches it. */
#define BATCH_MARGIN 2.0
#define PILOT_ROUNDS 5
#define SIMULATED_PORTIONS 4 /* a simulated run is the same every time: a few deques are as good as many */

struct batches {
    struct measurement *measurement;
    size_t portions;
    int failure; /* as measure returns it */
    double seconds_measured;
    uint64_t batches_measured;
};

/* Prepares and times one batch: seconds, or negative with failure set. */
static double time_batch(struct batches *batches) {
    struct measurement *measurement = batches->measurement;
    double seconds;
    if (!measurement->prepare(measurement->context, batches->portions)) {
        batches->failure = 3;
        return -1;
    }
    if (measurement->timed_run) {
        seconds = measurement->timed_run(measurement->context, batches->portions);
    } else {
        counters_start(&measurement->counters);
        uint64_t start = clock_nanoseconds();
        measurement->run(measurement->context, batches->portions);
        seconds = (double)(clock_nanoseconds() - start) * 1e-9;
        counters_stop(&measurement->counters);
    }
    if (seconds < 0) {
        batches->failure = 3;
        return -1;
    }
    if (measurement->verify && !measurement->verify(measurement->context, batches->portions)) {
        batches->failure = 1;
        return -1;
    }
    return seconds;
}

static double gbench_batch(void *context) {
    struct batches *batches = context;
    double seconds = time_batch(batches);
    if (seconds < 0)
        return -1;
    batches->seconds_measured += seconds;
    batches->batches_measured++;
    return seconds / (double)batches->portions;
}

/* Doubles the batch, or jumps to the size that the last one suggests, until it lasts long enough or memory runs out.
 * The fastest of a few tries counts: one that was interrupted looks longer than it is. */
static bool find_batch(struct batches *batches, double wanted) {
    size_t max = batches->measurement->portions_max;
    batches->portions = 1;
    for (;;) {
        double fastest = time_batch(batches);
        for (int i = 1; i < PILOT_ROUNDS && fastest >= 0; i++) {
            double seconds = time_batch(batches);
            if (seconds < fastest)
                fastest = seconds;
        }
        if (fastest < 0)
            return false;
        if (fastest >= wanted || batches->portions >= max)
            return true;
        double factor = fastest > 0 ? wanted / fastest * 1.1 : 1024;
        if (factor < 2)
            factor = 2;
        if (factor > 1024)
            factor = 1024;
        double portions = (double)batches->portions * factor;
        batches->portions = portions < (double)max ? (size_t)portions : max;
    }
}

static int measure_corrected(struct measurement *measurement, const struct clock_facts *clock, struct gbench_case *what,
                             struct gbench_repetition *repetitions, unsigned *kept) {
    struct batches batches = {.measurement = measurement};
    if (!find_batch(&batches, CLOCK_READS_A_BATCH * BATCH_MARGIN * clock->overhead * 1e-9))
        return batches.failure;
    measurement->counters = (struct counters){0}; /* the pilot's windows were of other sizes */
    what->context = &batches;
    what->timed_batch = gbench_batch;
    /* Google Benchmark counts one portion as an iteration, so that the time it reports means something; the time it is
     * given to spend is that of whole batches. */
    what->minimum_time /= (double)batches.portions;
    *kept = gbench_run(what, repetitions);
    if (batches.failure)
        return batches.failure;
    double batch = batches.seconds_measured / (double)batches.batches_measured;
    cell_sample(measurement->cell, "process", 0, "timed_batch", batch * 1e9, "ns", 0);
    cell_sample(measurement->cell, "process", 0, "timed_batch_clock_reads", batch * 1e9 / clock->overhead, "reads", 0);
    cell_sample(measurement->cell, "process", 0, "timed_batch_portions", (double)batches.portions, "portions", 0);
    counters_report(measurement->cell, measurement->role, 0, &measurement->counters, 1,
                    measurement->operations * (double)batches.portions * (double)batches.batches_measured);
    return 0;
}

/* Once to warm up, once counted. */
static int simulate(struct measurement *measurement) {
    struct batches batches = {.measurement = measurement, .portions = SIMULATED_PORTIONS};
    if (batches.portions > measurement->portions_max)
        batches.portions = measurement->portions_max;
    if (!measurement->prepare(measurement->context, batches.portions))
        return 3;
    measurement->run(measurement->context, batches.portions);
    if (time_batch(&batches) < 0)
        return batches.failure;
    counters_report(measurement->cell, measurement->role, 0, &measurement->counters, 1,
                    measurement->operations * (double)batches.portions);
    return 0;
}

int measure(struct measurement *measurement, struct measured *measured) {
    static struct gbench_repetition repetitions[REPETITIONS_MAX];
    const struct cell *cell = measurement->cell;
    struct clock_facts clock = clock_calibrate();
    struct gbench_case what = {
        .name = "stealbench", .repetitions = cell->repetitions, .minimum_time = cell->minimum_time};
    unsigned kept = 0;
    measured->repetitions = 0;
    if (counters_simulate())
        return simulate(measurement);
    cell_sample(cell, "process", 0, "clock_overhead", clock.overhead, "ns", 0);
    cell_sample(cell, "process", 0, "clock_resolution", clock.resolution, "ns", 0);
    if (cell_is(cell, "method", "published")) {
        what.context = measurement->context;
        what.published_loop = measurement->published_loop;
        if (!measurement->prepare(measurement->context, 1))
            return 3;
        kept = gbench_run(&what, repetitions);
    } else {
        int failure = measure_corrected(measurement, &clock, &what, repetitions, &kept);
        if (failure)
            return failure;
    }
    if (kept != cell->repetitions) {
        fprintf(stderr, "stealbench: Google Benchmark kept %u of %u repetitions\n", kept, cell->repetitions);
        return 3;
    }
    measured->repetitions = kept;
    for (unsigned i = 0; i < kept; i++)
        measured->seconds[i] = repetitions[i].seconds;
    return 0;
}

void measure_report(const struct measurement *measurement, const struct measured *measured, const char *role,
                    const char *metric, double scale, const char *unit, unsigned flags) {
    for (unsigned i = 0; i < measured->repetitions; i++)
        cell_sample(measurement->cell, role, i, metric, measured->seconds[i] * scale, unit, flags);
}
