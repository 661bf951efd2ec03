/* within.c: makes a plan fit into a time. The sections of a suite stand in order of worth. */
#include "harness/driver/execute/execute.h"
#include <stdio.h>
#include <string.h>

/* Does this section show the cell, and none before it? */
static bool is_of(const struct planned_cell *cell, const char *section) {
    return strcmp(cell->tags.at[0], section) == 0;
}

void plan_fit(struct run *run) {
    struct plan *plan = &run->plan;
    struct estimate estimate;
    struct text left_out = {0};
    double *seconds = allocate(plan->cell_count, sizeof seconds[0]), all = 0;
    bool *keep = allocate(plan->cell_count, sizeof keep[0]);
    size_t dropped = 0;
    estimate_open(&estimate, run);
    estimate_cells(&estimate, seconds);
    for (size_t i = 0; i < run->suite.section_count; i++) {
        const char *tag = run->suite.sections[i].tag;
        double more = 0;
        size_t cells = 0;
        for (size_t j = 0; j < plan->cell_count; j++) {
            cells += is_of(&plan->cells[j], tag);
            more +=
                is_of(&plan->cells[j], tag) ? precision_first(&plan->cells[j].options, run->within) * seconds[j] : 0;
        }
        const bool fits = all + more <= run->within;
        for (size_t j = 0; j < plan->cell_count; j++)
            keep[j] |= fits && is_of(&plan->cells[j], tag);
        all += fits ? more : 0;
        dropped += fits ? 0 : cells;
        if (!fits)
            text_format(&left_out, " %s", tag);
    }
    if (dropped == plan->cell_count)
        refuse(2, "--within: each section of the suite takes longer");
    fprintf(stderr,
            "within %s: %d invocations of each cell, about %s; what is left goes where intervals are widest%s\n",
            duration_text(run->within, run->within), PRECISION_LEAST, duration_text(all, all),
            dropped == 0 ? "" : formatted("; left out:%s, %s", text_string(&left_out), counted(dropped, "cell")));
    plan_keep(plan, keep);
}
