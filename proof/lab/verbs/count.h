/* count.h: counts what each operation does to memory. */
#ifndef STEALBENCH_LAB_COUNT_H
#define STEALBENCH_LAB_COUNT_H

enum count_form {
    COUNT_TABLE,
    COUNT_CSV,
    COUNT_ORDERS,   /* CSV: by the memory order asked for */
    COUNT_VARIABLES /* CSV: by the variable (variables.h), each operation alone */
};

/* Prints the mean per call of each operation, outcome by outcome. 0, or 1 when the deque fails on the way. */
int count(enum count_form);

#endif
