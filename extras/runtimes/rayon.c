/* rayon.c: the application workloads on Rayon, whose half is in rayon/: by join, as its documentation has it. The
 * leaves of the work (a piece of numbers, a node of a tree) are the C of all the others, so that nothing differs but
 * who runs them. */
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"

#include "extras/runtimes/foreign.h"

const char *runtime_title(void) { return "Rayon " RAYON_VERSION; }

void foreign_take_place(uint32_t worker) { runtime_take_place(worker); }
void foreign_arrive(void) { runtime_arrive(); }

FOREIGN_WORKLOADS("Rayon");

/* Rust defines: */
void foreign_sort(int64_t *values, size_t count, size_t cutoff, uint32_t levels);
void foreign_search(const struct tree *, struct tree_count *counts); /* adds to counts, one for each worker */

/* Rust calls: */
size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels);

size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels) {
    return sort_step(values, count, cutoff, levels);
}

static void run_quicksort(void *context) {
    const struct sorting *work = context;
    foreign_sort(work->values, work->size, work->cutoff, sort_levels(work->size));
}
RUNTIME_WORKLOAD(quicksort, "quicksort on Rayon", NULL);

static void run_uts(void *context) {
    struct uts *uts = context;
    foreign_search(uts->tree, uts->by_thread);
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on Rayon", uts_unsupported);
