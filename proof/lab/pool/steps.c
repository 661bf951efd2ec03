/* steps.c: the half of the pool that knows the deque, and its steps as functions. Compiled for a deque, instrumented.
 */
#include "proof/lab/pool/stage.h"
#include "workloads/pool/pool.c"

#define CALLED_ALONE __attribute__((noinline)) static

CALLED_ALONE void step_spawn(struct pool_worker *worker, struct pool_task *task) { pool_spawn(worker, task); }
CALLED_ALONE void step_spawn_all(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    pool_spawn_all(worker, tasks, count);
}
CALLED_ALONE void step_spawn_placed(struct pool_worker *worker, struct pool_task *task) {
    count_spawned(worker, 1);
    pool_push(worker, task);
    pool_placed(worker);
}
CALLED_ALONE struct pool_task *step_take(struct pool_worker *worker) { return take_own(worker); }
CALLED_ALONE void step_run(struct pool_worker *worker, struct pool_task *task) { run_task(worker, task); }
CALLED_ALONE bool step_fork(struct pool_worker *worker, struct pool_fork *fork,
                            void (*child)(struct pool_worker *, struct pool_fork *)) {
    return pool_fork_inline(worker, fork, child);
}
CALLED_ALONE bool step_join(struct pool_worker *worker, struct pool_fork *fork) {
    return pool_join_inline(worker, fork);
}
CALLED_ALONE struct pool_task *step_steal(struct pool_worker *worker) { return look_around(worker, BY_POLICY); }
CALLED_ALONE struct pool_task *step_sleep(struct pool_worker *worker, struct pool_fork *fork) {
    pool_search_begin(worker);
    return sleep_or_find(worker, fork);
}
CALLED_ALONE void step_found(struct pool_worker *worker) { pool_search_end(worker); }

const struct pool_steps pool_steps = {
    .spawn = step_spawn,
    .spawn_all = step_spawn_all,
    .spawn_placed = step_spawn_placed,
    .take = step_take,
    .run = step_run,
    .fork = step_fork,
    .join = step_join,
    .steal = step_steal,
    .sleep = step_sleep,
    .found = step_found,
};
