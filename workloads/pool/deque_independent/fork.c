/* fork.c: a forked child that is run by somebody else than its parent, or by its parent out of turn. */
#include "workloads/pool/state.h"

void pool_fork_run(struct pool_worker *worker, struct pool_task *task) {
    struct pool_fork *fork = (struct pool_fork *)(void *)task;
    atomic_load_explicit(&fork->child, memory_order_relaxed)(worker, fork);
    /* release: pairs with the acquire in join. After it the fork may be gone */
    atomic_store_explicit(&fork->child, NULL, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst); /* pairs with the membarrier in sleep.c */
    if (__builtin_expect(atomic_load_explicit(&worker->pool->parents, memory_order_relaxed) != 0, 0))
        pool_wake_parent(worker->pool, fork);
}
