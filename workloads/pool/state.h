/* state.h: what the two halves of the pool share: the half that does not know the deque
 * (workloads/pool/deque_independent/, compiled once) and the half that does (workloads/pool/pool.c and pool_inline.h,
 * compiled for each deque).
 *
 * Applications include workloads/pool/pool.h instead.
 */
#ifndef STEALBENCH_POOL_STATE_H
#define STEALBENCH_POOL_STATE_H

#include "harness/measuring/clock/clock.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/measure/histogram.h"
#include "harness/measuring/power/power.h"
#include "harness/measuring/threads/places.h"
#include "workloads/pool/fences.h"
#include "workloads/pool/pool.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Deques take their memory where the pool does. */
void *pool_memory(size_t bytes);
#define DEQUE_ALLOC(bytes) pool_memory(bytes)
#define DEQUE_FREE(pointer) free(pointer)
#include "queues/deque.h"

#include "harness/measuring/one_thief.h"
#include "harness/measuring/popped_links.h"

#define POOL_LINE DEQUE_LINE

/* victims= and idle= of pool_parameters. */
#define POOL_POLICIES(POLICY)                                                                                          \
    POLICY(POOL_SEQUENTIAL, "sequential")                                                                              \
    POLICY(POOL_RANDOM, "random")                                                                                      \
    POLICY(POOL_TWO_CHOICES, "two_choices")                                                                            \
    POLICY(POOL_LONGEST, "longest")                                                                                    \
    POLICY(POOL_PROBABILISTIC, "probabilistic")                                                                        \
    POLICY(POOL_NEAREST, "nearest")                                                                                    \
    POLICY(POOL_REJECTION, "rejection")                                                                                \
    POLICY(POOL_AFFINITY, "affinity")                                                                                  \
    POLICY(POOL_NONE, "none")
#define POOL_IDLES(IDLE)                                                                                               \
    IDLE(POOL_SPIN, "spin") IDLE(POOL_YIELD, "yield") IDLE(POOL_SLEEP, "sleep") IDLE(POOL_YIELD_EACH, "yield_each")
enum pool_policy { POOL_POLICIES(LIST_NAME) };
enum pool_idle { POOL_IDLES(LIST_NAME) };

/* What one worker did in one run; written by it alone. */
struct pool_counts {
    uint64_t tasks;         /* run, forks among them */
    uint64_t inlined;       /* forks run at once: no room in the deque, or too little stack left to wait on */
    uint64_t steals;        /* that brought something */
    uint64_t stolen;        /* items they brought */
    uint64_t empty;         /* failed: nothing to take */
    uint64_t lost;          /* failed: another was first, or no answer in time */
    uint64_t busy;          /* failed: another thief had its turn */
    uint64_t overflowed;    /* tasks put into the overflow queue */
    uint64_t overflow_time; /* ns of putting them there, what a ring spills included, and of taking tasks from there */
    uint64_t duplicates;    /* items that had been taken before, dropped */
    uint64_t dropped;       /* tasks not begun when the run failed */
    uint64_t sleeps;
    uint64_t fences;     /* that all threads had to pass, because somebody went to sleep */
    uint64_t idle_time;  /* ns without a task to run, asleep or not */
    uint64_t sleep_time; /* ns of them asleep */
};

/* What a worker was at, for the timeline. */
enum pool_state { POOL_WORKS, POOL_SEARCHES, POOL_STEALS, POOL_SLEEPS };
struct pool_span {
    uint64_t start, end; /* ns */
    enum pool_state state;
};
#define POOL_SPANS_MAX 131072 /* of all workers in a run; what comes after is not recorded, and that is said */

/* What the master puts where an idle worker looks. */
enum pool_inbox_state { POOL_INBOX_CLOSED, POOL_INBOX_WANTED, POOL_INBOX_FULL };
#define POOL_INBOX_ROOM 1024 /* items */
struct pool_inbox {
    _Atomic uint32_t state;
    size_t count;           /* the rest: written by the master while wanted, read by the worker when full */
    void **items;           /* POOL_INBOX_ROOM of them, */
    struct deque_list list; /* or a list, of an intrusive deque */
};

/* What stands in a deque for a task has a line of its own. A stolen one becomes the thief's, who uses it again and
 * again; with its neighbours still the victim's, the line would go to and fro at every task (fib: three times as long).
 */
#define POOL_OBJECT 64

/* Objects of one size, for one worker: those given back, and fresh ones. Whole batches of surplus go to a depot that
 * the workers share, so that memory does not pile up with a worker that only gives. */
#define POOL_BATCH 256
struct pool_depot {
    pthread_mutex_t lock;
    void **batches; /* each the first of POOL_BATCH objects */
    size_t count, room;
};
struct pool_cache {
    void *first; /* chained through the pointer at `link` in each */
    long count;
    void *spare; /* a whole batch, or NULL */
    char *fresh, *fresh_end;
    size_t bytes, link;
    size_t slab_bytes; /* of the next slab; they double */
    struct pool_depot *depot;
};

/* Memory that lives as long as the pool. */
struct pool_slab {
    struct pool_slab *next;
};

/* For deques that may hand an item out twice: what stands in the deque for a task. Its memory is never anything else,
 * so that a late duplicate can be told by its generation whatever became of the task. */
struct pool_claim {
    alignas(POOL_OBJECT) _Atomic uint32_t generation; /* of what is in the deque; counted up by the one who claims it */
    uint32_t index;                                   /* from 1 */
    union {
        struct pool_task *task;
        void *next;
    } u;
};
#define POOL_CLAIMS_CHUNK 4096
#define POOL_CLAIMS_CHUNKS (1 << 18)

/* With waits=1: what stands in the deque for a task, and since when. Its address is given to nobody else. */
struct pool_stamp {
    alignas(POOL_OBJECT) struct pool_task task; /* first; its run is pool_stamp_run, by which it is known */
    union {
        struct pool_task *of;
        void *next;
    } u;
    uint64_t pushed; /* ns */
    unsigned worker; /* who pushed it */
};

/* Tasks that no deque had room for. A ring of pointers behind a lock: one for as many workers, whose numbers follow
 * each other, so that a lock has few who want it and lies with those that use it. */
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
    struct deque *deque;
    uintptr_t stack_low; /* below it a fork is no plain push: pool_fork_otherwise */
    uintptr_t stack_end; /* below it forks are run at once. The same, but with waits=1, where no fork is a plain push */
    unsigned number;
    bool counted; /* among sleepers and searchers: with a master, it alone */
    /* this worker's own */
    alignas(POOL_LINE) struct pool_task *slot; /* spawned last, where the pool has slots */
    struct pool_counts counts;
    struct pool_cache tasks;    /* of pool_take */
    struct pool_cache nodes;    /* of what stands in the deque for a task, where that is not the task */
    struct popped_links popped; /* intrusive deques: nodes that a thief may still stand on */
    void **taken;               /* where a stolen batch and what a deque spills are put */
    size_t taken_room;
    uint64_t random;
    unsigned since_between; /* tasks since the application was last called */
    unsigned next_victim;
    bool searching;               /* counted as one that searches */
    bool announced;               /* counted as a sleeper, unless somebody has claimed it since */
    bool stole;                   /* what it was looking for came by a steal */
    bool contended;               /* the last round of steals lost a race or found a thief at work */
    struct pool_worker *robs_for; /* who gets what this one steals: itself, or whom the master serves */
    struct histogram steal_times; /* ns from the start of a round to the item that it brought */
    unsigned *order;              /* the others, by the policy; threads - 1 */
    unsigned *last;               /* by distance: where those end that are as near */
    size_t *lengths;              /* what the others had when the round began, and their sum */
    size_t lengths_sum;
    struct pool_slab *slabs;
    struct pool_cache stamps;      /* with waits=1 */
    struct pool_waits *waits;      /* how long what it began had waited, or NULL */
    uint64_t first_task, last_end; /* when the first task began and the last one ended, 0: none */
    uint64_t cpu_before, cpu_time; /* ns on a processor in this run */
    uint64_t present;              /* ns from its arrival to its end */
    _Atomic uint32_t slept;        /* how often it has fallen asleep, since the pool was opened: for checks */
    struct counters counters;
    struct pool_span *spans; /* the timeline's, or NULL */
    size_t span_count, span_room, spans_lost;
    uint64_t span_from;
    /* counted up by this worker, summed up by those who look for the end */
    alignas(POOL_LINE) _Atomic uint64_t spawned;
    _Atomic uint64_t finished;
    _Atomic uint64_t subspace; /* what it said by pool_subspace; read by those who look for somebody near */
    alignas(POOL_LINE) struct victim_lock lock;
    alignas(POOL_LINE) _Atomic uint32_t wakes; /* how often it was woken; it sleeps on this word */
    _Atomic(struct pool_fork *) awaits;        /* the child that it sleeps for, or NULL */
    alignas(POOL_LINE) struct pool_inbox inbox;
    struct pool_overflow overflow; /* of its group, if it is the first of one */
};

/* What one that searches takes off `sleepers`. */
#define POOL_SEARCHER INT32_C(0x10000)
/* Stands in `sleepers` and `parents` for good where the kernel has no membarrier: those who spawn, and those who have
 * run a child, then have to fence themselves. */
#define POOL_MUST_FENCE INT32_C(0x40000000)

struct pool {
    struct cell cell; /* the application's, with the flags that hold for this pool */
    struct pool_settings settings;
    struct pool_worker **worker;
    unsigned threads;
    enum pool_policy policy;
    enum pool_idle idle;
    bool half, slot, master, turns, crowded; /* crowded: more workers than processors */
    bool waits;                              /* tasks are stamped */
    bool detour;                             /* slot or waits: spawning is more than a push */
    bool each;                               /* first tasks: every worker spawns its own */
    bool steal_times;                        /* how long steals take is recorded */
    size_t room;                             /* as asked for */
    size_t refill;                           /* items left in its deque when a worker asks the master for more */
    struct places places;
    alignas(POOL_LINE) struct pool_depot task_depot, node_depot, stamp_depot;
    struct pool_waits *waited; /* by all workers, or NULL */
    void **sites;              /* victims=nearest: the worker's place in the machine's tree, by number */
    alignas(POOL_LINE) _Atomic(struct pool_claim *) *claims; /* by index / POOL_CLAIMS_CHUNK */
    _Atomic uint32_t claim_chunks;
    bool reads_power; /* this machine tells how much energy a run took */
    struct power_reading power_before, power_after;
    uint64_t started;               /* when the run began */
    struct pool_task *const *first; /* of the run */
    size_t first_count;
    pthread_t *thread; /* of the workers but the first, in the order of their starts */
    unsigned thread_count;
    _Atomic uint32_t numbered; /* that have their number */
    _Atomic int open_failure;  /* of one that could not be opened, or 0 */
    void *affinity;            /* of the main thread, from before */
    bool must_fence;           /* POOL_MUST_FENCE is in sleepers and parents */
    _Atomic uint64_t *asleep;  /* a bit for each worker that sleeps, or is about to */
    _Atomic uint64_t *awaits;  /* a bit for each that does so for a child; elsewhere, for others write it */
    /* How many workers sleep, less POOL_SEARCHER for each that searches: above 0 when there is one to be woken. With a
     * master, it alone counts. */
    alignas(POOL_LINE) _Atomic int32_t sleepers;
    _Atomic int32_t parents;                      /* workers that sleep for a child */
    alignas(POOL_LINE) struct pool_fences fences; /* of those who fall asleep */
    alignas(POOL_LINE) _Atomic uint32_t wanting;  /* inboxes that are open */
    alignas(POOL_LINE) _Atomic int over;          /* 1: the run has ended, or has failed */
    _Atomic int failure;                          /* exit code of the first pool_fail, or 0 */
    alignas(POOL_LINE) _Atomic uint32_t run;      /* futex: number of runs begun */
    _Atomic uint32_t begun;                       /* the run whose first tasks may be spawned by all */
    _Atomic bool quit;
    alignas(POOL_LINE) _Atomic uint32_t arrived, parked; /* workers, in this run */
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
    void (*work)(struct pool_worker *); /* until the run is over */
};
extern const struct pool_deque pool_deque;

/* --- memory.c. Any thread: pool_memory(bytes), above, is aligned to a line; NULL when there is none. */
/* Tests: so many more allocations succeed, then none does; -1: as many as there are. */
void pool_memory_fails_after(long allocations);
/* Whole pages, for what is to lie on the node of the thread that first touches it: the C library has touched the page
 * of a thread's first allocation before that thread took its place. */
void *pool_pages(size_t bytes);
void *pool_slab(struct pool_worker *, size_t bytes);
void pool_cache_open(struct pool_cache *, struct pool_depot *, size_t bytes, size_t link);
void *pool_cache_more(struct pool_worker *, struct pool_cache *); /* when there is no first */
void pool_cache_full(struct pool_cache *);                        /* when a batch is there */
void pool_depot_close(struct pool_depot *);

static inline void **pool_cache_next(void *object, size_t link) { return (void **)(void *)((char *)object + link); }
static inline void *pool_cache_take(struct pool_worker *worker, struct pool_cache *cache, size_t link) {
    void *object = cache->first;
    if (!object)
        return pool_cache_more(worker, cache);
    cache->first = *pool_cache_next(object, link);
    cache->count--;
    return object;
}
static inline void pool_cache_give(struct pool_cache *cache, void *object, size_t link) {
    *pool_cache_next(object, link) = cache->first;
    cache->first = object;
    if (++cache->count == POOL_BATCH)
        pool_cache_full(cache);
}

/* --- sleep.c */
void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds); /* 0: for as long as it takes */
void pool_word_wake(_Atomic uint32_t *word, int waiters);
bool pool_sleep_open(struct pool *); /* false: no memory; closed all the same */
void pool_sleep_close(struct pool *);
/* A worker counts as one that searches, from its first round in vain to what it finds or its sleep. */
/* While nobody sleeps it need not be counted, and is not (but where an owner has to answer): call it every round. */
void pool_search_begin(struct pool_worker *);
void pool_search_end(struct pool_worker *);
/* A worker that searches and has found nothing: announce, then look once more, then sleep or cancel. After both it
 * searches again. */
void pool_sleep_announce(struct pool_worker *);
void pool_sleep_cancel(struct pool_worker *);                /* does nothing after a cancel or a sleep */
void pool_sleep(struct pool_worker *, uint64_t nanoseconds); /* 0: for as long as it takes */
bool pool_is_asleep(const struct pool_worker *);             /* or about to be */
/* The worker's sleep, from before it announces it, is for this child too; NULL: not any more. */
void pool_sleep_for(struct pool_worker *, struct pool_fork *);
/* That child has returned, and parents was not 0. Its memory may be gone. */
__attribute__((cold)) void pool_wake_parent(struct pool *, const struct pool_fork *);
/* The worker has just put something where thieves can take it, and sleepers was above 0. */
__attribute__((cold)) void pool_wake(struct pool_worker *);
/* What a fork runs as a task: a thief runs it, or its parent out of turn. */
void pool_fork_run(struct pool_worker *, struct pool_task *);
void pool_wake_worker(struct pool_worker *); /* if it sleeps */
/* After so many rounds in vain, is it time to ask whether the run is over? At the first, and ever less often. */
static inline bool pool_may_have_ended(unsigned failures) {
    return failures == 0 || (failures >= 16 && (failures & (failures - 1)) == 0) || failures % 1024 == 0;
}
/* A worker without work: is the run over? Finds out and tells the others. */
bool pool_ended(struct pool *);
void pool_end(struct pool *);
/* How a worker rests after so many rounds in vain; true: it may as well sleep. */
bool pool_rest(const struct pool *, unsigned failures);
/* A worker runs out of tasks; has found one, or the run is over (since: what pool_idle_begin returned). */
uint64_t pool_idle_begin(struct pool_worker *);
void pool_idle_end(struct pool_worker *, uint64_t since, bool found);

/* --- timeline.c. A worker: was in that state until now. */
void pool_was(struct pool_worker *, enum pool_state, uint64_t now);
bool pool_timeline_open(struct pool_worker *);
void pool_timeline_begin(struct pool_worker *, uint64_t now);
void pool_timeline_report(const struct pool *, unsigned repetition);

/* --- waits.c: how long tasks wait from push to start. A worker. */
/* The task as it is to be pushed; itself when there is no memory for a stamp, and then the run has failed. */
struct pool_task *pool_stamp(struct pool_worker *, struct pool_task *);
/* The task that a stamp stands for, which begins now. */
struct pool_task *pool_stamp_taken(struct pool_worker *, struct pool_task *stamp);
/* A stamp that was not pushed after all, or is dropped: the task that it stands for. */
struct pool_task *pool_stamp_back(struct pool_worker *, struct pool_task *stamp);
void pool_stamp_run(struct pool_worker *, struct pool_task *stamp);
static inline bool pool_is_stamp(const struct pool_task *task) { return task->run == pool_stamp_run; }
/* false: no memory. These do nothing where tasks are not stamped. */
bool pool_waits_open(struct pool_worker *);
bool pool_waits_open_all(struct pool *);
void pool_waits_begin(struct pool_worker *);
/* How many stamped tasks it has begun in this run. After the run, main. */
uint64_t pool_waits_count(const struct pool_worker *);
void pool_waits_report(const struct pool *, unsigned repetition);
/* Writes the distributions of all runs. */
void pool_waits_close(struct pool *);
void pool_waits_free(struct pool_waits *);

/* --- overflow.c. Without memory the run has failed: put runs the forks among the tasks, drops the rest, returns false
 */
bool pool_overflow_put(struct pool_worker *, struct pool_task *const *, size_t count);
/* From the queue of the worker's own group first, then from the next that has something. */
size_t pool_overflow_take(const struct pool_worker *, struct pool_task **, size_t max);

static inline unsigned pool_overflow_groups(const struct pool *pool) {
    return (pool->threads + POOL_OVERFLOW_GROUP - 1) / POOL_OVERFLOW_GROUP;
}
static inline struct pool_overflow *pool_overflow_queue(const struct pool *pool, unsigned group) {
    return &pool->worker[group * POOL_OVERFLOW_GROUP]->overflow;
}
/* Something, in any of them: a snapshot. */
static inline bool pool_overflow_holds(const struct pool *pool) {
    for (unsigned i = 0; i < pool_overflow_groups(pool); i++)
        if (atomic_load_explicit(&pool_overflow_queue(pool, i)->count, memory_order_relaxed) > 0)
            return true;
    return false;
}
void pool_overflow_open(struct pool_overflow *);
void pool_overflow_close(struct pool_overflow *);

/* --- victims.c */
bool pool_victims_open(struct pool_worker *); /* false: no memory */
void pool_victims_close(struct pool_worker *);
/* Thief. The i-th victim of a round, i from 0 to threads - 2; NULL: by its policy nobody is left to rob. */
struct pool_worker *pool_victim(struct pool_worker *, unsigned i);
/* Could a thief find something, with whomever? */
bool pool_work_in_sight(const struct pool *);
/* May this one rob others? With a master, only the master; nobody with victims=none. */
static inline bool pool_may_steal(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    return pool->threads > 1 && pool->policy != POOL_NONE && (!pool->master || worker->number == 0);
}

/* --- claims: a directory by index, in memory.c */
bool pool_claims_open(struct pool *);
void pool_claims_close(struct pool *);

/* --- open.c: why the threads cannot be placed or counted as the cell asks, or NULL. */
const char *pool_places_unsupported(const struct cell *);

#endif
