/* output.h: what a process of a cell printed (harness/README.md), read: its samples and histograms, the way between its
 * threads, and the one value by which its cell is judged to be measured precisely enough. */
#ifndef STEALBENCH_OUTPUT_H
#define STEALBENCH_OUTPUT_H

#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stddef.h>

/* Of more repetitions than that the last probe of the distance stands for the others. */
#define DISTANCES_MAX 1024

/* A sample, or a bucket of a histogram. Every field is letters, digits and a little more. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };
struct output_line {
    bool is_sample;
    char *field[OUTPUT_FIELDS]; /* of a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *variant, *memory; /* "" where it did not say */
    /* Between the threads, before the first repetition and after each, ns; NAN: it could not be had. None: one thread.
     */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    struct output_line *lines;
    size_t line_count;
    const char *wrong; /* NULL: all of it is as agreed */
    char *copy;        /* the fields lie in it */
};

void output_read(struct output *, const struct text *printed);
void output_free(struct output *);

/* The flags of a row whose distance is empty though it is of several threads. */
#define FLAG_MOVED "moved"
#define FLAG_NO_DISTANCE "no_distance"

/* Of a repetition: the mean of the nearest probes before and after it, or the one of them that could be had; NAN: none,
 * or they disagree: *flag says which ("" else). */
double output_distance(const struct output *, unsigned long repetition, const char **flag);

/* Did the threads' processors move meanwhile? *before and *after are then the two probes. */
bool output_moved(const struct output *, double *before, double *after);

/* What is judged of an invocation: the median over repetitions of the first time or rate that is written of a role
 * other than process. */
struct headline {
    char role[64], metric[96];
    double *values;
    size_t count;
    double distance; /* between the threads' processors at the first of them, ns; NAN: not known */
};

/* What was judged: NAN where there was none. */
struct judged {
    double value, distance;
};

/* The next value of the invocation, and the distance at which it was measured (NAN: not known). */
void headline_take(struct headline *, const char *role, const char *metric, const char *unit, const char *status,
                   const char *value, double distance);

/* The median and an empty headline again. */
struct judged headline_end(struct headline *);

/* Of all that a process printed, without repetitions during which the threads' processors moved. */
struct judged output_headline(const struct output *);

#endif
