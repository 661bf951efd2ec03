/* stage.c: a pool in the lab. The pool's sources are compiled unchanged and instrumented; the threads are the lab's.
 * This file replaces the parts of the harness and the kernel that the sources use.
 */
#include "proof/lab/pool/stage.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/verbs/cost.h"
#include <linux/futex.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

unsigned stage_workers = 2;
enum pool_idle stage_idle = POOL_SLEEP;

uint64_t cell_integer(const struct cell *cell, const char *name) {
    (void)cell;
    return strcmp(name, "room") == 0 ? 1024 : strcmp(name, "threads") == 0 ? stage_workers : 0;
}
unsigned cell_choice(const struct cell *cell, const char *name) {
    (void)cell, (void)name;
    return 0;
}
bool cell_is(const struct cell *cell, const char *name, const char *value) {
    (void)cell, (void)name, (void)value;
    return false;
}
const char *cell_text(const struct cell *cell, const char *name) {
    (void)cell, (void)name;
    return "";
}
const char *pool_places_unsupported(const struct cell *cell) {
    (void)cell;
    return NULL;
}
/* The lab keeps no timeline and stamps nothing. */
void pool_timeline_add(struct pool_worker *worker, enum pool_state state, uint64_t now) {
    (void)worker, (void)state, (void)now;
}
void histogram_record(struct histogram *histogram, uint64_t value) { (void)histogram, (void)value; }
void pool_stamp_run(struct pool_worker *worker, struct pool_task *stamp) { (void)worker, (void)stamp; }
struct pool_task *pool_stamp(struct pool_worker *worker, struct pool_task *task) {
    return (void)worker, task;
}
struct pool_task *pool_stamp_taken(struct pool_worker *worker, struct pool_task *stamp) {
    return (void)worker, stamp;
}
struct pool_task *pool_stamp_back(struct pool_worker *worker, struct pool_task *stamp) {
    return (void)worker, stamp;
}

/* What the kernel does: a fence here, then one on each processor in turn, while the others go on, then one here. */
static void membarrier(uintptr_t where) {
    machine_drain(machine.current);
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++) {
        if (machine.current != LAB_MAIN)
            machine_point(where);
        machine_drain(thread);
    }
    machine_drain(machine.current);
}

/* The system calls of sleep.c: a futex's wait and wake, and a membarrier, after which every thread's stores have
 * arrived. */
long lab_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    if (machine.current != LAB_MAIN)
        machine_self()->counters.system_calls++;
    if (number == SYS_futex) {
        uint32_t *word = va_arg(arguments, uint32_t *);
        int operation = va_arg(arguments, int);
        uint32_t value = va_arg(arguments, uint32_t);
        machine_drain(machine.current);
        if (operation == FUTEX_WAKE_PRIVATE)
            machine_wake((uintptr_t)word);
        else if (*word == value)
            machine_block((uintptr_t)word);
    } else {
        membarrier((uintptr_t)__builtin_return_address(0));
    }
    va_end(arguments);
    return 0;
}

static struct pool *pool;
static struct pool_task *tasks;
static struct pool_fork *forks;

static void *memory(size_t bytes) {
    void *got = memory_allocate((bytes + POOL_LINE - 1) / POOL_LINE * POOL_LINE, POOL_LINE);
    if (!got)
        machine_fault(FAULT_CANNOT, 0, 0, "no memory for the pool");
    memset(got, 0, bytes);
    return got;
}

static void task_run(struct pool_worker *worker, struct pool_task *task) { (void)worker, (void)task; }

/* As pool_open's worker_create does. */
static void open_worker(unsigned number) {
    struct pool_worker *worker = memory(sizeof *worker + pool_deque.deque_bytes);
    cost_set_up_by = number;
    pool->worker[number] = worker;
    worker->pool = pool;
    worker->number = number;
    worker->counted = true;
    worker->random = number + 1;
    atomic_init(&worker->watches, true);
    pool_cache_open(&worker->tasks, &pool->task_depot, 16, 0);
    pool_cache_open(&worker->nodes, &pool->node_depot, pool_deque.node_bytes, pool_deque.node_link);
    if (!pool_victims_open(worker) || pool_deque.open(worker) != 0)
        machine_fault(FAULT_CANNOT, 0, 0, "no worker");
}

void stage_open(void) {
    cost_set_up_by = 0;
    pool = memory(sizeof *pool);
    pool->threads = stage_workers;
    pool->policy = stage_workers > 2 ? POOL_SEQUENTIAL : POOL_RANDOM;
    pool->idle = stage_idle;
    pool->worker = memory(stage_workers * sizeof *pool->worker);
    tasks = memory(STAGE_TASKS * DEQUE_LINE); /* each on its own pair of lines; forks on a stack seldom are */
    forks = memory(STAGE_TASKS * DEQUE_LINE);
    if (!pool_sleep_open(pool) || !pool_claims_open(pool))
        machine_fault(FAULT_CANNOT, 0, 0, "no pool");
    for (unsigned i = 0; i < stage_workers; i++)
        open_worker(i);
    atomic_init(&pool->worker[0]->spawned, 1); /* held back by one task: so the run does not end */
    cost_set_up_by = 0;
}

struct pool_task *stage_task(int i) {
    struct pool_task *task = (void *)((char *)tasks + (size_t)i * DEQUE_LINE);
    task->run = task_run;
    return task;
}
struct pool_fork *stage_fork(int i) {
    return (void *)((char *)forks + (size_t)i * DEQUE_LINE);
}

struct pool_worker *stage_worker(void) {
    return pool->worker[machine.current];
}
