/* accounting.h: do the items add up? Pure functions over the threads' counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole run, after all threads stopped and the owner took out what was left. The sums are of items' values modulo
 * 2^64: if one item is lost and another doubled, the count stays right but the sum does not. */
struct items_account {
    uint64_t pushed, popped, stolen, left;
    uint64_t pushed_sum, taken_sum; /* taken: popped, stolen and left */
    uint64_t stays;                 /* deque_size after that: 0 if no item is missing */
    bool at_least_once;             /* an item may come out more than once */
};

/* pushed = popped + stolen + left, and the same for the sums. An at-least-once deque: nothing is missing, and the owner
 * gets no item twice; only thieves may. false with a message (MESSAGE_SIZE bytes). */
bool items_add_up(const struct items_account *, char *message);

/* How many items too many came out. */
uint64_t items_doubled(const struct items_account *);
