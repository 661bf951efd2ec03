/* catalogue.h: the deques there are, found by looking into a build folder and asking each executable (--describe). */
#ifndef STEALBENCH_CATALOGUE_H
#define STEALBENCH_CATALOGUE_H

#include "harness/driver/util/util.h"
#include "harness/measuring/cell/parameters.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- description.c: what an executable prints for --describe (harness/measuring/cell/describe.h), read */

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

/* By name: a field of the deque ("" when it has none), a workload, or a parameter of a workload, the common ones
 * included (NULL). */
const char *description_field(const struct description *, const char *name);
struct described_workload *description_workload(const struct description *, const char *name);
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

/* Folders of the build folder with a deque's executables (harness/README.md). */
#define DEQUE_FOLDERS "deques:pool:items4:checks:pool_checks"

struct catalogue_unusable {
    const char *id, *why;
};
struct catalogue_list {
    struct catalogue_unusable *at;
    size_t count;
};

/* In a folder of executables: deques that cannot be built here, a line each: name, tab, why. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    struct catalogue_deque *deques; /* references first, then sound ones, then the others; by id within these */
    size_t deque_count;
    struct catalogue_list broken, absent; /* by id: no description; not built here */
    const char *why_empty;                /* NULL: there are deques */
};

/* Asks every executable below the folders ("a:b"); those with one path below them are of one deque. "head=a" is the
 * folder a with head/ before its ids, for two builds of a deque. above: the folder that these lie in, or NULL. ids: ask
 * only these deques, for executables under sanitizers start slowly; or NULL. */
struct catalogue catalogue_open(const char *above, const char *folders, const struct words *ids);

/* Reads the descriptions that make wrote below BUILD/described, for lists and plans before anything is built; where
 * there are none, asks the executables. */
struct catalogue catalogue_open_described(const char *build);

/* An empty one is refused. */
void catalogue_must_hold(const struct catalogue *);

/* The deque of that id; why it is in this list. NULL: there is none, or it is not. */
const struct catalogue_deque *catalogue_find(const struct catalogue *, const char *id);
const char *catalogue_why(const struct catalogue_list *, const char *id);

/* What a deque says of itself, or "". */
const char *catalogue_fact(const struct catalogue_deque *, const char *field);

/* "reference", "sound" or "unsound". */
const char *catalogue_kind(const struct catalogue_deque *);

/* The executable that holds the workload, or NULL; not one that is only for cells of a setting. */
const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *, const char *workload);

/* A workload as the first deque that has it describes it (all do alike), or NULL. */
const struct described_workload *catalogue_workload(const struct catalogue *, const char *name);
struct words catalogue_workloads(const struct catalogue *);

/* The deque of that id; refused when it is broken, not built, or there is none. groups: all, sound, reference and
 * unsound may have been meant. */
const struct catalogue_deque *catalogue_must_find(const struct catalogue *, const char *id, bool groups);

#endif
