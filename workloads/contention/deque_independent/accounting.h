/* accounting.h: do the items add up, and is it fair? Pure functions over what the threads counted. */
#ifndef STEALBENCH_ACCOUNTING_H
#define STEALBENCH_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole run, after all threads stopped and the owner took out what was left. Sums are of the items' values modulo
 * 2^64: one item lost and another doubled keeps the count, but not the sum. */
struct items_account {
    uint64_t pushed, popped, stolen, left;
    uint64_t pushed_sum, taken_sum; /* taken: popped, stolen and left */
    uint64_t stays;                 /* deque_size after that: 0 when all is well */
    bool at_least_once;             /* an item may come out more than once */
};

/* pushed = popped + stolen + left, and the same of the sums. Of a deque that gives an item at least once: nothing is
 * missing, and the owner never gets an item twice, so that what is too many was stolen. false with a message
 * (MESSAGE_SIZE bytes). */
bool items_add_up(const struct items_account *, char *message);

/* How many came out more than once. */
uint64_t items_doubled(const struct items_account *);

/* Jain's index (sum x)^2 / (n sum x^2): 1 when all have the same, 1/n when one has all. At least one is not 0. */
double fairness(const uint64_t *shares, size_t count);

#endif
