/* waits.c: how long tasks wait from their spawn to their start, when asked for (waits=1), and the memory for that and
 * for how long steals take (steal_times=1).
 *
 * A stamp is spawned in the task's place, and runs it. So tasks keep their size, and a run without stamps costs nothing
 * more. A stamped task costs two reads of the clock and a cache line that travels with it: compare no run_time with
 * that of a plain run. Time in a slot or the overflow queue is part of the wait. Forks have no stamps.
 */
#include "workloads/pool/state.h"

#define LONGEST ((uint64_t)1 << 42) /* ns: above an hour */

bool pool_histograms_open(struct pool_worker *worker) {
    return (!worker->pool->waits || histogram_init(&worker->waits, LONGEST) == 0) &&
           (!worker->pool->steal_times || histogram_init(&worker->steal_times, LONGEST) == 0);
}

static void run_stamped(struct pool_worker *worker, struct pool_task *task) {
    const struct pool_stamp stamp = *(const struct pool_stamp *)(const void *)task;
    const uint64_t now = clock_nanoseconds();
    pool_give(worker, task);
    histogram_record(&worker->waits, now > stamp.spawned ? now - stamp.spawned : 0);
    stamp.of->run(worker, stamp.of);
}

struct pool_task *pool_stamp(struct pool_worker *worker, struct pool_task *task) {
    struct pool_stamp *stamp = (struct pool_stamp *)(void *)pool_take(worker);
    if (!stamp) {
        pool_fail(worker, 3, "no memory for the stamp of a task");
        return task;
    }
    *stamp = (struct pool_stamp){{run_stamped}, task, clock_nanoseconds()};
    return &stamp->task;
}
