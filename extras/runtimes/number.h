/* number.h: a computation that yields one number, which is known, for every runtime: skynet and matmul, whose inputs
 * are those of our own (workloads/forks/). C and C++. */
#ifndef STEALBENCH_RUNTIME_NUMBER_H
#define STEALBENCH_RUNTIME_NUMBER_H

#include "extras/runtimes/runtime.h"
#include "workloads/forks/matmul.h"
#include "workloads/forks/skynet.h"
#include <inttypes.h>

struct number {
    uint64_t expected, result; /* run sets result */
    unsigned depth;            /* skynet's */
    struct product product;    /* matmul's */
};

static inline bool number_verify(void *context) {
    const struct number *number = (const struct number *)context;
    if (number->result == number->expected)
        return true;
    fprintf(stderr, "stealbench: %" PRIu64 " came out, not %" PRIu64 "\n", number->result, number->expected);
    return false;
}

static inline int number_measure(const struct cell *cell, struct number *number, double calls,
                                 void (*run)(void *context), void (*gather)(void)) {
    struct runtime_work work = {number, NULL, run, number_verify, "time_per_call", calls};
    return runtime_measure(cell, &work, gather);
}

/* Main thread, the runtime being there. run sets result. */
static inline int skynet_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    struct number number = {0, 0, (unsigned)cell_integer(cell, "depth"), {NULL, NULL, NULL, 0}};
    number.expected = skynet_answer(number.depth);
    return number_measure(cell, &number, skynet_calls(number.depth), run, gather);
}

/* run clears the product, multiplies and sets result to its sum. */
static inline int matmul_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    struct number number = {0, 0, 0, {NULL, NULL, NULL, 0}};
    if (!product_make(&number.product, cell_choice(cell, "side")))
        return 3;
    number.expected = matmul_answer();
    const int failure = number_measure(cell, &number, matmul_calls(), run, gather);
    product_free(&number.product);
    return failure;
}

#endif
