/* duplicate_search.h: the search for files alike, as tasks on the pool.
 *
 * After fsFindDuplicate of the BWoS thesis (5.3.2): a task reads a directory; a task begins each regular file, which is
 * read in blocks of 4096 bytes and hashed; files of the same size and hash are then compared block by block with the
 * first of them. With io_uring, what goes on after a read is a task of its own, made ready by the worker whose ring the
 * read went through, and run by it or by a thief: after 64 blocks of a file, so that most files are one read, as they
 * are a fiber each in the thesis; or after each block. With pread a file is read within its task.
 */
#ifndef STEALBENCH_DUPLICATE_SEARCH_H
#define STEALBENCH_DUPLICATE_SEARCH_H

#include "workloads/applications/walk/directory_walk.h"

#define TASKS_A_LOOK 16 /* between two looks at the ring */

struct duplicates_found {
    uint64_t groups; /* of files alike, two or more */
    uint64_t files;  /* in them beyond the first of each */
    uint64_t bytes;  /* in those */
};

struct search_counts {
    uint64_t by_ring, by_pread;  /* reads, those that found the file's end included */
    uint64_t completions_stolen; /* tasks after a read by ring that another worker ran */
    uint64_t bytes;              /* of the files, hashed */
    struct duplicates_found found;
};

struct search {
    struct walk walk;
    struct walker *walkers;
    struct searcher *searchers;
    unsigned threads;
    bool rings;              /* every worker has one */
    int ring_error;          /* why not, if they should: ENOTSUP built without liburing, else the kernel refuses */
    uint32_t read_bytes;     /* asked for at once */
    uint64_t compute_rounds; /* of added computation for each file */
    long open_max;           /* files open at once; beyond that a file is read within its task */
    uint64_t hashed_at;      /* when the last file was hashed; clock_nanoseconds */
    /* counted by all, at every file: apart from what all read */
    alignas(128) _Atomic long open;
    _Atomic uint64_t unfinished; /* directories and files not yet read */
};

/* Why files cannot be hashed (there was no xxhash.h when this was compiled), or NULL. */
const char *search_unsupported(void);

/* Main. 0, or what walk_refuse returns. */
int search_open(struct search *, const struct cell *, const char *path);
void search_close(struct search *);

/* Main. For pool_settings, if there are rings: looks at the worker's. context: the search. */
bool search_look(struct pool_worker *, void *context);

/* Main, before each run. The first task, or NULL: no memory. */
struct pool_task *search_start(struct search *);

/* Main, after each run: frees all files, and sums up what was counted. */
struct search_counts search_end(struct search *);

#endif
