/* knapsack_cuts.h: cuts that a worker makes where it divides subproblems, and with which it bounds those that follow.
 *
 * "During node exploration, along with child nodes, a worker generates cuts, which are constraints that tighten the
 * feasible region and enable aggressive pruning" (bulk paper, section III). Which ones its solver makes the paper does
 * not say; for a knapsack they are cover inequalities (E. Balas: Facets of the knapsack polytope, 1975). Items that do
 * not fit together are a cover: of a minimal one, C, at most |C| - 1 can be taken, and of C with all items that weigh
 * as much as its heaviest no more either. A cover is made of what Dantzig's bound takes in a subproblem, which is more
 * than fits.
 *
 * A cut holds for the whole problem. It bounds a subproblem by Lagrangian relaxation: for any price that is put on the
 * items of the cut, the best that divisible items make of it plus the price of as many as the cut allows. A cut has one
 * price, the best where it was made, and the items in their order at that price, so that a check is one walk over them.
 * How much it gives depends on how near a subproblem is to where the cut was made, which is why the paper's master
 * gives a worker nodes near its own. Cuts stay with the worker that made them; the one that pruned longest ago makes
 * room.
 *
 * No thread but the caller's is involved.
 */
#ifndef STEALBENCH_KNAPSACK_CUTS_H
#define STEALBENCH_KNAPSACK_CUTS_H

#include "workloads/applications/knapsack/knapsack_diagram.h"

#define KNAPSACK_CUTS_MAX 64
struct knapsack_cuts;

/* kept: how many cuts at most, 1 to KNAPSACK_CUTS_MAX. NULL without memory. */
struct knapsack_cuts *knapsack_cuts(const struct knapsack_problem *, size_t kept);
void knapsack_cuts_free(struct knapsack_cuts *);
void knapsack_cuts_clear(struct knapsack_cuts *);

/* Makes the cut of this subproblem; false: there is none that would help here, or it is kept already. */
bool knapsack_cuts_make(struct knapsack_cuts *, const struct knapsack_subproblem *);

/* Does a cut show that no solution of the subproblem has more profit than best? */
bool knapsack_cuts_prune(struct knapsack_cuts *, const struct knapsack_subproblem *, uint64_t best);

#endif
