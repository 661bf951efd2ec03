/* histogram_test.c: a histogram's quantiles against those of the sorted values. */
#include "harness/measuring/histogram.h"
#include "tests/unit.h"

#define HIGHEST (((uint64_t)1 << 40) - 1)

/* A value's bucket contains it, and is at most 1 % wide. */
static void holds(uint64_t value) {
    size_t bucket = histogram_bucket(value);
    uint64_t lower = histogram_lower(bucket), upper = histogram_lower(bucket + 1);
    assert_true(lower <= value && value < upper);
    assert_true(upper - lower == 1 || (double)(upper - lower) <= 0.01 * (double)lower);
}

TEST(every_value_has_its_bucket) {
    for (uint64_t value = 0; value < 100000; value++)
        holds(value);
    for (uint64_t power = 1; power <= HIGHEST; power <<= 1) {
        holds(power - 1);
        holds(power);
        holds(power + 1);
    }
    for (size_t i = 0; i < histogram_bucket(HIGHEST); i++) /* buckets follow one another without a gap */
        assert_true(histogram_bucket(histogram_lower(i)) == i);
}

/* The middle of the bucket, never above what was recorded. */
TEST(a_quantile_s_value) {
    struct histogram histogram;
    assert_int_equal(histogram_init(&histogram, HIGHEST), 0); /* buckets of 1 below 256, of 8 from 1024 on */
    for (int i = 0; i < 90; i++)
        histogram_record(&histogram, 7);
    for (int i = 0; i < 9; i++)
        histogram_record(&histogram, 1030);
    histogram_record(&histogram, 5000);
    assert_true(histogram_value(&histogram, 0) == 7 && histogram_value(&histogram, 0.9) == 7);
    assert_true(histogram_value(&histogram, 0.91) == (1024 + 1031) / 2.0);
    histogram_record(&histogram, 1 << 20); /* the bucket's first: its middle is beyond all that was recorded */
    assert_true(histogram_value(&histogram, 1) == 1 << 20);
    histogram_free(&histogram);
}

TEST(a_value_above_the_highest_counts_as_that) {
    struct histogram histogram;
    assert_int_equal(histogram_init(&histogram, 1000), 0);
    histogram_record(&histogram, 0);
    histogram_record(&histogram, 1001);
    histogram_record(&histogram, UINT64_MAX);
    assert_int_equal(histogram.total, 3);
    assert_true(histogram.maximum == UINT64_MAX); /* exactly */
    assert_int_equal(histogram.count[histogram_bucket(1000)], 2);
    assert_true(histogram_value(&histogram, 0.25) == 0);
    histogram_clear(&histogram);
    assert_true(histogram.total == 0 && histogram.maximum == 0);
    histogram_free(&histogram);
}
