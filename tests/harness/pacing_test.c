/* pacing_test.c: the arithmetic of pacing on a simulated clock. Nothing here takes time. */
#include "harness/measuring/pacing.h"
#include "tests/unit.h"

#define SECOND 1000000000u
#define START 123456789u

/* A thief on a clock whose every read takes `read` ns and whose attempts take `attempt` ns. */
struct simulated {
    uint64_t now, read, attempt;
    struct pace pace;
};

/* Lets it run for so long; returns how many attempts it made. */
static uint64_t run(struct simulated *thief, uint64_t frequency, bool thesis, uint64_t random, uint64_t nanoseconds) {
    uint64_t attempts = 0, end = START + nanoseconds;
    thief->now = START;
    pace_start(&thief->pace, thief->now, frequency, thesis, random);
    while (thief->now < end) {
        thief->now += thief->read;
        if (thief->now < thief->pace.due)
            continue;
        uint64_t began = thief->now;
        uint64_t ended = thief->now += thief->attempt + thief->read;
        if (thesis)
            thief->now += thief->read;
        pace_next(&thief->pace, began, ended, thief->now);
        attempts++;
    }
    return attempts;
}

TEST(deadlines_deliver_the_frequency) {
    static const uint64_t frequencies[] = {1, 7, 1000, 10000, 100000, 333333, 1000000, 3000000};
    for (size_t i = 0; i < sizeof frequencies / sizeof frequencies[0]; i++) {
        struct simulated thief = {.read = 25, .attempt = 100};
        uint64_t attempts = run(&thief, frequencies[i], false, 12345, SECOND);
        /* the phase may cost one, the end another */
        assert_in_range(attempts, frequencies[i] - 1, frequencies[i] + 1);
        assert_int_equal(thief.pace.given_up, 0);
    }
}

TEST(an_attempt_longer_than_the_period_is_followed_at_once) {
    struct pace pace;
    pace_start(&pace, START, 1000000, true, 0);
    pace_next(&pace, START, START + 5000, START + 5000);
    assert_int_equal(pace.due, START + 5000);
    pace_next(&pace, START, START + 400, START + 400);
    assert_int_equal(pace.due, START + 1000);
}

/* One that was away gives up what it missed, and keeps its phase. */
TEST(an_absence_is_not_made_up_for) {
    struct pace pace;
    pace_start(&pace, START, 1000000, false, 300);
    assert_int_equal(pace.first, START + 300);
    pace_next(&pace, START + 300, START + 5000400, START + 5000400);
    assert_int_equal(pace.due, START + 300 + 5001000);
    assert_int_equal(pace.given_up, 5000);
    pace_next(&pace, pace.due, pace.due + 100, pace.due + 100);
    assert_int_equal(pace.due, START + 300 + 5002000);
}

/* Periods that are no whole number of nanoseconds do not drift, in an hour neither. */
TEST(deadlines_do_not_drift) {
    const uint64_t hour = 3600, frequency = 300007;
    struct pace pace;
    pace_start(&pace, START, frequency, false, 0);
    pace.number = hour * frequency - 1;
    pace.due = START + hour * SECOND;
    pace_next(&pace, START, START, START);
    assert_int_equal(pace.due, START + hour * SECOND);
    pace_next(&pace, START, START, START);
    assert_int_equal(pace.due, START + hour * SECOND + SECOND / frequency);
}

/* Whatever the random number, the phase is within the first period; different numbers give different phases. */
TEST(the_phase_is_within_a_period) {
    struct pace pace;
    uint64_t random = 88172645463325252u, largest = 0;
    for (int i = 0; i < 1000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        pace_start(&pace, START, 10000, false, random);
        assert_in_range(pace.due - START, 0, 99999);
        if (pace.due - START > largest)
            largest = pace.due - START;
    }
    assert_true(largest > 90000);
    pace_start(&pace, START, PACING_FREQUENCY_MAX, false, random);
    assert_int_equal(pace.due, START);
}

int main(void) { return unit_tests_run(NULL, NULL); }
