/* catalogue.h: the list of deques, found by asking each executable in a build folder to --describe itself. */
#pragma once

#include "harness/driver/util/util.h"
#include "harness/measuring/cell.h"

/* --- description.c: reads what an executable prints for --describe (harness/measuring/describe.h) */

/* Parameters; at is a table with its end, NULL: none. */
struct table {
    struct parameter *at;
    size_t count;
};

struct described_workload {
    const char *name;
    const char *threads; /* number of a cell's threads, as text for values_sum */
    struct table parameters;
};

struct described_check {
    const char *name;
    bool in_stamp;
};

struct description {
    json_t *fields;      /* of the deque: texts by name */
    struct table common; /* of every workload, such as the deque's own mode */
    LIST(struct described_workload) workloads;
    LIST(struct described_check) checks;
};

/* NULL, or why the text is no description of this version. */
const char *description_parse(struct description *, const char *text);

/* Looks up by name: a field of the deque (else ""), a workload (else NULL), or a parameter of a workload, the common
 * ones included (else NULL). */
const char *description_field(const struct description *, const char *name);
struct described_workload *description_workload(const struct description *, const char *name);
const struct parameter *description_parameter(const struct description *, const struct described_workload *,
                                              const char *name);

/* One of a deque's executables, and its description. */
struct catalogue_part {
    char *executable; /* its path */
    uint64_t content; /* hash of its bytes */
    struct description description;
    char *variants[CELL_VARIANTS]; /* of the same code: number 1 first, FOLDER.NUMBER/ID beside FOLDER/ID */
    uint64_t variant_contents[CELL_VARIANTS];
    unsigned variant_count;
};

enum deque_kind { DEQUE_REFERENCE, DEQUE_SOUND, DEQUE_UNSOUND };

struct catalogue_deque {
    const char *id;                    /* path below the folders: "chase_lev", "as_published/lf_queue" */
    LIST(struct catalogue_part) parts; /* in the folders' order; at least one */
    enum deque_kind kind;
    const char *stamp; /* in a word, once it is known */
};

/* A file in a folder of executables: the deques that cannot be built here, a line each: name, tab, reason. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    LIST(struct catalogue_deque) deques; /* by kind, then by id */
    json_t *broken, *absent;             /* why, by id: no description; not built here */
    const char *why_empty;               /* why there are no deques; NULL: there are some */
};

/* Asks every executable below the folders ("a:b"). Executables with the same path below their folders belong to one
 * deque. "head=a" means folder a, with head/ before its ids: for two builds of a deque. above: the parent of the
 * folders, or NULL. ids: ask only these deques, because executables under sanitizers start slowly; or NULL. */
struct catalogue catalogue_open(const char *above, const char *folders, const struct words *ids);

/* The executables that are timed, BUILD/deques/FAMILY/ID, and the checks. If one of ids is not there, asks all, so that
 * a wrong name can be told from others. */
struct catalogue catalogue_open_built(const char *build, const struct words *ids);

/* Reads the descriptions that the build wrote below BUILD/described, for lists and plans before anything is built. Asks
 * the executables if there are none. */
struct catalogue catalogue_open_described(const char *build);

char *catalogue_variant(const char *executable, const char *id, unsigned number); /* its path */
void catalogue_must_hold(const struct catalogue *);                               /* refuses an empty one */

/* The deque of that id, or NULL; why it is not built here, or NULL. */
const struct catalogue_deque *catalogue_find(const struct catalogue *, const char *id);
const char *catalogue_why_absent(const struct catalogue *, const char *id);

/* A field of the deque's description, or "". */
const char *catalogue_fact(const struct catalogue_deque *, const char *field);

/* The executable that holds the workload, or NULL. One for cells of one setting only comes last. */
const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *, const char *workload);

/* Words that stand for several deques: in a suite's deque=, and in --deque. */
#define DEQUE_GROUPS "all|classic|sound|reference|unsound"

/* The deque of that id. Refuses a deque that is broken, not built or unknown. groups: suggest the groups as well. */
const struct catalogue_deque *catalogue_must_find(const struct catalogue *, const char *id, bool groups);
