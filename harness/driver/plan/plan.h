/* plan.h: makes a plan of a suite and a catalogue: every cell with all its parameters, in groups: cells of a section
 * that differ only in the deque and its own mode. A figure compares them, so they are measured in a balanced order. */
#pragma once

#include "harness/driver/plan/catalogue.h"
#include "harness/driver/plan/suite.h"
#include "harness/measuring/places.h"

struct planned_cell {
    uint64_t id; /* hash of workload, deque, parameters, repetitions, minimum time, and the bytes of its executables */
    uint64_t subject; /* hash of what it measures whatever the build: plan_subject */
    const struct catalogue_deque *deque;
    const struct catalogue_part *part; /* executable that runs the cell */
    unsigned variants;                 /* number of its variants; each invocation draws one */
    const char *workload;
    LIST(struct value) values; /* all parameters, sorted by name */
    const char *params;        /* the values as text, "key=value;key=value", escaped by text_add_escaped */
    const char *name;          /* for people: workload, deque, and the parameters that differ from their defaults */
    unsigned threads;          /* threads, as the workload counts them */
    bool unsound;              /* its deque is wrong or failed its checks: its rows are flagged */
    bool unproven;             /* the checks of its deque came to no verdict: it is not measured */
    struct suite_options options;
    struct words tags; /* of the sections that show this cell */
    uint64_t group;    /* planned_group.key */
    bool dropped;      /* plan_drop takes it out of the plan; while it measures: there is no time for it */
    unsigned share;    /* the part of the run that has it, from 1 (parts.c) */

    /* Seconds (durations.c): of an invocation in this run, or in the last one (negative: unknown); that an invocation
     * will take; of all that are still to come. */
    double known, seconds, takes;

    /* While it is measured (runner.c). */
    struct words arguments; /* of its processes */
    unsigned done, failures;
    double spent;     /* seconds of its invocations */
    unsigned timed;   /* number of these invocations */
    bool *finished;   /* by invocation: is it in samples.csv already? */
    double *measured; /* values of the invocations */
    size_t measured_count;
    unsigned needed; /* invocations in all, by what is known now */
};

struct planned_group {
    uint64_t key;
    LIST(struct planned_cell *) cells; /* in the order of the suite */
    double takes;                      /* seconds of all its invocations (parts.c) */
};

#define CELLS_MAX 20000

struct plan {
    LIST(struct planned_cell) cells;
    LIST(struct planned_group) groups;
    struct words left_out; /* deques that the suite's file names and that do not exist here */
    unsigned processors;   /* processors of the machine that the plan is for */
    struct words denied;   /* tags of sections with cells that this machine cannot measure */
};

/* What the command line selects of a suite. */
struct plan_filter {
    struct words only;   /* tags of sections; 5.2 also means every tag that begins with 5.2-; none: all */
    struct words deques; /* ids and groups of deques; none: all that the suite names */
    bool unsound;        /* also measure unsound deques that are named */
};

/* The plan points into the catalogue and the suite. Refuses a deque that is not sound (exit code 1), an unknown name
 * (2), a broken deque, and a deque that the command line names but that is not built (3). */
struct plan plan_make(const struct suite *, const struct catalogue *, const struct plan_filter *);

const char *plan_value(const struct planned_cell *, const char *name); /* of a parameter, as text, or NULL */
void plan_drop(struct plan *); /* takes out the cells that are dropped, and groups the others */

/* The variant that this invocation runs, drawn by the seed: each equally often, and the same for all deques of a group.
 * 0 means the part's own executable. */
unsigned plan_variant(const struct planned_cell *, unsigned invocation);

uint64_t plan_subject(const char *workload, const char *deque, const char *params);

/* --- plan_places.c: checks what a plan asks of the machine before anything runs. */

/* The machine that is planned for, from --topology (places_plan); NULL: this one. */
extern const char *plan_for;

/* Its facts. Refuses a machine that cannot be read. */
struct places_facts plan_machine(void);

/* Would the cell have the same processors at that placement? Asks once for each placement and number of threads. */
bool plan_same_places(const struct planned_cell *, const char *placement);

/* Where the cell would put its threads and its deque's memory: "0-31 memory 0"; or, in brackets, why it cannot. */
const char *plan_place_text(const struct planned_cell *);

/* Says what kinds of cores the machine has, and what its memory does not hold. Refuses a placement that makes no sense.
 * A placement that this machine lacks is refused if the command line asked for it (strict). If a suite asked for it, a
 * message says so, and the cells report that they were denied. */
void plan_check_places(const struct plan *, bool strict);

/* Leaves out the cells whose counters or events this machine cannot count together, and says so once for each set. */
void plan_check_counters(struct plan *);

/* --- stamp.c: a stamp says that a deque passed its short checks. Only deques with a stamp are timed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp is kept in build/stamps/ID with a hash of these executables. Failures are not kept. */

#define STAMP_SECONDS 1.0 /* for all checks of one deque */

/* What came of a check. It failed when it said so, or crashed; it is undecided when it said so, or was killed from
 * outside. */
#define CHECK_RESULTS(RESULT)                                                                                          \
    RESULT(CHECK_PASSED, "passed")                                                                                     \
    RESULT(CHECK_FAILED, "FAILED")                                                                                     \
    RESULT(CHECK_UNDECIDED, "no verdict")                                                                              \
    RESULT(CHECK_IMPOSSIBLE, "missing")                                                                                \
    RESULT(CHECK_INTERRUPTED, "stopped")
enum check_result { CHECK_RESULTS(LIST_NAME) };
struct checked {
    enum check_result result;
    double seconds;      /* that it took */
    const char *why;     /* in words; of one that passed, how far it reached */
    const char *details; /* of a failure: how to repeat it, a sanitizer's report */
};
struct checked check_run(const char *executable, const char *check, double seconds);

/* All checks that the deque's executables hold. */
struct deque_check {
    const char *executable, *name;
    bool in_stamp;
    const struct catalogue_part *part;
};
struct checks {
    struct deque_check *at;
    size_t count;
};
struct checks checks_of(const struct catalogue_deque *);

/* Runs the deque's short checks, also the lab's if it knows the deque, unless there is a stamp. Keeps one if all
 * passed. Returns what came of the last. */
struct checked stamp_make(const struct catalogue_deque *, const char *build, bool quiet);
