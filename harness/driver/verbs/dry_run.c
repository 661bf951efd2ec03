#pragma once

#include "harness/driver/execute/durations.c"
#include "harness/driver/verbs/names.c"

/* Prints a line per cell: section; name; invocations and their seconds; threads and places. */
static void print_cells(const struct run *run) {
    foreach (cell, run->plan.cells) {
        const unsigned least = precision_first(&cell->options, run->within), most = cell->options.invocations;
        printf("%s\t%s\t%s%u x %.3g s\t%u on %s\n", cell->tags.at[0], cell->name,
               least < most ? formatted("%u to ", least) : "", most, cell->seconds, cell->threads,
               plan_place_text(cell));
    }
}

/* Says which of the papers' claims the cells can answer; harness.judging.planned reads a line per cell. */
static void say_claims(const struct plan *plan) {
    fflush(stdout);
    FILE *to = popen("setup/python.sh -m harness.judging.planned", "w");
    foreach (cell, plan->cells)
        if (to)
            fprintf(to, "%s\t%s\t%s\t%u\t%u\t%u\n", cell->workload, cell->deque->id, cell->params,
                    cell->options.invocations, cell->threads, plan->processors);
    if (!to || pclose(to) != 0)
        fprintf(stderr, "which claims of the papers these cells can answer is not known\n");
}

void tell_plan(struct run *run) {
    const struct places_facts machine = plan_machine();
    name_run(run);
    const size_t known = estimate_open(run);
    if (!run->quiet)
        print_cells(run);
    if (!run->quiet && run->job->whole && run->of_suite)
        say_claims(&run->plan);
    printf("%s: %s, %s%s (%zu measured here before, the others estimated)\n", run->suite.name,
           counted(run->plan.cells.count, "cell"), estimate_text(run),
           plan_for ? formatted(" on %s", machine.hardware) : "", known);
}
