/* precision_test.c: the interval by ranks against the table of its ranks, when a cell is looked at, and which value of
 * an invocation is judged. */
#include "harness/driver/execute/runner.c"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Looks are at 6, 12, 24, ... values: what is narrow by chance in between does not end a cell. */
TEST(what_is_narrow_between_two_looks_is_not_asked) {
    double values[12] = {100, 110, 100, 100, 100, 90, 100, 100, 100, 100, 100, 100};
    assert_true(precision_needs(values, 9, 2, 60) > 9);
    assert_int_equal(precision_needs(values, 12, 2, 60), 12);
    double settled[9] = {100, 100, 100, 100, 100, 100, 300, 1, 7};
    assert_int_equal(precision_needs(settled, 9, 2, 60), 9);
}

static double headline_of(const char *printed) {
    static const struct catalogue_deque deque = {.id = "some"};
    const struct planned_cell cell = {.deque = &deque, .workload = "push", .params = ""};
    const struct process process = {.end = PROCESS_EXITED};
    struct text text = {0}, rows = {0}, histograms = {0};
    struct finished finished = {0};
    struct output output;
    const char *why;
    text_add(&text, printed);
    output_read(&output, &text);
    invocation_rows(&rows, &histograms, &cell, 0, "host", &process, &output, &why);
    samples_scan(rows.data, 0, &finished);
    return finished.at[0].value;
}

TEST(what_was_measured_while_processors_moved_is_not_judged) {
    assert_true(headline_of("distance\t27\nsample\towner\t0\tpush_latency\t5\tns\tok\t\ndistance\t27\n"
                            "sample\towner\t1\tpush_latency\t9\tns\tok\t\ndistance\t105\n") == 5);
}

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
    assert_true(isnan(headline_of("sample\towner\t0\tpush_latency\t\tns\tdenied\t\n"
                                  "sample\towner\t0\tother_latency\t7\tns\tok\t\n")));
    assert_true(isnan(headline_of("")));
}
