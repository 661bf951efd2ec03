/* pool_check.h: declarations that the parts of the pool's check share. */
#ifndef STEALBENCH_POOL_CHECK_H
#define STEALBENCH_POOL_CHECK_H

#include "harness/measuring/random.h"
#include "proof/checks/deque_independent/verdict.h"
#include "workloads/pool/state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer is slow and checks every access anyway, so a fifth of the cycles is enough; even fewer where the work
 * grows faster than its number, as with fib's forks. */
#define SANITIZED(plain, sanitized) (GATE_SANITIZED ? (sanitized) : (plain))
#define SHARE(number) SANITIZED(number, (number) / 5)

#define CHECK_TEXT 256 /* room for a cell's settings as text */

/* A tree of tasks that grows at random, each of which runs exactly once. */
struct tree;
struct node {
    struct pool_task task;
    struct tree *tree;
    _Atomic unsigned ran;
    unsigned number,
        value; /* value: the spawner writes it plainly, so that a race detector checks that it is handed on */
    struct pool_task *held; /* spawned by the worker that releases the hold */
};
struct tree {
    struct node *nodes;
    _Atomic unsigned used;
    unsigned max;
    unsigned batch; /* most children at once */
    bool memory;    /* tasks are in memory from pool_take */
    bool holds;
    _Atomic unsigned done;
};

/* A task that waits for the tasks it spawned. Context of its pool; `answered` counts check_pong's runs. */
struct ping {
    struct pool_task task;
    struct pool_task *pongs;
    unsigned count, cycles;
    bool patient; /* spawn only when the other worker is asleep */
    _Atomic unsigned answered;
};

/* pool_work.c. A cell as the driver would make it: "threads=4;steal=half" and defaults. */
struct cell check_cell(struct settings *, uint64_t seed, const char *text);
int check_try_open(struct pool **, const struct cell *, const struct pool_settings *); /* pool_open, with its master */
struct pool *check_open(const struct cell *, const struct pool_settings *);
/* Opens a pool of such a cell. NULL: the pool does not support it. Only one pool is open at a time. */
struct pool *check_pool_open(uint64_t seed, const char *text, const struct pool_settings *);
void check_run(struct pool *, struct pool_task *const *tasks, size_t count); /* a step, which has to succeed */
void check_prepare(struct tree *);
void check_verify(const struct pool *, struct tree *);
void check_trees(uint64_t seed, const char *text, unsigned rounds, unsigned max);
void check_forks(uint64_t seed, const char *text, unsigned n, unsigned depth);
int check_fork_run(struct pool *, unsigned n,
                   unsigned depth); /* the result of pool_run; if it is 0, the answers are right */

/* ../pool_places.c, in a worker */
void check_places(struct pool_worker *, unsigned depth);

/* Call between two runs. */
void check_nobody_sleeps(const struct pool *);

/* pool_waits.c */
void check_pong(struct pool_worker *, struct pool_task *);
void check_wakes(uint64_t seed, const char *settings, unsigned cycles, bool patient);
void check_ends(uint64_t seed, const char *text, unsigned cycles);
void check_starts(uint64_t seed, unsigned threads, unsigned cycles);
void check_holds(uint64_t seed, unsigned threads);

/* pool_wakes.c. check_pings: runs one task on worker 0 many times. ping is that task and the pool's context; its pongs
 * are tasks for run to spawn. Nobody may sleep between two runs. */
void check_pings(uint64_t seed, const char *text, void (*run)(struct pool_worker *, struct pool_task *), struct ping *,
                 unsigned cycles);
void check_wait_for_sleep(const struct pool_worker *); /* waits until all others sleep */
void check_hoards(uint64_t seed, unsigned cycles);
void check_crowd(uint64_t seed, unsigned threads, const char *idle, unsigned cycles);
void check_parents(uint64_t seed, unsigned cycles);

/* pool_counts.c */
void check_times(uint64_t seed, unsigned cycles);
void check_masters(uint64_t seed, unsigned threads, unsigned cycles);
void check_nodes(uint64_t seed);
void check_dealt(uint64_t seed, const char *text, unsigned tasks); /* text: settings under which nobody steals */

/* pool_fences.c */
void check_fences(uint64_t seed, unsigned rounds);
void check_refused_fences(uint64_t seed, unsigned cycles);

/* pool_failures.c */
void check_failures(uint64_t seed, unsigned tasks); /* for a run whose memory runs out */

#endif
