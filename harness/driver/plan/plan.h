/* plan.h: a suite and a catalogue make a plan: every cell with all its parameters, in groups to be compared.
 *
 * A group holds the cells of one section that differ only in the deque and the deque's own mode: what a figure puts
 * beside each other, and what is therefore measured in a balanced order.
 */
#ifndef STEALBENCH_PLAN_H
#define STEALBENCH_PLAN_H

#include "harness/driver/plan/catalogue.h"
#include "harness/driver/plan/suite.h"
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

#endif
