/* team_test.c: what a thread loses while it asks the kernel is lost; and the counter that times single operations. No
 * speed is asserted: whatever the machine is busy with, these hold. */
#include "harness/measuring/cycles.h"
#include "harness/measuring/describe.h"
#include "harness/measuring/team.h"
#include "tests/unit.h"
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1, .minimum_time = 0.01, .seed = 5};

#define ASKED_IN 2        /* the window in which the kernel takes its time, */
#define ASKED_FOR 3500000 /* ns */

static uint64_t asked_at, asked_until; /* 0: the kernel answers at once */

static void pass_time(uint64_t until) {
    while (clock_nanoseconds() < until)
        ;
}

/* The kernel's own, but a thread may lose its processor within it. */
int getrusage(__rusage_who_t who, struct rusage *usage) {
    int result = (int)syscall(SYS_getrusage, who, usage);
    if (asked_until > 0)
        pass_time(asked_until);
    asked_until = 0;
    return result;
}

/* An operation that takes long, about which the kernel is asked, which takes far longer. */
static void asks(struct team_member *me) {
    bool asked = false;
    do {
        uint64_t now = clock_nanoseconds(), from = me->watch.opened + ASKED_IN * me->team->window;
        me->watch.tally[TALLY_PUSHED]++;
        if (!asked && me->watch.opened > 0 && now > from) {
            asked = true;
            asked_at = now;
            asked_until = now + ASKED_FOR;
            pass_time(now + 2 * WATCH_GAP);
        }
    } while (team_look(me, clock_nanoseconds()));
}

/* What a thread loses while it asks whether it was away is lost all the same: none of the windows counts in which that
 * was, those least of all in which there was no time at all. */
TEST(time_lost_while_asking_is_an_absence) {
    static const char *const given[][2] = {{"placement", "none"}, {"memory", "owner"}, {"counters", "none"}};
    char message[MESSAGE_SIZE];
    for (size_t i = 0; i < 3; i++)
        settings_set(&settings, parameter_find(common_parameters, given[i][0]), given[i][1], message);
    struct team team = {.cell = &cell, .work = asks, .frequency = TEAM_FASTEST, .duration = 0.01};
    assert_int_equal(team_open(&team, 1), 0);
    assert_int_equal(team_run(&team), 0);
    const size_t first =
        (asked_at - team.threads[0].watch.opened) / team.window; /* later than planned if it had to wait */
    for (size_t i = first; i < first + ASKED_FOR / team.window && i < team.windows; i++)
        assert_false(team.counts[i]);
    for (size_t i = 0; i < team.windows; i++) {
        const struct snapshot *from = &team.threads[0].watch.snapshot[i];
        assert_true(!team.counts[i] || from[1].at > from[0].at);
    }
    team_close(&team);
}

/* The counter runs with the clock: between two of its reads passes what passed between two of the clock's inside. */
TEST(the_counter_follows_the_clock) {
    struct cycles_facts facts = cycles_calibrate();
    assert_true(facts.tick > 0 && facts.tick < 1000);
    assert_true(facts.sampling_cost >= 0);
    uint64_t begin = cycles_begin(), clock_begin = clock_nanoseconds(), clock_end;
    do
        clock_end = clock_nanoseconds();
    while (clock_end - clock_begin < 5000000);
    uint64_t end = cycles_end();
    assert_true((double)(end - begin) * facts.tick > 0.98 * (double)(clock_end - clock_begin));
}
