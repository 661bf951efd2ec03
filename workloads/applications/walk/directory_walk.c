#include "workloads/applications/walk/directory_walk.h"
#include "workloads/applications/descriptors.h"
#include "workloads/applications/walk/memory_tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Units of struct directory's `waiting`. While a directory is being read it counts itself in both halves. */
#define TO_BE_OPENED UINT64_C(1)
#define STAYS (UINT64_C(1) << 32)
#define OPENED_HALF (STAYS - 1)

#define COMPLAINTS_MAX 5
#define MILESTONE 64       /* levels */
#define SMALLEST_RECORD 24 /* of getdents64: 19 bytes, a name of one byte and its end, rounded up to 8 */
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

/* Asks for as many descriptors as this process may have; returns how many that are. */
static long descriptors_allowed(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 256;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit wanted = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
            limit = wanted;
    }
    return limit.rlim_cur > 1 << 20 ? 1 << 20 : (long)limit.rlim_cur;
}

int walk_open(struct walk *walk, const char *path, long held_max, size_t buffer_bytes, unsigned workers) {
    /* Each worker has the directory that it reads, the one reopened last, and one on the way to that. */
    const long spare = 32 + 4 * (long)workers;
    long allowed = descriptors_allowed() / 2 - spare;
    if (allowed < 0)
        allowed = 0;
    *walk = (struct walk){.held_max = held_max < allowed ? held_max : allowed, .buffer_bytes = buffer_bytes};
    walk->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (walk->root >= 0)
        return 0;
    const int error = errno;
    fprintf(stderr, "cannot read the directory %s: %s\n", path, strerror(error));
    return out_of_descriptors(error) ? 3 : 2;
}

void walk_close(struct walk *walk) {
    if (walk->root >= 0)
        close(walk->root);
    walk->root = -1;
}

bool walker_open(struct walker *walker, struct walk *walk, unsigned place) {
    *walker = (struct walker){.walk = walk, .last = -1, .place = place};
    walker->spawned_max = walk->buffer_bytes / SMALLEST_RECORD + 1;
    walker->buffer = aligned_alloc(alignof(struct dirent64), walk->buffer_bytes);
    walker->spawned = malloc(walker->spawned_max * sizeof *walker->spawned);
    return walker->buffer && walker->spawned;
}

static void forget_last(struct walker *walker) {
    if (walker->last >= 0)
        close(walker->last);
    walker->last = -1;
    walker->last_number = 0;
}

void walker_close(struct walker *walker) {
    if (!walker->walk)
        return;
    forget_last(walker);
    free(walker->buffer);
    free(walker->spawned);
    walker->walk = NULL;
}

struct walker *walkers_open(struct walk *walk, unsigned count) {
    struct walker *walkers = aligned_alloc(alignof(struct walker), count * sizeof *walkers);
    bool all = walkers != NULL;
    for (unsigned i = 0; walkers && i < count; i++)
        all = walker_open(&walkers[i], walk, i) && all;
    if (all)
        return walkers;
    walkers_close(walkers, count);
    return NULL;
}

void walkers_close(struct walker *walkers, unsigned count) {
    for (unsigned i = 0; walkers && i < count; i++)
        walker_close(&walkers[i]);
    free(walkers);
}

static struct directory *directory_new(const struct walk *walk, struct directory *parent, const char *name,
                                       uint64_t number) {
    size_t length = strlen(name) + 1;
    struct directory *directory = malloc(sizeof *directory + length);
    if (!directory)
        return NULL;
    directory->entry = (struct walk_entry){.task = {.run = walk->visit}, .parent = parent, .name = directory->text};
    directory->number = number;
    directory->depth = parent ? parent->depth + 1 : 0;
    directory->descriptor = -1;
    directory->node = NULL;
    memcpy(directory->text, name, length);
    return directory;
}

struct directory *walk_root(struct walk *walk) {
    struct directory *root = directory_new(walk, NULL, ".", 1);
    if (root && walk->builds && !(root->node = memory_node_add(NULL, DT_DIR, "."))) {
        free(root);
        root = NULL;
    }
    return root;
}

/* Lowers the count of entries that wait below a directory. The descriptor is closed when the last of them has been
 * opened. The directory is freed when the last one is finished, which lowers its own parent's count. */
static void let_go(struct walk *walk, struct directory *directory, uint64_t what) {
    while (directory) {
        const int descriptor = directory->descriptor; /* others may free the directory once we have let go */
        /* release: our use of descriptor and name is over; acquire: so is everybody else's when we are the last */
        uint64_t left = atomic_fetch_sub_explicit(&directory->waiting, what, memory_order_acq_rel) - what;
        if ((what & OPENED_HALF) && !(left & OPENED_HALF) && descriptor >= 0) {
            close(descriptor);
            atomic_fetch_sub_explicit(&walk->held, 1, memory_order_relaxed); /* a mere count */
        }
        if (left != 0)
            return;
        struct directory *parent = directory->entry.parent;
        free(directory);
        directory = parent;
        what = STAYS;
    }
}

void walk_entry_opened(struct walker *walker, const struct walk_entry *entry) {
    let_go(walker->walk, entry->parent, TO_BE_OPENED);
}

void walk_entry_ends(struct walker *walker, const struct walk_entry *entry) {
    let_go(walker->walk, entry->parent, STAYS);
}

/* Keeps the directory's descriptor open until let_go(TO_BE_OPENED), if it is held and not closed yet. */
static bool borrow(struct directory *directory) {
    uint64_t waiting = atomic_load_explicit(&directory->waiting, memory_order_relaxed);
    if (directory->descriptor < 0)
        return false;
    while (waiting & OPENED_HALF) /* relaxed: what is below was spawned after the descriptor was written */
        if (atomic_compare_exchange_weak_explicit(&directory->waiting, &waiting, waiting + TO_BE_OPENED,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

/* On the way down to a directory. */
struct descent {
    int from, at; /* its start, which stays open; its present place */
    size_t used;
    char path[PATH_MAX]; /* from there on, not gone yet */
};

/* Goes where the path leads. false with errno. */
static bool descend(struct descent *descent) {
    int next =
        openat(descent->at, descent->used > 0 ? descent->path : ".", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    if (descent->at != descent->from)
        close(descent->at);
    descent->at = next;
    descent->used = 0;
    errno = error;
    return next >= 0;
}

/* Adds a name to the path, which is gone first when it gets too long. false with errno. */
static bool descend_later(struct descent *descent, const char *name) {
    size_t length = strlen(name);
    if (descent->used > 0 && descent->used + 1 + length + 1 > sizeof descent->path && !descend(descent))
        return false;
    if (descent->used > 0)
        descent->path[descent->used++] = '/';
    memcpy(descent->path + descent->used, name, length + 1);
    descent->used += length;
    return true;
}

/* Opens a directory from the nearest one above it that is held. -1 with errno. */
static int open_by_path(struct walk *walk, struct directory *directory) {
    const char **names = malloc((directory->depth + 1) * sizeof *names);
    struct directory *above = directory;
    size_t count = 0;
    if (!names) {
        errno = ENOMEM;
        return -1;
    }
    while (above->entry.parent && !borrow(above)) {
        names[count++] = above->entry.name;
        above = above->entry.parent;
    }
    struct descent descent = {.from = above->entry.parent ? above->descriptor : walk->root};
    bool fine = true;
    descent.at = descent.from;
    while (count > 0 && fine)
        fine = descend_later(&descent, names[--count]);
    fine = fine && descend(&descent);
    int error = errno;
    if (above->entry.parent)
        let_go(walk, above, TO_BE_OPENED);
    free(names);
    errno = error;
    return fine ? descent.at : -1;
}

int walk_entry_open_again(struct walker *walker, const struct walk_entry *entry, int flags) {
    struct directory *parent = entry->parent;
    if (walker->last_number != parent->number) {
        forget_last(walker);
        walker->last = open_by_path(walker->walk, parent);
        if (walker->last < 0)
            return -1;
        walker->last_number = parent->number;
    }
    return openat(walker->last, entry->name, flags);
}

int walk_entry_open(struct walker *walker, const struct walk_entry *entry, int flags) {
    const struct directory *parent = entry->parent;
    if (!parent)
        return openat(walker->walk->root, ".", flags);
    if (parent->descriptor >= 0)
        return openat(parent->descriptor, entry->name, flags);
    return walk_entry_open_again(walker, entry, flags);
}

char *walk_path(const struct walk_entry *entry) {
    size_t bytes = 2;
    for (const struct walk_entry *at = entry; at->parent; at = &at->parent->entry)
        bytes += strlen(at->name) + 1;
    char *path = malloc(bytes);
    if (!path)
        return NULL;
    if (!entry->parent)
        return strcpy(path, ".");
    char *start = path + bytes - 1;
    *start = '\0';
    for (; entry->parent; entry = &entry->parent->entry) {
        size_t length = strlen(entry->name);
        start -= length;
        memcpy(start, entry->name, length);
        if (entry->parent->entry.parent)
            *--start = '/';
    }
    memmove(path, start, strlen(start) + 1);
    return path;
}

/* Names have any bytes: those that are no letters for a terminal are written as \xNN. */
static void print_name(FILE *to, const char *name) {
    for (const unsigned char *byte = (const unsigned char *)name; *byte; byte++)
        fprintf(to, *byte >= 0x20 && *byte < 0x7f && *byte != '\\' ? "%c" : "\\x%02x", *byte);
}

void walk_report_error(struct walker *walker, const struct walk_entry *entry, int error) {
    if (error == ENOENT || error == ENOTDIR || error == ESTALE) { /* gone, or something else by that name now */
        walker->counts.vanished++;
        return;
    }
    if (out_of_descriptors(error))
        walker->failure = "out of file descriptors";
    walker->counts.unreadable++;
    if (atomic_fetch_add_explicit(&walker->walk->complaints, 1, memory_order_relaxed) >= COMPLAINTS_MAX) /* a count */
        return;
    char *path = walk_path(entry);
    flockfile(stderr);
    fprintf(stderr, "cannot read ");
    print_name(stderr, path ? path : entry->name);
    fprintf(stderr, ": %s\n", strerror(error));
    funlockfile(stderr);
    free(path);
}

/* One directory while it is being read. */
struct reading {
    struct walker *walker;
    struct directory *directory;
    int descriptor;
    size_t spawned; /* of the entries read last, those to be opened */
    bool spawned_before;
};

static void keep_for_opening(struct reading *reading, struct walk_entry *entry) {
    if (!entry) {
        reading->walker->failure = "out of memory";
        return;
    }
    entry->parent = reading->directory;
    reading->walker->spawned[reading->spawned++] = &entry->task;
}

/* Into the tree in memory, where one is built. NULL: none, or no memory. */
static struct memory_node *built(struct reading *reading, unsigned char type, const char *name) {
    if (!reading->walker->walk->builds)
        return NULL;
    struct memory_node *node = memory_node_add(reading->directory->node, type, name);
    if (!node)
        reading->walker->failure = "out of memory";
    return node;
}

static void found_directory(struct reading *reading, const char *name, struct memory_node *node) {
    struct walker *walker = reading->walker;
    uint64_t number = (uint64_t)(walker->place + 1) << 48 | ++walker->made;
    struct directory *found = directory_new(walker->walk, reading->directory, name, number);
    if (found)
        found->node = node;
    keep_for_opening(reading, found ? &found->entry : NULL);
}

/* For file systems whose directories have no types. false: the entry is gone. */
static bool ask_type(struct reading *reading, const char *name, unsigned char *type) {
    struct stat status;
    if (fstatat(reading->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        *type = (unsigned char)IFTODT(status.st_mode);
    else if (errno == ENOENT)
        reading->walker->counts.vanished++;
    else
        return true;
    return *type != DT_UNKNOWN;
}

static void found(struct reading *reading, const struct dirent64 *entry) {
    const char *name = entry->d_name;
    unsigned char type = entry->d_type;
    if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')))
        return;
    if ((type == DT_UNKNOWN || reading->walker->walk->asks_types) && !ask_type(reading, name, &type))
        return;
    struct memory_node *node = built(reading, type, name);
    ++*walk_count_of(&reading->walker->counts, type);
    if (type == DT_DIR)
        found_directory(reading, name, node);
    else if (type == DT_REG && reading->walker->walk->file)
        keep_for_opening(reading, reading->walker->walk->file(reading->walker, name));
}

/* Before anything below is spawned: is its descriptor held for it? */
static void hold(struct walk *walk, struct directory *directory, int descriptor) {
    const long max = directory->depth % MILESTONE == 0 ? walk->held_max : walk->held_max / 2;
    /* relaxed, both: a bound that may be missed by a few, for which descriptors are spared */
    if (atomic_fetch_add_explicit(&walk->held, 1, memory_order_relaxed) < max)
        directory->descriptor = descriptor;
    else
        atomic_fetch_sub_explicit(&walk->held, 1, memory_order_relaxed);
}

static void spawn_found(struct reading *reading) {
    struct directory *directory = reading->directory;
    const uint64_t more = reading->spawned * (TO_BE_OPENED + STAYS);
    if (reading->spawned == 0)
        return;
    if (!reading->spawned_before) {
        hold(reading->walker->walk, directory, reading->descriptor);
        /* relaxed: spawning publishes it */
        atomic_store_explicit(&directory->waiting, more + TO_BE_OPENED + STAYS, memory_order_relaxed);
        reading->spawned_before = true;
    } else {
        atomic_fetch_add_explicit(&directory->waiting, more, memory_order_relaxed); /* the same */
    }
    reading->walker->walk->spawn(reading->walker, reading->walker->spawned, reading->spawned);
    reading->spawned = 0;
}

static void read_entries(struct reading *reading) {
    struct walker *walker = reading->walker;
    ssize_t bytes;
    while ((bytes = syscall(SYS_getdents64, reading->descriptor, walker->buffer, walker->walk->buffer_bytes)) > 0) {
        for (ssize_t at = 0; at < bytes;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(walker->buffer + at);
            at += entry->d_reclen;
            found(reading, entry);
        }
        spawn_found(reading);
    }
    if (bytes < 0)
        walk_report_error(walker, &reading->directory->entry, errno);
}

void walk_visit(struct walker *walker, struct directory *directory) {
    struct walk *walk = walker->walk;
    struct directory *parent = directory->entry.parent;
    struct reading reading = {.walker = walker, .directory = directory};
    if (!parent)
        walker->counts.directories++;
    reading.descriptor = walk_entry_open(walker, &directory->entry, DIRECTORY_FLAGS);
    if (reading.descriptor < 0)
        walk_report_error(walker, &directory->entry, errno);
    else
        read_entries(&reading);
    if (!reading.spawned_before) {
        if (reading.descriptor >= 0)
            close(reading.descriptor);
        free(directory);
        let_go(walk, parent, TO_BE_OPENED + STAYS);
        return;
    }
    if (directory->descriptor < 0) { /* not held: cached here for the entries below it */
        forget_last(walker);
        walker->last = reading.descriptor;
        walker->last_number = directory->number;
    }
    let_go(walk, parent, TO_BE_OPENED);
    let_go(walk, directory, TO_BE_OPENED + STAYS);
}

const char *const walk_kinds[WALK_KINDS] = {"directories", "files", "symlinks", "others", "unreadable", "vanished"};

uint64_t *walk_count_of(struct walk_counts *counts, unsigned char type) {
    return type == DT_DIR   ? &counts->directories
           : type == DT_REG ? &counts->files
           : type == DT_LNK ? &counts->symlinks
                            : &counts->others;
}

void walk_counts_add(struct walk_counts *sum, const struct walk_counts *more) {
    for (size_t i = 0; i < WALK_KINDS; i++)
        sum->each[i] += more->each[i];
}

bool walk_counts_differ(const struct walk_counts *counts, const struct walk_counts *expected, const char *what) {
    const size_t bytes = (WALK_KINDS - 1) * sizeof counts->each[0]; /* without those that vanished */
    if (memcmp(counts->each, expected->each, bytes) == 0)
        return false;
    if (what)
        fprintf(stderr, "%s:", what);
    for (size_t i = 0; what && i < WALK_KINDS - 1; i++)
        if (counts->each[i] != expected->each[i])
            fprintf(stderr, " %s %" PRIu64 " instead of %" PRIu64, walk_kinds[i], counts->each[i], expected->each[i]);
    if (what)
        fprintf(stderr, "\n");
    return true;
}

uint64_t walk_entries(const struct walk_counts *counts) {
    return counts->directories + counts->files + counts->symlinks + counts->others;
}
