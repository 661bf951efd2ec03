#include "harness/driver/verbs/measure.h"
#include "harness/measuring/places.h"

/* Prints a line per cell: section; name; invocations and their seconds; threads and places. */
static void print_cells(const struct measuring_verb *verb, const double *seconds) {
    for (size_t i = 0; i < verb->run.plan.cell_count; i++) {
        const struct planned_cell *cell = &verb->run.plan.cells[i];
        const unsigned least = precision_first(&cell->options, verb->run.within), most = cell->options.invocations;
        printf("%s\t%s\t%s%u x %.3g s\t%u on %s\n", cell->tags.at[0], cell->name,
               least < most ? formatted("%u to ", least) : "", most, seconds[i], cell->threads,
               plan_place_text(cell, value_of(verb->line, "topology")));
    }
}

/* Says which of the papers' claims the cells can answer; harness.judging.planned reads a line per cell. */
static void say_claims(const struct measuring_verb *verb) {
    const struct plan *plan = &verb->run.plan;
    fflush(stdout);
    FILE *to = popen("setup/python.sh -m harness.judging.planned", "w");
    for (size_t i = 0; i < plan->cell_count && to; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        fprintf(to, "%s\t%s\t%s\t%u\t%u\t%u\n", cell->workload, cell->deque->id, cell->params,
                cell->options.invocations, cell->threads, plan->processors);
    }
    if (!to || pclose(to) != 0)
        fprintf(stderr, "which claims of the papers these cells can answer is not known\n");
}

void tell_plan(struct measuring_verb *verb) {
    const struct plan *plan = &verb->run.plan;
    const char *topology = value_of(verb->line, "topology");
    struct places_facts machine;
    char message[MESSAGE_SIZE];
    struct estimate estimate;
    if (!places_find_facts(topology, &machine, message))
        refuse(topology ? 2 : 3, "%s", message);
    name_run(verb);
    const size_t known = estimate_open(&estimate, &verb->run);
    if (!has(verb->line, "quiet")) {
        print_cells(verb, estimate.seconds);
        if (verb->job->whole && verb->of_suite)
            say_claims(verb);
    }
    printf("%s: %s, %s%s (%zu measured here before, the others estimated)\n", verb->run.suite.name,
           counted(plan->cell_count, "cell"), estimate_text(&estimate),
           topology ? formatted(" on %s", machine.hardware) : "", known);
}
