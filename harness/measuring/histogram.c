#include "harness/measuring/histogram.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_BITS 7
#define HALF ((uint64_t)1 << HALF_BITS) /* buckets that a power of two is split into */

size_t histogram_bucket(uint64_t value) {
    if (value < 2 * HALF)
        return (size_t)value;
    /* Low bits are dropped until 8 are left; the highest of them is set. */
    unsigned dropped = 63u - (unsigned)__builtin_clzll(value) - HALF_BITS;
    return (size_t)(dropped * HALF + (value >> dropped));
}

uint64_t histogram_lower(size_t bucket) {
    if (bucket < 2 * HALF)
        return bucket;
    return (bucket % HALF + HALF) << (bucket / HALF - 1);
}

int histogram_init(struct histogram *histogram, uint64_t highest) {
    *histogram = (struct histogram){.highest = highest, .buckets = histogram_bucket(highest) + 1};
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
    histogram->total = histogram->maximum = 0;
}

void histogram_record(struct histogram *histogram, uint64_t value) {
    if (value > histogram->maximum)
        histogram->maximum = value;
    histogram->count[histogram_bucket(value < histogram->highest ? value : histogram->highest)]++;
    histogram->total++;
}

void histogram_merge(struct histogram *histogram, const struct histogram *from) {
    for (size_t i = 0; i < histogram->buckets; i++)
        histogram->count[i] += from->count[i];
    histogram->total += from->total;
    if (from->maximum > histogram->maximum)
        histogram->maximum = from->maximum;
}

double histogram_value(const struct histogram *histogram, double fraction) {
    const double wanted = ceil(fraction * (double)histogram->total), maximum = (double)histogram->maximum;
    size_t bucket = 0;
    uint64_t seen = histogram->count[0];
    while (bucket + 1 < histogram->buckets && (seen == 0 || (double)seen < wanted))
        seen += histogram->count[++bucket];
    const double value = ((double)histogram_lower(bucket) + (double)(histogram_lower(bucket + 1) - 1)) / 2;
    return value < maximum ? value : maximum;
}

void histogram_report(const struct histogram *histogram, const struct cell *cell, const char *role, unsigned repetition,
                      const char *metric, double tick, unsigned flags) {
    static const struct {
        const char *name;
        double fraction;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"maximum", 1}};
    char name[96];
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        const double fraction = quantiles[i].fraction;
        snprintf(name, sizeof name, "%s_%s", metric, quantiles[i].name);
        if (histogram->total == 0)
            cell_no_sample(cell, role, repetition, name, "ns", "unsupported");
        else
            cell_sample(cell, role, repetition, name,
                        tick * (fraction < 1 ? histogram_value(histogram, fraction) : (double)histogram->maximum), "ns",
                        flags);
    }
}
