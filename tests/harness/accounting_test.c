/* accounting_test.c: items that do not add up are found; and what a thread did in the windows that count is what it did
 * while every thread was there. */
#include "harness/measuring/median.h"
#include "harness/measuring/parameters.h"
#include "harness/measuring/watch.h"
#include "tests/unit.h"
#include "workloads/contention/accounting.h"

static char message[MESSAGE_SIZE];

static struct items_account right(void) {
    return (struct items_account){
        .pushed = 100, .popped = 60, .stolen = 38, .left = 2, .pushed_sum = 5050, .taken_sum = 5050};
}

TEST(what_adds_up_passes) {
    struct items_account account = right(), nothing = {0};
    assert_true(items_add_up(&account, message));
    assert_true(items_add_up(&nothing, message));
    assert_int_equal(items_doubled(&account), 0);
    account.at_least_once = true;
    assert_true(items_add_up(&account, message));
    account.stolen = 41;
    account.taken_sum += 77;
    assert_true(items_add_up(&account, message));
    assert_int_equal(items_doubled(&account), 3);
}

static void refused(const struct items_account *account, const char *says) {
    assert_false(items_add_up(account, message));
    assert_non_null(strstr(message, says));
}

TEST(what_does_not_is_found) {
    struct items_account account = right();
    account.popped--;
    refused(&account, "missing");
    account.at_least_once = true;
    refused(&account, "missing");
    account = right();
    account.stolen++;
    refused(&account, "twice");
    account = right();
    account.taken_sum -= 16; /* one item lost, its neighbour doubled */
    refused(&account, "number is right");
    account = right();
    account.stays = 1;
    refused(&account, "size");
    account = right();
    account.at_least_once = true;
    account.popped = 99;
    refused(&account, "owner got more");
}

TEST(fairness_is_jains_index) {
    static const double equal[] = {7, 7, 7, 7}, one[] = {0, 9, 0, 0}, mixed[] = {1, 3};
    assert_true(fairness(equal, 4) == 1.0);
    assert_true(fairness(one, 4) == 0.25);
    assert_true(fairness(mixed, 2) == 16.0 / 20.0);
    assert_true(fairness(one + 1, 1) == 1.0);
}

#define MILLISECOND 1000000u

/* A thread that pushes once a microsecond from `from` on and looks every ten; it is away in between, if at all. */
static void live(struct watch *watch, uint64_t opened, uint64_t away_from, uint64_t away_to) {
    uint64_t now = opened - MILLISECOND / 2;
    bool going = true;
    watch->before = now;
    watch_open(watch, opened);
    while (going) {
        now += 10000;
        watch->tally[TALLY_PUSHED] += 10;
        if (now > away_from && now < away_to)
            now = away_to;
        bool away = now - watch->before > WATCH_GAP;
        if (away || now >= watch->boundary)
            going = watch_pass(watch, now, away);
        else
            watch->before = now;
    }
}

TEST(windows_with_an_absence_do_not_count) {
    enum { WINDOWS = 20 };
    const uint64_t opened = 1000 * (uint64_t)MILLISECOND;
    struct watch present, absent;
    const struct watch *const both[] = {&present, &absent};
    bool counts[WINDOWS];
    assert_int_equal(watch_init(&present, MILLISECOND, WINDOWS, MILLISECOND, opened), 0);
    assert_int_equal(watch_init(&absent, MILLISECOND, WINDOWS, MILLISECOND, opened), 0);
    live(&present, opened, 0, 0);
    /* away from the middle of window 4 to the middle of window 7 */
    live(&absent, opened, opened + 4500000, opened + 7500000);
    assert_int_equal(watch_counted(both, 1, false, counts), WINDOWS);
    assert_int_equal(watch_counted(both, 2, false, counts), WINDOWS - 4);
    for (size_t i = 0; i < WINDOWS; i++)
        assert_int_equal(counts[i], i < 4 || i > 7);
    for (size_t i = 0; i < 2; i++) {
        uint64_t tally[TALLY_KINDS] = {0};
        double seconds = watch_sum(both[i], counts, false, tally);
        double rate = (double)tally[TALLY_PUSHED] / seconds;
        assert_true(seconds > 0.0155 && seconds < 0.0165);
        assert_true(rate > 0.99e6 && rate < 1.01e6); /* what it does when it is there */
    }
    /* where absences count, so does the time they took */
    assert_int_equal(watch_counted(both, 2, true, counts), WINDOWS);
    uint64_t tally[TALLY_KINDS] = {0};
    assert_true(watch_sum(&absent, counts, true, tally) == 0.02);
    assert_in_range(tally[TALLY_PUSHED], 16900, 17100);
    watch_free(&present);
    watch_free(&absent);
}

/* Which windows of 1 ms count, as text: x where one does. The thread looks at these moments, in ns after window 0
 * opened; the look at away_at ends an absence, the last one ends the record. */
static const char *counted_by(const int64_t *looks, size_t count, int64_t away_at, double *seconds) {
    static char text[8];
    const uint64_t opened = 5 * (uint64_t)MILLISECOND;
    const size_t windows = (size_t)(looks[count - 1] / MILLISECOND);
    struct watch watch;
    const struct watch *const one[] = {&watch};
    uint64_t tally[TALLY_KINDS] = {0};
    bool counts[8];
    assert_int_equal(watch_init(&watch, MILLISECOND, windows, 0, opened - 10), 0);
    watch_open(&watch, opened);
    for (size_t i = 0; i < count; i++)
        assert_true(watch_pass(&watch, opened + (uint64_t)looks[i], looks[i] == away_at) == (i + 1 < count));
    watch_counted(one, 1, false, counts);
    for (size_t i = 0; i < windows; i++)
        text[i] = counts[i] ? 'x' : '-';
    text[windows] = '\0';
    *seconds = watch_sum(&watch, counts, false, tally);
    watch_free(&watch);
    return text;
}
#define COUNTED_BY(looks, away_at) counted_by(looks, sizeof(looks) / sizeof(looks)[0], away_at, &seconds)

/* An absence that ends in the window's first instant, or begins in its last, spoils that window too. */
TEST(an_absence_at_an_edge_spoils_both_windows) {
    static const int64_t looks[] = {5, 500000, 999999, 2000000, 2500000, 2999990, 3000002, 3500000, 4000000};
    double seconds;
    assert_string_equal(COUNTED_BY(looks, 2000000), "---x");
}

/* A silence that is no absence leaves its windows alone, however long it is: window 2 has no time of its own. */
TEST(an_operation_may_be_longer_than_a_window) {
    static const int64_t looks[] = {5, 900000, 1500000, 3500000, 4000000, 4500000, 5000000};
    double seconds;
    assert_string_equal(COUNTED_BY(looks, -1), "xxxxx");
    assert_true(seconds > 0.0049 && seconds < 0.0051);
}

/* Thread 0 waits from window 1 to 3 for thread 1, which is away in window 2: none of these counts. Windows 0 and 4,
 * which other silences join to 1 and 3, do. */
TEST(windows_of_one_silence_share_their_fate) {
    const uint64_t opened = 5 * (uint64_t)MILLISECOND;
    static const uint64_t looks[2][11] = {
        {5, 500000, 1500000, 3500000, 4500000, 5000000},
        {5, 990000, 1000010, 1990000, 2000010, 2900000, 2990000, 3000010, 3990000, 4000010, 5000000}};
    struct watch watch[2];
    const struct watch *const both[] = {&watch[0], &watch[1]};
    bool counts[5];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(watch_init(&watch[i], MILLISECOND, 5, 0, opened - 10), 0);
        watch_open(&watch[i], opened);
        for (size_t j = 0; j < 11 && looks[i][j] > 0; j++)
            watch_pass(&watch[i], opened + looks[i][j], looks[i][j] == 2900000);
    }
    assert_int_equal(watch_counted(both, 1, false, counts), 5);
    assert_int_equal(watch_counted(both, 2, false, counts), 2);
    assert_true(counts[0] && counts[4]);
    for (size_t i = 0; i < 2; i++)
        watch_free(&watch[i]);
}

/* What a thread spends on asking the kernel is no part of its windows. */
TEST(the_time_of_questions_is_left_out) {
    struct watch watch;
    const struct watch *const one[] = {&watch};
    uint64_t tally[TALLY_KINDS] = {0};
    bool counts[2];
    assert_int_equal(watch_init(&watch, MILLISECOND, 2, 0, 90), 0);
    watch_open(&watch, 100);
    watch_pass(&watch, 100, false);
    watch.tally[TALLY_ASKING] = MILLISECOND / 2;
    watch_pass(&watch, 100 + MILLISECOND, false);
    watch_pass(&watch, 100 + 2 * MILLISECOND, false);
    assert_int_equal(watch_counted(one, 1, false, counts), 2);
    assert_true(watch_sum(&watch, counts, false, tally) == 0.0015);
    watch_free(&watch);
}

int main(void) { return unit_tests_run(NULL, NULL); }
