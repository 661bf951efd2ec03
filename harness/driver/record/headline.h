/* headline.h: the one value of an invocation by which its cell is judged to be measured precisely enough. */
#ifndef STEALBENCH_HEADLINE_H
#define STEALBENCH_HEADLINE_H

#include "harness/driver/util/text.h"
#include <stddef.h>

/* What is judged of an invocation: the median, over repetitions, of the first time or rate that is none of the whole
 * process (the role process), in the order in which they were written. */
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

/* The same of what a process wrote (harness/README.md). Repetitions during which the threads' processors moved are left
 * out, as those are who have the flag in samples.csv. */
struct judged headline_of_output(const struct text *output);

#endif
