/* duplicate_search.h: the search for files alike, as tasks on the pool.
 *
 * After fsFindDuplicate of the BWoS thesis (5.3.2): a task reads a directory; a task begins each regular file, which is
 * read in blocks of 4096 bytes and hashed; files of the same size and hash are then compared block by block with the
 * first of them. What goes on after a read is a task of its own, run by the worker that read or by a thief: after 64
 * blocks of a file, so that most files are one read, as they are a fiber each in the thesis; or after each block.
 */
#ifndef STEALBENCH_DUPLICATE_SEARCH_H
#define STEALBENCH_DUPLICATE_SEARCH_H

#include "workloads/applications/walk/directory_walk.h"

struct duplicates_found {
    uint64_t groups; /* of files alike, two or more */
    uint64_t files;  /* in them beyond the first of each */
    uint64_t bytes;  /* in those */
};

struct search_counts {
    uint64_t reads,
        stolen;     /* tasks that went on after a read; of those, run by another worker than the one that read */
    uint64_t bytes; /* of the files, hashed */
    struct duplicates_found found;
};

struct search {
    struct walk walk;
    struct walker *walkers;
    struct searcher *searchers;
    unsigned threads;
    uint32_t read_bytes; /* at once */
    uint64_t iterations; /* of added work for each file */
    long open_max;       /* files open at once; beyond that a file is read within its task */
    /* counted by all, at every file: apart from what all read */
    alignas(128) _Atomic long open;
    _Atomic uint64_t unfinished; /* directories and files not yet read */
};

/* Why files cannot be hashed (there was no xxhash.h when this was compiled), or NULL. */
const char *search_unsupported(void);

/* Main. 0, or what walk_refuse returns. */
int search_open(struct search *, const struct cell *, const char *path);
void search_close(struct search *);

/* Main, before each run. The first task, or NULL: no memory. */
struct pool_task *search_start(struct search *);

/* Main, after each run: frees all files, and sums up what was counted. */
struct search_counts search_end(struct search *);

#endif
