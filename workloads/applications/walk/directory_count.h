/* directory_count.h: counts the entries of a tree of directories the plain way, by one thread with readdir and fstatat.
 * Shares no code with the walk that it verifies.
 */
#ifndef STEALBENCH_DIRECTORY_COUNT_H
#define STEALBENCH_DIRECTORY_COUNT_H

#include "workloads/applications/walk/directory_input.h"
#include "workloads/applications/walk/directory_walk.h"

struct directory_counted {
    struct walk_counts counts;
    uint64_t state; /* a sum over the directories and their times of change: it differs when anything came or went */
};

/* Main. 0; 2 when path cannot be opened as a directory; 3 no memory, or no descriptor is left. Says why on standard
 * error. */
int directory_count(const char *path, struct directory_counted *);

/* The same of the tree of an application: a generated tree by its plan, any other counted. */
int directory_input_counts(const struct directory_input *, struct directory_counted *);

#endif
