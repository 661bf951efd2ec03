/* plan.h: a suite and a catalogue make a plan: every cell with all its parameters, in groups to be compared.
 *
 * A group holds the cells of one section that differ only in the deque and the deque's own mode: what a figure puts
 * beside each other, and what is therefore measured in a balanced order.
 */
#ifndef STEALBENCH_PLAN_H
#define STEALBENCH_PLAN_H

#include "harness/driver/plan/catalogue.h"
#include "harness/driver/plan/suite.h"
#include <stddef.h>
#include <stdint.h>

struct planned_cell {
    uint64_t id; /* hash of workload, deque, parameters, repetitions, minimum time, and the bytes of its executables */
    const struct catalogue_deque *deque;
    const struct catalogue_part *part; /* the executable that runs it */
    unsigned layouts; /* of it, among which invocations draw: those that are there, as far as asked for */
    const char *workload;
    struct value *values; /* of every parameter, sorted by name */
    size_t value_count;
    const char *params; /* the same as text, "key=value;key=value", the values escaped (text_add_escaped) */
    const char *name;   /* workload, deque, and the parameters that are not at their default, for people */
    unsigned threads;   /* as the workload says */
    bool simulated;     /* to be run under valgrind, which counts */
    bool unsound;       /* its deque is known to be wrong, or failed its checks: its rows are flagged */
    bool unproven;      /* its deque's checks came to no verdict: it gets that status, and is not measured */
    struct suite_options options;
    uint64_t tags; /* bit i: section i of the suite shows this cell */
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
    struct words left_out; /* deques that a suite's file names and that are not here, optional ones among them */
    unsigned processors;   /* of the machine it is for */
    unsigned long clipped; /* the most threads that were clipped to the processors, 0: none */
    uint64_t uncounted;    /* bit i: section i of the suite has cells that plan_check_counters left out */
};

/* What the command line leaves of a suite. Lists are NULL when not given. */
struct plan_filter {
    const struct suite_key *only;   /* tags of sections; 5.2 is also every tag that begins with 5.2- */
    const struct suite_key *deques; /* ids and groups */
    bool unsound;                   /* measure unsound deques too, where they are named */
    unsigned processors;            /* of the machine that the plan is for; 0: this one's */
};

/* The plan points into the catalogue and the suite. Refused: a deque is not sound (1), the suite asks for what there is
 * not (2), a deque it names is broken (3). One that is not built here is refused only where the command line names it.
 */
struct plan plan_make(const struct suite *, const struct catalogue *, const struct plan_filter *);

/* The cell's value of a parameter, as text; NULL: it has none. */
const char *plan_value(const struct planned_cell *, const char *name);

/* Keeps those cells of the plan for which keep (by cell) is set, in their order; groups without a cell are gone. */
void plan_keep(struct plan *, const bool *keep);

/* Which of its layouts this invocation has, by its seed; 0 is the part's own executable. Drawn as variants are: equally
 * often, and deques that stand beside each other the same. */
unsigned plan_layout(const struct planned_cell *, unsigned invocation);
const char *plan_executable(const struct planned_cell *, unsigned invocation);

/* A hash of what a cell measures whatever the build: workload, deque, parameters. */
uint64_t plan_subject(const char *workload, const char *deque, const char *params);

/* --- plan_places.c: the places that a plan asks for, held against this machine before anything runs */

/* Where the threads of a cell, and the memory of its deque, would be on that machine (places_plan): "0-31 memory 0"; or
 * why it has no such place, in brackets. */
void plan_place_text(const struct planned_cell *, const char *machine, char *text, size_t size);

/* A placement that is nonsense is a slip of the user and refused. One that this machine does not have is refused when
 * asked for by hand (strict). In a suite, which is written for every machine, it is said, and the cells that ask for it
 * report that they were denied. machine: another than this one (places_plan), or NULL. */
void plan_check_places(const struct plan *, bool strict, const char *machine);

/* Where PAPI counts nothing (papi: counters_papi()), leaves out the cells that ask for its own choice of events, and
 * says so once. */
void plan_check_counters(struct plan *, const struct suite *, const char *papi);

/* --- in which order things are measured, so that neither place nor predecessor favours one of them.
 *
 * Williams' design: every thing comes at every place equally often, and every thing follows every other equally often;
 * n rows when n is even, 2n when n is odd.
 */

/* How many rows until the design begins again. */
size_t latin_square_rows(size_t n);

/* Row number row (any; it wraps) of the design for n things into order[0..n-1]. */
void latin_square_row(size_t n, size_t row, size_t *order);

/* --- split.c: a plan divided into parts that are measured by themselves, on several nodes or one after the other.
 *
 * A group is never divided: one process tree measures what is compared, in the balanced order. The groups go to the
 * parts by the time that they are expected to take, the longest first, each to the part that has least so far. That
 * division is written as split.csv before the first part begins: every part that ends changes what is known of times,
 * and all have to agree on who measures what.
 */

#define SPLIT_PARTS_MAX 10000

struct split {
    unsigned parts;
    unsigned *part_of; /* by cell of the plan: its part, from 1 */
};

/* What all invocations of a cell take, when one takes `seconds`. */
double split_cell_seconds(const struct planned_cell *, double seconds);

/* Divides into `parts` parts, or into as many as there are groups when these are fewer; parts 0: into the fewest that
 * take about `length` seconds at most each, where no group alone takes longer. seconds: of one invocation, by cell. The
 * same plan and seconds make the same split. */
struct split split_make(const struct plan *, const double *seconds, unsigned parts, double length);

/* Appends split.csv. */
void split_write(struct text *, const struct split *, const struct plan *, const double *seconds);

/* Reads what split_write wrote. Refused when it is of other cells than the plan's: another suite, another choice of it,
 * or another build. */
struct split split_read(const struct plan *, const char *text);

/* "3/12" into its two numbers. "12" into parts, or "30m", "2h" or "90s" into seconds: the other is 0. */
void split_parse_part(const char *text, unsigned *part, unsigned *parts);
void split_parse_wish(const char *text, unsigned *parts, double *length);

/* --- stamp.c: a deque is timed only with a stamp: its short checks passed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp that passed is kept in build/stamps/ID with their hashes, so they run again only when they changed. A failure
 * is not kept.
 */

#define STAMP_SECONDS 2.0 /* for all checks of one deque */

/* STAMP_UNDECIDED: a check came to no verdict, which says nothing of the deque */
#define STAMP_RESULTS(RESULT)                                                                                          \
    RESULT(STAMP_NOT_MADE, "not made")                                                                                 \
    RESULT(STAMP_NOT_NEEDED, "not needed")                                                                             \
    RESULT(STAMP_PASSED, "passed")                                                                                     \
    RESULT(STAMP_FAILED, "failed")                                                                                     \
    RESULT(STAMP_UNDECIDED, "no verdict")
enum stamp_result { STAMP_RESULTS(LIST_NAME) };

struct stamp {
    enum stamp_result result;
    bool kept;          /* it was made before */
    const char *reason; /* unless it passed: the check, and what it said */
};

/* Is a stamp for this deque there? Baselines need none. Where the lab has an executable for this deque, its
 * short checks belong to the stamp. */
bool stamp_find(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs the checks, and keeps a stamp that passed where it can be written. */
void stamp_make(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs one check of an executable; *why says what came of it unless it passed. Lines that say how to repeat a failure,
 * and what a sanitizer reported, are added to details unless that is NULL. Failed: it said so, or
 * crashed. Undecided: it says so itself, or was killed from outside, for its time say. Impossible: it cannot be made
 * here. */
#define CHECK_RESULTS(RESULT)                                                                                          \
    RESULT(CHECK_PASSED, "passed")                                                                                     \
    RESULT(CHECK_FAILED, "FAILED")                                                                                     \
    RESULT(CHECK_UNDECIDED, "no verdict")                                                                              \
    RESULT(CHECK_IMPOSSIBLE, "missing")                                                                                \
    RESULT(CHECK_INTERRUPTED, "stopped")
enum check_result { CHECK_RESULTS(LIST_NAME) };
enum check_result check_run(const char *executable, const char *check, double seconds, double *took, const char **why,
                            struct text *details);

#endif
