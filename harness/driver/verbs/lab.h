/* lab.h: the verb lab: count, explore or stop for one deque after the other, by the lab's own executables
 * (build/lab/ID, see proof/lab/README.md), which print for themselves. */
#ifndef STEALBENCH_LABORATORY_H
#define STEALBENCH_LABORATORY_H

#include "harness/driver/verbs/command_line.h"

/* The worst exit code of all deques: 0 fine, 1 a fault or a refuted claim, 2 usage, 3 something is missing. */
int laboratory(const struct command_line *, const char *build);

#endif
