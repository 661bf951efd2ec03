/* precision.h: has a cell been measured often enough? For suites that say how narrow an interval is to be, not how many
 * invocations make it so.
 *
 * The interval is that of the median by ranks: of n sorted values from the d-th to the d-th from above, with the
 * largest d that covers the true median in 95 % of all cases. It is exact for any distribution (H. A. David, H. N.
 * Nagaraja: Order Statistics, 2003, section 7.1). Tables and figures use the bootstrap's intervals, which are slightly
 * narrower.
 */
#ifndef STEALBENCH_PRECISION_H
#define STEALBENCH_PRECISION_H

#include "harness/driver/record/output.h"
#include <stddef.h>

/* With fewer values no interval made of them covers 95 %. */
#define PRECISION_LEAST 6

/* Half of the interval's width by the median, in percent; infinite with fewer than PRECISION_LEAST values. Sorts them.
 */
double precision_of(double *values, size_t count);

/* The values measured at the most frequent distance between the threads' processors, into values (room for count).
 * Returns how many. Values at other distances do not count, as if another machine had measured them. */
size_t precision_values(const struct judged *, size_t count, double *values);

/* How many values it will take until the precision is `wanted`: it shrinks with the root of their number. At least one
 * more than count, unless it is reached, and at most `most`. */
unsigned precision_needs(double *values, size_t count, double wanted, unsigned most);

#endif
