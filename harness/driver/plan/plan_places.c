#include "harness/driver/plan/plan_places.h"
#include "harness/measuring/threads/places.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const struct planned_cell *cell, const char *name) {
    const struct value *value = value_find(cell->values, cell->value_count, name);
    return value ? value->text : NULL;
}

static int check_cell(const struct planned_cell *cell, char *message) {
    static struct places places;
    const char *placement = text_of(cell, "placement"), *memory = text_of(cell, "memory");
    char nodes[64];
    if (!placement)
        return 0;
    int wrong = places_plan(&places, placement, cell->threads, NULL, message);
    if (wrong != 0)
        return wrong;
    if (memory)
        wrong = places_memory_nodes(&places, memory, nodes, sizeof nodes, message);
    places_close(&places);
    return wrong;
}

static bool alike(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* Does the cell before ask for the same? Most plans ask for one thing. */
static bool asked_before(const struct planned_cell *cells, size_t index) {
    if (index == 0)
        return false;
    const struct planned_cell *cell = &cells[index], *before = cell - 1;
    return cell->threads == before->threads && alike(text_of(cell, "placement"), text_of(before, "placement")) &&
           alike(text_of(cell, "memory"), text_of(before, "memory"));
}

int plan_check_places(const struct plan *plan, bool strict, char *message) {
    char said[MESSAGE_SIZE] = "";
    for (size_t i = 0; i < plan->cell_count; i++) {
        int wrong = asked_before(plan->cells, i) ? 0 : check_cell(&plan->cells[i], message);
        if (wrong == EINVAL || (wrong == ENODEV && strict))
            return 2;
        if (wrong == ENODEV && strcmp(said, message) != 0) {
            fprintf(stderr, "not on this machine: %s\n", message);
            memcpy(said, message, sizeof said);
        }
    }
    return 0;
}
