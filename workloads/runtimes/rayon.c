/* rayon.c: the application workloads on Rayon, whose half is in rayon/: by join where two pieces are joined, and a
 * scope where tasks are not, as its documentation has it. The leaves of the work (a piece of numbers, a node of a tree,
 * a directory) are the C of all the others, so that nothing differs but who runs them. */
#include "workloads/runtimes/dag.h"
#include "workloads/runtimes/number.h"

#include "workloads/runtimes/foreign.h"

const char *runtime_title(void) { return "Rayon " RAYON_VERSION; }

void foreign_take_place(uint32_t worker) { runtime_take_place(worker); }
void foreign_arrive(void) { runtime_arrive(); }
void foreign_attach(bool attached) { (void)attached; }

size_t foreign_sort_step(int64_t *values, size_t count, size_t cutoff, uint32_t levels) {
    return sort_step(values, count, cutoff, levels);
}

FOREIGN_WORKLOADS("Rayon", NULL);

/* What the other two have not. Rust defines: */
uint64_t foreign_skynet(uint64_t leaves);
void foreign_multiply(const struct product *whole, size_t small);
void foreign_explore(struct exploration *work);

static void run_skynet(void *context) {
    struct number *work = context;
    work->result = foreign_skynet(skynet_leaves(work->depth));
}
RUNTIME_WORKLOAD(skynet, "skynet on Rayon", NULL);

/* Rust calls: */
void foreign_multiply_small(const struct product *product);
struct product foreign_product_part(const struct product *whole, uint32_t quarter, uint32_t group);
void foreign_dag_begin(struct exploration *work);
uint64_t foreign_dag_end(const struct exploration *work);
uint64_t foreign_dag_pieces(uint64_t first, uint64_t last);
void foreign_dag_visit(struct exploration *work, uint64_t first, uint64_t last, uint64_t piece);

void foreign_multiply_small(const struct product *product) { product_small(*product); }
struct product foreign_product_part(const struct product *whole, uint32_t quarter, uint32_t group) {
    return product_part(*whole, quarter, group);
}

static void run_matmul(void *context) {
    struct number *work = context;
    product_clear(&work->product);
    foreign_multiply(&work->product, MATMUL_SMALL);
    work->result = product_sum(&work->product);
}
RUNTIME_WORKLOAD(matmul, "a product of matrices on Rayon", NULL);

void foreign_dag_begin(struct exploration *work) { dag_begin(work); }
uint64_t foreign_dag_end(const struct exploration *work) { return work->end; }
uint64_t foreign_dag_pieces(uint64_t first, uint64_t last) { return dag_pieces(first, last); }
void foreign_dag_visit(struct exploration *work, uint64_t first, uint64_t last, uint64_t piece) {
    dag_visit(work, first, last, piece);
}

static void run_dag(void *work) { foreign_explore(work); }
RUNTIME_WORKLOAD(dag, "exploration of a generated graph level by level, by Rayon's parallel iterator", NULL);
