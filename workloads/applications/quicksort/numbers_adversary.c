/* numbers_adversary.c: McIlroy's adversary. It lets the partition run and decides at each comparison, as late as it
 * can, what the numbers are: those that are not decided yet are larger than all that are, and of two such that are
 * compared the likely pivot becomes the smallest of the rest. So every pivot leaves almost all on one side. What is
 * partitioned are not the numbers but their places, 0 to count - 1.
 */
#include "harness/measuring/random.h"
#include "workloads/applications/quicksort/numbers.h"
#include <stdlib.h>

#define OPEN INT64_MAX /* not decided yet */

/* Of the one that is being made: comparisons have no context. */
static int64_t *number; /* by place */
static int64_t decided;
static int64_t candidate; /* for the pivot: compared last, while open, with one that was not */

static bool decide_below(int64_t a, int64_t b) {
    if (number[a] == OPEN && number[b] == OPEN && a != b)
        number[a == candidate ? a : b] = decided++;
    if (number[a] == OPEN)
        candidate = a;
    else if (number[b] == OPEN)
        candidate = b;
    return number[a] < number[b];
}

#define SORT_BELOW(a, b) decide_below(a, b)
#include "workloads/applications/quicksort/partition.h"

bool numbers_against_partition(int64_t *values, size_t count, size_t levels, uint64_t seed) {
    uint64_t state = random_start(seed, 0);
    int64_t *places = values;
    number = malloc((count + 1) * sizeof *number);
    if (!number)
        return false;
    decided = candidate = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = (int64_t)i;
        number[i] = OPEN;
    }
    for (size_t left = count; left > 2 && levels > 0; levels--) {
        size_t lower = partition(places, left);
        places += lower; /* those that are open are there */
        left -= lower;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = number[i] == OPEN ? decided + (int64_t)(random_next(&state) >> 2) : number[i];
    free(number);
    return true;
}
