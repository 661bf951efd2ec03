/* cells.c: the cells of a plan, in groups: cells of a section that differ only in the deque and its own mode. A figure
 * compares them, so they are measured in a balanced order. */
#pragma once

#include "harness/driver/plan/catalogue.c"
#include "harness/driver/plan/suite.c"
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
    char invocation[32];    /* one of these */
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

struct plan {
    LIST(struct planned_cell) cells;
    LIST(struct planned_group) groups;
    struct words left_out; /* deques that the suite's file names and that do not exist here */
    unsigned processors;   /* processors of the machine that the plan is for */
    struct words denied;   /* tags of sections with cells that this machine cannot measure */
};

uint64_t plan_subject(const char *workload, const char *deque, const char *params) {
    return hash_string(hash_string(hash_string(HASH_START, workload), deque), params);
}

/* Of a parameter, as text, or NULL. */
const char *plan_value(const struct planned_cell *cell, const char *name) {
    const struct value *value = value_find(cell->values.at, cell->values.count, name);
    return value ? value->text : NULL;
}

/* The variant that this invocation runs, drawn by the seed: each equally often, and the same for all deques of a group.
 * 0 means the part's own executable. */
unsigned plan_variant(const struct planned_cell *cell, unsigned invocation) {
    const struct value *seed = value_find(cell->values.at, cell->values.count, "seed");
    return cell->variants > 1 ? variant_drawn(seed ? seed->integer : 0, invocation, cell->variants) : 0;
}

static void add_to_group(struct plan *plan, struct planned_cell *cell) {
    size_t i = 0;
    while (i < plan->groups.count && plan->groups.at[i].key != cell->group)
        i++;
    if (i == plan->groups.count)
        *ONE_MORE(plan->groups) = (struct planned_group){.key = cell->group};
    *ONE_MORE(plan->groups.at[i].cells) = cell;
}

/* Takes out the cells that are dropped, and groups the others. */
void plan_drop(struct plan *plan) {
    size_t kept = 0;
    foreach (cell, plan->cells)
        if (!cell->dropped)
            plan->cells.at[kept++] = *cell;
    plan->cells.count = kept;
    memset(&plan->groups, 0, sizeof plan->groups);
    foreach (cell, plan->cells)
        add_to_group(plan, cell);
}
