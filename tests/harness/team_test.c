/* team_test.c: threads that do rounds together, open windows, stop; how often they look and sample; what is reported of
 * them. And the counter that times single operations. No speed is asserted: whatever the machine is busy with, these
 * hold. */
#include "harness/measuring/cycles.h"
#include "harness/measuring/describe.h"
#include "harness/measuring/team.h"
#include "tests/unit.h"
#include "workloads/contention/frame.h"
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1, .minimum_time = 0.01, .seed = 5};

/* Both roles do the same: they count their looks, and log every one. */
static void work(struct team_member *me) {
    do {
        me->watch.tally[TALLY_PUSHED]++;
        team_log(me, me->watch.tally[TALLY_PUSHED], me->number);
    } while (team_look(me, clock_nanoseconds()));
}

TEST(threads_run_through_all_windows) {
    enum { THREADS = 3 };
    struct team team = {.cell = &cell, .work = work, .frequency = TEAM_FASTEST, .duration = 0.005, .log_room = 100};
    assert_int_equal(team_open(&team, THREADS), 0);
    assert_int_equal(team.windows, 25);
    for (unsigned run = 0; run < 2; run++) {
        assert_int_equal(team_run(&team), 0);
        for (unsigned i = 0; i < THREADS; i++) {
            const struct team_member *thread = &team.threads[i];
            const struct snapshot *last = &thread->watch.snapshot[team.windows];
            /* it went on after the last window, which all have closed by then */
            assert_int_equal(thread->watch.next, team.windows + 1);
            assert_true(last->at >= thread->watch.opened + team.windows * team.window);
            assert_true(thread->watch.before >= thread->watch.boundary);
            assert_true(thread->watch.tally[TALLY_PUSHED] >= last->tally[TALLY_PUSHED]);
            assert_true(last->tally[TALLY_PUSHED] > 0);
            assert_true(thread->watch.opened == team.threads[0].watch.opened);
            /* thieves log here, the owner has no log */
            uint64_t logged = thread->watch.tally[TALLY_LOGGED];
            assert_true(i == 0 ? logged == 0 : logged > 0 && logged <= 100);
            for (uint64_t j = 0; j < logged; j++)
                assert_true(thread->log[j] == (i << LOG_TICKS | (uint32_t)(j + 1)));
        }
        assert_true(team.counted <= team.windows);
    }
    team_close(&team);
}

/* A waiting thief makes no attempt before it is due, and none at all if none is wanted. */
static void waits(struct team_member *me) {
    while (me->number == 0 ? team_look(me, clock_nanoseconds()) : team_wait(me)) {
        if (me->number == 0)
            continue;
        me->watch.tally[TALLY_LOST] += me->now < me->pace.due; /* an attempt before its time */
        me->watch.tally[TALLY_EMPTY]++;
        pace_next(&me->pace, me->now, me->now, me->now);
    }
}

TEST(thieves_wait_for_their_deadlines) {
    struct team team = {.cell = &cell, .work = waits, .frequency = 20000, .duration = 0.005};
    assert_int_equal(team_open(&team, 2), 0);
    assert_int_equal(team_run(&team), 0);
    const struct watch *thief = &team.threads[1].watch;
    uint64_t lived = thief->before - team.threads[1].pace.first;
    assert_true(thief->tally[TALLY_EMPTY] <= lived / 50000 + 1);
    assert_int_equal(thief->tally[TALLY_LOST], 0);
    team.frequency = TEAM_NEVER;
    assert_int_equal(team_run(&team), 0);
    assert_int_equal(team.threads[1].watch.tally[TALLY_EMPTY], 0);
    team_close(&team);
}

/* Rounds as those of an owner that prepares, or works until it is told to rest, which takes it a while. */
static struct {
    _Atomic bool rest;
    bool at_work; /* plain: ThreadSanitizer looks as well */
    unsigned prepared, worked;
} rounds;

static void prepares(struct team_member *me) { rounds.prepared += me->number == 0; }

static void works_until_told(struct team_member *me) {
    if (me->number > 0)
        return;
    rounds.at_work = true;
    while (!atomic_load_explicit(&rounds.rest, memory_order_relaxed))
        sched_yield();
    for (uint64_t end = clock_nanoseconds() + 50000; clock_nanoseconds() < end;)
        sched_yield();
    rounds.at_work = false;
    rounds.worked++;
}

/* When a round has ended, nobody is at work, whatever the rounds before were. */
TEST(a_round_ends_when_all_have_done_it) {
    struct team team = {.cell = &cell, .caller = 1};
    assert_int_equal(team_open(&team, 3), 0);
    for (unsigned start = 1; start <= 2; start++) {
        assert_int_equal(team_start(&team), 0);
        for (unsigned i = 0; i < 50; i++) {
            team_begin(&team, prepares);
            team_end(&team);
            atomic_store_explicit(&rounds.rest, false, memory_order_relaxed);
            team_begin(&team, works_until_told);
            atomic_store_explicit(&rounds.rest, true, memory_order_relaxed);
            team_end(&team);
            assert_false(rounds.at_work);
            assert_int_equal(rounds.worked, rounds.prepared);
        }
        team_stop(&team);
        assert_int_equal(team.others, 0);
        assert_int_equal(rounds.worked, start * 50);
    }
    team_close(&team);
}

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

/* Of operations that take long, on the processor or asleep (for a lock, perhaps), and a paced look in between. */
static bool sleeps;
static void works_slowly(struct team_member *me) {
    do {
        if (sleeps)
            nanosleep(&(struct timespec){.tv_nsec = 2 * WATCH_GAP}, NULL);
        else
            pass_time(clock_nanoseconds() + 2 * WATCH_GAP);
    } while (team_look(me, clock_nanoseconds()));
}

/* A silence is an absence only if the kernel says so: without any word of the deque's progress. */
TEST(slow_operations_are_no_absence) {
    struct team team = {.cell = &cell, .work = works_slowly, .frequency = TEAM_FASTEST, .duration = 0.005};
    for (unsigned i = 0; i < 2; i++) {
        sleeps = i > 0;
        size_t counted = 0;
        assert_int_equal(team_open(&team, 1), 0);
        for (unsigned run = 0; run < 200 && counted == 0; run++) { /* a busy machine takes the processor at any time */
            assert_int_equal(team_run(&team), 0);
            counted = team.counted;
        }
        assert_true(counted > 0);
        team_close(&team);
    }
}

TEST(strides_keep_looks_rare_and_absences_visible) {
    assert_int_equal(team_stride(64, 64, 100), 128);
    assert_int_equal(team_stride(64, 64, TEAM_STRIDE), 64);
    assert_int_equal(team_stride(64, 64, 20000), 12);
    assert_int_equal(team_stride(1, 1, 1000000), 1);
    /* from one look to the next 2 ns became 130 */
    assert_int_equal(team_stride(512, 512, 512 * 130), 30);
    /* a phase that ended early tells little, unless it took long */
    assert_int_equal(team_stride(512, 1, 30), 512);
    assert_int_equal(team_stride(512, 100, 100 * 130), 30);
    unsigned stride = 1;
    for (int i = 0; i < 100; i++)
        stride = team_stride(stride, stride, 0);
    assert_true(stride * 130 < 200000); /* less than a window, should the next ones be slow */
}

TEST(samples_fit_their_log) {
    static const double rates[] = {1, 1e3, 1e5, 1e6, 2e8, 1e9}, durations[] = {0.01, 1, 10, 3600};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (size_t j = 0; j < sizeof durations / sizeof durations[0]; j++) {
            struct team team = {.duration = durations[j], .log_room = (size_t)64 << 20};
            unsigned every = team_sampling(&team, rates[i]);
            assert_true(every == 1 || every % 2 == 1);
            assert_true(team.log_room <= (size_t)1 << 20);
            if (every < 65521) /* else the run is longer than anybody's */
                assert_true(rates[i] * durations[j] / every <= (double)team.log_room);
        }
    }
    struct team slow = {.duration = 1, .log_room = (size_t)64 << 20};
    assert_int_equal(team_sampling(&slow, 1000), 1);
}

#define WINDOWS 6

/* A thread that did `each` in every window; in those of `without` it was away, without a look. */
static void record(struct watch *watch, uint64_t each, enum tally kind, const bool *without) {
    assert_int_equal(watch_init(watch, 1000000, WINDOWS, 0, 0), 0);
    watch_open(watch, 1000000);
    for (size_t i = 0; i <= WINDOWS; i++) {
        watch->snapshot[i].at = (i + 1) * 1000000;
        watch->snapshot[i].tally[kind] = i * each;
    }
    for (size_t i = WINDOWS; i-- > 0;)
        if (without[i]) {
            watch->snapshot[i] = watch->snapshot[i + 1];
            watch->marks[i] = WATCH_AWAY;
        }
    watch->next = WINDOWS + 1;
}

static struct contention reported;
static void report_it(void) { contention_report(&reported, 0); }

/* What contention_report prints of an owner and a thief that lived so. */
static const char *report_of(const bool *owner_without, const bool *thief_without) {
    static const struct deque_traits traits;
    static const struct contention_operations operations = {.traits = &traits};
    static struct team_member threads[2];
    const struct watch *const watches[] = {&threads[0].watch, &threads[1].watch};
    bool counts[WINDOWS];
    reported = (struct contention){
        .operations = &operations,
        .team = {.cell = &cell, .count = 2, .threads = threads, .counts = counts, .windows = WINDOWS}};
    record(&threads[0].watch, 2000, TALLY_PUSHED, owner_without);
    record(&threads[1].watch, 1000, TALLY_STOLEN, thief_without);
    reported.team.counted = watch_counted(watches, 2, false, counts);
    const char *text = written_to(STDOUT_FILENO, report_it);
    watch_free(&threads[0].watch);
    watch_free(&threads[1].watch);
    return text;
}

/* Windows in which a thread had no time at all are not divided by; without any other there is no number to be said. */
TEST(windows_without_time_are_not_reported) {
    static const bool none[WINDOWS] = {false}, some[WINDOWS] = {false, true, false, false, true},
                      every[WINDOWS] = {true, true, true, true, true, true};
    const char *text = report_of(some, none);
    assert_non_null(strstr(text, "\towner_operations\t2000000\toperations/s\tok\t"));
    assert_non_null(strstr(text, "\tthief_operations\t1000000\toperations/s\tok\t"));
    assert_non_null(strstr(text, "\tshare_counted\t0.666666667\tratio\tok\t"));
    text = report_of(none, every);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_non_null(strstr(text, "\towner_operations\t\toperations/s\tbusy\t"));
    assert_non_null(strstr(text, "\tthief_operations\t\toperations/s\tbusy\t"));
    assert_non_null(strstr(text, "\tshare_counted\t0\tratio\tok\t"));
}

#define SLOW 500 /* ns that an operation takes at least which is not fast */

static size_t most_popped; /* at once */

static void set(const struct parameter *parameter, const char *value) {
    char message[MESSAGE_SIZE];
    assert_true(settings_set(&settings, parameter, value, message));
}

static int make_nothing(struct contention *contention) {
    (void)contention;
    return 0;
}
static size_t fill_fast(struct team_member *me, struct contention *contention, size_t max, bool *over) {
    (void)me, (void)contention, (void)over;
    return max;
}
static size_t drain_slowly(struct team_member *me, struct contention *contention, size_t max, bool *over) {
    (void)me, (void)contention, (void)over;
    pass_time(clock_nanoseconds() + max * SLOW);
    most_popped = max > most_popped ? max : most_popped;
    return max;
}
static void clear_nothing(struct contention *contention) { (void)contention; }

static int failure;
static void run_it(void) {
    static const struct deque_traits traits = {.keeps_nothing = true};
    static const struct contention_operations operations = {.traits = &traits,
                                                            .timed = {.fill = fill_fast, .drain = drain_slowly},
                                                            .make = make_nothing,
                                                            .clear = clear_nothing};
    failure = contention_run(&reported, &cell, &operations);
}

/* However fast the owner fills, it looks at the clock in time where it drains slowly: else each drain were taken for an
 * absence, and no window counted. */
TEST(each_phase_has_its_own_stride) {
    static const char *const given[][2] = {
        {"thieves", "0"}, {"frequency", "0"}, {"capacity", "4096"}, {"duration", "0.005"}};
    for (const struct parameter *one = contention_parameters; one->name; one++)
        set(one, one->fallback);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        set(parameter_find(contention_parameters, given[i][0]), given[i][1]);
    reported = (struct contention){0};
    written_to(STDOUT_FILENO, run_it);
    assert_int_equal(failure, 0);
    assert_in_range(most_popped, 1, 16); /* 16: the first stride */
}

/* The counter runs with the clock: between two of its reads passes what passed between two of the clock's inside. */
TEST(the_counter_follows_the_clock) {
    struct cycles_facts facts = cycles_calibrate();
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
    set(parameter_find(common_parameters, "placement"), "none");
    set(parameter_find(common_parameters, "memory"), "owner");
    set(parameter_find(common_parameters, "counters"), "none");
    return unit_tests_run(NULL, NULL);
}
