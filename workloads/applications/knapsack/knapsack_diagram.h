/* knapsack_diagram.h: a subproblem of the 0-1 knapsack bounded by decision diagrams, and divided where the bounds do
 * not decide it: one step of branch and bound after Bergman, Cire, van Hoeve and Hooker ("Decision Diagrams for
 * Optimization", 2016; "Branch-and-Bound Based on Decision Diagrams"), which is what the bulk paper's solver does.
 *
 * A diagram has a layer an item. A node is a state: the room that is left, and the greatest profit on a path to it
 * (the bulk paper, figure 2). A layer keeps at most width nodes. What is more is left out in a restricted diagram,
 * whose longest path is therefore a solution and a lower bound; in a relaxed one it becomes a single node with the most
 * room and the most profit of them all, so that its longest path is an upper bound. A node is exact when no merged node
 * is among those before it. The exact nodes whose arcs lead to nodes that are not, the frontier, cut all paths that are
 * not decided yet: they are the next subproblems.
 *
 * Items are taken in order of profit by weight. A node that could not beat the best known solution even if items could
 * be divided (Dantzig's bound) is left out of either diagram, and so is one that another exact node beats in room and
 * in profit.
 *
 * No thread but the caller's is involved: a workspace belongs to one worker.
 */
#ifndef STEALBENCH_KNAPSACK_DIAGRAM_H
#define STEALBENCH_KNAPSACK_DIAGRAM_H

#include "workloads/applications/knapsack/knapsack_instance.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The remaining problem: the items from item on, with that room, after a choice among earlier ones. */
struct knapsack_subproblem {
    size_t item;
    uint64_t room, profit;
    uint64_t bound;   /* no solution of it is better */
    uint64_t *chosen; /* bit i: item i is taken; problem->words words, of the caller's */
};

#define KNAPSACK_WIDTH_MAX 100000
struct knapsack_workspace;

/* width: nodes in a layer, from 2 to KNAPSACK_WIDTH_MAX; by_layer: divide at the last layer whose nodes are all exact,
 * instead of at the frontier. NULL without memory. */
struct knapsack_workspace *knapsack_workspace(const struct knapsack_problem *, size_t width, bool by_layer);
void knapsack_workspace_free(struct knapsack_workspace *);

/* How the step learns the best known solution, reports a better one, and hands on subproblems. */
struct knapsack_search {
    uint64_t (*best)(void *context); /* the greatest profit known */
    void (*improve)(void *context, uint64_t profit, const uint64_t *chosen);
    bool (*divide)(void *context, const struct knapsack_subproblem *); /* false: no memory, stop */
    void *context;
};

struct knapsack_step {
    uint64_t diagrams, nodes; /* built and kept */
    bool failed;              /* divide said so, or there was no memory */
};

/* Solves the subproblem or divides it. */
struct knapsack_step knapsack_branch(struct knapsack_workspace *, const struct knapsack_subproblem *,
                                     const struct knapsack_search *);

#endif
