/* duplicate_answer.h: the right answer of a search for files alike: planned for a generated tree, found in a real one.
 *
 * Of 100 files of a generated tree 30 are copies of another. The sizes are spread evenly in their logarithm over three
 * decades. One content in 20 is a twin of another, of the same size and different in its last bytes only. No two
 * contents are alike. The same numbers always give the same contents.
 */
#ifndef STEALBENCH_DUPLICATE_ANSWER_H
#define STEALBENCH_DUPLICATE_ANSWER_H

#include "workloads/applications/duplicates/duplicate_search.h"

struct content {
    uint64_t size;
    uint64_t key; /* of a planned one; of one that was read, a hash of all its bytes */
};

struct planned_files {
    struct content *of; /* by file */
    uint64_t bytes;     /* of all files together, exactly */
};

/* Main. bytes: of all files together, about. 0; 3 no memory. */
int duplicates_plan(struct planned_files *, struct duplicates_found *, uint32_t files, uint64_t bytes, uint64_t seed);

/* For tree_open: writes file `number` of the planned files. 0 or errno. */
int duplicates_write(const void *planned, int file, uint32_t number);

/* Main. The plain way, by one thread: whole files, another hash; shares nothing with the search but its kinds of
 * errors. Files that cannot be read do not count. state: as in directory_count. 0, or what walk_refuse returns. */
int duplicates_count(const char *path, struct duplicates_found *, uint64_t *state);

#endif
