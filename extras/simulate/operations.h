/* operations.h: what the simulator is told of a deque's operations. */
#pragma once

#include "extras/simulate/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the thread inside of one? */
extern bool operation_inside[MACHINE_THREADS_MAX];
/* How often it has loaded something atomic since. */
extern uint32_t operation_loads[MACHINE_THREADS_MAX];

/* The running thread. items: how many the operation moved. */
void operation_begins(void);
void operation_ends(enum operation, size_t items);
