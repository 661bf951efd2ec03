#include "harness/driver/verbs/forecast.h"
#include "harness/driver/plan/plan_places.h"

void forecast_print(FILE *file, const struct plan *plan, const struct suite *suite, const double *seconds,
                    const char *machine) {
    char places[1024];
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const unsigned section = (unsigned)__builtin_ctzll(cell->tags);
        plan_place_text(cell, machine, places, sizeof places);
        fprintf(file, "%s\t%s %s%s%s\t%u x %.3g s\t%u on %s\n", suite->sections[section].tag, cell->workload,
                cell->deque->id, *cell->label ? " " : "", cell->label, cell->options.invocations, seconds[i],
                cell->threads, places);
    }
}
