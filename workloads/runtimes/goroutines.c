/* goroutines.c: the application workloads on Go's scheduler, whose half is in goroutines/: a goroutine where the others
 * have a task, GOMAXPROCS as many as threads. Calls between Go and C cost as much as a small task, so the leaves of the
 * work are Go as well, by the same algorithms. Goroutines cannot be bound: the process is, to the processors of our
 * workers. */
#include "workloads/runtimes/foreign.h"

/* Exported by goroutines/. None of them calls back, but the goroutine that go_submit starts calls foreign_serve. */
void go_start(uint32_t threads);
void go_gather(void);
uint64_t go_fib(uint32_t n, uint32_t cutoff);
uint64_t go_nqueens(uint32_t side, uint32_t cutoff);
void go_sort(int64_t *values, uint64_t count, uint64_t cutoff, uint32_t levels);
void go_submit(uint64_t request);
void go_search(int32_t type, int32_t shape, double branching, double depth, double inner, uint32_t children,
               double geometric_part, uint32_t seed, uint64_t found[3]);
/* counts: directories, files, links. 0, or 1: said on standard error. */
int32_t go_walk(const char *path, uint64_t counts[3]);

const char *runtime_title(void) { return "Go " GO_VERSION; }

int foreign_start(uint32_t threads) {
    runtime_bind_process();
    go_start(threads);
    return 0;
}

void foreign_gather(void) { go_gather(); }
void foreign_attach(bool attached) { (void)attached; }
void foreign_submit(uint64_t request) { go_submit(request); }

uint64_t foreign_fib(uint32_t n, uint32_t cutoff) { return go_fib(n, cutoff); }
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff) { return go_nqueens(side, cutoff); }

void foreign_sort(int64_t *values, size_t count, size_t cutoff, uint32_t levels, bool own) {
    (void)own;
    go_sort(values, count, cutoff, levels);
}

static const char *sort_unsupported(const struct cell *cell) {
    return cell_is(cell, "algorithm", "own") ? "Go's own sort has one thread" : NULL;
}

void foreign_search(const struct tree *tree, struct tree_count *counts) {
    uint64_t found[3];
    go_search((int32_t)tree->type, (int32_t)tree->shape, tree->branching, tree->depth, tree->inner, tree->children,
              tree->geometric_part, tree->seed, found);
    counts[0].nodes = found[0], counts[0].leaves = found[1], counts[0].deepest = found[2];
}

void foreign_walk(void *walking) {
    uint64_t counts[3] = {0, 0, 0};
    if (go_walk(walking_path(walking), counts) != 0)
        counts[0] = 0; /* no tree has none: the check fails */
    walking_found(walking, counts[0], counts[1], counts[2]);
}

FOREIGN_WORKLOADS("goroutines", sort_unsupported);
