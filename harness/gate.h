/* gate.h: the verb check: every check of every deque, in the plain build and under the sanitizers. */
#ifndef STEALBENCH_GATE_H
#define STEALBENCH_GATE_H

#include <stddef.h>

#define GATE_SECONDS 1.2 /* that a check's random search lasts, unless told otherwise: 20 deques in four minutes */

/* ids: the deques to check; none means all. Prints a line a check and at last "N passed, N failed". 0; 1 when a check
 * failed, or an unsound deque passed them all; 2 when there is no such deque; 3 when a build is missing or a check came
 * to no verdict; 130 when interrupted. */
int gate(const char *build, const char *const *ids, size_t count, double seconds);

#endif
