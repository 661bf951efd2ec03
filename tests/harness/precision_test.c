/* precision_test.c: the interval by ranks against the table of its ranks, what is expected from it, and which value of
 * an invocation is judged. */
#include "harness/driver/execute/execute.h"
#include "tests/unit.h"
#include <math.h>

/* 1 to n in some order: the interval is [d, n + 1 - d], the median (n + 1) / 2. */
static double precision_of_first(size_t n) {
    double values[200];
    for (size_t i = 0; i < n; i++)
        values[i] = (double)((i * 7) % n + 1); /* n is no multiple of 7 below */
    return precision_of(values, n);
}

static double expected(size_t n, size_t d) { return 50.0 * (double)(n + 1 - 2 * d) / ((double)(n + 1) / 2); }

/* d for 95 %: binomial tables, as in Conover, Practical Nonparametric Statistics (1999), table A3. */
TEST(ranks_are_those_of_the_tables) {
    static const struct {
        size_t n, d;
    } table[] = {{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (fabs(precision_of_first(table[i].n) - expected(table[i].n, table[i].d)) > 1e-9)
            fail_msg("n = %zu: %g, not %g", table[i].n, precision_of_first(table[i].n),
                     expected(table[i].n, table[i].d));
    assert_true(isinf(precision_of_first(5)));
}

TEST(more_are_needed_the_wider_it_is) {
    double narrow[] = {100, 100.5, 101, 101.5, 102, 100}, wide[] = {100, 110, 105, 120, 90, 100};
    assert_int_equal(precision_needs(narrow, 6, 2, 60), 6);
    unsigned some = precision_needs(wide, 6, 10, 60), more = precision_needs(wide, 6, 5, 60);
    assert_true(some > 6 && more > some && more < 60);
    assert_int_equal(precision_needs(wide, 6, 0.1, 60), 60);
    assert_int_equal(precision_needs(wide, 3, 50, 60), 6);
    assert_int_equal(precision_needs(wide, 3, 50, 4), 4);
}

/* Six near ones that agree on 100, beside which three far ones took 350: the interval is that of the near ones, and the
 * far ones make it neither wider nor, where they are most, narrower. */
TEST(only_values_of_one_distance_count) {
    struct judged judged[9];
    double values[9];
    for (size_t i = 0; i < 9; i++)
        judged[i] =
            i % 3 == 2 ? (struct judged){350 + (double)i, 105 + (double)i} : (struct judged){100, 27 + (double)i / 9};
    assert_int_equal(precision_values(judged, 9, values), 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(values[i] == 100);
    assert_int_equal(precision_needs(values, 6, 2, 60), 6);
    judged[0].distance = judged[1].distance = (double)NAN; /* not known: of no other's distance */
    assert_int_equal(precision_values(judged, 9, values), 4);
    for (size_t i = 0; i < 9; i++)
        judged[i].distance = (double)NAN;
    assert_int_equal(precision_values(judged, 9, values), 9);
    assert_int_equal(precision_values(judged, 0, values), 0);
}

static struct judged judged_of(const char *printed) {
    struct text text = {0};
    struct output output;
    text_add(&text, printed);
    output_read(&output, &text);
    const struct judged judged = output_headline(&output);
    output_free(&output);
    text_free(&text);
    return judged;
}

TEST(what_was_measured_while_processors_moved_is_not_judged) {
    const struct judged judged = judged_of("distance\t27\nsample\towner\t0\tpush_latency\t5\tns\tok\t\ndistance\t27\n"
                                           "sample\towner\t1\tpush_latency\t9\tns\tok\t\ndistance\t105\n");
    assert_true(judged.value == 5 && judged.distance == 27);
}

static double headline_of(const char *printed) { return judged_of(printed).value; }

TEST(the_first_time_or_rate_of_a_thread_is_judged) {
    assert_true(headline_of("placement\towner:0\n"
                            "sample\tprocess\t0\tclock_overhead\t18\tns\tok\t\n"
                            "sample\towner\t0\tswitches\t3\tswitches\tok\t\n"
                            "sample\towner\t0\tpush_latency\t5\tns\tok\t\n"
                            "sample\towner\t1\tpush_latency\t1\tns\tok\t\n"
                            "sample\towner\t2\tpush_latency\t2\tns\tok\t\n"
                            "sample\towner\t0\tpush_latency_per_item\t7\tns\tok\t\n") == 2);
    assert_true(headline_of("sample\towner\t0\towner_operations\t9\toperations/s\tok\temulated\n") == 9);
    assert_true(isnan(headline_of("sample\towner\t0\tpush\t\t\tunsupported\t\n")));
    assert_true(isnan(headline_of("")));
}

int main(void) { return unit_tests_run(NULL, NULL); }
