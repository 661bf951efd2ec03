/* catalogue.h: the deques there are, found by looking into a build folder and asking each executable (--describe). */
#ifndef STEALBENCH_CATALOGUE_H
#define STEALBENCH_CATALOGUE_H

#include "harness/driver/util/util.h"
#include "harness/measuring/cell/parameters.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- description.c: what an executable says of itself by --describe, read back. The other side of describe.h. */

struct described_field {
    const char *name, *value;
};

struct described_workload {
    const char *name, *summary;
    const char *threads;          /* how many a cell has, as values_sum takes it */
    bool simulated;               /* cells of one thread can be run under valgrind */
    struct parameter *parameters; /* a table, with its end; NULL: none */
};

struct described_check {
    const char *name, *summary;
    bool in_stamp;
};

struct description {
    struct described_field *fields;
    size_t field_count;
    struct parameter *common; /* of every workload, the deque's own mode among them: a table */
    struct described_workload *workloads;
    size_t workload_count;
    struct described_check *checks;
    size_t check_count;
};

/* NULL, or why the text is no description of this version. */
const char *description_parse(struct description *, const char *text);

/* The deque's field, "" when it has none. */
const char *description_field(const struct description *, const char *name);

/* NULL when there is none of that name. */
struct described_workload *description_workload(const struct description *, const char *name);

/* A parameter of that workload, the common ones included, or NULL. */
const struct parameter *description_parameter(const struct description *, const struct described_workload *,
                                              const char *name);

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
