#include "harness/driver/execute/execute.h"
#include "harness/measuring/median.h"
#include "harness/measuring/threads/distance.h"
#include <math.h>

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

double precision_of(double *values, size_t count) {
    if (count < PRECISION_LEAST)
        return INFINITY;
    const double middle = median(values, count);
    const size_t rank = lower_rank(count);
    const double width = values[count - 1 - rank] - values[rank];
    return middle > 0 ? 50 * width / middle : width > 0 ? INFINITY : 0;
}

static size_t agreeing(const struct judged *judged, size_t count, double distance, double *values) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (distance_agrees(judged[i].distance, distance))
            values[found++] = judged[i].value;
    return found;
}

size_t precision_values(const struct judged *judged, size_t count, double *values) {
    size_t most = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t found = agreeing(judged, count, judged[i].distance, values);
        best = found > most ? i : best;
        most = found > most ? found : most;
    }
    return count > 0 ? agreeing(judged, count, judged[best].distance, values) : 0;
}

unsigned precision_needs(double *values, size_t count, double wanted, unsigned most) {
    if (count < PRECISION_LEAST)
        return PRECISION_LEAST < most ? PRECISION_LEAST : most;
    const double now = precision_of(values, count);
    if (now <= wanted)
        return (unsigned)count;
    const double needed = (double)count * (now / wanted) * (now / wanted);
    if (!(needed < (double)most))
        return most;
    return needed > (double)count + 1 ? (unsigned)needed : (unsigned)count + 1;
}
