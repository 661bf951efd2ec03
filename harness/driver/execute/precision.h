/* precision.h: has a cell been measured often enough? For suites that say how narrow an interval is to be, not how many
 * invocations make it so.
 *
 * The interval is that of the median by ranks: of n values in order, from the d-th to the d-th from above, d as large
 * as lets it cover the median of what they are drawn from in 95 % of all cases. It is exact whatever the distribution
 * (H. A. David, H. N. Nagaraja: Order Statistics, 2003, section 7.1) and needs no random numbers; the intervals of
 * tables and figures are the bootstrap's, which are a little narrower.
 */
#ifndef STEALBENCH_PRECISION_H
#define STEALBENCH_PRECISION_H

#include "harness/driver/record/headline.h"
#include <stddef.h>

/* With fewer values no interval made of them covers 95 %. */
#define PRECISION_LEAST 6

/* Half of the interval's width by the median, in percent; infinite with fewer than PRECISION_LEAST values. Sorts them.
 */
double precision_of(double *values, size_t count);

/* The values that were measured at one distance of the threads' processors, into values (room for count): of the
 * distances that agree with one of them, the most. Returns how many. What was measured at another place is of another
 * machine: it makes no interval wider, and none narrower. */
size_t precision_values(const struct judged *, size_t count, double *values);

/* How many values it will take until that is `wanted`, from what it is now: it shrinks with the root of their number.
 * At least one more than count, where it is not reached, and at most `most`. */
unsigned precision_needs(double *values, size_t count, double wanted, unsigned most);

#endif
