#include "harness/driver/execute/execute.h"
#include "harness/measuring/median.h"

#define UNCOVERED 0.05

/* The lower rank of the interval, from 0: the greatest d with 2 P(fewer than d + 1 of n coins show heads) at most
 * UNCOVERED. */
static size_t lower_rank(size_t count) {
    double probability = exp2(-(double)count), below = probability; /* probability of no heads */
    size_t rank = 0;
    while (rank + 1 < count) {
        probability *= (double)(count - rank) / (double)(rank + 1); /* probability of rank + 1 heads */
        if (2 * (below + probability) > UNCOVERED)
            return rank;
        below += probability;
        rank++;
    }
    return rank;
}

unsigned precision_first(const struct suite_options *options, double within) {
    const bool all = options->invocations <= PRECISION_LEAST || !(within > 0 || options->precision > 0);
    return all ? options->invocations : PRECISION_LEAST;
}

/* The median of the values and its interval. Sorts the values. */
static double interval_of(double *values, size_t count, double *low, double *high) {
    const double middle = median(values, count);
    const size_t rank = lower_rank(count);
    *low = values[rank];
    *high = values[count - 1 - rank];
    return middle;
}

double precision_of(double *values, size_t count) {
    if (count < PRECISION_LEAST)
        return INFINITY;
    double low, high;
    const double middle = interval_of(values, count, &low, &high), width = high - low;
    return middle > 0 ? 50 * width / middle : width > 0 ? INFINITY : 0;
}

unsigned precision_needs(double *values, size_t count, double wanted, unsigned most) {
    double needed = PRECISION_LEAST;
    for (size_t look = PRECISION_LEAST; look <= count; look *= 2) {
        const double now = precision_of(values, look); /* sorts these alone: the next look has the same and more */
        if (now <= wanted)
            return (unsigned)count;
        needed = fmax((double)look * (now / wanted) * (now / wanted), (double)count + 1);
    }
    return needed < (double)most ? (unsigned)needed : most;
}
