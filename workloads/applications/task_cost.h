/* task_cost.h: a known amount of work for each task, evenly spread or not.
 *
 * The cost of a task depends on its number and a seed alone, so every deque and every schedule has the same work. All
 * distributions have the mean asked for:
 *
 *   uniform      every task the same (what the bulk paper measured)
 *   exponential
 *   bimodal      one task in 100 has half of the work: 50 times the mean; the others half the mean, about
 *   heavy        a Pareto tail of index 1.5 (the variance has no bound), cut at COST_MAX times the mean
 */
#pragma once

#include "harness/measuring/cell.h"

#define COST_DISTRIBUTIONS(ONE)                                                                                        \
    ONE(COST_UNIFORM, "uniform")                                                                                       \
    ONE(COST_EXPONENTIAL, "exponential")                                                                               \
    ONE(COST_BIMODAL, "bimodal")                                                                                       \
    ONE(COST_HEAVY, "heavy")
enum cost_distribution { COST_DISTRIBUTIONS(LIST_NAME) };
#define COST_MAX 10000.0

struct task_cost {
    enum cost_distribution distribution;
    double mean; /* iterations of task_cost_work; 0: no work at all */
    uint64_t seed;
};

/* The parameters of a workload whose tasks have a cost. what: a task in words, such as "a node". */
#define COST_PARAMETERS(default_mean, default_unit, what)                                                              \
    PARAMETER_CHOICE("cost", "uniform", LIST_CHOICES(COST_DISTRIBUTIONS), "how the work of " what " is distributed"),  \
        PARAMETER_REAL("mean", default_mean, 0, 1e9, "", "work of " what " on average; 0: none"),                      \
        PARAMETER_CHOICE("mean_unit", default_unit, "ns|iterations",                                                   \
                         "unit of mean; iterations: of a loop, the same number on every machine and in every process")

/* Iterations that this task costs. Any thread. */
uint64_t task_cost_of(const struct task_cost *, uint64_t task);

/* Works for so many iterations: a chain of dependent multiplications, which neither the compiler nor the processor can
 * shorten and which touches no memory. Any thread. */
void task_cost_work(uint64_t iterations);

/* Nanoseconds of an iteration here, by the fastest of many short rounds: disturbances only make a round longer. Takes
 * some 10 ms. */
double task_cost_calibrate(void);

/* Main. The cost that a cell's COST_PARAMETERS ask for. *iteration: ns of an iteration here, which is reported as
 * work_iteration; 0 where tasks cost nothing. */
static inline struct task_cost task_cost_of_cell(const struct cell *cell, double *iteration) {
    struct task_cost cost = {.distribution = (enum cost_distribution)cell_choice(cell, "cost"),
                             .seed = cell_integer(cell, "seed"),
                             .mean = cell_real(cell, "mean")};
    *iteration = cost.mean > 0 ? task_cost_calibrate() : 0;
    if (cost.mean > 0)
        cell_sample(cell, "process", 0, "work_iteration", *iteration, "ns", 0);
    if (cost.mean > 0 && cell_is(cell, "mean_unit", "ns"))
        cost.mean /= *iteration;
    return cost;
}
