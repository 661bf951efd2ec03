#include "workloads/applications/walk/directory_walk.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPLAINTS_MAX 5
#define BUFFER_BYTES 65536 /* of getdents64 */
#define SMALLEST_RECORD 24 /* of getdents64: 19 bytes, a name of one byte and its end, rounded up to 8 */
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

int walk_refuse(const char *path, int error) {
    struct rlimit limit;
    flockfile(stderr);
    fprintf(stderr, "cannot read ");
    for (const unsigned char *byte = (const unsigned char *)path; *byte; byte++) /* names have any bytes */
        fprintf(stderr, *byte >= 0x20 && *byte < 0x7f && *byte != '\\' ? "%c" : "\\x%02x", *byte);
    fprintf(stderr, ": %s", strerror(error));
    if (error == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        fprintf(stderr, " (`ulimit -n` allows %ju)", (uintmax_t)limit.rlim_cur);
    fprintf(stderr, "\n");
    funlockfile(stderr);
    return walk_exhausted(error) ? 3 : 2;
}

int walk_open(struct walk *walk, const char *path) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){limit.rlim_max, limit.rlim_max});
    *walk = (struct walk){.root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return walk->root >= 0 ? 0 : walk_refuse(path, errno);
}

void walk_close(struct walk *walk) {
    if (walk->root >= 0)
        close(walk->root);
}

struct walker *walkers_new(struct walk *walk, unsigned count, void *scheduler) {
    struct walker *walkers = aligned_alloc(alignof(struct walker), count * sizeof *walkers);
    for (unsigned i = 0; walkers && i < count; i++)
        walkers[i] = (struct walker){.walk = walk, .scheduler = scheduler};
    return walkers;
}

/* bytes: of the struct that begins with the entry; the path stands behind it. NULL: no memory. */
static struct walk_entry *entry_new(size_t bytes, void (*run)(struct pool_worker *, struct pool_task *),
                                    struct walk_entry *parent, const char *name) {
    const char *folder = parent && strcmp(parent->path, ".") != 0 ? parent->path : "";
    const size_t before = strlen(folder) + 1, after = strlen(name) + 1;
    struct walk_entry *entry = malloc(bytes + before + after);
    if (!entry)
        return NULL;
    memset((void *)entry, 0, bytes);
    char *path = (char *)entry + bytes, *end = stpcpy(path, folder);
    if (end > path)
        *end++ = '/';
    entry->task.run = run;
    entry->parent = parent;
    entry->path = path;
    entry->name = memcpy(end, name, after);
    return entry;
}

/* An entry below the directory has been opened, or all that is in it has been read. */
static void let_go(struct walk_entry *directory) {
    /* release: our use of the descriptor is over; acquire: so is everybody else's when we are the last */
    if (directory && atomic_fetch_sub_explicit(&directory->waiting, 1, memory_order_acq_rel) == 1) {
        close(directory->descriptor);
        free(directory);
    }
}

int walk_entry_open(struct walker *walker, struct walk_entry *entry, int flags) {
    int descriptor = openat(entry->parent ? entry->parent->descriptor : walker->walk->root, entry->name, flags);
    int error = errno;
    let_go(entry->parent);
    errno = error;
    return descriptor;
}

static struct memory_node *memory_node_add(struct memory_node *parent, unsigned char type, const char *name) {
    size_t length = strlen(name) + 1;
    struct memory_node *node = malloc(sizeof *node + length);
    if (!node)
        return NULL;
    *node = (struct memory_node){.next = parent ? parent->first : NULL, .type = type};
    memcpy(node->name, name, length);
    if (parent)
        parent->first = node;
    return node;
}

struct walk_counts memory_tree_free(struct memory_node *root) {
    struct walk_counts counts = {0};
    struct memory_node *last = root;
    for (struct memory_node *node = root, *next; node; node = next) { /* what is below a node moves behind the last */
        while (last->next)
            last = last->next;
        last->next = node->first;
        ++*walk_count_of(&counts, node->type);
        next = node->next;
        if (last == node)
            last = next;
        free(node);
    }
    return counts;
}

struct walk_entry *walk_root(struct walker *walkers, unsigned count) {
    struct walk *walk = walkers->walk;
    struct walk_entry *root = entry_new(sizeof *root, walk->visit, NULL, ".");
    for (unsigned i = 0; i < count; i++)
        walkers[i].counts = (struct walk_counts){.directories = i == 0};
    if (root && walk->builds && !(root->node = memory_node_add(NULL, DT_DIR, "."))) {
        free(root);
        root = NULL;
    }
    return root;
}

void walk_report_error(struct walker *walker, const char *path, int error) {
    if (walk_is_gone(error)) {
        walker->counts.vanished++;
        return;
    }
    walker->counts.unreadable++;
    if (walk_exhausted(error))
        walker->failure = "out of file descriptors or memory";
    if (walker->failure || /* relaxed: a mere count */
        atomic_fetch_add_explicit(&walker->walk->complaints, 1, memory_order_relaxed) < COMPLAINTS_MAX)
        walk_refuse(path, error);
}

/* The entry's task, if it is to be opened. */
static struct walk_entry *found(struct walker *walker, struct walk_entry *directory, const struct dirent64 *record) {
    const struct walk *walk = walker->walk;
    const char *name = record->d_name;
    unsigned char type = record->d_type;
    struct walk_entry *entry = NULL;
    struct memory_node *node = NULL;
    if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')))
        return NULL;
    if (type == DT_UNKNOWN) { /* in file systems whose directories have no types */
        struct stat status;
        if (fstatat(directory->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            type = (unsigned char)IFTODT(status.st_mode);
        } else if (errno == ENOENT) {
            walker->counts.vanished++;
            return NULL;
        }
    }
    ++*walk_count_of(&walker->counts, type);
    const bool opens = type == DT_DIR || (type == DT_REG && walk->file);
    if (opens)
        entry = type == DT_DIR ? entry_new(sizeof *entry, walk->visit, directory, name)
                               : entry_new(walk->file_bytes, walk->file, directory, name);
    if (walk->builds)
        node = memory_node_add(directory->node, type, name);
    if ((opens && !entry) || (walk->builds && !node))
        walker->failure = "out of memory";
    if (entry)
        entry->node = node;
    return entry;
}

static void read_entries(struct walker *walker, struct walk_entry *directory) {
    alignas(struct dirent64) char buffer[BUFFER_BYTES];
    struct pool_task *spawns[BUFFER_BYTES / SMALLEST_RECORD];
    ssize_t bytes;
    while ((bytes = syscall(SYS_getdents64, directory->descriptor, buffer, sizeof buffer)) > 0) {
        uint32_t spawned = 0;
        for (ssize_t at = 0; at < bytes;) {
            const struct dirent64 *record = (const struct dirent64 *)(const void *)(buffer + at);
            struct walk_entry *entry = found(walker, directory, record);
            at += record->d_reclen;
            if (entry)
                spawns[spawned++] = &entry->task;
        }
        if (spawned == 0)
            continue;
        atomic_fetch_add_explicit(&directory->waiting, spawned, memory_order_relaxed); /* spawning publishes it */
        walker->walk->spawn(walker, spawns, spawned);
    }
    if (bytes < 0)
        walk_report_error(walker, directory->path, errno);
}

void walk_visit(struct walker *walker, struct walk_entry *directory) {
    directory->descriptor = walk_entry_open(walker, directory, DIRECTORY_FLAGS);
    if (directory->descriptor < 0) {
        walk_report_error(walker, directory->path, errno);
        free(directory);
        return;
    }
    atomic_store_explicit(&directory->waiting, 1, memory_order_relaxed); /* nobody else knows it yet */
    read_entries(walker, directory);
    let_go(directory);
}

const char *const walk_kinds[WALK_KINDS] = {"directories", "files", "symlinks", "others", "unreadable", "vanished"};

uint64_t *walk_count_of(struct walk_counts *counts, unsigned char type) {
    return type == DT_DIR   ? &counts->directories
           : type == DT_REG ? &counts->files
           : type == DT_LNK ? &counts->symlinks
                            : &counts->others;
}

struct walk_counts walk_sum(const struct walker *walkers, unsigned count) {
    struct walk_counts sum = {0};
    for (unsigned i = 0; i < count; i++)
        for (size_t kind = 0; kind < WALK_KINDS; kind++)
            sum.each[kind] += walkers[i].counts.each[kind];
    return sum;
}

bool walk_counts_differ(const struct walk_counts *counts, const struct walk_counts *expected, const char *what) {
    const size_t bytes = (WALK_KINDS - 1) * sizeof counts->each[0]; /* without those that vanished */
    if (memcmp(counts->each, expected->each, bytes) == 0)
        return false;
    fprintf(stderr, "%s:", what);
    for (size_t i = 0; i < WALK_KINDS - 1; i++)
        if (counts->each[i] != expected->each[i])
            fprintf(stderr, " %s %" PRIu64 " instead of %" PRIu64, walk_kinds[i], counts->each[i], expected->each[i]);
    fprintf(stderr, "\n");
    return true;
}
