/* duplicate_search.h: the search for files alike, as tasks on the pool.
 *
 * After fsFindDuplicate of the BWoS thesis (5.3.2): a task reads a directory; a task begins each regular file, which is
 * read in blocks of 4096 bytes and hashed; files of the same size and hash are then compared block by block with the
 * first of them. With a ring (io_uring), what goes on after a read is a task of its own, made ready by the worker whose
 * ring the read went through, and run by it or by a thief: after 64 blocks of a file, so that most files are one read,
 * as they are a fiber each in the thesis; or after each block. With pread a file is read within its task.
 */
#ifndef STEALBENCH_DUPLICATE_SEARCH_H
#define STEALBENCH_DUPLICATE_SEARCH_H

#include "workloads/applications/duplicates/block_reads.h"
#include "workloads/applications/walk/directory_plan.h"
#include "workloads/applications/walk/directory_walk.h"

#define BLOCK_BYTES 4096
#define BLOCKS_OF_A_FILE 64 /* asked for together, where a file is a task */
#define READS_UNDER_WAY 64  /* of one worker's ring */
#define TASKS_A_LOOK 16     /* between two looks at the ring */

/* A regular file, from when its directory is read to the end of the search. */
struct searched_file {
    struct walk_entry entry;
    struct searched_file *next; /* of those that the same worker read */
    uint64_t size, hash;
    bool differs; /* while files are compared: from the one that it was compared with */
    char text[];  /* its name */
};

struct search_counts {
    uint64_t by_ring, by_pread;  /* reads, those that found the file's end included */
    uint64_t completions_stolen; /* tasks after a read by ring that another worker ran */
    uint64_t bytes;              /* of the files, hashed */
};

/* One a worker. */
struct searcher {
    struct walker walker;
    struct ring *ring; /* NULL: pread */
    struct searched_file *files;
    struct search_counts counts;
    struct duplicates_found found;
};

struct search {
    struct walk walk;
    struct searcher *searchers;
    unsigned threads;
    uint32_t read_bytes;     /* asked for at once */
    uint64_t hash_mask;      /* of the hash, what is looked at */
    uint64_t compute_rounds; /* of added computation for each file */
    long open_max;           /* files open at once; beyond that a file is read within its task */
    struct searched_file **candidates;
    uint64_t hashed_at; /* when the last file was hashed; clock_nanoseconds */
    /* counted by all, at every file: apart from what all read */
    alignas(128) _Atomic long open;
    _Atomic uint64_t unfinished; /* directories and files not yet read */
};

/* Why files cannot be hashed (there was no xxhash.h when this was compiled), or NULL. */
const char *search_unsupported(void);

/* Main. For pool_settings: looks at the worker's ring. context: the search. */
bool search_look(struct pool_worker *, void *context);

/* Main, before each run. The first task, or NULL: no memory. */
struct pool_task *search_start(struct search *);

/* Main, after each run: lets go of all files, and so of the directories. */
void search_end(struct search *);

/* What added computation is made of; returns something of it. */
uint64_t search_compute(uint64_t rounds, uint64_t from);

/* Worker, for search->walk. */
void search_spawn(struct walker *, struct pool_task *const *, size_t);
void search_visit(struct pool_worker *, struct pool_task *);
struct walk_entry *search_file(struct walker *, const char *name);

/* Worker; shared by the parts of the search. */
struct searcher *search_worker(struct pool_worker *);
struct search *search_of(struct searcher *);
void search_out_of_memory(struct pool_worker *);

/* Worker. Asks the worker's ring; the read's task runs when it is done. false: it has to be done by search_read_now. */
bool search_ask(struct pool_worker *, struct block_read *);
void search_read_now(struct searcher *, struct block_read *);

/* Worker, in the task after a read by ring: has it come to another worker? */
void search_count_stolen(struct pool_worker *, const struct block_read *);

/* Worker, when every file has been hashed and nobody else is about: spawns what has to be compared. */
void search_group_files(struct pool_worker *, struct search *);

#endif
