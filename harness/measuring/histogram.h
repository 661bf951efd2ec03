/* histogram.h: counts how often each value occurred, over many orders of magnitude, at a fixed relative precision.
 *
 * The scheme of G. Tene's HdrHistogram: values up to 2^m are counted singly; above, every power of two is split into
 * 2^(m-1) buckets of equal width, where 2^m is the smallest power of two that is at least 2 * 10^digits. So a bucket is
 * never wider than 1 / 10^digits of the values in it. A histogram is only counts: merging two adds them.
 */
#ifndef STEALBENCH_HISTOGRAM_H
#define STEALBENCH_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct histogram {
    unsigned shift;   /* m - 1 */
    uint64_t highest; /* larger values count as this value */
    uint64_t *count;  /* by bucket */
    size_t buckets;
    uint64_t total;
    uint64_t minimum, maximum; /* exact; UINT64_MAX and 0 in an empty histogram */
    uint64_t clipped;          /* number of values larger than highest */
};

/* digits: 1 to 4; highest: 2 to 2^62. Returns 0, EINVAL or ENOMEM. */
int histogram_init(struct histogram *, unsigned digits, uint64_t highest);
void histogram_free(struct histogram *);
void histogram_clear(struct histogram *);

void histogram_record(struct histogram *, uint64_t value);

/* Adds the counts of `from`. Returns 0, or EINVAL if the two were made with other digits or another highest. */
int histogram_merge(struct histogram *, const struct histogram *from);

/* Bucket i holds the values from histogram_lower(i) up to, but not including, histogram_lower(i + 1). */
size_t histogram_bucket(const struct histogram *, uint64_t value);
uint64_t histogram_lower(const struct histogram *, size_t bucket);

/* The bucket of the smallest value that at least `fraction` (0 to 1) of all values do not exceed. The histogram must
 * not be empty. */
size_t histogram_quantile(const struct histogram *, double fraction);

/* The value at that quantile: the middle of its bucket, but at most the largest value recorded. The histogram must not
 * be empty. */
double histogram_value(const struct histogram *, double fraction);

/* The quantiles that are reported, and the suffix of the metric's name. */
#define HISTOGRAM_QUANTILES 4
extern const struct histogram_quantiles {
    const char *name;
    double fraction;
} histogram_quantiles[HISTOGRAM_QUANTILES];

#endif
