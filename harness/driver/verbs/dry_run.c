#include "harness/driver/verbs/measure.h"
#include "harness/measuring/places.h"

/* Prints a line per cell: section; name; invocations and their seconds; threads and places. */
static void print_cells(const struct measuring_verb *verb, const double *seconds) {
    char places[1024];
    for (size_t i = 0; i < verb->run.plan.cell_count; i++) {
        const struct planned_cell *cell = &verb->run.plan.cells[i];
        plan_place_text(cell, verb->line->topology, places, sizeof places);
        printf("%s\t%s\t%u x %.3g s\t%u on %s\n", verb->run.suite.sections[__builtin_ctzll(cell->tags)].tag, cell->name,
               cell->options.invocations, seconds[i], cell->threads, places);
    }
}

void tell_plan(struct measuring_verb *verb) {
    const struct plan *plan = &verb->run.plan;
    const char *topology = verb->line->topology;
    char machine[256], message[MESSAGE_SIZE];
    struct estimate estimate;
    double *seconds = allocate(plan->cell_count, sizeof seconds[0]);
    if (!places_machine(topology, machine, sizeof machine, message))
        refuse(topology ? 2 : 3, "%s", message);
    name_run(verb);
    estimate_open(&estimate, &verb->run);
    const size_t known = estimate_cells(&estimate, seconds);
    if (!verb->line->quiet)
        print_cells(verb, seconds);
    printf("%s: %zu cell%s, %s%s (%zu measured here before, the others estimated)\n", verb->run.suite.name,
           plan->cell_count, plan->cell_count == 1 ? "" : "s", estimate_text(&estimate, seconds),
           topology ? formatted(" on %s", machine) : "", known);
}
