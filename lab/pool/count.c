/* count.c: build/lab/pool: what the pool does to memory at a task, in the lab: two workers, a step each in turn. The
 * pool's sources are compiled as they are, instrumented; workers and their threads are the lab's.
 *
 * usage: build/lab/pool count --csv [--workers=N]
 *
 * With more workers than two, the others have empty deques and do nothing: what is counted is what it costs to have
 * them (docs/many_threads.md). A thief asks by number then, so that it comes to worker 0 first.
 */
#include "lab/engine/machine.h"
#include "lab/engine/schedule.h"
#include "lab/pool/steps.h"
#include "lab/verbs/cost.h"
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define ROUNDS 32
#define WORKERS 2       /* that do something */
#define WORKERS_MAX 512 /* that are there */
#define STEPS_AT_MAX 10000000

static unsigned workers = WORKERS;

/* --- what the pool has from elsewhere */

uint64_t cell_integer(const struct cell *cell, const char *name) {
    (void)cell;
    return strcmp(name, "room") == 0 ? (workers > WORKERS ? 64 : 1024) : strcmp(name, "threads") == 0 ? workers : 0;
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
/* No timeline is kept here, and nothing is stamped. */
void pool_was(struct pool_worker *worker, enum pool_state state, uint64_t now) { (void)worker, (void)state, (void)now; }
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

static void arrived(unsigned thread) {
    store_buffer_drain(&machine.thread[thread].buffer);
    machine_note_buffer(thread);
}

/* The system calls of sleep.c: a futex's waiting and waking, and a membarrier, after which everybody's stores have
 * arrived. */
long lab_syscall(long number, ...);
long lab_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    if (machine.current != LAB_MAIN)
        machine_self()->counters.system_calls++;
    if (number == SYS_futex) {
        uint32_t *word = va_arg(arguments, uint32_t *);
        int operation = va_arg(arguments, int);
        uint32_t value = va_arg(arguments, uint32_t);
        arrived(machine.current);
        if (operation == FUTEX_WAKE_PRIVATE)
            machine_wake((uintptr_t)word);
        else if (*word == value)
            machine_block((uintptr_t)word);
    } else {
        for (unsigned thread = 0; thread < LAB_CLOCKS; thread++)
            arrived(thread);
    }
    va_end(arguments);
    return 0;
}

/* --- the pool */

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
static void child_run(struct pool_worker *worker, struct pool_fork *fork) { (void)worker, (void)fork; }

/* As pool_open's worker_create does. */
static void open_worker(unsigned number) {
    struct pool_worker *worker = memory(sizeof *worker + pool_deque.deque_bytes);
    cost_set_up_by = number < WORKERS ? number : 0;
    pool->worker[number] = worker;
    worker->pool = pool;
    worker->number = number;
    worker->counted = true;
    worker->random = number + 1;
    pool_cache_open(&worker->tasks, &pool->task_depot, 16, 0);
    pool_cache_open(&worker->nodes, &pool->node_depot, pool_deque.node_bytes, pool_deque.node_link);
    if (!pool_victims_open(worker) || pool_deque.open(worker) != 0)
        machine_fault(FAULT_CANNOT, 0, 0, "no worker");
}

static void open_pool(void) {
    cost_set_up_by = 0;
    pool = memory(sizeof *pool);
    pool->threads = workers;
    pool->policy = workers > WORKERS ? POOL_SEQUENTIAL : POOL_RANDOM;
    pool->idle = POOL_SLEEP;
    pool->worker = memory(workers * sizeof *pool->worker);
    tasks = memory(ROUNDS * DEQUE_LINE); /* each at a pair of lines of its own, as forks on a stack seldom are */
    forks = memory(ROUNDS * DEQUE_LINE);
    if (!pool_sleep_open(pool) || !pool_claims_open(pool))
        machine_fault(FAULT_CANNOT, 0, 0, "no pool");
    for (unsigned i = 0; i < workers; i++)
        open_worker(i);
    atomic_init(&pool->worker[0]->spawned, 1); /* as held back: the run does not end */
    cost_set_up_by = 0;
}

static struct pool_task *task_number(int i) {
    struct pool_task *task = (void *)((char *)tasks + (size_t)i * DEQUE_LINE);
    task->run = task_run;
    return task;
}
static struct pool_fork *fork_number(int i) { return (void *)((char *)forks + (size_t)i * DEQUE_LINE); }

/* --- steps that are counted, under these names */

enum counted { SPAWN, TAKE, RUN, FORK, JOIN, STEAL, SLEEP, FOUND, STEPS };
static const char *const step_names[STEPS] = {"spawn", "take", "run", "fork", "join", "steal", "sleep", "found"};

static struct pool_worker *self(void) { return pool->worker[machine.current]; }

#define COUNTED(step, does)                                                                                            \
    cost_begin(machine.current);                                                                                       \
    does;                                                                                                              \
    cost_end(machine.current, step)

static void spawn(int i) {
    struct pool_task *task = task_number(i);
    COUNTED(SPAWN, pool_steps.spawn(self(), task));
}
static struct pool_task *take(void) {
    COUNTED(TAKE, struct pool_task *task = pool_steps.take(self()));
    return task;
}
static void run(struct pool_task *task) { COUNTED(RUN, pool_steps.run(self(), task)); }
static void fork_child(int i) {
    struct pool_fork *fork = fork_number(i);
    COUNTED(FORK, pool_steps.fork(self(), fork, child_run));
}
static void join(int i) {
    struct pool_fork *fork = fork_number(i);
    COUNTED(JOIN, pool_steps.join(self(), fork));
}
static struct pool_task *steal(void) {
    COUNTED(STEAL, struct pool_task *task = pool_steps.steal(self()));
    return task;
}
static struct pool_task *sleep_for(struct pool_fork *fork) {
    COUNTED(SLEEP, struct pool_task *task = pool_steps.sleep(self(), fork));
    return task;
}
static void found(void) { COUNTED(FOUND, pool_steps.found(self())); }

/* --- situations: what either worker does in each round. A step that goes otherwise than its situation says is told. */

static const char *surprise;
static void expect(bool so, const char *otherwise) {
    if (!so)
        surprise = otherwise;
}

static void nothing(void) {}

static void spawn_and_take(void) {
    for (int i = 0; i < ROUNDS; i++) {
        spawn(i);
        struct pool_task *task = take();
        expect(task == task_number(i), "a task that was spawned does not come back");
        run(task);
    }
}
static void take_none(void) {
    for (int i = 0; i < ROUNDS; i++)
        expect(!take(), "an empty deque gives a task");
}
static void fork_and_join(void) {
    for (int i = 0; i < ROUNDS; i++) {
        fork_child(i);
        join(i);
    }
}
static void steal_none(void) {
    for (int i = 0; i < ROUNDS; i++)
        expect(!steal(), "there is something to steal");
}
static void spawn_for_thief(void) {
    for (int i = 0; i < ROUNDS; i++) {
        spawn(i);
        schedule_pass();
    }
}
static void steal_and_run(void) {
    for (int i = 0; i < ROUNDS; i++) {
        struct pool_task *task = steal();
        expect(task, "a thief finds nothing");
        if (task)
            run(task);
        schedule_pass();
    }
}
static void fork_for_thief(void) {
    for (int i = 0; i < ROUNDS; i++) {
        fork_child(i);
        schedule_pass();
        join(i);
    }
}
/* The first worker's spawn finds the other one asleep and wakes it. */
static void spawn_for_sleeper(void) {
    schedule_pass();
    for (int i = 0; i < ROUNDS; i++) {
        spawn(i);
        schedule_pass();
    }
}
static void sleep_and_steal(void) {
    for (int i = 0; i < ROUNDS; i++) {
        expect(!sleep_for(NULL), "a sleeper finds work before it sleeps");
        struct pool_task *task = steal();
        expect(task, "a sleeper was woken for nothing");
        found();
        if (task)
            run(task);
    }
}
/* The parent sleeps for its child, and is woken by who runs it. */
static void fork_and_sleep(void) {
    for (int i = 0; i < ROUNDS; i++) {
        fork_child(i);
        schedule_pass();
        expect(!sleep_for(fork_number(i)), "a parent finds something else to do");
        found();
        join(i);
    }
}
static void steal_pass_and_run(void) {
    for (int i = 0; i < ROUNDS; i++) {
        struct pool_task *task = steal();
        schedule_pass();
        if (task)
            run(task);
        schedule_pass();
    }
}

struct situation {
    const char *name;
    void (*body[WORKERS])(void);
    struct {
        unsigned thread;
        enum counted step;
        const char *outcome;
    } shown[5];
    unsigned shows;
};

/* clang-format off */
static const struct situation situations[] = {
    {"nobody else there", {spawn_and_take, nothing}, {{0, SPAWN, "ok"}, {0, TAKE, "ok"}, {0, RUN, "ok"}}, 3},
    {"nobody else there", {fork_and_join, nothing}, {{0, FORK, "ok"}, {0, JOIN, "ok"}}, 2},
    {"nothing there", {take_none, steal_none}, {{0, TAKE, "empty"}, {1, STEAL, "empty"}}, 2},
    {"thief between", {spawn_for_thief, steal_and_run}, {{0, SPAWN, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}}, 3},
    {"child stolen", {fork_for_thief, steal_and_run},
     {{0, FORK, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}, {0, JOIN, "ok"}}, 4},
    {"sleeper woken", {spawn_for_sleeper, sleep_and_steal},
     {{0, SPAWN, "ok"}, {1, SLEEP, "ok"}, {1, STEAL, "ok"}, {1, FOUND, "ok"}, {1, RUN, "ok"}}, 5},
    {"parent sleeps", {fork_and_sleep, steal_pass_and_run},
     {{0, FORK, "ok"}, {0, SLEEP, "ok"}, {0, JOIN, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}}, 5},
};
/* clang-format on */

static const struct situation *shown;
static bool run_situation(void) {
    machine_reset();
    machine_begin(STEPS_AT_MAX);
    return machine_call(open_pool) && machine_run(shown->body, WORKERS, schedule_in_rounds());
}

int main(int count, char **arguments) {
    char end;
    bool usual = count >= 3 && strcmp(arguments[1], "count") == 0 && strcmp(arguments[2], "--csv") == 0;
    if (count == 4)
        usual = usual && sscanf(arguments[3], "--workers=%u%c", &workers, &end) == 1;
    if (!usual || count > 4 || workers < WORKERS || workers > WORKERS_MAX) {
        fprintf(stderr, "usage: %s count --csv [--workers=N], N from %u to %u\n", arguments[0], WORKERS, WORKERS_MAX);
        return 2;
    }
    machine_open(NULL, 0);
    cost_print_head();
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        shown = &situations[i];
        cost_forget();
        if (!cost_measure(run_situation) || surprise) {
            fprintf(stderr, "lab: pool: %s not counted: %s\n", shown->name, surprise ? surprise : machine.fault.text);
            return 1;
        }
        for (unsigned j = 0; j < shown->shows; j++)
            cost_print(&cost[shown->shown[j].thread][shown->shown[j].step], "pool", step_names[shown->shown[j].step],
                       shown->name, shown->shown[j].outcome, "exact");
    }
    return 0;
}
