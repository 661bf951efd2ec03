/* rayon.c: the application workloads on Rayon, whose half is in rayon/: by join where two pieces are joined, and a
 * scope where tasks are not, as its documentation has it. The leaves of the work (a piece of numbers, a node of a tree,
 * a directory) are the C of all the others, so that nothing differs but who runs them. */
#include "workloads/runtimes/foreign.h"

const char *runtime_title(void) { return "Rayon " RAYON_VERSION; }

void foreign_take_place(uint32_t worker) { runtime_take_place(worker); }
void foreign_arrive(void) { runtime_arrive(); }
void foreign_attach(bool attached) { (void)attached; }

size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels) {
    return sort_step(values, count, cutoff, levels);
}

FOREIGN_WORKLOADS("Rayon", NULL);
