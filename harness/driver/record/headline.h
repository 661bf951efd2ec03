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
};

/* The next value of the invocation. */
void headline_take(struct headline *, const char *role, const char *metric, const char *unit, const char *status,
                   const char *value);

/* The median and an empty headline again; NAN where there was none. */
double headline_end(struct headline *);

/* The same of what a process wrote (harness/README.md). */
double headline_of_output(const struct text *output);

#endif
