/* check.h: the verb check: every check of every deque, in the plain build and under the sanitizers. */
#ifndef STEALBENCH_GATE_H
#define STEALBENCH_GATE_H

#include <stdbool.h>
#include <stddef.h>

#define GATE_SECONDS 1.2 /* that a check's random search lasts, unless told otherwise: 20 deques in four minutes */

struct gate_request {
    const char *const *ids; /* the deques to check; none means all */
    size_t count;
    const char *check; /* this check alone; NULL: every one */
    double seconds;    /* that each check's random search lasts */
    bool fail_fast;    /* the first failure is the last */
};

/* Prints a line a check, below one that failed how to repeat it and a sanitizer's report, and at last "N passed, N
 * failed". 0; 1 when a check failed, or an unsound deque passed them all; 2 when there is no such deque or check; 3
 * when a build is missing or a check came to no verdict; 130 when interrupted. */
int gate(const char *build, const struct gate_request *);

#endif
