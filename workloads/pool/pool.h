/* pool.h: a work-stealing pool.
 *
 * One deque a worker. A worker takes from its own deque; when that is empty it steals, by a policy; when there is
 * nothing to steal it spins, then yields, then sleeps, in a join too. Sleepers are woken one by one, and only for what
 * a thief can take. The deque's traits decide how the pool uses it: thieves take turns where only one is allowed, a
 * deque that needs polling is polled between tasks, a bounded one spills into an overflow queue, at-least-once items
 * run behind a claim, and where the owner keeps a block from thieves, blocks are small.
 *
 * Who calls what: "main" is the thread that opened the pool, which is worker 0 while pool_run runs; "worker" is a
 * thread inside a task, with the struct pool_worker that the task was given.
 */
#pragma once

/* No deque is in here, so an application (workloads/applications/) is compiled once. pool.c implements this over the
 * deque and is compiled for each. What measures the pool's own overhead (fib) includes pool_inline.h, too. */

#include "harness/measuring/cell.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;
struct pool_worker;

/* A piece of work: the first member of a struct of your own. run is called once, by some worker. Before that call the
 * pool lets go of the task: run may free it, reuse it or return from the function it lies on the stack of. */
struct pool_task {
    void (*run)(struct pool_worker *, struct pool_task *);
};

/* Parameters of every workload on the pool. */
extern const struct parameter pool_parameters[];

/* What you tell the pool besides its parameters. */
struct pool_settings {
    size_t task_bytes; /* size of what pool_take gives; 0 when you have memory of your own for tasks */
    void *context;     /* pool_context */
};

/* Main. NULL when this deque can serve the pool with these parameters, else why not (for struct workload). */
const char *pool_unsupported(const struct cell *);

/* Main. Starts the workers of the cell's parameters, each at its place; they sleep. 0; 2 the placement is not possible,
 * 3 no memory or no thread (said on standard error). Reports the placement. */
int pool_open(struct pool **, const struct cell *, const struct pool_settings *);

/* Main. Ends the workers. NULL is fine. */
void pool_close(struct pool *);

/* Main. Spawns the first tasks from worker 0 and works with the others until every task has run. When it returns
 * nothing is running. May be called any number of times.
 * 0; 1 or 3 when a worker said pool_fail (the reason is on standard error; tasks not begun by then did not run).
 * tasks stays as it is until pool_run returns. */
int pool_run(struct pool *, struct pool_task *const *tasks, size_t count);

/* Main, after pool_run: seconds from the first task's spawn to the end of the last. */
double pool_seconds(const struct pool *);

/* Main, after pool_run. Reports that run as samples of role "worker", summed over workers: tasks, steals, failed steals
 * by reason, overflow, sleeps, idle time, R. Jain's index of tasks and of work (1: all workers alike, 1/n: one had it
 * all), hardware and kernel counters, and what steal_times and waits ask for. */
void pool_report(const struct pool *, unsigned repetition);
/* The same, and before it run_time and, as `rate`, how much was done a second. */
void pool_report_run(const struct pool *, unsigned repetition, double done, const char *rate, const char *unit);
/* Main. A workload's run: opens a pool, calls once() for each repetition with the settings' context, and closes the
 * pool. once returns 0, or an exit code to end with. */
int pool_measure(const struct cell *, const struct pool_settings *,
                 int (*once)(struct pool *, void *context, unsigned repetition));

unsigned pool_threads(const struct pool *);

/* Main. The cell that pool_open was given, with the flags that hold for this pool (more workers than processors; steals
 * of several supplied by single steals): report an application's samples by it. */
const struct cell *pool_cell(const struct pool *);

/* Worker. */
unsigned pool_worker_number(const struct pool_worker *); /* from 0 */
void *pool_context(const struct pool_worker *);
uint64_t pool_random(struct pool_worker *); /* the worker's own generator */

/* Counts of the application's own. Worker: its own ones, 0 when a run begins. Main, after pool_run: the sum of one. */
#define POOL_TALLIES 3
uint64_t *pool_tally(struct pool_worker *);
uint64_t pool_tallied(const struct pool *, unsigned which);

/* Worker. Makes task ready to be run by this worker or a thief. Never refuses: what does not fit goes to the overflow
 * queue, and without memory for that the pool fails as by pool_fail. pool_spawn_all: tasks[0] is to be stolen first. */
void pool_spawn(struct pool_worker *, struct pool_task *);
void pool_spawn_all(struct pool_worker *, struct pool_task *const *tasks, size_t count);

/* Worker. Memory for one task, from a list of the worker's own; NULL when there is none (call pool_fail, then return).
 * The worker that gives it back keeps it. */
struct pool_task *pool_take(struct pool_worker *);
void pool_give(struct pool_worker *, struct pool_task *);

/* Fork and join: a child spawned by a task that waits for it. fork: may lie on the stack. Between fork and join come
 * other forks in any order, but joins in the reverse order of forks. join runs the child if nobody has begun it, else
 * works on other tasks until it is done. Where the deque has no room, or forks have nested so deep that the stack would
 * overflow (likely where the owner takes the oldest first), the child is run at the fork and counted as inlined. */
struct pool_fork {
    struct pool_task task;
    /* NULL (release) when it has returned; pairs with the acquire in join */
    void (*_Atomic child)(struct pool_worker *, struct pool_fork *);
};
void pool_fork(struct pool_worker *, struct pool_fork *, void (*child)(struct pool_worker *, struct pool_fork *));
void pool_join(struct pool_worker *, struct pool_fork *);

/* Worker. Ends this run with that exit code (1 a wrong answer, 3 no memory): tasks not begun are dropped. The first
 * failure counts. */
void pool_fail(struct pool_worker *, int code, const char *reason);
