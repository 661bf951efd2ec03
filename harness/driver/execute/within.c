/* within.c: makes a plan fit into a time. The sections of a suite stand in order of worth. */
#include "harness/driver/execute/execute.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fitting {
    const struct plan *plan;
    double *seconds, *invocations; /* by cell: of an invocation; how many it will likely take */
    bool *keep;
};

/* Seconds of what is kept, if no cell has more than so many invocations. */
static double seconds_with(const struct fitting *fitting, unsigned most) {
    double all = 0;
    for (size_t i = 0; i < fitting->plan->cell_count; i++)
        if (fitting->keep[i])
            all += fmin(most, fitting->invocations[i]) * fitting->seconds[i];
    return all;
}

/* Keeps or drops the cells that this section shows and none before it; returns how many. */
static size_t keep(struct fitting *fitting, const char *section, bool kept) {
    size_t cells = 0;
    for (size_t i = 0; i < fitting->plan->cell_count; i++)
        if (strcmp(fitting->plan->cells[i].tags.at[0], section) == 0) {
            fitting->keep[i] = kept;
            cells++;
        }
    return cells;
}

void plan_fit(struct run *run, double within) {
    struct plan *plan = &run->plan;
    struct estimate estimate;
    struct fitting fitting = {plan, allocate(plan->cell_count, sizeof(double)),
                              allocate(plan->cell_count, sizeof(double)), allocate(plan->cell_count, sizeof(bool))};
    struct text left_out = {0};
    size_t dropped = 0;
    unsigned most = PRECISION_LEAST, asked = 0;
    estimate_open(&estimate, run);
    estimate_cells(&estimate, fitting.seconds);
    estimate_invocations(&estimate, fitting.invocations);
    for (size_t i = 0; i < plan->cell_count; i++)
        asked = plan->cells[i].options.invocations > asked ? plan->cells[i].options.invocations : asked;
    for (size_t i = 0; i < run->suite.section_count; i++) {
        const char *tag = run->suite.sections[i].tag;
        keep(&fitting, tag, true);
        const size_t cells = seconds_with(&fitting, most) > within ? keep(&fitting, tag, false) : 0;
        dropped += cells;
        if (cells > 0)
            text_format(&left_out, " %s", tag);
    }
    if (dropped == plan->cell_count)
        refuse(2, "--within: each section of the suite takes longer");
    while (most < asked && seconds_with(&fitting, most + 1) <= within)
        most++;
    fprintf(stderr, "within %s: at most %u invocations of a cell%s\n", duration_text(within, within), most,
            dropped == 0 ? "" : formatted("; left out:%s, %s", text_string(&left_out), counted(dropped, "cell")));
    for (size_t i = 0; i < plan->cell_count; i++)
        if (plan->cells[i].options.invocations > most)
            plan->cells[i].options.invocations = most;
    plan_keep(plan, fitting.keep);
}
