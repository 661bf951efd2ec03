/* measure.h: one measuring verb at work: measure.c plans and measures, dry_run.c tells of a plan, parts.c divides it
 * among nodes. */
#pragma once

#include "harness/driver/execute/execute.h"
#include "harness/driver/verbs/verbs.h"

/* Everything that one run needs, in the order in which it is made. */
struct measuring_verb {
    const struct job *job;
    const struct command_line *line; /* of the run, which may differ from the job's */
    struct run run;
    bool of_suite; /* false: of one workload */
    bool fresh;    /* we made the run's folder, and nothing is measured yet */
    unsigned part, parts;
    json_t *manifest;
    struct run_outcome outcome;
};

/* Chooses the run to make or to resume. */
void name_run(struct measuring_verb *);

/* --- dry_run.c: prints every cell, its places and its expected time */
void tell_plan(struct measuring_verb *);

/* --- parts.c */

/* The seconds of "30m", "2h" or "90s"; 0: it is none. */
double length_read(const char *text);

/* For --split: prints a line per part: its number, seconds, cells and invocations. */
void tell_division(const struct measuring_verb *);

/* For --part: keeps the cells of this part. */
void choose_part(struct measuring_verb *);
