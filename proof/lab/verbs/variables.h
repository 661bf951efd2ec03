/* variables.h: which of a deque's variables its operations read and write, from what the lab recorded. */
#ifndef STEALBENCH_LAB_VARIABLES_H
#define STEALBENCH_LAB_VARIABLES_H

#include <stdbool.h>

/* CSV. A row for each outcome, function, variable, kind of access and memory order: by how many calls of the operation
 * it was made, and how many were made. A variable is named as the source line names it: the field that the atomic
 * operation is given. Plain accesses are left out. */
void variables_print_head(void);

/* From the trace of one run, which has ended: how the source calls what lies where. Once for every run, before any is
 * printed: memory lies at the same addresses in all. */
void variables_learn(void);

/* From the same: the operations of this thread. */
void variables_print(unsigned thread, const char *id, const char *operation, const char *situation);

#endif
