/* matmul.c: forks with work in them: the product of two matrices by quarters. Compiled once for each deque, which is
 * inlined.
 */
#include "workloads/forks/matmul.h"
#include "workloads/applications/answer.h"
#include "workloads/pool/pool_inline.h"
#include <stdio.h>

struct part {
    struct pool_fork fork;
    struct product product;
};

static void multiply(struct pool_worker *worker, struct pool_fork *fork) {
    const struct product whole = ((struct part *)(void *)fork)->product;
    if (whole.side <= MATMUL_SMALL) {
        product_small(whole);
        return;
    }
    for (unsigned group = 0; group < 2; group++) {
        struct part part[4];
        bool forked[4];
        for (unsigned i = 0; i < 4; i++) {
            part[i].product = product_part(whole, i, group);
            forked[i] = i < 3 && pool_fork_inline(worker, &part[i].fork, multiply);
            if (!forked[i])
                multiply(worker, &part[i].fork);
        }
        for (unsigned i = 4; i-- > 0;)
            if (forked[i] && pool_join_inline(worker, &part[i].fork))
                multiply(worker, &part[i].fork);
    }
}

static uint64_t compute(struct pool_worker *worker, void *context) {
    struct part root = {.product = *(const struct product *)context};
    product_clear(&root.product);
    multiply(worker, &root.fork);
    return product_sum(&root.product);
}

static int run(const struct cell *cell) {
    struct product product;
    if (!product_make(&product, cell_choice(cell, "side"))) {
        fprintf(stderr, "stealbench: no memory for the matrices\n");
        return 3;
    }
    struct answer answer = {compute, &product, matmul_answer(), matmul_calls()};
    const int failure = answer_measure(cell, &answer);
    product_free(&product);
    return failure;
}

REGISTER_WORKLOAD(matmul, .name = "matmul", .summary = "forks that do work: a product of matrices, by quarters",
                  .parameters = {matmul_parameters, pool_parameters}, .threads = "threads",
                  .unsupported = pool_unsupported, .run = run);
