/* count.c: counts what the pool does to memory for a task: two workers in the lab take steps in turn. */
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/pool/stage.h"
#include "proof/lab/verbs/cost.h"
#include <stdio.h>

#define ROUNDS STAGE_TASKS
#define WORKERS 2
#define STEPS_AT_MAX 10000000

static void child_run(struct pool_worker *worker, struct pool_fork *fork) { (void)worker, (void)fork; }

/* What a worker does in a round. The steps before END are counted, under these names; PASS lets the other worker go on.
 */
enum pool_step { SPAWN, TAKE, RUN, FORK, JOIN, STEAL, SLEEP, SLEEP_FOR_CHILD, FOUND, PASS, END };
static const char *const step_names[] = {"spawn", "take", "run", "fork", "join", "steal", "sleep", "sleep", "found"};

#define STEPS_MAX_A_ROUND 7
#define SHOWN_MAX 5
struct situation {
    const char *name;
    enum pool_step round[WORKERS][STEPS_MAX_A_ROUND]; /* ends with END */
    bool second_first;                                /* the second worker begins */
    bool nothing_there;                               /* takes and steals find nothing */
    struct {
        unsigned thread;
        enum pool_step step;
        const char *outcome;
    } shown[SHOWN_MAX]; /* ends with one that has no outcome */
};

/* clang-format off */
static const struct situation situations[] = {
    {"nobody else there", {{SPAWN, TAKE, RUN, END}, {END}},
     .shown = {{0, SPAWN, "ok"}, {0, TAKE, "ok"}, {0, RUN, "ok"}}},
    {"nobody else there", {{FORK, JOIN, END}, {END}}, .shown = {{0, FORK, "ok"}, {0, JOIN, "ok"}}},
    {"nothing there", {{TAKE, END}, {STEAL, END}}, .nothing_there = true,
     .shown = {{0, TAKE, "empty"}, {1, STEAL, "empty"}}},
    {"thief between", {{SPAWN, PASS, END}, {STEAL, RUN, PASS, END}},
     .shown = {{0, SPAWN, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}}},
    {"child stolen", {{FORK, PASS, JOIN, END}, {STEAL, RUN, PASS, END}},
     .shown = {{0, FORK, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}, {0, JOIN, "ok"}}},
    {"sleeper woken", {{SPAWN, PASS, END}, {SLEEP, STEAL, FOUND, RUN, END}}, .second_first = true,
     .shown = {{0, SPAWN, "ok"}, {1, SLEEP, "ok"}, {1, STEAL, "ok"}, {1, FOUND, "ok"}, {1, RUN, "ok"}}},
    {"parent sleeps", {{FORK, PASS, SLEEP_FOR_CHILD, FOUND, JOIN, END}, {STEAL, PASS, RUN, PASS, END}},
     .shown = {{0, FORK, "ok"}, {0, SLEEP_FOR_CHILD, "ok"}, {0, JOIN, "ok"}, {1, STEAL, "ok"}, {1, RUN, "ok"}}},
};
/* clang-format on */

static const struct situation *shown;
static const char *surprise; /* set if a step did something else than its situation says */

/* Takes one step in round i of this worker. Returns the task that the worker holds afterwards. */
static struct pool_task *do_step(enum pool_step step, int i, struct pool_task *task) {
    struct pool_worker *self = stage_worker();
    switch (step) {
    case SPAWN:
        pool_steps.spawn(self, stage_task(i));
        break;
    case TAKE:
        task = pool_steps.take(self);
        break;
    case RUN:
        pool_steps.run(self, task);
        break;
    case FORK:
        pool_steps.fork(self, stage_fork(i), child_run);
        break;
    case JOIN:
        pool_steps.join(self, stage_fork(i));
        break;
    case STEAL:
        task = pool_steps.steal(self);
        break;
    case SLEEP:
    case SLEEP_FOR_CHILD:
        task = pool_steps.sleep(self, step == SLEEP ? NULL : stage_fork(i));
        break;
    case FOUND:
        pool_steps.found(self);
        break;
    case PASS:
    case END:
        break;
    }
    return task;
}

static void judge(enum pool_step step, int i, const struct pool_task *task) {
    if (step == SLEEP || step == SLEEP_FOR_CHILD)
        surprise = task ? "a sleeper finds something before it sleeps" : surprise;
    else if (step == STEAL || step == TAKE) {
        if (shown->nothing_there)
            surprise = task ? "an empty deque gives a task" : surprise;
        else if (!task || (step == TAKE && task != stage_task(i)))
            surprise = step == TAKE ? "a task that was spawned does not come back" : "a thief finds nothing";
    }
}

static void work(void) {
    const enum pool_step *round = shown->round[machine.current];
    if (shown->second_first && machine.current == 0)
        schedule_pass();
    for (int i = 0; i < ROUNDS && *round != END; i++) {
        struct pool_task *task = NULL;
        for (const enum pool_step *step = round; *step != END && !surprise; step++) {
            if (*step == PASS) {
                schedule_pass();
                continue;
            }
            cost_begin(machine.current);
            task = do_step(*step, i, task);
            cost_end(machine.current, *step);
            judge(*step, i, task);
        }
    }
}

static bool run_situation(void) {
    static void (*const bodies[WORKERS])(void) = {work, work};
    machine_reset();
    machine_begin(STEPS_AT_MAX);
    return machine_call(stage_open) && machine_run(bodies, WORKERS, schedule_in_rounds());
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
        for (unsigned j = 0; j < SHOWN_MAX && shown->shown[j].outcome; j++)
            cost_print(&cost[shown->shown[j].thread][shown->shown[j].step], "pool", step_names[shown->shown[j].step],
                       shown->name, shown->shown[j].outcome, "exact");
    }
    return 0;
}
