/* directory_count.h: what a tree of directories holds, counted the plain way: by one thread with opendir, readdir and
 * fstatat, sharing no code with the walk that it is to verify.
 */
#ifndef STEALBENCH_DIRECTORY_COUNT_H
#define STEALBENCH_DIRECTORY_COUNT_H

#include "workloads/applications/walk/directory_walk.h"

struct directory_counted {
    struct walk_counts counts;
    uint64_t state; /* of the directories and when each was last changed: another one when anything came or went */
};

/* Main. 0; 2 when path cannot be opened as a directory; 3 no memory, or no descriptor is left. With a message
 * (MESSAGE_SIZE). */
int directory_count(const char *path, struct directory_counted *, char *message);

#endif
