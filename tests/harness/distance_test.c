/* distance_test.c: which pairs of processors are probed and what is made of them, with probes that answer by a script;
 * and the probe itself, on two processors and in scripted time. */
#include "harness/measuring/clock.h"
#include "harness/measuring/distance.h"
#include "tests/unit.h"
#include <math.h>
#include <stdatomic.h>

static _Atomic uint64_t passed; /* scripted ns */

/* Hands the line on in 30 ns; in two rounds of three, each of 50 trips to and fro, in 90. */
static bool scripted_exchange(_Atomic uint32_t *line, uint32_t *seen, uint32_t turn) {
    const uint32_t now = *seen;
    if (!atomic_compare_exchange_strong_explicit(line, seen, turn, memory_order_acq_rel, memory_order_relaxed))
        return false;
    atomic_fetch_add_explicit(&passed, now / 100 % 3 == 0 ? 30 : 90, memory_order_relaxed);
    return true;
}

/* The probe once more, by other names. */
#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit(line, seen, turn, order, other) scripted_exchange(line, seen, turn)
#define clock_nanoseconds() atomic_load_explicit(&passed, memory_order_relaxed)
#define distance_agrees scripted_agrees
#define distance_start_on scripted_start_on
#define distance_between scripted_between
#define distance_among scripted_among
#define distance_report scripted_report
#include "harness/measuring/distance.c"
#undef distance_between
#undef distance_among

static int asked[64][2];
static unsigned asked_count;
static double seconds_asked;
static int far, none; /* processors: 105 ns from all others, or not to be probed */

static double scripted(int a, int b, double seconds) {
    asked[asked_count][0] = a;
    asked[asked_count++][1] = b;
    seconds_asked += seconds;
    return b == none ? DISTANCE_NONE : b == far ? 105 : 27 + b / 100.0;
}

static double among(const int *processors, unsigned count) {
    asked_count = 0;
    seconds_asked = 0;
    return distance_among(processors, count, scripted);
}

TEST(the_farthest_of_a_few_pairs_counts) {
    static const int two[] = {3, 5}, shared[] = {0, 1, 0, 1}, one[] = {4, 4}, loose[] = {-1, -1}, half[] = {0, -1};
    int many[40];
    far = none = -1;
    assert_true(among(two, 2) == 27.05);
    assert_int_equal(asked_count, 1);
    assert_true(asked[0][0] == 3 && asked[0][1] == 5);
    assert_true(among(shared, 4) == 27.01 && asked_count == 1);
    assert_true(among(one, 2) == DISTANCE_NONE && among(one, 1) == DISTANCE_NONE);
    assert_true(among(loose, 2) == DISTANCE_NONE && among(half, 2) == DISTANCE_NONE);
    assert_int_equal(asked_count, 0);
    for (int i = 0; i < 40; i++)
        many[i] = i;
    far = 39; /* the last thread alone: by compact placement the one most likely in another place */
    assert_true(among(many, 40) == 105);
    assert_int_equal(asked_count, DISTANCE_PAIRS);
    assert_true(seconds_asked <= DISTANCE_PAIRS * DISTANCE_LEAST + 1e-9);
    for (unsigned i = 0; i < asked_count; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(asked[i][0] == 0 && asked[i][1] != asked[j][1]);
    none = 39;
    assert_true(among(many, 40) == DISTANCE_NONE);
    none = -1;
    assert_true(among(many, 3) == 27.02 && asked_count == 2);
    assert_true(fabs(seconds_asked - DISTANCE_SECONDS) < 1e-9);
}

/* Two of ours: a line's way takes more than one cycle and less than ten microseconds. On a machine so busy that both
 * threads are never there together it is none; a few tries are enough even then. */
TEST(between_two_processors_a_line_takes_its_time) {
    cpu_set_t allowed;
    int processor[2], found = 0;
    double distance = DISTANCE_NONE;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET((size_t)i, &allowed))
            processor[found++] = i;
    if (found < 2)
        skip();
    for (int i = 0; i < 200 && distance == DISTANCE_NONE; i++)
        distance = distance_between(processor[0], processor[1], DISTANCE_SECONDS);
    assert_true(distance > 0.2 && distance < 10000);
    distance = scripted_between(processor[0], processor[1], DISTANCE_SECONDS);
    assert_true(distance > 29 && distance < 33); /* of the quicker rounds, which nothing disturbed */
}
