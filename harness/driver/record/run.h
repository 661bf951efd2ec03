/* run.h: one run: what is measured, by which program, and where the results go. */
#pragma once

#include "harness/driver/plan/cells.c"
#include "harness/driver/record/results.c"

struct run_outcome {
    size_t measured, kept, denied, skipped; /* invocations */
    size_t imprecise;                       /* cells with a wider interval than asked for */
    size_t unproven;                        /* cells */
    size_t anew;                            /* cells measured again because the build changed */
    size_t failed_cells;
    size_t refused_cells; /* failed cells whose input was refused */
    bool interrupted;
    bool refused;          /* of one workload: an input was refused */
    const char *unwritten; /* why results could not be written, or NULL */
};

struct run {
    const char *name, *parent, *folder; /* of the run's folder; the folder of runs; both */
    const char *host;                   /* this machine's name, for every row */
    const char *part;                   /* "3/12" if the run is measured in parts, else NULL */
    unsigned repeat;                    /* which repeat of the part this is, on another node */
    json_t *split;                      /* of a part: all cells of the run, each with its part (parts.c) */
    const char *build, *root;           /* build: the build folder; root: the source tree */
    struct words command;               /* the command line */
    struct suite suite;
    struct catalogue catalogue;
    struct plan plan;
    struct results results;
    struct finished finished; /* invocations of earlier, in results that are continued */
    bool continued;
    bool quiet, of_suite; /* of_suite: else of one workload, which ends and keeps nothing if its input is refused (2) */
    double within;        /* seconds that measuring may take; 0: any */
    struct run_outcome outcome;

    /* Of the verb that measures (measure.c). */
    const struct job *job;
    const struct command_line *line; /* of the run, which may differ from the job's */
    unsigned part_number, part_count;
    bool fresh; /* we made the run's folder, and nothing is measured yet */
    json_t *manifest;
};
