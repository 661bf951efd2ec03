/* skynet.c: ten forks at once, all the way down: the sum of the numbers of a tree's leaves. Compiled once for each
 * deque, which is inlined.
 */
#include "workloads/forks/skynet.h"
#include "workloads/applications/answer.h"
#include "workloads/pool/pool_inline.h"

struct node {
    struct pool_fork fork;
    uint64_t first, leaves; /* the number of its first leaf, and how many it has */
    uint64_t sum;
};

static void sum_up(struct pool_worker *worker, struct pool_fork *fork) {
    struct node *node = (struct node *)(void *)fork, child[SKYNET_CHILDREN];
    bool forked[SKYNET_CHILDREN];
    if (node->leaves == 1) {
        node->sum = node->first;
        return;
    }
    node->sum = 0;
    for (unsigned i = 0; i < SKYNET_CHILDREN; i++) {
        child[i].leaves = node->leaves / SKYNET_CHILDREN;
        child[i].first = node->first + i * child[i].leaves;
        /* the last is called */
        forked[i] = i + 1 < SKYNET_CHILDREN && pool_fork_inline(worker, &child[i].fork, sum_up);
        if (!forked[i])
            sum_up(worker, &child[i].fork);
    }
    for (unsigned i = SKYNET_CHILDREN; i-- > 0;) {
        if (forked[i] && pool_join_inline(worker, &child[i].fork))
            sum_up(worker, &child[i].fork);
        node->sum += child[i].sum;
    }
}

static uint64_t compute(struct pool_worker *worker, void *context) {
    struct node root = {.leaves = skynet_leaves(*(const unsigned *)context)};
    sum_up(worker, &root.fork);
    return root.sum;
}

static int run(const struct cell *cell) {
    unsigned depth = (unsigned)cell_integer(cell, "depth");
    struct answer answer = {compute, &depth, skynet_answer(depth), skynet_calls(depth)};
    return answer_measure(cell, &answer);
}

REGISTER_WORKLOAD(skynet, .name = "skynet", .summary = "ten forks at once: the sum of a tree's leaves, one task a node",
                  .parameters = {skynet_parameters, pool_parameters}, .threads = "threads",
                  .unsupported = pool_unsupported, .run = run);
