/* catalogue.h: the deques there are, found by looking into a build folder and asking each executable (--describe). */
#ifndef STEALBENCH_CATALOGUE_H
#define STEALBENCH_CATALOGUE_H

#include "harness/driver/plan/description.h"
#include "harness/driver/util/text.h"
#include <stdint.h>

/* One of a deque's executables, and what it says of itself. */
struct catalogue_part {
    char *executable; /* its path */
    uint64_t content; /* hash of its bytes */
    struct description description;
    char **layouts; /* the same objects linked otherwise, layout 1 first: FOLDER_layouts/NUMBER/ID beside FOLDER/ID */
    uint64_t *layout_contents;
    unsigned layout_count;
};

struct catalogue_deque {
    const char *id;               /* path below the folders: "chase_lev", "as_published/lf_queue" */
    struct catalogue_part *parts; /* in the folders' order; at least one */
    size_t part_count;
    bool sound, reference;
};

/* The folders below the build folder that hold a deque's executables, one for each kind of cell: an executable's bytes
 * are a part of its cells' identity, so it holds no more than they depend on. */
#define DEQUE_FOLDERS "deques:pool:items4:checks:pool_checks"

/* An executable that does not describe itself, or one that is not there, and why. */
struct catalogue_unusable {
    const char *id, *why;
};
struct catalogue_list {
    struct catalogue_unusable *at;
    size_t count;
};

/* In a folder of executables: what is known but cannot be built on this machine, a line each: name, tab, why. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    struct catalogue_deque *deques; /* references first, then sound ones, then the others; by id within these */
    size_t deque_count;
    struct catalogue_list broken, absent; /* by id */
    const char *why_empty;                /* NULL: there are deques */
};

/* Reads every executable below the folders ("a:b"), however deep; those of one path below them are of one deque.
 * "head=a" is the folder a with head/ before its ids, for two builds of one deque side by side. above: the folder that
 * these lie in, or NULL. ids: of these deques alone, for an executable under a sanitizer takes its time to start; NULL:
 * of all. */
struct catalogue catalogue_open(const char *above, const char *folders, const struct words *ids);

/* The deques whose descriptions make wrote below BUILD/described, with their workloads: what is listed and planned by,
 * before anything else is built. Where there are none, the executables. */
struct catalogue catalogue_open_described(const char *build);

/* An empty one is refused. */
void catalogue_must_hold(const struct catalogue *);

/* NULL when there is none of that id. */
const struct catalogue_deque *catalogue_find(const struct catalogue *, const char *id);

/* Why a deque is in this list; NULL: it is not. */
const char *catalogue_why(const struct catalogue_list *, const char *id);

/* What a deque says of itself, "" where it does not. */
const char *catalogue_fact(const struct catalogue_deque *, const char *field);

/* "reference", "sound" or "unsound". */
const char *catalogue_kind(const struct catalogue_deque *);

/* The executable that holds the workload, or NULL. One that is for the cells of a setting alone is not meant. */
const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *, const char *workload);

/* A workload as the first deque that has it describes it, or NULL: workloads are compiled into every deque alike. */
const struct described_workload *catalogue_workload(const struct catalogue *, const char *name);
struct words catalogue_workloads(const struct catalogue *);

/* The deque of that id. Refused: there is none (with the nearest name), or it is broken or not built. groups: the
 * caller also takes all, sound, reference and unsound, so that one of these may have been meant. */
const struct catalogue_deque *catalogue_must_find(const struct catalogue *, const char *id, bool groups);

#endif
