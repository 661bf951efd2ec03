/* pool.c: the pool over this deque. Checks that no task is lost or run twice, that no wake-up is lost, that every run
 * ends, and that lack of memory is an error.
 *
 * Compiled once for each kind of build: it reaches the deque through the pool. A run that hangs is caught by the
 * watchdog.
 */
#include "proof/checks/pool_check.h"

/* --- any mixture of settings */
static const char *one_of(uint64_t *random, const char *const *words, size_t count) {
    return words[random_below(random, count)];
}
#define ONE_OF(...)                                                                                                    \
    one_of(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void try_mixture(uint64_t *random) {
    char text[CHECK_TEXT];
    snprintf(text, sizeof text, "threads=%s;victims=%s;steal=%s;idle=%s;room=%s;slot=%s;turns=%s;first=%s;waits=%s",
             ONE_OF("1", "2", "2", "3", "4", "7"), ONE_OF("sequential", "random", "probabilistic", "nearest", "none"),
             ONE_OF("one", "half", "10", "100"), ONE_OF("spin", "yield", "yield_each", "sleep", "sleep", "wake_each"),
             ONE_OF("1", "2", "16", "256", "1024"), ONE_OF("0", "1"), ONE_OF("0", "1"), ONE_OF("one", "each"),
             ONE_OF("0", "0", "1"));
    if (random_below(random, 3) == 0)
        check_forks(random_next(random), text, SANITIZED(12, 8), SHARE(100));
    else
        check_trees(random_next(random), text, 4, 1500);
}

/* seconds: a check that should take less than a second runs fewer cycles of each kind (at least three) and smaller
 * trees. */
static void try_fixed(uint64_t seed, double seconds) {
    const bool brief = seconds < 1;
    static const char *const each[] = {
        "threads=1;room=2",
        "threads=2;slot=1;steal=half;waits=1",
        "threads=3;room=2;steal=half",
        "threads=4;victims=sequential;turns=1",
        "threads=3;victims=probabilistic;idle=yield",
        "threads=3;victims=nearest;idle=spin;steal=100;room=16",
        "threads=4;steal=half;victims=probabilistic;first=each",
        "threads=3;idle=yield_each;room=16;slot=1",
        "threads=3;victims=none",
        "threads=3;idle=wake_each;steal=20;room=2;waits=1",
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        check_trees(seed + i, each[i], brief ? 2 : 4, SHARE(2000));
        check_forks(seed + i, each[i], SANITIZED(14, 8), SHARE(200));
    }
    /* a FIFO nests the joins it waits for; a chain is deep by itself */
    check_forks(seed, "threads=1;room=65536", SANITIZED(24, 14), SHARE(3000));
    check_forks(seed, "threads=2;room=65536", SANITIZED(17, 10), SHARE(3000));
    check_trees(seed, "threads=17;steal=half", 2, SHARE(1500));
    check_trees(seed, SANITIZED("threads=200", "threads=65"), 2, SHARE(1500));
    check_scenes(seed, SANITIZED(1.0, 0.2) * (brief ? seconds : 1));
    check_failures(seed, SHARE(brief ? 1000 : 4000));
}

static int run(const struct check_request *request) {
    uint64_t random = random_start(request->seed, 0), start = clock_nanoseconds();
    unsigned long mixtures = 0;
    check_begin("pool", pool_deque.traits->id, request);
    if (!pool_deque.traits->sound || pool_deque.traits->keeps_nothing)
        return check_passed("not served by the pool, nothing to check");
    /* somebody's own class (queues/upstream, queues/adopted): small deques cannot be asked for */
    const char *id = pool_deque.traits->id;
    if ((strncmp(id, "upstream/", 9) == 0 || strncmp(id, "adopted/", 8) == 0) &&
        pool_deque.traits->bound == DEQUE_FIXED)
        return check_passed("its capacity is a constant of its own, the check's settings do not apply");
    if (request->rounds == 0)
        try_fixed(request->seed, request->seconds);
    while (request->rounds ? mixtures < request->rounds
                           : (double)(clock_nanoseconds() - start) * 1e-9 < request->seconds || mixtures < 3) {
        try_mixture(&random);
        mixtures++;
    }
    return check_passed("%lu runs and cycles, %lu of them mixtures of settings", check_steps(), mixtures);
}

static const struct check pool_check = {
    .name = "pool",
    .summary = "the pool: no task lost or run twice, no wake-up lost, every run ends, no memory is an error",
    .run = run,
};
REGISTER_CHECK(pool_check);
