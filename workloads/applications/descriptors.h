/* descriptors.h: errors of open that say nothing about the file: this process, or the machine, has no descriptor left.
 * Counts made then would be wrong. */
#ifndef STEALBENCH_DESCRIPTORS_H
#define STEALBENCH_DESCRIPTORS_H

#include <errno.h>
#include <stdbool.h>

static inline bool out_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

#endif
