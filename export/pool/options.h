/* Whom an idle worker robs: by number from 0, at random, the longer of two, the longest, at random in proportion to
 * length; by distance in the machine, which is refused here (EINVAL); drawn and kept with a probability of length over
 * room, at work nearest in a search space (pool_subspace), nobody. And how far it goes when there is nothing to rob:
 * spins, then yields, then sleeps; or yields after every round; or sleeps after the first, and each push wakes one. */
enum pool_policy {
    POOL_SEQUENTIAL,
    POOL_RANDOM,
    POOL_TWO_CHOICES,
    POOL_LONGEST,
    POOL_PROBABILISTIC,
    POOL_NEAREST,
    POOL_REJECTION,
    POOL_AFFINITY,
    POOL_NONE
};
enum pool_idle { POOL_SPIN, POOL_YIELD, POOL_SLEEP, POOL_YIELD_EACH, POOL_WAKE_EACH };

/* How a pool is to be. Begin with POOL_DEFAULTS. */
struct pool_options {
    unsigned threads; /* workers, 1 to 1024, whoever calls pool_run among them; 0: as many as there are processors */
    enum pool_policy victims;
    enum pool_idle idle;
    bool half;   /* a thief takes half of the items; else one */
    bool slot;   /* the task spawned last waits before the deque, out of thieves' reach (Go, Tokio) */
    bool master; /* worker 0 alone steals, and hands what it got to idle workers */
    bool turns;  /* one thief at a time at every deque, also where the deque allows more */
    size_t
        room; /* of a fixed deque, first room of a growing one; what does not fit goes to an overflow queue; 0: 1024 */
    size_t block;     /* items in a block, for deques made of blocks; 0: the pool's choice */
    unsigned mode;    /* the deque's own setting */
    uint64_t seed;    /* of the victims that are drawn */
    unsigned percent; /* without half: a thief takes that many percent of the items, 1 to 100; 0: one */
};
#define POOL_DEFAULTS                                                                                                  \
    { 0, POOL_RANDOM, POOL_SLEEP, false, false, false, false, 0, 0, 0, 1, 0 }

/* Main. Starts the workers; they sleep. 0; EINVAL an option that cannot be; ENOMEM, EAGAIN no memory or no thread. */
int pool_start(struct pool **, const struct pool_options *, const struct pool_settings *);
