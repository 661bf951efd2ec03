/* simulation.h: cells with counters=callgrind: their executables, valgrind around them, and its counts. For the driver.
 *
 * Such a cell runs another build of its deque, build/simulated/ID, for x86-64-v3: valgrind 3.19 knows nothing beyond
 * AVX2. make builds it, on the way of run.sh, which asks the driver by --needs.
 */
#ifndef STEALBENCH_SIMULATION_H
#define STEALBENCH_SIMULATION_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/util/text.h"

struct simulation {
    const char *build;
    const char *why; /* why nothing can be simulated; NULL when it can */
};

/* Is it the plan's first cell that wants its deque simulated? */
bool simulation_is_first(const struct plan *, size_t cell);

/* Looks for what the plan's cells need. Where valgrind or a build is missing it says so, and the cells then run
 * without: they report that they were not simulated. Does nothing for a plan without such cells. */
void simulation_open(struct simulation *, const struct plan *, const char *build);

/* Adds the words before --run: valgrind writing its counts to the file counts, and the executable; or the executable
 * that this invocation times, alone. */
void simulation_command(const struct simulation *, const struct planned_cell *, unsigned invocation, const char *counts,
                        struct words *arguments);

/* Adds to what a process printed the counts that valgrind left in the file, as samples, and removes the file. */
void simulation_take_counts(const char *counts, struct text *output);

#endif
