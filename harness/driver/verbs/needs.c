#include "harness/driver/verbs/needs.h"
#include "harness/driver/execute/simulation.h"
#include <stdbool.h>
#include <string.h>

static bool wants_small_items(const struct planned_cell *cell) {
    const struct value *item = value_find(cell->values, cell->value_count, "item");
    return item && strcmp(item->text, "4") == 0;
}

void needs_print(FILE *file, const struct plan *plan, const char *build) {
    bool small = false;
    for (size_t i = 0; i < plan->cell_count; i++)
        small |= wants_small_items(&plan->cells[i]);
    if (small)
        fprintf(file, "make\titems4\n");
    for (size_t i = 0; i < plan->cell_count; i++)
        if (simulation_is_first(plan, i))
            fprintf(file, "make\t%s/simulated/%s\n", build, plan->cells[i].deque->id);
}
