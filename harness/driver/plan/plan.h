/* plan.h: makes a plan of a suite and a catalogue: every cell with all its parameters, in groups to be compared.
 *
 * A group holds the cells of a section that differ only in the deque and its own mode. A figure compares them, so they
 * are measured in a balanced order.
 */
#pragma once

#include "harness/driver/plan/catalogue.h"
#include "harness/driver/plan/suite.h"

struct planned_cell {
    uint64_t id; /* hash of workload, deque, parameters, repetitions, minimum time, and the bytes of its executables */
    uint64_t subject; /* hash of what it measures whatever the build: plan_subject */
    const struct catalogue_deque *deque;
    const struct catalogue_part *part; /* executable that runs the cell */
    unsigned variants;                 /* number of its variants; each invocation draws one */
    const char *workload;
    struct value *values; /* all parameters, sorted by name */
    size_t value_count;
    const char *params; /* the values as text, "key=value;key=value", escaped by text_add_escaped */
    const char *name;   /* for people: workload, deque, and the parameters that differ from their defaults */
    unsigned threads;   /* threads, as the workload counts them */
    bool unsound;       /* its deque is wrong or failed its checks: its rows are flagged */
    bool unproven;      /* the checks of its deque came to no verdict: it is not measured */
    struct suite_options options;
    struct words tags; /* of the sections that show this cell */
    size_t group;
};

struct planned_group {
    uint64_t key;
    size_t *cells; /* indices, in the order of the suite */
    size_t count;
};

#define CELLS_MAX 20000

struct plan {
    struct planned_cell *cells;
    size_t cell_count;
    struct planned_group *groups;
    size_t group_count;
    struct words left_out; /* deques that the suite's file names and that do not exist here */
    unsigned processors;   /* processors of the machine that the plan is for */
    struct words denied;   /* tags of sections with cells that this machine cannot measure */
};

/* What the command line selects of a suite. Lists are NULL when not given. */
struct plan_filter {
    const struct suite_key *only;   /* tags of sections; 5.2 also means every tag that begins with 5.2- */
    const struct suite_key *deques; /* ids and groups of deques */
    bool unsound;                   /* also measure unsound deques that are named */
    const char *machine;            /* the machine that the plan is for (places_plan); NULL: this one */
    uint64_t memory;                /* that a process may have there; 0: any */
};

/* The plan points into the catalogue and the suite. Refuses a deque that is not sound (exit code 1), an unknown name
 * (2), a broken deque, and a deque that the command line names but that is not built (3). */
struct plan plan_make(const struct suite *, const struct catalogue *, const struct plan_filter *);

/* The cell's value of a parameter as text, or NULL. */
const char *plan_value(const struct planned_cell *, const char *name);

/* Keeps these cells, in their order, and the groups that still have a cell. */
void plan_keep(struct plan *, const bool *keep);

/* The variant that this invocation runs, drawn by the seed: each equally often, and the same for all deques of a group.
 * 0 means the part's own executable. */
unsigned plan_variant(const struct planned_cell *, unsigned invocation);
const char *plan_executable(const struct planned_cell *, unsigned invocation);

uint64_t plan_subject(const char *workload, const char *deque, const char *params);

/* --- plan_places.c: checks what a plan asks of the machine before anything runs. machine: another machine
 * (places_plan), or NULL. */

/* Would the cell have the same processors at that placement? Asks once for each placement and number of threads. */
bool plan_same_places(const struct planned_cell *, const char *placement, const char *machine);

/* Where the cell would put its threads and its deque's memory: "0-31 memory 0"; if it cannot, the reason in brackets.
 */
const char *plan_place_text(const struct planned_cell *, const char *machine);

/* Says what kinds of cores the machine has, and what its memory does not hold. Refuses a placement that makes no sense.
 * A placement that this machine lacks is refused if the command line asked for it (strict). If a suite asked for it, a
 * message says so, and the cells report that they were denied. */
void plan_check_places(const struct plan *, bool strict, const char *machine);

/* Leaves out the cells whose counters or events this machine cannot count together, and says so once for each set. */
void plan_check_counters(struct plan *);

/* The order in which n things are measured, by Williams' design: each thing comes at every place, and follows every
 * other thing, equally often. There are n rows if n is even, else 2n; row wraps around. */
void latin_square_row(size_t n, size_t row, size_t *order);

/* --- stamp.c: a stamp says that a deque passed its short checks. Only deques with a stamp are timed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp is kept in build/stamps/ID with the hashes of these executables, so the checks run again only when these
 * changed. Failures are not kept.
 */

#define STAMP_SECONDS 1.0 /* for all checks of one deque */

/* Is there a stamp of these very executables? */
bool stamp_kept(const struct catalogue_deque *, const char *build);

/* Runs a check; *why says what came of it, of one that passed how far it reached. It failed when it said so, or
 * crashed; it is undecided when it said so, or was killed from outside. details, unless NULL, gets what a failure says:
 * how to repeat it, a sanitizer's report. */
#define CHECK_RESULTS(RESULT)                                                                                          \
    RESULT(CHECK_PASSED, "passed")                                                                                     \
    RESULT(CHECK_FAILED, "FAILED")                                                                                     \
    RESULT(CHECK_UNDECIDED, "no verdict")                                                                              \
    RESULT(CHECK_IMPOSSIBLE, "missing")                                                                                \
    RESULT(CHECK_INTERRUPTED, "stopped")
enum check_result { CHECK_RESULTS(LIST_NAME) };
enum check_result check_run(const char *executable, const char *check, double seconds, double *took, const char **why,
                            struct text *details);

/* Runs the deque's short checks, also the lab's if it knows the deque, and keeps the stamp if all passed. *why: the
 * check that did not pass, and what it said. */
enum check_result stamp_make(const struct catalogue_deque *, const char *build, const char **why);
