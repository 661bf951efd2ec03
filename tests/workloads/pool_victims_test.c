/* pool_victims_test.c: whom a thief robs, by each policy: how often it reads lengths, and whom it names how often. */
#include "tests/unit.h"
#include "workloads/pool/nearest.c"
#include "workloads/pool/victims.c"

#define WORKERS 64

static size_t items[WORKERS]; /* what thieves could take of each */
static unsigned reads;

static size_t count_read(const struct pool_worker *worker) {
    reads++;
    return items[worker->number];
}
const struct pool_deque pool_deque = {.stealable = count_read};

static struct pool pool;
static struct pool_worker workers[WORKERS];

/* The pool's first workers, of which worker 0 is the thief. */
static struct pool_worker *thief_of(enum pool_policy policy, unsigned threads) {
    pool.policy = policy;
    pool.threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct pool_worker){.pool = &pool, .number = i, .random = 12345};
        pool.worker[i] = &workers[i];
        items[i] = 0;
    }
    assert_true(pool_victims_open(&workers[0]));
    reads = 0;
    return &workers[0];
}

/* A round: whom it names, in order; how many. */
static unsigned round_of(struct pool_worker *thief, unsigned *named) {
    unsigned count = 0;
    for (struct pool_worker *victim; count + 1 < pool.threads && (victim = pool_victim(thief, count));) {
        assert_true(victim != thief);
        named[count++] = victim->number;
    }
    return count;
}

static void demand_each_once(const unsigned *named, unsigned count) {
    bool seen[WORKERS] = {false};
    for (unsigned i = 0; i < count; i++) {
        assert_false(seen[named[i]]);
        seen[named[i]] = true;
    }
}

TEST(lengths_are_read_once_a_round_and_who_has_nothing_is_not_named) {
    unsigned named[WORKERS];
    struct pool_worker *thief = thief_of(POOL_PROBABILISTIC, WORKERS);
    assert_int_equal(round_of(thief, named), 0);
    assert_int_equal(reads, WORKERS - 1);
    items[5] = 2;
    items[9] = 1;
    assert_int_equal(round_of(thief, named), 2);
    assert_int_equal(named[0] + named[1], 14);
    reads = 0;
    for (unsigned j = 1; j < WORKERS; j++)
        items[j] = 1 + j % 7;
    assert_int_equal(round_of(thief, named), WORKERS - 1);
    assert_int_equal(reads, WORKERS - 1);
    demand_each_once(named, WORKERS - 1);
    pool_victims_close(thief);
}

TEST(twice_as_long_is_drawn_twice_as_often) {
    unsigned named[WORKERS], first[4] = {0};
    struct pool_worker *thief = thief_of(POOL_PROBABILISTIC, 4);
    items[1] = 10, items[2] = 20, items[3] = 70;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(round_of(thief, named), 3);
        first[named[0]]++;
    }
    for (unsigned j = 1; j < 4; j++)
        assert_in_range(first[j], 100 * items[j] - 200, 100 * items[j] + 200);
    pool_victims_close(thief);
}

/* Two sockets of four cores: the three on the thief's socket come first, each of them now and then the very first. */
TEST(the_nearest_come_first_and_at_random) {
    char message[MESSAGE_SIZE];
    unsigned named[WORKERS], first[8] = {0}, fourth[8] = {0};
    assert_int_equal(places_plan(&pool.places, "compact", 8, "pack:2 core:4 pu:1", message), 0);
    struct pool_worker *thief = thief_of(POOL_NEAREST, 8);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(round_of(thief, named), 7);
        demand_each_once(named, 7);
        for (int j = 0; j < 7; j++)
            assert_true(j < 3 ? named[j] < 4 : named[j] >= 4);
        first[named[0]]++;
        fourth[named[3]]++;
    }
    for (unsigned j = 1; j < 8; j++)
        assert_in_range(j < 4 ? first[j] : fourth[j], j < 4 ? 250 : 180, j < 4 ? 420 : 320);
    pool_victims_close(thief);
    places_close(&pool.places);
}

TEST(sequential_goes_by_number) {
    unsigned named[WORKERS];
    struct pool_worker *thief = thief_of(POOL_SEQUENTIAL, WORKERS);
    assert_int_equal(round_of(thief, named), WORKERS - 1);
    for (unsigned j = 0; j + 1 < WORKERS; j++)
        assert_int_equal(named[j], j + 1);
    assert_int_equal(reads, 0);
    pool_victims_close(thief);
}
