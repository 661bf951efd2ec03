/* explore.c: does the pool lose a wake-up? One worker spawns a task for each of the others, one by one, all at once or
 * by place. Each of the others falls asleep, or finds a task first. If one sleeps for ever although there is a task,
 * that is a fault. Runs with idle=sleep and with idle=wake_each.
 *
 * The schedules are random, under TSO. A membarrier reaches one thread after the other, while the threads go on.
 */
#include "harness/measuring/random.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/engine/source.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/pool/stage.h"
#include <stdio.h>

#define THIEVES 2
#define STEPS_AT_MAX 200000

static unsigned slept; /* thieves that fell asleep in some schedule, as bits */
static enum { ONE_BY_ONE, TOGETHER, BY_PLACE } how;

static void spawn(void) {
    struct pool_task *tasks[THIEVES];
    for (int i = 0; i < THIEVES; i++) {
        tasks[i] = stage_task(i);
        if (how == ONE_BY_ONE)
            pool_steps.spawn(stage_worker(), tasks[i]);
        else if (how == BY_PLACE)
            pool_steps.spawn_placed(stage_worker(), tasks[i]);
    }
    if (how == TOGETHER)
        pool_steps.spawn_all(stage_worker(), tasks, THIEVES);
}

static void thief(void) {
    struct pool_worker *self = stage_worker();
    struct pool_task *task;
    do {
        task = pool_steps.sleep(self, NULL);
        if (!task)
            task = pool_steps.steal(self);
    } while (!task);
    if (self->counts.sleeps > 0)
        slept |= 1u << self->number;
    pool_steps.found(self);
    pool_steps.run(self, task);
}

static void (*const bodies[])(void) = {spawn, thief, thief};

/* Returns false if the run ended in a fault. */
static bool run(struct schedule *schedule) {
    memory_restore();
    machine_begin(STEPS_AT_MAX);
    return machine_run(bodies, 1 + THIEVES, schedule);
}

static void tell(uint64_t seed, uint64_t length) {
    trace_begin();
    run(schedule_by_chance(seed, length));
    trace_end();
    if (machine.fault.kind == FAULT_HANGS)
        printf("pool: a wake-up is lost: %s sleeps for good, or nobody comes to an end; last at %s\n\n",
               machine_role(machine.fault.thread), source_name(machine.fault.where[0]));
    else
        printf("pool: %s at %s\n\n", fault_name(machine.fault.kind), source_name(machine.fault.where[0]));
    trace_print(stdout, false);
}

static int explore(const char *what, uint64_t seed, uint64_t schedules) {
    slept = 0;
    stage_workers = 1 + THIEVES;
    machine_reset();
    machine_begin(STEPS_AT_MAX);
    if (!machine_call(stage_open)) {
        fprintf(stderr, "stealbench lab: pool: %s\n", machine.fault.text);
        return 1;
    }
    memory_keep();
    run(schedule_in_sequence());
    const uint64_t length = machine.step;
    for (uint64_t i = 0; i < schedules; i++) {
        uint64_t one = random_of(seed, i);
        snprintf(machine.note, sizeof machine.note, "; %s, schedule %llu of seed %llu", what, (unsigned long long)i,
                 (unsigned long long)seed);
        if (run(schedule_by_chance(one, length)))
            continue;
        printf("%s, schedule %llu of --seed=%llu\n", what, (unsigned long long)i, (unsigned long long)seed);
        tell(one, length);
        return 1;
    }
    if (slept != (1u << (1 + THIEVES)) - 2) {
        printf("pool: shows nothing: %s, in %llu schedules not every thief fell asleep\n", what,
               (unsigned long long)schedules);
        return 1;
    }
    printf("pool: no wake-up lost in %llu schedules: %s\n", (unsigned long long)schedules, what);
    return 0;
}

int pool_explore(uint64_t seed, uint64_t schedules) {
    static const struct {
        const char *what;
        enum pool_idle idle;
        int how;
    } pools[] = {{"idle=sleep, one by one", POOL_SLEEP, ONE_BY_ONE},
                 {"idle=sleep, together", POOL_SLEEP, TOGETHER},
                 {"idle=sleep, by place", POOL_SLEEP, BY_PLACE},
                 {"idle=wake_each, one by one", POOL_WAKE_EACH, ONE_BY_ONE},
                 {"idle=wake_each, together", POOL_WAKE_EACH, TOGETHER},
                 {"idle=wake_each, by place", POOL_WAKE_EACH, BY_PLACE}};
    int failed = 0;
    machine_open(NULL, 0);
    for (size_t i = 0; i < sizeof pools / sizeof pools[0] && !failed; i++) {
        stage_idle = pools[i].idle;
        how = pools[i].how;
        failed = explore(pools[i].what, seed, schedules);
    }
    return failed;
}
