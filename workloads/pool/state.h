/* state.h: what the two halves of the pool share: pool.c and pool_inline.h, which know the deque and are
 * compiled for each, and all else, which is compiled once. The modules' functions are declared here and in memory.h.
 *
 * Applications include workloads/pool/pool.h instead.
 */
#pragma once

#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/histogram.h"
#include "harness/measuring/places.h"
#include "workloads/pool/memory.h"
#include <sched.h>

#include "harness/measuring/one_thief.h"
#include "harness/measuring/popped_links.h"

#define POOL_WORKERS_MAX 1024

/* victims= and idle= of pool_parameters. */
#define POOL_POLICIES(POLICY)                                                                                          \
    POLICY(POOL_SEQUENTIAL, "sequential")                                                                              \
    POLICY(POOL_RANDOM, "random")                                                                                      \
    POLICY(POOL_PROBABILISTIC, "probabilistic")                                                                        \
    POLICY(POOL_NEAREST, "nearest")                                                                                    \
    POLICY(POOL_NONE, "none")
#define POOL_IDLES(IDLE)                                                                                               \
    IDLE(POOL_SPIN, "spin")                                                                                            \
    IDLE(POOL_YIELD, "yield")                                                                                          \
    IDLE(POOL_SLEEP, "sleep")                                                                                          \
    IDLE(POOL_YIELD_EACH, "yield_each")                                                                                \
    IDLE(POOL_WAKE_EACH, "wake_each")
enum pool_policy { POOL_POLICIES(LIST_NAME) };
enum pool_idle { POOL_IDLES(LIST_NAME) };

/* As what a worker counts in `sleepers`: not, or not any more; as one that searches; as one that sleeps, unless
 * somebody has claimed it since. */
enum pool_counted { POOL_UNCOUNTED, POOL_SEARCHES, POOL_SLEEPS };

/* What one worker did in one run; written by it alone. */
struct pool_counts {
    uint64_t tasks;          /* run, forks among them */
    uint64_t inlined;        /* forks run at once: no room in the deque, or too little stack left to wait on */
    uint64_t steals;         /* that brought something */
    uint64_t stolen;         /* items they brought */
    uint64_t empty;          /* failed: nothing to take */
    uint64_t lost;           /* failed: another was first, or no answer in time */
    uint64_t busy;           /* failed: another thief had its turn */
    uint64_t overflowed;     /* tasks put into the overflow queue */
    uint64_t overflow_time;  /* ns of putting them there, what a ring spills included, and of taking tasks from there */
    uint64_t duplicates;     /* items that had been taken before, dropped */
    _Atomic uint64_t sleeps; /* read by the pool's check meanwhile */
    uint64_t idle_time;      /* ns without a task to run, asleep or not */
    uint64_t sleep_time;     /* ns of them asleep */
    uint64_t last_end;       /* when the last task ended; 0: none */
    uint64_t tally[POOL_TALLIES];
};

/* Tasks that no deque had room for: a ring of pointers behind a lock. Each group of POOL_OVERFLOW_GROUP neighbouring
 * workers has one, so that few workers compete for a lock and it stays in their caches. */
#define POOL_OVERFLOW_GROUP 16
struct pool_overflow {
    alignas(POOL_LINE) pthread_mutex_t lock;
    alignas(POOL_LINE) _Atomic size_t count; /* written under the lock; all others read it in every round */
    struct pool_task **ring;
    size_t first, room;
};

struct pool_worker {
    /* written before the worker first works, and read by thieves: apart from what it writes at every task */
    alignas(POOL_LINE) struct pool *pool;
    uintptr_t stack_end; /* below this address forks are run at once */
    unsigned number;
    _Atomic bool watches; /* true: after a push it looks at `sleepers`. See sleep.c */
    pthread_t owner;      /* its thread */
    /* this worker's own */
    alignas(POOL_LINE) struct pool_task *slot; /* spawned last, where the pool has slots */
    struct pool_counts counts;
    struct pool_cache tasks;    /* of pool_take */
    struct pool_cache nodes;    /* of what stands in the deque for a task, where that is not the task */
    struct popped_links popped; /* intrusive deques: nodes that a thief may still stand on */
    void **taken;               /* where a stolen batch and what a deque spills are put */
    size_t taken_room;
    uint64_t random;
    enum pool_counted counted;    /* in `sleepers` */
    bool contended;               /* the last round of steals lost a race or found a thief at work */
    struct histogram steal_times; /* ns from the start of a round to the item that it brought */
    unsigned *order;              /* the others, by the policy; threads - 1 */
    unsigned *last;               /* by distance: where those end that are as near */
    size_t *lengths;              /* what the others had when the round began, and their sum */
    size_t lengths_sum;
    struct pool_slab *slabs;
    struct histogram waits; /* ns from the spawn of what it began, with waits=1 */
    uint64_t cpu_time;      /* ns on a processor in this run */
    uint64_t present;       /* ns from its arrival to its end */
    struct counters counters;
    /* counted up by this worker, summed up by workers that look for the end */
    alignas(POOL_LINE) _Atomic uint64_t spawned;
    _Atomic uint64_t finished;
    alignas(POOL_LINE) struct victim_lock lock;
    alignas(POOL_LINE) _Atomic uint32_t wakes;        /* how often it was woken; it sleeps on this word */
    _Atomic(struct pool_fork *) awaits;               /* the child that it sleeps for, or NULL */
    alignas(POOL_LINE) struct pool_overflow overflow; /* of its group, if it is the first of one */
};

#define POOL_SEARCHER INT32_C(0x10000) /* what one that searches takes off `sleepers` */

struct pool {
    struct cell cell; /* the application's, with the flags that hold for this pool */
    struct pool_settings settings;
    struct pool_worker *worker[POOL_WORKERS_MAX];
    pthread_t thread[POOL_WORKERS_MAX]; /* of the workers but the first, in the order of their starts */
    unsigned threads, thread_count;
    enum pool_policy policy;
    enum pool_idle idle;
    bool steals;      /* several workers, and not victims=none */
    unsigned percent; /* of a victim's items, what a thief takes; 0: one item */
    bool half;        /* 50 percent, in the way that the deque has for that */
    bool slot;
    bool turns;       /* one thief at a time */
    bool waits;       /* tasks are stamped */
    bool each;        /* first tasks: every worker spawns its own */
    bool steal_times; /* how long steals take is recorded */
    struct places places;
    alignas(POOL_LINE) struct pool_depot task_depot, node_depot;
    void *sites[POOL_WORKERS_MAX]; /* victims=nearest: the worker's place in the machine's tree, by number */
    alignas(POOL_LINE) _Atomic(struct pool_claim *) *claims; /* by index / POOL_CLAIMS_CHUNK */
    _Atomic uint32_t claim_chunks;
    _Atomic uint64_t started;       /* when the run began; 0: its first tasks may not be spawned yet */
    struct pool_task *const *first; /* of the run */
    size_t first_count;
    _Atomic uint32_t numbered;       /* that have their number */
    _Atomic int open_failure;        /* of one that could not be opened, or 0 */
    cpu_set_t affinity;              /* of the main thread, from before; or empty */
    bool must_fence;                 /* no membarrier: workers that push or have run a child fence themselves */
    int32_t weight[POOL_SLEEPS + 1]; /* of a worker in `sleepers`, by enum pool_counted */
    /* a bit for each worker that sleeps, or is about to */
    alignas(POOL_LINE) _Atomic uint64_t asleep[POOL_WORKERS_MAX / 64];
    /* How many workers sleep, less POOL_SEARCHER for each that searches: above 0 when there is one to be woken. 0 with
     * victims=none. */
    alignas(POOL_LINE) _Atomic int32_t sleepers;
    _Atomic int32_t parents;                 /* workers that sleep for a child; one more where all must fence */
    alignas(POOL_LINE) _Atomic int over;     /* 1: the run has ended, or has failed */
    _Atomic int failure;                     /* exit code of the first pool_fail, or 0 */
    alignas(POOL_LINE) _Atomic uint32_t run; /* futex: number of runs begun */
    _Atomic bool quit;
    /* in this run: counted up by each worker that is there, and when it is done */
    alignas(POOL_LINE) _Atomic uint32_t passed;
};

/* What the deque's half supplies. */
struct pool_deque {
    const struct deque_traits *traits;
    size_t deque_bytes;                /* of a deque, which lies right behind its worker */
    size_t node_bytes;                 /* of what stands in the deque for a task, where that is not the task itself */
    size_t node_link;                  /* where its chain pointer is while it is free */
    int (*open)(struct pool_worker *); /* by the worker: makes its deque. 0, EINVAL, ENOMEM */
    void (*close)(struct pool_worker *);
    size_t (*stealable)(const struct pool_worker *); /* items that a thief could take; any thread, a snapshot */
    void (*spawn_first)(struct pool_worker *, struct pool_task *const *, size_t);
    void (*work)(struct pool_worker *);              /* until the run is over */
    struct pool_task *(*look)(struct pool_worker *); /* at the overflow queues, and once at every deque */
};
extern const struct pool_deque pool_deque;

/* run.c */
/* While the word has this value; nanoseconds 0: for as long as it takes. May end early. */
void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
void pool_word_wake(_Atomic uint32_t *word, int waiters);
/* One more worker is there, or is done; the last one wakes the main thread. */
void pool_pass(struct pool *);
void pool_wait_for_others(struct pool *, uint32_t times); /* until all have passed so often */
void pool_take_part(struct pool_worker *);                /* in a run, until it is over */
/* A worker without work: is the run over? Finds out and tells the others. */
bool pool_ended(struct pool *);
/* The sum over workers of one of the struct pool_counts, by its offset. */
uint64_t pool_sum(const struct pool *, size_t count);

/* overflow.c. If there is no memory, the run fails: put runs the forks among the tasks, drops the other tasks, and
 * returns false. take: from the queue of the worker's own group first, then from the next that has something. */
bool pool_overflow_put(struct pool_worker *, struct pool_task *const *, size_t count);
size_t pool_overflow_take(const struct pool_worker *, struct pool_task **, size_t max);
static inline unsigned pool_overflow_groups(const struct pool *pool) {
    return (pool->threads + POOL_OVERFLOW_GROUP - 1) / POOL_OVERFLOW_GROUP;
}
static inline struct pool_overflow *pool_overflow_queue(const struct pool *pool, unsigned group) {
    return &pool->worker[group * POOL_OVERFLOW_GROUP]->overflow;
}
/* Does any overflow queue hold something? A snapshot. */
static inline bool pool_overflow_holds(const struct pool *pool) {
    for (unsigned i = 0; i < pool_overflow_groups(pool); i++)
        if (atomic_load_explicit(&pool_overflow_queue(pool, i)->count, memory_order_relaxed) > 0)
            return true;
    return false;
}
/* sleep.c */
void pool_sleep_open(struct pool *);
/* Rests after so many failed rounds. true: the worker may sleep instead. It counts as a searcher from its first failed
 * round until it finds something or sleeps; while no worker sleeps, only where an owner must answer thieves. */
bool pool_rest(struct pool_worker *, unsigned failures);
void pool_search_end(struct pool_worker *);
/* A searcher that found nothing announces its sleep, looks once more at every deque, and if there is nothing, sleeps:
 * until the run is over or, in a join, the child has returned, or somebody has work for it. A task that it found, or
 * NULL; in either case it searches again. */
struct pool_task *pool_sleep(struct pool_worker *, struct pool_fork *child);
void pool_sleep_cancel(struct pool_worker *);    /* it has found something to do: it no longer sleeps for that */
bool pool_is_asleep(const struct pool_worker *); /* or about to be */
/* Called by a worker that has just pushed something, while it watches: wakes a sleeper if thieves can take it, and no
 * longer watches if there is no sleeper to be woken. */
__attribute__((cold)) void pool_wake(struct pool_worker *, bool stealable);
/* What a fork runs as a task: a thief runs it, or its parent out of turn. */
void pool_fork_run(struct pool_worker *, struct pool_task *);
/* Is it time to ask whether the run is over, after so many failed rounds? After the first one, then less and less
 * often. */
static inline bool pool_may_have_ended(unsigned failures) {
    return failures == 0 || (failures >= 16 && (failures & (failures - 1)) == 0) || failures % 1024 == 0;
}
void pool_end(struct pool *); /* the run is over: says so to all */

/* waits.c. With waits=1 a stamp is spawned in a task's place. Without memory: the task itself, and the run has failed.
 */
struct pool_stamp {
    struct pool_task task;
    struct pool_task *of;
    uint64_t spawned; /* ns */
};
bool pool_histograms_open(struct pool_worker *); /* false: no memory */
struct pool_task *pool_stamp(struct pool_worker *, struct pool_task *);

/* victims.c */
bool pool_victims_open(struct pool_worker *); /* false: no memory */
void pool_victims_close(struct pool_worker *);
/* The others by their distance in the machine, into `order`; last[i]: the end of those that are as near as the i-th.
 * false: no memory. */
bool pool_order_by_distance(struct pool_worker *);
/* Thief. The i-th victim of a round, i from 0 to threads - 2; NULL: by its policy nobody is left to rob. */
struct pool_worker *pool_victim(struct pool_worker *, unsigned i);
/* Could a thief find something, with whomever? */
bool pool_work_in_sight(const struct pool *);

/* Does every push wake a sleeper, whether another worker searches or not, and whether it could take the item or not?
 * Where an owner has to be asked it must know who searches: there sleepers are woken as with idle=sleep. */
static inline bool pool_wakes_each(const struct pool *pool) {
    return pool->idle == POOL_WAKE_EACH && !(pool_deque.traits->native & DEQUE_POLL);
}

/* Why the threads cannot be placed or counted as the cell asks, or NULL. */
const char *pool_places_unsupported(const struct cell *);
