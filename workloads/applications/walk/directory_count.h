/* directory_count.h: counts the entries of a tree of directories the plain way, by one thread with readdir and fstatat.
 * Does not use the reading that it verifies.
 */
#ifndef STEALBENCH_DIRECTORY_COUNT_H
#define STEALBENCH_DIRECTORY_COUNT_H

#include "workloads/applications/walk/directory_walk.h"

struct directory_counted {
    struct walk_counts counts;
    uint64_t state; /* a sum over the entries, their sizes and times of change: it differs when anything changed */
};

/* Main. 0, or what walk_refuse returns. file: called for each regular file, which it may open from root by its path;
 * returns 0, or an exit code to end with; NULL: they are only counted. */
int directory_count(const char *path, struct directory_counted *, int (*file)(void *context, int root, const char *),
                    void *context);

#endif
