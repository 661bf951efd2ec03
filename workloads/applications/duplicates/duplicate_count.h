/* duplicate_count.h: which files below a directory are alike, found the plain way by one thread: nftw, whole files,
 * another hash. It shares no code with the search that it is to verify.
 */
#ifndef STEALBENCH_DUPLICATE_COUNT_H
#define STEALBENCH_DUPLICATE_COUNT_H

#include "workloads/applications/walk/directory_plan.h"

struct duplicates_counted {
    struct duplicates_found found;
    uint64_t state; /* of all entries and when each was last changed: another one when anything did */
};

/* Main. Files that cannot be read do not count; nor does what lies deeper than a path can be long. 0; 2 when path
 * cannot be read; 3 no memory, or no descriptor is left. With a message (MESSAGE_SIZE). */
int duplicate_count(const char *path, struct duplicates_counted *, char *message);

#endif
