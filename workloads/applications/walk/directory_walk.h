/* directory_walk.h: reads a tree of directories, one directory at a time; the caller schedules them.
 *
 * A directory is read by one openat, getdents64 until it is empty, and close; fstatat only where the directory does not
 * tell an entry's type. Symbolic links are counted and never followed, so a walk cannot run in circles.
 *
 * An entry is opened by its name from its directory's descriptor, which stays open until the last entry below it is
 * opened. A walk that needs more descriptors than the process may have ends, and says how many those are.
 *
 * An entry that is gone when its turn comes counts as vanished; one that cannot be read counts as unreadable, and the
 * first few are named on standard error.
 */
#pragma once

#include "workloads/pool/pool.h"
#include <errno.h>
#include <stdalign.h>

/* The result of a walk as a tree in memory, one node an entry: what Phanes's program builds, and calls its remaining
 * bottleneck. The worker that reads a directory adds its entries. */
struct memory_node {
    struct memory_node *next, *first; /* beside it, and of a directory the entry found last */
    unsigned char type;               /* DT_DIR and the like */
    char name[];
};

/* A directory, or a file where the walk wants files. Begins with the task that opens it. */
struct walk_entry {
    struct pool_task task;
    struct walk_entry *next;   /* for a scheduler that links what waits */
    struct walk_entry *parent; /* until it is opened; NULL: it is the root */
    const char *path, *name;   /* from the root, and its last part; in the same allocation */
    struct memory_node *node;  /* of a directory: in the tree in memory, or NULL */
    _Atomic uint32_t waiting;  /* of a directory: entries below it to be opened, and one while it is read */
    int descriptor;            /* meanwhile */
};

/* The root is one of the directories. Unreadable are directories, and files that were to be read. */
#define WALK_KINDS 6
struct walk_counts {
    union {
        struct {
            uint64_t directories, files, symlinks, others, unreadable, vanished;
        };
        uint64_t each[WALK_KINDS];
    };
};
extern const char *const walk_kinds[WALK_KINDS]; /* the names of these */

struct walker;

/* Shared by the workers of one walk. walk_open fills it, then the caller sets the rest. */
struct walk {
    int root;
    bool builds; /* the tree in memory, below the root's node */
    /* Worker. These can be run now; tasks[0] is the first of its directory. */
    void (*spawn)(struct walker *, struct pool_task *const *tasks, size_t count);
    /* A directory's task runs this; it calls walk_visit. */
    void (*visit)(struct pool_worker *, struct pool_task *);
    /* A file's task runs this. Its entry begins a struct of so many bytes, else 0, and is freed by free. NULL: files
     * are only counted. */
    void (*file)(struct pool_worker *, struct pool_task *);
    size_t file_bytes;
    alignas(128) _Atomic unsigned complaints;
};

/* One a worker. */
struct walker {
    alignas(128) struct walk *walk;
    void *scheduler; /* the caller's */
    struct walk_counts counts;
    const char *failure; /* why the walk had to stop (no memory, no descriptors), or NULL */
};

/* Main. path must be a directory. Asks for as many descriptors as this process may have. 0, or what walk_refuse
 * returns. */
int walk_open(struct walk *, const char *path);
void walk_close(struct walk *);

/* Main. One for each worker, to be freed; NULL: no memory. */
struct walker *walkers_new(struct walk *, unsigned count, void *scheduler);

/* Main, before each walk. The root's entry, to be run first; counts begin anew. NULL: no memory. */
struct walk_entry *walk_root(struct walker *, unsigned count);

/* Worker. Reads the directory, spawns what has to be opened below it, and frees it when that is opened. */
void walk_visit(struct walker *, struct walk_entry *);
/* The same as a task of the pool, which is the scheduler; a walk that has to stop fails the run. */
static inline void walk_visit_by(struct pool_worker *worker, struct walker *walker, struct pool_task *directory) {
    walker->scheduler = worker;
    walk_visit(walker, (struct walk_entry *)(void *)directory);
    if (walker->failure)
        pool_fail(worker, 3, walker->failure);
}

/* Worker, once for each entry of a file. A descriptor, or -1 with errno. */
int walk_entry_open(struct walker *, struct walk_entry *, int flags);

/* Worker. Counts an entry that could not be opened or read: as vanished, or as unreadable, of which the first few are
 * named. */
void walk_report_error(struct walker *, const char *path, int error);

/* Any thread. No descriptor or no memory is left, which says nothing of what was to be opened. */
static inline bool walk_exhausted(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

/* Any thread. What was to be opened is not there, or is something else by now. */
static inline bool walk_is_gone(int error) {
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

/* Any thread. Says on standard error why path cannot be read; if for lack of descriptors, how many there may be.
 * Returns the exit code: 3 exhausted, else 2. */
int walk_refuse(const char *path, int error);

/* Main, when nobody walks. Frees the tree in memory and returns what it held. */
struct walk_counts memory_tree_free(struct memory_node *root);

/* The count of entries of that type: DT_DIR and the like. */
uint64_t *walk_count_of(struct walk_counts *, unsigned char type);

/* Main, when nobody walks. The sum over the walkers. */
struct walk_counts walk_sum(const struct walker *, unsigned count);
/* Do the counts differ, vanished entries aside? Says how on standard error, after `what`. */
bool walk_counts_differ(const struct walk_counts *, const struct walk_counts *expected, const char *what);

/* The answer of a tree that is there, by one thread and other code. */
struct directory_counted {
    struct walk_counts counts;
    uint64_t state; /* a sum over the entries, their sizes and times of change: it differs when anything changed */
};

/* Main. 0, or what walk_refuse returns. */
int directory_count(const char *path, struct directory_counted *);
