/* matmul.h: the product of two square matrices of integers by quarters. For our pool and for every runtime. C and C++.
 *
 * A product is eight of half the side, in two groups of four; those of a group write different quarters, so they are
 * tasks, and the groups follow each other. At side MATMUL_SMALL three loops compute it.
 */
#ifndef STEALBENCH_MATMUL_H
#define STEALBENCH_MATMUL_H

#include "harness/measuring/cell/cell.h"
#include <stdlib.h>
#include <string.h>

#define MATMUL_SMALL 32

static const struct parameter matmul_parameters[] = {
    PARAMETER_CHOICE("side", "512", "64|128|256|512|1024|2048|4096", "side of the matrices"),
    PARAMETERS_END,
};

static size_t matmul_side; /* of the whole matrices, whose rows all parts share; written before the pool runs */

/* c += a * b, of this side. */
struct product {
    const int *a, *b;
    int *c;
    size_t side;
};

/* Which of four quarters, in the first or the second group. */
static inline struct product product_part(struct product whole, unsigned quarter, unsigned group) {
    const size_t half = whole.side / 2, row = quarter / 2 * half, column = quarter % 2 * half, inner = group * half;
    const struct product part = {whole.a + row * matmul_side + inner, whole.b + inner * matmul_side + column,
                                 whole.c + row * matmul_side + column, half};
    return part;
}

static inline void product_small(struct product product) {
    for (size_t i = 0; i < product.side; i++)
        for (size_t k = 0; k < product.side; k++)
            for (size_t j = 0; j < product.side; j++)
                product.c[i * matmul_side + j] += product.a[i * matmul_side + k] * product.b[k * matmul_side + j];
}

/* Two matrices of ones and one for the product, of 2 to the power of choice times 64. free_matrices frees them. false:
 * no memory. */
static inline bool product_make(struct product *product, unsigned choice) {
    const size_t side = matmul_side = (size_t)64 << choice, cells = side * side;
    int *memory = (int *)malloc(3 * cells * sizeof *memory);
    for (size_t i = 0; memory && i < 2 * cells; i++)
        memory[i] = 1;
    product->a = memory;
    product->b = memory ? memory + cells : NULL;
    product->c = memory ? memory + 2 * cells : NULL;
    product->side = side;
    return memory != NULL;
}
static inline void product_free(struct product *product) { free((void *)product->a); }

/* Before each computation. */
static inline void product_clear(const struct product *product) {
    memset(product->c, 0, product->side * product->side * sizeof *product->c);
}

/* The sum of one cell of each small part. Each such cell is the side if the part was added the right number of times.
 */
static inline uint64_t product_sum(const struct product *product) {
    uint64_t sum = 0;
    for (size_t i = 0; i < product->side; i += MATMUL_SMALL)
        for (size_t j = 0; j < product->side; j += MATMUL_SMALL)
            sum += (uint64_t)product->c[i * matmul_side + j];
    return sum;
}
static inline uint64_t matmul_answer(void) {
    const uint64_t parts = matmul_side / MATMUL_SMALL;
    return parts * parts * matmul_side;
}

/* Calls: 8 for each that is not small, and the first. */
static inline double matmul_calls(void) {
    double calls = 1, level = 1;
    for (size_t side = matmul_side; side > MATMUL_SMALL; side /= 2)
        calls += level *= 8;
    return calls;
}

#endif
