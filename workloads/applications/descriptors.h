/* descriptors.h: the errors of opening something that say nothing of it, but that this process, or the machine, has no
 * descriptor left. What is counted then would be counted wrong. */
#ifndef STEALBENCH_DESCRIPTORS_H
#define STEALBENCH_DESCRIPTORS_H

#include <errno.h>
#include <stdbool.h>

static inline bool out_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

#endif
