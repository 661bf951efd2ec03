/* pool_waits_test.c: how long stamped tasks have waited, by a clock of our own: who began them, what is reported, and
 * that a stamp hands its task on. */
#include "harness/measuring/clock.h"
#include "tests/unit.h"

static uint64_t here_and_now;
static uint64_t our_clock(void) { return here_and_now; }
#define clock_nanoseconds our_clock

/* What was reported, by name. */
static struct told {
    char metric[64];
    double value;
} told[64];
static size_t told_count;
static uint64_t written; /* values in the distribution of all */

struct cell;
static void tell(const struct cell *cell, const char *role, unsigned repetition, const char *metric, double value,
                 const char *unit, unsigned flags);
static void write_bucket(const struct cell *cell, const char *role, const char *metric, double lower, double upper,
                         uint64_t count, const char *unit);
#define cell_sample tell
#define cell_histogram write_bucket
#include "workloads/pool/waits.c"

static void tell(const struct cell *cell, const char *role, unsigned repetition, const char *metric, double value,
                 const char *unit, unsigned flags) {
    (void)cell, (void)role, (void)repetition, (void)unit, (void)flags;
    assert_true(told_count < sizeof told / sizeof told[0]);
    snprintf(told[told_count].metric, sizeof told[0].metric, "%s", metric);
    told[told_count++].value = value;
}

static void write_bucket(const struct cell *cell, const char *role, const char *metric, double lower, double upper,
                         uint64_t count, const char *unit) {
    (void)cell, (void)role, (void)unit;
    assert_true(lower < upper);
    if (strcmp(metric, "task_wait") == 0)
        written += count;
}

static double value_of(const char *metric) {
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].metric, metric) == 0)
            return told[i].value;
    fail_msg("%s was not reported", metric);
    return 0;
}

/* What waits.c asks of the rest of the pool. */
static double seconds;
static struct pool_stamp memory[4];
static size_t taken;
static int failed;
double pool_seconds(const struct pool *pool) {
    (void)pool;
    return seconds;
}
void pool_cache_open(struct pool_cache *cache, struct pool_depot *depot, size_t bytes, size_t link) {
    *cache = (struct pool_cache){.depot = depot, .bytes = bytes, .link = link};
}
void *pool_cache_more(struct pool_worker *worker, struct pool_cache *cache) {
    (void)worker, (void)cache;
    return taken < sizeof memory / sizeof memory[0] ? &memory[taken++] : NULL;
}
void pool_cache_full(struct pool_cache *cache) { (void)cache; }
void pool_fail(struct pool_worker *worker, int code, const char *reason) {
    (void)worker, (void)reason;
    failed = code;
}

static struct pool_worker workers[2], *both[2] = {&workers[0], &workers[1]};
static struct pool pool;
static int setup(void **state) {
    (void)state;
    told_count = taken = 0;
    written = 0;
    failed = 0;
    pool = (struct pool){.waits = true, .threads = 2, .worker = both, .cell = {.repetitions = 1}};
    assert_true(pool_waits_open_all(&pool));
    for (unsigned i = 0; i < 2; i++) {
        workers[i] = (struct pool_worker){.pool = &pool, .number = i};
        assert_true(pool_waits_open(&workers[i]));
        pool_waits_begin(&workers[i]);
    }
    return 0;
}
static int teardown(void **state) {
    (void)state;
    pool_waits_close(&pool);
    for (unsigned i = 0; i < 2; i++)
        pool_waits_free(workers[i].waits);
    return 0;
}

/* Pushed by worker 0 at a time, begun by that worker at another. */
static void wait_of(struct pool_worker *by, uint64_t pushed, uint64_t begun) {
    struct pool_task task = {NULL};
    here_and_now = pushed;
    struct pool_task *stamp = pool_stamp(&workers[0], &task);
    assert_true(stamp != &task && pool_is_stamp(stamp));
    here_and_now = begun;
    assert_ptr_equal(pool_stamp_taken(by, stamp), &task);
}

TEST_WITHIN(setup, teardown, waits_are_told_by_who_began) {
    for (int i = 0; i < 98; i++)
        wait_of(&workers[0], 1000, 1100);
    wait_of(&workers[1], 1000, 51000);
    wait_of(&workers[1], 0, 800000);
    seconds = 1e-3;
    pool_waits_report(&pool, 0);
    assert_true(value_of("task_wait_count") == 100 && value_of("task_wait_moved_count") == 2);
    assert_float_equal(value_of("task_wait_p50"), 100, 1);
    assert_float_equal(value_of("task_wait_p99"), 50000, 500);
    assert_float_equal(value_of("task_wait_moved_p50"), 50000, 500);
    assert_float_equal(value_of("task_wait_maximum"), 800000, 0.5);
    assert_float_equal(value_of("task_wait_mean"), (98 * 100 + 50000 + 800000) / 100.0, 0.5);
    assert_float_equal(value_of("task_wait_maximum_of_run"), 0.8, 1e-9);
    assert_float_equal(value_of("tasks_starved"), 1, 1e-9); /* the one that waited for more than half of the run */
}

TEST_WITHIN(setup, teardown, runs_are_told_singly_and_written_together) {
    seconds = 1;
    for (unsigned run = 0; run < 2; run++) {
        pool_waits_begin(&workers[0]);
        pool_waits_begin(&workers[1]);
        told_count = 0;
        wait_of(&workers[0], 0, 10 + 1000000 * run);
        pool_waits_report(&pool, run);
        assert_true(value_of("task_wait_count") == 1);
    }
    assert_true(value_of("task_wait_p50") > 1e6 * 0.99);
    pool_waits_close(&pool);
    pool.waited = NULL;
    assert_true(written == 2);
}

TEST_WITHIN(setup, teardown, clocks_that_disagree_are_no_wait) {
    wait_of(&workers[1], 1000, 900);
    pool_waits_report(&pool, 0);
    assert_true(value_of("task_wait_maximum") == 0);
}

TEST_WITHIN(setup, teardown, stamp_put_back_is_not_told) {
    struct pool_task task = {NULL};
    assert_ptr_equal(pool_stamp_back(&workers[0], pool_stamp(&workers[0], &task)), &task);
    pool_waits_report(&pool, 0);
    assert_true(value_of("task_wait_count") == 0);
}

TEST_WITHIN(setup, teardown, without_memory_the_run_fails) {
    struct pool_task tasks[5] = {{NULL}};
    for (int i = 0; i < 4; i++)
        assert_true(pool_stamp(&workers[0], &tasks[i]) != &tasks[i]);
    assert_int_equal(failed, 0);
    assert_ptr_equal(pool_stamp(&workers[0], &tasks[4]), &tasks[4]);
    assert_int_equal(failed, 3);
}

int main(void) { return unit_tests_run(NULL, NULL); }
