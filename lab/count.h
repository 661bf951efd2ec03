/* count.h: what each operation does to memory, counted. */
#ifndef STEALBENCH_LAB_COUNT_H
#define STEALBENCH_LAB_COUNT_H

#include <stdbool.h>

/* Prints, as a table or as CSV, the mean per call of each operation. 0, or 1 when a deque fails on the way. */
int count(bool csv);

#endif
