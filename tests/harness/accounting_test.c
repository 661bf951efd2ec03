/* accounting_test.c: items that do not add up are found; and what a thread did in the windows that count is what it did
 * while every thread was there. */
#include "harness/measuring/parameters.h"
#include "harness/measuring/watch.h"
#include "tests/unit.h"
#include "workloads/contention/accounting.h"

static char message[MESSAGE_SIZE];

/* 100 items pushed, of which 2 are left; at_least_once: an item may come out twice. */
#define TAKEN(by_owner, by_thieves, sum, ...)                                                                          \
    {                                                                                                                  \
        .pushed = 100, .pushed_sum = 5050, .left = 2, .popped = by_owner, .stolen = by_thieves, .taken_sum = sum,      \
        __VA_ARGS__                                                                                                    \
    }

TEST(what_does_not_add_up_is_found) {
    static const struct {
        struct items_account account;
        const char *says; /* NULL: it adds up */
        uint64_t doubled;
    } due[] = {{{0}, NULL, 0},
               {TAKEN(60, 38, 5050, ), NULL, 0},
               {TAKEN(60, 38, 5050, .at_least_once = true), NULL, 0},
               {TAKEN(60, 41, 5127, .at_least_once = true), NULL, 3},
               {TAKEN(59, 38, 5050, ), "missing", 0},
               {TAKEN(59, 38, 5050, .at_least_once = true), "missing", 0},
               {TAKEN(60, 39, 5050, ), "twice", 0},
               {TAKEN(60, 38, 5034, ), "number is right", 0}, /* one item lost, its neighbour doubled */
               {TAKEN(60, 38, 5050, .stays = 1), "size", 0},
               {TAKEN(99, 38, 5050, .at_least_once = true), "owner got more", 0}};
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        assert_int_equal(items_add_up(&due[i].account, message), !due[i].says);
        if (due[i].says)
            assert_non_null(strstr(message, due[i].says));
        else
            assert_int_equal(items_doubled(&due[i].account), due[i].doubled);
    }
}

#define MILLISECOND 1000000u

/* Which windows of 1 ms count: x where one does. The thread looks at these moments, in ns after window 0 opened, until
 * a 0; the look at away_at ends an absence. */
static const struct {
    int64_t looks[10], away_at;
    const char *counted;
    double seconds;
    uint64_t pushed; /* one after each look */
} records[] = {
    /* An absence that ends in the window's first instant, or begins in its last, spoils that window too. */
    {{5, 500000, 999999, 2000000, 2500000, 2999990, 3000002, 3500000, 4000000}, 2000000, "---x", 0.001, 2},
    /* A silence that is no absence leaves its windows alone, however long it is: window 2 has no time of its own. */
    {{5, 900000, 1500000, 3500000, 4000000, 4500000, 5000000}, -1, "xxxxx", 0.005, 6}};

TEST(an_absence_spoils_its_windows_and_a_long_operation_none) {
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
        const uint64_t opened = 5 * (uint64_t)MILLISECOND;
        const size_t windows = strlen(records[r].counted);
        struct watch watch;
        const struct watch *const one[] = {&watch};
        uint64_t tally[TALLY_KINDS] = {0};
        bool counts[8];
        assert_true(watch_init(&watch, MILLISECOND, windows, 0, opened - 10));
        watch_open(&watch, opened);
        for (const int64_t *look = records[r].looks; *look; look++, watch.tally[TALLY_PUSHED]++)
            watch_pass(&watch, opened + (uint64_t)*look, *look == records[r].away_at);
        watch_counted(one, 1, false, counts);
        for (size_t i = 0; i < windows; i++)
            assert_int_equal(counts[i], records[r].counted[i] == 'x');
        assert_float_equal(watch_sum(&watch, counts, false, tally), records[r].seconds, 1e-4);
        assert_int_equal(tally[TALLY_PUSHED], records[r].pushed);
        /* where absences count, so does the time they took */
        assert_int_equal(watch_counted(one, 1, true, counts), windows);
        assert_float_equal(watch_sum(&watch, counts, true, tally), (double)windows / 1000, 1e-9);
        watch_free(&watch);
    }
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
        assert_true(watch_init(&watch[i], MILLISECOND, 5, 0, opened - 10));
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
    assert_true(watch_init(&watch, MILLISECOND, 2, 0, 90));
    watch_open(&watch, 100);
    watch_pass(&watch, 100, false);
    watch.tally[TALLY_ASKING] = MILLISECOND / 2;
    watch_pass(&watch, 100 + MILLISECOND, false);
    watch_pass(&watch, 100 + 2 * MILLISECOND, false);
    assert_int_equal(watch_counted(one, 1, false, counts), 2);
    assert_true(watch_sum(&watch, counts, false, tally) == 0.0015);
    watch_free(&watch);
}
