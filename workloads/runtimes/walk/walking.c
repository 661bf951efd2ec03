#include "workloads/runtimes/walk/walking.h"
#include "workloads/applications/walk/directory_count.h"
#include "workloads/applications/walk/directory_input.h"
#include "workloads/applications/walk/directory_walk.h"
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct parameter walking_parameters[] = {
    PARAMETER_INTEGER("directories", 3000, 1, 1 << 24, "directories", "of a generated tree"),
    PARAMETER_INTEGER("files", 10000, 0, 1 << 26, "files", "of a generated tree"),
    PARAMETER_INTEGER("symlinks", 40, 0, 1 << 24, "links", "of a generated tree"),
    PARAMETERS_END,
};

#define WALKING_BUFFER 65536 /* for one getdents64, as the workload has it by default */

struct walking {
    struct directory_input input;
    struct directory_counted expected;
    struct walk_counts found;
    struct walk walk;
    struct walker *walkers; /* by thread */
    unsigned threads;
    struct directory *root;
};

static struct walk_entry *entry_of(struct pool_task *task) { return (struct walk_entry *)(void *)task; }

/* Links the directories that a visit found. The caller spawns them after the visit, because a runtime may run a task
 * while spawning it, and that task needs the walker. */
static void link_found(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct walk_entry **first = walker->scheduler;
    for (size_t i = count; i-- > 0;) {
        struct walk_entry *entry = entry_of(tasks[i]);
        entry->next = *first;
        *first = entry;
    }
}

void *walking_visit(struct walking *walking, unsigned thread, void *directory) {
    struct walker *walker = &walking->walkers[thread];
    struct walk_entry *first = NULL;
    walker->scheduler = &first;
    walk_visit(walker, directory);
    return first;
}

void *walking_next(const void *directory) { return ((const struct walk_entry *)directory)->next; }

void *walking_root(struct walking *walking) { return walking->root; }

const char *walking_path(const struct walking *walking) { return walking->input.path; }

static int open_walkers(struct walking *walking, const struct cell *cell) {
    int code = walk_open(&walking->walk, walking->input.path, (long)cell_integer(cell, "held"), WALKING_BUFFER,
                         walking->threads);
    if (code != 0)
        return code;
    walking->walk.spawn = link_found;
    walking->walkers = walkers_open(&walking->walk, walking->threads);
    return walking->walkers ? 0 : 3;
}

int walking_open(struct walking **opened, const struct cell *cell, unsigned threads) {
    struct walking *walking =
        aligned_alloc(alignof(struct walking), sizeof *walking); /* struct walk has lines of its own */
    if (!walking)
        return 3;
    memset(walking, 0, sizeof *walking);
    walking->threads = threads;
    walking->walk.root = -1;
    int code = directory_input_open(&walking->input, cell, "walk", 0, 0);
    if (code != 0) {
        free(walking);
        return code;
    }
    code = directory_input_counts(&walking->input, &walking->expected);
    if (code == 0)
        code = open_walkers(walking, cell);
    if (code == 0)
        *opened = walking;
    else
        walking_close(walking);
    return code;
}

void walking_close(struct walking *walking) {
    walkers_close(walking->walkers, walking->threads);
    walk_close(&walking->walk);
    directory_input_close(&walking->input);
    free(walking);
}

bool walking_prepare(void *context) {
    struct walking *walking = context;
    walking->found = (struct walk_counts){0};
    for (unsigned i = 0; i < walking->threads; i++)
        walking->walkers[i].counts = (struct walk_counts){0};
    walking->root = walk_root(&walking->walk);
    return walking->root != NULL;
}

void walking_found(struct walking *walking, uint64_t directories, uint64_t files, uint64_t symlinks) {
    free(walking->root); /* nobody visited it */
    walking->found = (struct walk_counts){.directories = directories, .files = files, .symlinks = symlinks};
}

bool walking_verify(void *context) {
    struct walking *walking = context;
    for (unsigned i = 0; i < walking->threads; i++) {
        walk_counts_add(&walking->found, &walking->walkers[i].counts);
        if (walking->walkers[i].failure) {
            fprintf(stderr, "walk: %s\n", walking->walkers[i].failure);
            return false;
        }
    }
    walking->found.others = walking->expected.counts.others; /* runtimes that read directories themselves count none */
    return !walk_counts_differ(&walking->found, &walking->expected.counts, walking->input.path);
}

const char *walking_unsupported(const struct cell *cell) {
    return cell_is(cell, "cache", "cold") ? "only warm walks are compared" : NULL;
}
