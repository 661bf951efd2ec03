/* directory_walk.h: reads a tree of directories, one directory at a time; the caller schedules them.
 *
 * A directory is read by one open, getdents64 until it is empty, and close; fstatat only where the directory does not
 * tell an entry's type. Symbolic links are counted and never followed, so a walk cannot run in circles.
 *
 * An entry is opened by its name from its parent's descriptor, which stays open until the last entry below it is
 * opened: no path is put together, so no path is too long. The number of held descriptors is limited, and half of them
 * are for every 64th level alone. A directory whose descriptor is not held is found again from the nearest one above it
 * that is, or from the root, by a path in pieces.
 *
 * An entry that is gone when its turn comes counts as vanished; one that cannot be read counts as unreadable, and the
 * first few are named on standard error.
 */
#ifndef STEALBENCH_DIRECTORY_WALK_H
#define STEALBENCH_DIRECTORY_WALK_H

#include "workloads/pool/pool.h"
#include <stdalign.h>

struct directory;
struct memory_node;

/* Something to be opened: a directory, or a file where the walk wants files. Begins with the task that does it. */
struct walk_entry {
    struct pool_task task;
    struct walk_entry *next; /* for a scheduler that links what waits */
    struct directory *parent;
    const char *name;
};

struct directory {
    struct walk_entry entry;
    uint64_t number;          /* unlike the address, never reused; from 1 */
    _Atomic uint64_t waiting; /* of the entries below it: to be opened (lower half), not let go of yet (upper half) */
    int descriptor;           /* while entries below wait to be opened; -1: not held */
    uint32_t depth;           /* the root's is 0 */
    struct memory_node *node; /* in the tree in memory, or NULL */
    char text[];              /* its name */
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

/* Shared by the workers of one walk. walk_open fills it, then the caller sets the functions. */
struct walk {
    int root;
    long held_max;       /* descriptors held for directories */
    size_t buffer_bytes; /* of getdents64 */
    bool asks_types;     /* by fstatat, also of entries whose type the directory tells; for tests */
    bool builds;         /* the tree in memory (memory_tree.h), below the root's node, which is the caller's to free */
    /* Worker. These can be run now; tasks[0] is the first of its directory. */
    void (*spawn)(struct walker *, struct pool_task *const *tasks, size_t count);
    /* A directory's task runs this; it calls walk_visit. */
    void (*visit)(struct pool_worker *, struct pool_task *);
    /* Worker. An entry for a regular file, with its task and a name of its own, to be spawned; NULL: no memory. NULL
     * instead of a function: files are only counted. */
    struct walk_entry *(*file)(struct walker *, const char *name);
    /* counted by all, at every directory: apart from what all read */
    alignas(128) _Atomic long held;
    _Atomic unsigned complaints;
};

/* One a worker. */
struct walker {
    alignas(128) struct walk *walk;
    void *scheduler; /* the caller's */
    struct walk_counts counts;
    const char *failure; /* why the walk had to stop (no memory, no descriptors), or NULL */
    char *buffer;
    struct pool_task **spawned;
    size_t spawned_max;
    uint64_t made;        /* directories */
    uint64_t last_number; /* the directory reopened last, */
    int last;             /* and its descriptor; -1: none */
    unsigned place;       /* which worker */
};

#define WALK_HELD 4096    /* descriptors, for walk_open: as the applications have it */
#define WALK_BUFFER 65536 /* bytes */

/* Main. path must be a directory. held_max: how many descriptors may be held; lowered to what the system allows, after
 * asking for as many as it would. 0; 2 when path cannot be opened as a directory; 3 no descriptor is left. Says why on
 * standard error. */
int walk_open(struct walk *, const char *path, long held_max, size_t buffer_bytes, unsigned workers);
void walk_close(struct walk *);

/* Main. false: no memory. */
bool walker_open(struct walker *, struct walk *, unsigned place);
void walker_close(struct walker *);

/* Main. That many walkers, their places from 0 on; NULL: no memory. */
struct walker *walkers_open(struct walk *, unsigned count);
void walkers_close(struct walker *, unsigned count); /* NULL: there are none */

/* Main. The root's entry, to be run first: a new one for each walk. NULL: no memory. */
struct directory *walk_root(struct walk *);

/* Worker. Reads the directory, spawns what has to be opened below it, and lets go of it. */
void walk_visit(struct walker *, struct directory *);

/* Worker, before walk_entry_opened. Opens the entry: a descriptor, or -1 with errno. */
int walk_entry_open(struct walker *, const struct walk_entry *, int flags);

/* Worker, once. The entry's parent need not keep its descriptor for it any longer. */
void walk_entry_opened(struct walker *, const struct walk_entry *);

/* Worker, until walk_entry_ends. Opens the entry by its path, whether its parent's descriptor is still there or not. */
int walk_entry_open_again(struct walker *, const struct walk_entry *, int flags);

/* Worker. Its parent is not needed any more. */
void walk_entry_ends(struct walker *, const struct walk_entry *);

/* Worker. Counts an entry that could not be opened or read: as vanished, or as unreadable, of which the first few are
 * named. */
void walk_report_error(struct walker *, const struct walk_entry *, int error);

/* Any thread. The entry's path from the root, "." for the root, as a new string; NULL: no memory. */
char *walk_path(const struct walk_entry *);

/* The count of entries of that type: DT_DIR and the like. */
uint64_t *walk_count_of(struct walk_counts *, unsigned char type);

/* Any thread, when nobody walks. */
void walk_counts_add(struct walk_counts *, const struct walk_counts *);
/* Do the counts differ, vanished entries aside? With `what`, says how on standard error. */
bool walk_counts_differ(const struct walk_counts *, const struct walk_counts *expected, const char *what);
uint64_t walk_entries(const struct walk_counts *);

#endif
