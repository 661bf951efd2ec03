/* histogram.h: counts how often each value occurred, over many orders of magnitude, in buckets at most 1 % wide.
 *
 * The scheme of G. Tene's HdrHistogram: values up to 255 are counted singly; above, every power of two is split into
 * 128 buckets of equal width. A histogram is only counts: merging two adds them.
 */
#pragma once

#include "harness/measuring/cell.h"

struct histogram {
    uint64_t highest; /* larger values count as this value */
    uint64_t *count;  /* by bucket */
    size_t buckets;
    uint64_t total, maximum; /* how many values; the largest, exact */
};

/* highest: up to 2^62. Returns 0 or ENOMEM. */
int histogram_init(struct histogram *, uint64_t highest);
void histogram_free(struct histogram *);
void histogram_clear(struct histogram *);

void histogram_record(struct histogram *, uint64_t value);

/* Adds the counts of `from`, which has the same highest value. */
void histogram_merge(struct histogram *, const struct histogram *from);

/* Bucket i holds the values from histogram_lower(i) up to, but not including, histogram_lower(i + 1). */
size_t histogram_bucket(uint64_t value);
uint64_t histogram_lower(size_t bucket);

/* The smallest value that at least `fraction` (0 to 1) of all values do not exceed: the middle of its bucket, but at
 * most the largest value recorded. The histogram must not be empty. */
double histogram_value(const struct histogram *, double fraction);

/* Main thread. Reports quantiles and maximum, METRIC_p50 to METRIC_maximum; of an empty histogram no values. tick: ns
 * that a recorded 1 means. */
void histogram_report(const struct histogram *, const struct cell *, const char *role, unsigned repetition,
                      const char *metric, double tick, unsigned flags);
