/* pool_places.c: forks by place, for the pool's check. Compiled for each deque, because they are inlined.
 *
 * Each frame forks a leaf, goes deeper and joins; where its place is still good, it forks there once more. A pool that
 * relies on a place that the deque has passed over hides the second leaf, and the join never ends.
 */
#include "workloads/pool/pool_inline.h" /* first: it says where a deque has its memory from */

#include "proof/checks/pool_check.h"

struct leaf {
    struct pool_fork fork;
    unsigned ran;
};

static void run_leaf(struct pool_worker *worker, struct pool_fork *fork) {
    (void)worker;
    ((struct leaf *)(void *)fork)->ran++;
}

void check_places(struct pool_worker *worker, unsigned depth) {
    struct leaf leaf = {.ran = 0};
    unsigned forks = 0;
    uint64_t place;
    if (depth == 0 || !pool_frame(worker, &leaf.fork, &place))
        return;
    pool_fork_ready(&leaf.fork, run_leaf);
    for (bool again = true; again && forks < 2;) {
        forks++;
        again = pool_fork_placed(worker, &leaf.fork, place);
        if (!again)
            run_leaf(worker, &leaf.fork);
        if (forks == 1)
            check_places(worker, depth - 1);
        if (again && (again = pool_join_placed(worker, &leaf.fork, place)))
            run_leaf(worker, &leaf.fork);
    }
    if (leaf.ran != forks)
        check_fail("of %u forks by place %u ran", forks, leaf.ran);
}
