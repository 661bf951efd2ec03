#include "harness/measuring/histogram.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of buckets that a power of two is split into. */
static uint64_t half(const struct histogram *histogram) { return (uint64_t)1 << histogram->shift; }

size_t histogram_bucket(const struct histogram *histogram, uint64_t value) {
    if (value < 2 * half(histogram))
        return (size_t)value;
    /* Low bits are dropped until m bits are left; the highest of them is set. */
    unsigned dropped = 63u - (unsigned)__builtin_clzll(value) - histogram->shift;
    return (size_t)(dropped * half(histogram) + (value >> dropped));
}

uint64_t histogram_lower(const struct histogram *histogram, size_t bucket) {
    if (bucket < 2 * half(histogram))
        return bucket;
    uint64_t dropped = bucket / half(histogram) - 1;
    return (bucket % half(histogram) + half(histogram)) << dropped;
}

int histogram_init(struct histogram *histogram, unsigned digits, uint64_t highest) {
    uint64_t single = 2;
    *histogram = (struct histogram){0};
    if (digits < 1 || digits > 4 || highest < 2 || highest > (uint64_t)1 << 62)
        return EINVAL;
    for (unsigned i = 0; i < digits; i++)
        single *= 10;
    while ((uint64_t)2 << histogram->shift < single)
        histogram->shift++;
    histogram->highest = highest;
    histogram->buckets = histogram_bucket(histogram, highest) + 1;
    histogram->count = malloc(histogram->buckets * sizeof histogram->count[0]);
    if (!histogram->count)
        return ENOMEM;
    histogram_clear(histogram);
    return 0;
}

void histogram_free(struct histogram *histogram) {
    free(histogram->count);
    histogram->count = NULL;
}

void histogram_clear(struct histogram *histogram) {
    memset(histogram->count, 0, histogram->buckets * sizeof histogram->count[0]);
    histogram->total = histogram->maximum = histogram->clipped = 0;
    histogram->minimum = UINT64_MAX;
}

void histogram_record(struct histogram *histogram, uint64_t value) {
    if (value < histogram->minimum)
        histogram->minimum = value;
    if (value > histogram->maximum)
        histogram->maximum = value;
    if (value > histogram->highest) {
        value = histogram->highest;
        histogram->clipped++;
    }
    histogram->count[histogram_bucket(histogram, value)]++;
    histogram->total++;
}

int histogram_merge(struct histogram *histogram, const struct histogram *from) {
    if (histogram->shift != from->shift || histogram->highest != from->highest)
        return EINVAL;
    for (size_t i = 0; i < histogram->buckets; i++)
        histogram->count[i] += from->count[i];
    histogram->total += from->total;
    histogram->clipped += from->clipped;
    if (from->minimum < histogram->minimum)
        histogram->minimum = from->minimum;
    if (from->maximum > histogram->maximum)
        histogram->maximum = from->maximum;
    return 0;
}

size_t histogram_quantile(const struct histogram *histogram, double fraction) {
    uint64_t wanted = (uint64_t)ceil(fraction * (double)histogram->total), seen = 0;
    if (wanted < 1)
        wanted = 1;
    if (wanted > histogram->total)
        wanted = histogram->total;
    for (size_t i = 0; i < histogram->buckets; i++) {
        seen += histogram->count[i];
        if (seen >= wanted)
            return i;
    }
    return histogram->buckets - 1;
}

double histogram_value(const struct histogram *histogram, double fraction) {
    const size_t bucket = histogram_quantile(histogram, fraction);
    const uint64_t lower = histogram_lower(histogram, bucket), upper = histogram_lower(histogram, bucket + 1);
    const double value = ((double)lower + (double)(upper - 1)) / 2, maximum = (double)histogram->maximum;
    return value < maximum ? value : maximum;
}

const struct histogram_quantiles histogram_quantiles[HISTOGRAM_QUANTILES] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};
