/* duplicates.h: the search for files alike as tasks on the pool (duplicate_search.c), and its right answer
 * (duplicate_answer.c). */
#pragma once

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
    /* directories and files not yet read; counted by all: apart from what all read */
    alignas(128) _Atomic uint64_t unfinished;
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

/* What is in a file, and the number of that content. */
struct content {
    uint64_t size, key;
};

struct planned_files {
    struct content *of; /* by file */
    uint64_t bytes;     /* of all files together, exactly */
};

/* Main. The files of a generated tree, of about so many bytes together, and the answer. 0; 3 no memory. */
int duplicates_plan(struct planned_files *, struct duplicates_found *, uint32_t files, uint64_t bytes, uint64_t seed);

/* For tree_open: writes file `number` of the planned files. 0 or errno. */
int duplicates_write(const void *planned, int file, uint32_t number);
