/* count.c: what the pool does to memory for a task: two workers in the lab take a step each in turn.
 *
 * With more than two workers, the others have empty deques and do nothing: that shows what it costs to have them
 * (docs/many_threads.md). Thieves then ask by number, so that a thief comes to worker 0 first.
 */
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/pool/stage.h"
#include "proof/lab/verbs/cost.h"
#include <stdio.h>

#define ROUNDS STAGE_TASKS
#define WORKERS 2 /* that do something */
#define STEPS_AT_MAX 10000000

static void child_run(struct pool_worker *worker, struct pool_fork *fork) { (void)worker, (void)fork; }

/* --- steps that are counted, under these names */

enum counted { SPAWN, TAKE, RUN, FORK, JOIN, STEAL, SLEEP, FOUND, STEPS };
static const char *const step_names[STEPS] = {"spawn", "take", "run", "fork", "join", "steal", "sleep", "found"};

#define COUNTED(step, does)                                                                                            \
    cost_begin(machine.current);                                                                                       \
    does;                                                                                                              \
    cost_end(machine.current, step)

static void spawn(int i) {
    struct pool_task *task = stage_task(i);
    COUNTED(SPAWN, pool_steps.spawn(stage_worker(), task));
}
static struct pool_task *take(void) {
    COUNTED(TAKE, struct pool_task *task = pool_steps.take(stage_worker()));
    return task;
}
static void run(struct pool_task *task) { COUNTED(RUN, pool_steps.run(stage_worker(), task)); }
static void fork_child(int i) {
    struct pool_fork *fork = stage_fork(i);
    COUNTED(FORK, pool_steps.fork(stage_worker(), fork, child_run));
}
static void join(int i) {
    struct pool_fork *fork = stage_fork(i);
    COUNTED(JOIN, pool_steps.join(stage_worker(), fork));
}
static struct pool_task *steal(void) {
    COUNTED(STEAL, struct pool_task *task = pool_steps.steal(stage_worker()));
    return task;
}
static struct pool_task *sleep_for(struct pool_fork *fork) {
    COUNTED(SLEEP, struct pool_task *task = pool_steps.sleep(stage_worker(), fork));
    return task;
}
static void found(void) { COUNTED(FOUND, pool_steps.found(stage_worker())); }

/* --- situations: what either worker does in each round. expect() reports a step that went another way. */

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
        expect(task == stage_task(i), "a task that was spawned does not come back");
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
        expect(!sleep_for(stage_fork(i)), "a parent finds something else to do");
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
    return machine_call(stage_open) && machine_run(shown->body, WORKERS, schedule_in_rounds());
}

int pool_count(void) {
    machine_open(NULL, 0);
    cost_print_head();
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        shown = &situations[i];
        cost_forget();
        if (!cost_measure(run_situation) || surprise) {
            fprintf(stderr, "stealbench lab: pool: %s not counted: %s\n", shown->name,
                    surprise ? surprise : machine.fault.text);
            return 1;
        }
        for (unsigned j = 0; j < shown->shows; j++)
            cost_print(&cost[shown->shown[j].thread][shown->shown[j].step], "pool", step_names[shown->shown[j].step],
                       shown->name, shown->shown[j].outcome, "exact");
    }
    return 0;
}
