/* catalogue.h: the list of deques, found by asking each executable in a build folder for its description (--describe).
 */
#pragma once

#include "harness/driver/util/util.h"
#include "harness/measuring/parameters.h"

/* --- description.c: reads what an executable prints for --describe (harness/measuring/describe.h) */

struct described_workload {
    const char *name;
    const char *threads;          /* number of a cell's threads, as text for values_sum */
    struct parameter *parameters; /* a table, with its end; NULL: none */
};

struct described_check {
    const char *name;
    bool in_stamp;
};

struct description {
    json_t *fields;           /* of the deque: texts by name */
    struct parameter *common; /* table of the parameters that every workload has, such as the deque's own mode */
    struct described_workload *workloads;
    size_t workload_count;
    struct described_check *checks;
    size_t check_count;
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
    char **variants; /* of the same code: number 1 first, FOLDER.NUMBER/ID beside FOLDER/ID */
    uint64_t *variant_contents;
    unsigned variant_count;
};

struct catalogue_deque {
    const char *id;               /* path below the folders: "chase_lev", "as_published/lf_queue" */
    struct catalogue_part *parts; /* in the folders' order; at least one */
    size_t part_count;
    bool sound, reference;
};

/* A file in a folder of executables: the deques that cannot be built here, a line each: name, tab, reason. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    struct catalogue_deque *deques; /* references first, then sound ones, then the others; by id within these */
    size_t deque_count;
    json_t *broken, *absent; /* why, by id: no description; not built here */
    const char *why_empty;   /* why there are no deques; NULL: there are some */
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

/* The path of another variant of an executable. */
char *catalogue_variant(const char *executable, const char *id, unsigned number);

/* Refuses an empty catalogue. */
void catalogue_must_hold(const struct catalogue *);

/* The deque of that id, or NULL; why it is not built here, or NULL. */
const struct catalogue_deque *catalogue_find(const struct catalogue *, const char *id);
const char *catalogue_why_absent(const struct catalogue *, const char *id);

/* A field of the deque's description, or "". */
const char *catalogue_fact(const struct catalogue_deque *, const char *field);

/* "reference", "sound" or "unsound". */
const char *catalogue_kind(const struct catalogue_deque *);

/* The executable that holds the workload, or NULL. One for cells of one setting only comes last. */
const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *, const char *workload);

struct words catalogue_workloads(const struct catalogue *);

/* Words that stand for several deques: in a suite's deque=, and in --deque. */
#define DEQUE_GROUPS "all|classic|sound|reference|unsound"

/* The deque of that id. Refuses a deque that is broken, not built or unknown. groups: suggest the groups as well. */
const struct catalogue_deque *catalogue_must_find(const struct catalogue *, const char *id, bool groups);
