#include "harness/driver/verbs/needs.h"
#include "harness/driver/execute/simulation.h"
#include "harness/driver/util/files.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool wants_small_items(const struct planned_cell *cell) {
    const struct value *item = value_find(cell->values, cell->value_count, "item");
    return item && strcmp(item->text, "4") == 0;
}

/* The layouts of a cell on the pool, where no cell before asks for as many of its deque's. */
static void print_layouts(FILE *file, const struct plan *plan, size_t cell, const char *build) {
    const struct planned_cell *one = &plan->cells[cell];
    char *pool = path_join(build, "pool"), *own = path_join(pool, one->deque->id);
    const size_t length = strlen(one->part->executable), tail = strlen(own);
    const bool pooled = length >= tail && strcmp(one->part->executable + length - tail, own) == 0;
    unsigned before = 1;
    for (size_t i = 0; i < cell; i++)
        if (plan->cells[i].part == one->part && plan->cells[i].options.layouts > before)
            before = plan->cells[i].options.layouts;
    for (unsigned i = before; i < one->options.layouts && pooled && !one->simulated; i++)
        fprintf(file, "make\t%s_layouts/%u/%s\n", pool, i, one->deque->id);
    free(pool);
    free(own);
}

void needs_print(FILE *file, const struct plan *plan, const char *build) {
    bool small = false;
    for (size_t i = 0; i < plan->cell_count; i++)
        small |= wants_small_items(&plan->cells[i]);
    if (small)
        fprintf(file, "make\titems4\n");
    for (size_t i = 0; i < plan->cell_count; i++)
        print_layouts(file, plan, i, build);
    for (size_t i = 0; i < plan->cell_count; i++)
        if (simulation_is_first(plan, i))
            fprintf(file, "make\t%s/simulated/%s\n", build, plan->cells[i].deque->id);
}
