/* contest_test.c: threads that start together, open windows, stop; how often they look and sample. And the counter that
 * times single operations. No speed is asserted: whatever the machine is busy with, these hold. */
#include "harness/contest.h"
#include "harness/cycles.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1, .minimum_time = 0.01, .seed = 5};

/* Both roles do the same: they count their looks, and log every one. */
static void work(struct contest_thread *me) {
    do {
        me->watch.tally[TALLY_PUSHED]++;
        contest_log(me, me->watch.tally[TALLY_PUSHED], me->number);
    } while (contest_look(me, clock_nanoseconds()));
}

static void threads_run_through_all_windows(void **state) {
    enum { THREADS = 3 };
    struct contest contest = {
        .cell = &cell, .work = work, .frequency = CONTEST_FASTEST, .duration = 0.005, .log_room = 100};
    (void)state;
    assert_int_equal(contest_open(&contest, THREADS), 0);
    assert_int_equal(contest.windows, 5);
    for (unsigned run = 0; run < 2; run++) {
        assert_int_equal(contest_run(&contest), 0);
        for (unsigned i = 0; i < THREADS; i++) {
            const struct contest_thread *thread = &contest.threads[i];
            const struct snapshot *last = &thread->watch.snapshot[contest.windows];
            /* it went on after the last window, which all have closed by then */
            assert_int_equal(thread->watch.next, contest.windows + 1);
            assert_true(last->at >= thread->watch.opened + contest.windows * contest.window);
            assert_true(thread->watch.before >= thread->watch.boundary);
            assert_true(thread->watch.tally[TALLY_PUSHED] >= last->tally[TALLY_PUSHED]);
            assert_true(last->tally[TALLY_PUSHED] > 0);
            assert_true(thread->watch.opened == contest.threads[0].watch.opened);
            /* thieves log here, the owner has no log */
            uint64_t logged = thread->watch.tally[TALLY_LOGGED];
            assert_true(i == 0 ? logged == 0 : logged > 0 && logged <= 100);
            for (uint64_t j = 0; j < logged; j++)
                assert_true(thread->log[j] == (i << LOG_TICKS | (uint32_t)(j + 1)));
        }
        assert_true(contest.counted <= contest.windows);
    }
    contest_close(&contest);
}

/* A thief that waits makes no attempt before it is due, and none at all when it is to make none. */
static void waits(struct contest_thread *me) {
    while (me->number == 0 ? contest_look(me, clock_nanoseconds()) : contest_wait(me)) {
        if (me->number == 0)
            continue;
        me->watch.tally[TALLY_LOST] += me->now < me->pace.due; /* an attempt before its time */
        me->watch.tally[TALLY_EMPTY]++;
        pace_next(&me->pace, me->now, me->now, me->now);
    }
}

static void thieves_wait_for_their_deadlines(void **state) {
    struct contest contest = {.cell = &cell, .work = waits, .frequency = 20000, .duration = 0.005};
    (void)state;
    assert_int_equal(contest_open(&contest, 2), 0);
    assert_int_equal(contest_run(&contest), 0);
    const struct watch *thief = &contest.threads[1].watch;
    uint64_t lived = thief->before - contest.threads[1].pace.first;
    assert_true(thief->tally[TALLY_EMPTY] <= lived / 50000 + 1);
    assert_int_equal(thief->tally[TALLY_LOST], 0);
    contest.frequency = CONTEST_NEVER;
    assert_int_equal(contest_run(&contest), 0);
    assert_int_equal(contest.threads[1].watch.tally[TALLY_EMPTY], 0);
    contest_close(&contest);
}

static void strides_keep_looks_rare_and_absences_visible(void **state) {
    (void)state;
    assert_int_equal(contest_stride(64, 100), 128);
    assert_int_equal(contest_stride(64, 5000), 64);
    assert_int_equal(contest_stride(64, 20000), 32);
    assert_int_equal(contest_stride(1, 1000000), 1);
    unsigned stride = 1;
    for (int i = 0; i < 100; i++)
        stride = contest_stride(stride, 0);
    assert_true(stride <= 1 << 16);
}

static void samples_fit_their_log(void **state) {
    static const double rates[] = {1, 1e3, 1e5, 1e6, 2e8, 1e9}, durations[] = {0.01, 1, 10, 3600};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (size_t j = 0; j < sizeof durations / sizeof durations[0]; j++) {
            struct contest contest = {.duration = durations[j], .log_room = (size_t)64 << 20};
            unsigned every = contest_sampling(&contest, rates[i]);
            assert_true(every == 1 || every % 2 == 1);
            assert_true(contest.log_room <= (size_t)1 << 20);
            if (every < 65521) /* else the run is longer than anybody's */
                assert_true(rates[i] * durations[j] / every <= (double)contest.log_room);
        }
    }
    struct contest slow = {.duration = 1, .log_room = (size_t)64 << 20};
    assert_int_equal(contest_sampling(&slow, 1000), 1);
}

/* The counter runs with the clock: between two of its reads passes what passed between two of the clock's inside. */
static void the_counter_follows_the_clock(void **state) {
    struct cycles_facts facts = cycles_calibrate();
    (void)state;
    assert_true(facts.tick > 0 && facts.tick < 1000);
    assert_true(facts.sampling_cost >= 0);
    assert_true(*facts.source);
    uint64_t begin = cycles_begin(), clock_begin = clock_nanoseconds(), clock_end;
    do
        clock_end = clock_nanoseconds();
    while (clock_end - clock_begin < 5000000);
    uint64_t end = cycles_end();
    assert_true((double)(end - begin) * facts.tick > 0.98 * (double)(clock_end - clock_begin));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_run_through_all_windows),
        cmocka_unit_test(thieves_wait_for_their_deadlines),
        cmocka_unit_test(strides_keep_looks_rare_and_absences_visible),
        cmocka_unit_test(samples_fit_their_log),
        cmocka_unit_test(the_counter_follows_the_clock),
    };
    settings_set(&settings, "placement", "none");
    settings_set(&settings, "memory", "owner");
    settings_set(&settings, "counters", "none");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
