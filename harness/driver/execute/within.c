/* within.c: makes a plan fit into a time. The sections of a suite stand in order of worth. */
#include "harness/driver/execute/execute.h"

/* Does this section show the cell, and none before it? */
static bool is_of(const struct planned_cell *cell, const char *section) {
    return strcmp(cell->tags.at[0], section) == 0;
}

const char *within_sections(const struct run *run, const double *seconds, double left, bool *keep) {
    const struct plan *plan = &run->plan;
    struct text left_out = {0};
    for (size_t i = 0; i < run->suite.section_count; i++) {
        const char *tag = run->suite.sections[i].tag;
        double all = 0;
        bool is_there = false;
        for (size_t j = 0; j < plan->cell_count; j++) {
            all += is_of(&plan->cells[j], tag) ? seconds[j] : 0;
            is_there |= is_of(&plan->cells[j], tag);
        }
        const bool fits = all <= left;
        for (size_t j = 0; j < plan->cell_count; j++)
            if (is_of(&plan->cells[j], tag))
                keep[j] = fits;
        left -= fits ? all : 0;
        if (is_there && !fits)
            text_format(&left_out, " %s", tag);
    }
    return text_string(&left_out);
}

void plan_fit(struct run *run) {
    struct plan *plan = &run->plan;
    struct estimate estimate;
    double all = 0;
    bool *keep = allocate(plan->cell_count, sizeof keep[0]);
    size_t dropped = 0;
    estimate_open(&estimate, run);
    for (size_t i = 0; i < plan->cell_count; i++)
        estimate.seconds[i] *= precision_first(&plan->cells[i].options, run->within);
    const char *left_out = within_sections(run, estimate.seconds, run->within, keep);
    for (size_t i = 0; i < plan->cell_count; i++) {
        all += keep[i] ? estimate.seconds[i] : 0;
        dropped += !keep[i];
    }
    if (dropped == plan->cell_count)
        refuse(2, "--within: each section of the suite takes longer");
    fprintf(stderr,
            "within %s: %d invocations of each cell, about %s; what is left goes where intervals are widest%s\n",
            duration_text(run->within, run->within), PRECISION_LEAST, duration_text(all, all),
            dropped == 0 ? "" : formatted("; left out:%s, %s", left_out, counted(dropped, "cell")));
    plan_keep(plan, keep);
}
