/* duplicate_count.h: finds files alike below a directory the plain way, by one thread: nftw, whole files, another hash.
 * Shares no code with the search that it verifies.
 */
#ifndef STEALBENCH_DUPLICATE_COUNT_H
#define STEALBENCH_DUPLICATE_COUNT_H

#include "workloads/applications/walk/directory_plan.h"

struct duplicates_counted {
    struct duplicates_found found;
    uint64_t state; /* a sum over all entries and their times of change: it differs when anything changed */
};

/* Main. Files that cannot be read do not count; nor does what lies deeper than a path can be long. 0; 2 when path
 * cannot be read; 3 no memory, or no descriptor is left. Says why on standard error. */
int duplicate_count(const char *path, struct duplicates_counted *);

#endif
