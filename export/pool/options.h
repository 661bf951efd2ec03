/* Which worker an idle worker robs. */
enum pool_policy {
    POOL_SEQUENTIAL,    /* the others in turn, by number from 0 */
    POOL_RANDOM,        /* any, at random */
    POOL_PROBABILISTIC, /* at random, in proportion to the deques' lengths */
    POOL_NEAREST,       /* not available here: pool_start returns EINVAL */
    POOL_NONE           /* none: nothing is stolen */
};
/* What a worker does that finds nothing to rob: only spins; spins, then yields; spins, yields, then sleeps; yields
 * after every round; or sleeps after the first round, and each push wakes one worker. */
enum pool_idle { POOL_SPIN, POOL_YIELD, POOL_SLEEP, POOL_YIELD_EACH, POOL_WAKE_EACH };

/* A pool's options. Begin with POOL_DEFAULTS. */
struct pool_options {
    unsigned threads; /* workers, 1 to 1024, with the thread that calls pool_run; 0: one per processor */
    enum pool_policy victims;
    enum pool_idle idle;
    bool half;        /* a thief takes half of the items; otherwise one */
    bool slot;        /* the task spawned last stays outside the deque, where no thief reaches it (Go, Tokio) */
    bool turns;       /* one thief at a time at each deque, even if the deque allows more */
    size_t room;      /* capacity of a fixed deque, first capacity of a growing one; a task that does not fit goes to an
                       * overflow queue; 0: 1024 */
    size_t block;     /* items in a block, for deques made of blocks; 0: the pool's choice */
    unsigned mode;    /* the deque's own setting */
    uint64_t seed;    /* for drawing victims */
    unsigned percent; /* without half: a thief takes this percentage of the items, 1 to 100; 0: one item */
};
#define POOL_DEFAULTS                                                                                                  \
    { 0, POOL_RANDOM, POOL_SLEEP, false, false, false, 0, 0, 0, 1, 0 }

/* Called by the main thread. Starts the workers, which sleep. Returns 0; EINVAL: an option has no valid value; ENOMEM,
 * EAGAIN: no memory or no thread. */
int pool_start(struct pool **, const struct pool_options *, const struct pool_settings *);
