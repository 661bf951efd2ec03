/* plan.h: a suite and a catalogue make a plan: every cell with all its parameters, in groups to be compared.
 *
 * A group holds the cells of a section that differ only in the deque and its own mode. A figure compares them, so they
 * are measured in a balanced order.
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
    unsigned layouts;                  /* of it, among which invocations draw */
    const char *workload;
    struct value *values; /* of every parameter, sorted by name */
    size_t value_count;
    const char *params; /* the same as text, "key=value;key=value", the values escaped (text_add_escaped) */
    const char *name;   /* workload, deque, and the parameters that are not at their default, for people */
    unsigned threads;   /* as the workload says */
    bool simulated;     /* run under valgrind, which counts */
    bool unsound;       /* its deque is wrong or failed its checks: its rows are flagged */
    bool unproven;      /* its deque's checks came to no verdict: it is not measured */
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
    struct words left_out; /* deques that the suite's file names and that are not here */
    unsigned processors;   /* of the machine it is for */
    unsigned long clipped; /* the most threads that were clipped to the processors; 0: none were */
    uint64_t uncounted;    /* bit i: section i of the suite has cells that plan_check_counters left out */
};

/* What the command line leaves of a suite. Lists are NULL when not given. */
struct plan_filter {
    const struct suite_key *only;   /* tags of sections; 5.2 is also every tag that begins with 5.2- */
    const struct suite_key *deques; /* ids and groups */
    bool unsound;                   /* measure unsound deques too, where they are named */
    unsigned processors;            /* of the machine that the plan is for; 0: this one's */
};

/* The plan points into the catalogue and the suite. Refused: a deque that is not sound (1); what there is not (2); a
 * broken deque, or one that the command line names and that is not built (3). */
struct plan plan_make(const struct suite *, const struct catalogue *, const struct plan_filter *);

/* The cell's value of a parameter, as text; NULL: it has none. */
const char *plan_value(const struct planned_cell *, const char *name);

/* Keeps these cells, in their order, and the groups that still have one. */
void plan_keep(struct plan *, const bool *keep);

/* The layout that this invocation runs, drawn by the seed: each equally often, and the same for all deques of a group.
 * 0 is the part's own executable. */
unsigned plan_layout(const struct planned_cell *, unsigned invocation);
const char *plan_executable(const struct planned_cell *, unsigned invocation);

/* A hash of what a cell measures whatever the build: workload, deque, parameters. */
uint64_t plan_subject(const char *workload, const char *deque, const char *params);

/* --- plan_places.c: what a plan asks of the machine, checked before anything runs. machine: another one (places_plan),
 * or NULL. */

/* Where the threads of a cell and its deque's memory would be: "0-31 memory 0"; or why nowhere, in brackets. */
void plan_place_text(const struct planned_cell *, const char *machine, char *text, size_t size);

/* Refuses a placement that is nonsense; and one that the machine does not have when it was asked for by hand (strict).
 * Of a suite, which is written for every machine, that is only said, and the cells report that they were denied. */
void plan_check_places(const struct plan *, bool strict, const char *machine);

/* Where PAPI counts nothing (papi: counters_papi()), leaves out the cells that ask for its own choice of events, and
 * says so once. */
void plan_check_counters(struct plan *, const struct suite *, const char *papi);

/* The order in which n things are measured, by Williams' design: each comes at every place, and follows every other,
 * equally often. It has n rows when n is even, else 2n; row wraps. */
size_t latin_square_rows(size_t n);
void latin_square_row(size_t n, size_t row, size_t *order);

/* --- split.c: a plan divided into parts, which several nodes measure.
 *
 * A group is not divided: one driver measures what is compared, in the balanced order. The groups go to the parts by
 * their expected time, the longest first, each to the part that has least. split.csv is written before the first part
 * begins, for all have to agree, and every part that ends changes what is known of times.
 */

#define SPLIT_PARTS_MAX 10000

struct split {
    unsigned parts;
    unsigned *part_of; /* by cell of the plan: its part, from 1 */
};

/* Of all invocations of a cell, when one takes `seconds`. */
double split_cell_seconds(const struct planned_cell *, double seconds);

/* Divides into so many parts, or one for each group; parts 0: into the fewest that take about `length` seconds, or as
 * long as the longest group. seconds: of one invocation of each cell. */
struct split split_make(const struct plan *, const double *seconds, unsigned parts, double length);

/* Appends split.csv; reads it, and refuses one of other cells than the plan's. */
void split_write(struct text *, const struct split *, const struct plan *, const double *seconds);
struct split split_read(const struct plan *, const char *text);

/* "3/12" into its two numbers. "12" into parts, or "30m", "2h" or "90s" into seconds: the other is 0. */
void split_parse_part(const char *text, unsigned *part, unsigned *parts);
void split_parse_wish(const char *text, unsigned *parts, double *length);

/* --- stamp.c: a deque is timed only with a stamp: its short checks passed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp is kept in build/stamps/ID with their hashes, so they run again only when they changed. Failures are not kept.
 */

#define STAMP_SECONDS 2.0 /* for all checks of one deque */

#define STAMP_RESULTS(RESULT)                                                                                          \
    RESULT(STAMP_NOT_MADE, "not made")                                                                                 \
    RESULT(STAMP_NOT_NEEDED, "not needed")                                                                             \
    RESULT(STAMP_PASSED, "passed")                                                                                     \
    RESULT(STAMP_FAILED, "failed")                                                                                     \
    RESULT(STAMP_UNDECIDED, "no verdict")
enum stamp_result { STAMP_RESULTS(LIST_NAME) };

struct stamp {
    enum stamp_result result;
    const char *reason; /* unless it passed: the check, and what it said */
};

/* Is there a stamp? References need none. */
bool stamp_find(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs the checks, the lab's too where it knows the deque, and keeps a stamp that passed. */
void stamp_make(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs a check; *why says what came of it. It failed when it said so, or crashed; it is undecided when it said so, or
 * was killed from outside. details, unless NULL, gets what a failure says: how to repeat it, a sanitizer's report. */
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
