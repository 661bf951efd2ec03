#include "harness/measuring/measure.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/median.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The pilot run makes batches twice as long as required, so that a batch that later runs faster is still long enough.
 */
#define BATCH_MARGIN 2.0
#define PILOT_ROUNDS 5
#define DROPPED_MOST 20.0
#define DROPPED_AT_FIRST 1000 /* windows: then none will be kept */

struct batches {
    struct measurement *measurement;
    size_t portions;
    int failure; /* the result of measure */
    bool held;   /* the thread was on its processor throughout the last batch */
    double *seconds;
    size_t room;
    size_t kept, dropped; /* windows of all repetitions */
    double kept_seconds;
};

/* Prepares and times one batch. Returns its seconds, or a negative value with failure set. The counters leave out a
 * batch in which the thread was displaced. */
static double time_batch(struct batches *batches) {
    struct measurement *measurement = batches->measurement;
    double seconds;
    if (!measurement->prepare(measurement->context, batches->portions)) {
        batches->failure = 3;
        return -1;
    }
    const struct counters before = measurement->counters;
    if (measurement->timed_run) {
        seconds = measurement->timed_run(measurement->context, batches->portions, &batches->held);
    } else {
        const struct presence presence = presence_begin();
        counters_start(&measurement->counters);
        uint64_t start = clock_nanoseconds();
        measurement->run(measurement->context, batches->portions);
        uint64_t took = clock_nanoseconds() - start;
        counters_stop(&measurement->counters);
        batches->held = presence_held(&presence, took);
        seconds = (double)took * 1e-9;
    }
    if (!batches->held)
        measurement->counters = before;
    if (measurement->verify && !measurement->verify(measurement->context, batches->portions)) {
        batches->failure = 1;
        return -1;
    }
    return seconds;
}

static bool note_window(struct batches *batches, size_t count, double seconds) {
    if (count == batches->room) {
        size_t room = batches->room ? 2 * batches->room : 1024;
        double *more = realloc(batches->seconds, room * sizeof *more);
        if (!more) {
            fprintf(stderr, "stealbench: no memory for %zu windows\n", room);
            batches->failure = 3;
            return false;
        }
        batches->seconds = more;
        batches->room = room;
    }
    batches->seconds[count] = seconds;
    return true;
}

/* One repetition: times windows, each a batch, until the kept ones add up to the minimum time. Returns the seconds of a
 * portion in the median window, or a negative value with failure set. After DROPPED_MOST times the minimum time the
 * windows kept so far are used; NAN if there is none, or none of the first DROPPED_AT_FIRST. */
static double repetition(struct batches *batches, unsigned number) {
    const struct cell *cell = batches->measurement->cell;
    const double minimum = cell->minimum_time;
    const double operations = batches->measurement->operations * (double)batches->portions;
    size_t kept = 0, dropped = 0;
    double kept_seconds = 0, dropped_seconds = 0;
    while (kept_seconds < minimum && kept_seconds + dropped_seconds < DROPPED_MOST * minimum &&
           (kept > 0 || dropped < DROPPED_AT_FIRST)) {
        double seconds = time_batch(batches);
        if (seconds < 0 || (batches->held && !note_window(batches, kept, seconds)))
            return -1;
        if (batches->held) {
            kept++;
            kept_seconds += seconds;
        } else {
            dropped++;
            dropped_seconds += seconds;
        }
    }
    batches->kept += kept;
    batches->dropped += dropped;
    batches->kept_seconds += kept_seconds;
    if (kept > 0 && operations > 0)
        cell_sample(cell, "process", number, "window_mean", kept_seconds * 1e9 / (double)kept / operations, "ns", 0);
    if (kept > 0)
        return median(batches->seconds, kept) / (double)batches->portions;
    fprintf(stderr, "stealbench: 0 of %zu windows were undisturbed\n", dropped);
    return NAN;
}

/* Doubles the batch, or jumps to the size that the last one suggests, until it lasts long enough or memory runs out.
 * Uses the fastest of a few tries, because an interrupt makes a try look longer than it is. */
static bool find_batch(struct batches *batches, double wanted) {
    size_t max = batches->measurement->portions_max;
    batches->portions = 1;
    for (;;) {
        double fastest = INFINITY;
        for (int i = 0; i < PILOT_ROUNDS && fastest >= 0; i++)
            fastest = fmin(fastest, time_batch(batches));
        if (fastest < 0)
            return false;
        if (fastest >= wanted || batches->portions >= max)
            return true;
        const double factor = fmin(fmax(wanted / fastest * 1.1, 2), 1024);
        batches->portions = (size_t)fmin((double)batches->portions * factor, (double)max);
    }
}

static void report_windows(const struct batches *batches) {
    const double kept = (double)batches->kept, dropped = (double)batches->dropped;
    const struct {
        const char *metric, *unit;
        double value;
    } facts[] = {{"timed_batch", "ns", batches->kept_seconds * 1e9 / kept},
                 {"timed_batch_portions", "portions", (double)batches->portions},
                 {"windows_counted", "windows", kept},
                 {"windows_dropped", "windows", dropped},
                 {"share_counted", "ratio", kept / (kept + dropped)}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        cell_sample(batches->measurement->cell, "process", 0, facts[i].metric, facts[i].value, facts[i].unit, 0);
}

static int measure_corrected(struct batches *batches, struct measured *measured) {
    struct measurement *measurement = batches->measurement;
    const struct cell *cell = measurement->cell;
    measurement->counters = (struct counters){0}; /* the pilot run had windows of other sizes */
    distance_report(cell, measurement->places);
    for (unsigned i = 0; i < cell->repetitions && !batches->failure; i++) {
        measured->seconds[i] = repetition(batches, i);
        measured->repetitions += !batches->failure;
        distance_report(cell, measurement->places);
        cell_sample(cell, "process", i, "dependent_multiplication", frequency_probe(), "ns", 0);
    }
    free(batches->seconds);
    if (batches->failure)
        return batches->failure;
    report_windows(batches);
    counters_report(cell, measurement->role, 0, &measurement->counters,
                    measurement->operations * (double)batches->portions * (double)batches->kept);
    return 0;
}

/* Lets Google Benchmark run a loop; a repetition's value is `scale` times the time of an iteration. */
static int run_google(const struct cell *cell, struct gbench_case what, double scale, struct measured *measured) {
    what.repetitions = cell->repetitions;
    what.minimum_time = cell->minimum_time;
    if (!gbench())
        return 3;
    unsigned kept = gbench()->run(&what, measured->seconds);
    if (kept != cell->repetitions) {
        fprintf(stderr, "stealbench: Google Benchmark kept %u of %u repetitions\n", kept, cell->repetitions);
        return 3;
    }
    measured->repetitions = kept;
    for (unsigned i = 0; i < kept; i++)
        measured->seconds[i] *= scale;
    return 0;
}

static int measure_published(struct measurement *measurement, struct measured *measured) {
    struct gbench_case what = {.context = measurement->context, .loop = measurement->published_loop};
    if (!measurement->prepare(measurement->context, 1))
        return 3;
    return run_google(measurement->cell, what, 1, measured);
}

static double operations_of(const struct measurement *measurement) {
    return measurement->operations > 0 ? measurement->operations : 1;
}

/* Google Benchmark knows no window that is dropped: a disturbed one is timed again, DROPPED_MOST times. */
static void windows_loop(void *context, struct gbench_loop *loop) {
    struct batches *batches = context;
    const double operations = operations_of(batches->measurement) * (double)batches->portions;
    while (gbench()->next_window(loop, (uint64_t)operations)) {
        double seconds = time_batch(batches);
        for (int tries = 1; !batches->held && seconds >= 0 && tries < DROPPED_MOST; tries++)
            seconds = time_batch(batches);
        if (seconds < 0)
            return;
        gbench()->window_took(loop, seconds);
    }
}

static int measure_google(struct batches *batches, struct measured *measured) {
    struct gbench_case what = {.windows = true, .context = batches, .loop = windows_loop};
    int result = 0;
    if (gbench() && gbench()->current())
        windows_loop(batches, gbench()->current());
    else
        result = run_google(batches->measurement->cell, what, operations_of(batches->measurement), measured);
    return batches->failure ? batches->failure : result;
}

int measure(struct measurement *measurement, struct measured *measured) {
    const struct cell *cell = measurement->cell;
    const double overhead = clock_overhead();
    struct batches batches = {.measurement = measurement};
    measured->repetitions = 0;
    cell_sample(cell, "process", 0, "clock_overhead", overhead, "ns", 0);
    if (cell_is(cell, "method", "published"))
        return measure_published(measurement, measured);
    if (!find_batch(&batches, CLOCK_READS_A_BATCH * BATCH_MARGIN * overhead * 1e-9))
        return batches.failure;
    return cell_is(cell, "method", "google") ? measure_google(&batches, measured)
                                             : measure_corrected(&batches, measured);
}

void measure_report(const struct measurement *measurement, const struct measured *measured, const char *role,
                    const char *metric, double scale, const char *unit, unsigned flags) {
    for (unsigned i = 0; i < measured->repetitions; i++)
        cell_sample(measurement->cell, role, i, metric, measured->seconds[i] * scale, unit, flags);
}
