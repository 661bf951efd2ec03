/* pacing_test.c: when a thief's next attempt is due, by made-up times. That it keeps its frequency due_test.py asks. */
#include "harness/measuring/pacing.h"
#include "tests/unit.h"

#define SECOND 1000000000u
#define START 123456789u

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
