/* histogram_test.c: a histogram's quantiles against those of the sorted values. */
#include "harness/measuring/histogram.h"
#include "harness/measuring/random.h"
#include "tests/unit.h"

#define HIGHEST (((uint64_t)1 << 40) - 1)
#define SEED 20261121u

static uint64_t next_random(void) {
    static uint64_t state = SEED;
    return random_next(&state);
}

/* A value's bucket contains it, and is as narrow as promised. */
static void holds(const struct histogram *histogram, uint64_t value, double precision) {
    size_t bucket = histogram_bucket(histogram, value);
    uint64_t lower = histogram_lower(histogram, bucket), upper = histogram_lower(histogram, bucket + 1);
    assert_true(bucket < histogram->buckets);
    assert_true(lower <= value && value < upper);
    assert_true(upper - lower == 1 || (double)(upper - lower) <= precision * (double)lower);
}

TEST(every_value_has_its_bucket) {
    double precision = 1;
    for (unsigned digits = 1; digits <= 4; digits++) {
        struct histogram histogram;
        precision /= 10;
        assert_int_equal(histogram_init(&histogram, digits, HIGHEST), 0);
        for (uint64_t value = 0; value < 100000; value++)
            holds(&histogram, value, precision);
        for (uint64_t power = 1; power <= HIGHEST / 2 + 1; power <<= 1) {
            holds(&histogram, power - 1, precision);
            holds(&histogram, power, precision);
            holds(&histogram, power + 1, precision);
        }
        for (int i = 0; i < 100000; i++)
            holds(&histogram, next_random() >> (24 + next_random() % 40), precision);
        holds(&histogram, HIGHEST, precision);
        /* buckets follow one another without a gap */
        for (size_t i = 0; i < histogram.buckets; i++)
            assert_true(histogram_bucket(&histogram, histogram_lower(&histogram, i)) == i);
        histogram_free(&histogram);
    }
}

/* What is told of it: the middle of the bucket, never above what was recorded. */
TEST(a_quantile_s_value) {
    struct histogram histogram;
    assert_int_equal(histogram_init(&histogram, 1, HIGHEST), 0); /* buckets of 1 below 32, of 64 from 1024 on */
    for (int i = 0; i < 90; i++)
        histogram_record(&histogram, 7);
    for (int i = 0; i < 10; i++)
        histogram_record(&histogram, 1030);
    assert_true(histogram_value(&histogram, 0.5) == 7 && histogram_value(&histogram, 0.95) == 1030);
    histogram_record(&histogram, 5000);
    assert_true(histogram_value(&histogram, 0.95) == (1024 + 1087) / 2.0);
    histogram_free(&histogram);
}

TEST(edges) {
    struct histogram histogram;
    assert_int_equal(histogram_init(&histogram, 4, (uint64_t)1 << 62), 0);
    histogram_record(&histogram, (uint64_t)1 << 62);
    assert_int_equal(histogram_quantile(&histogram, 1), histogram.buckets - 1);
    histogram_free(&histogram);
    assert_int_equal(histogram_init(&histogram, 2, 1000), 0);
    histogram_record(&histogram, 0);
    histogram_record(&histogram, 1000);
    histogram_record(&histogram, 1001);
    histogram_record(&histogram, UINT64_MAX);
    assert_int_equal(histogram.total, 4);
    assert_int_equal(histogram.clipped, 2);
    assert_true(histogram.maximum == UINT64_MAX); /* exactly, though it is counted as 1000 */
    assert_int_equal(histogram_quantile(&histogram, 0), 0);
    assert_int_equal(histogram_quantile(&histogram, 0.25), 0);
    assert_int_equal(histogram_quantile(&histogram, 1), histogram_bucket(&histogram, 1000));
    histogram_clear(&histogram);
    assert_true(histogram.total == 0 && histogram.maximum == 0 && histogram.minimum == UINT64_MAX);
    histogram_free(&histogram);
}

int main(void) {
    printf("seed %u\n", SEED);
    return unit_tests_run(NULL, NULL);
}
