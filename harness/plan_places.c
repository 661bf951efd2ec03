#include "harness/plan_places.h"
#include "harness/places.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a parameter of the cell, "" when its deque has no such parameter. */
static void param(const struct planned_cell *cell, const char *name, char *value, size_t size) {
    char label[48];
    size_t length = (size_t)snprintf(label, sizeof label, ";%s=", name);
    const char *at = strncmp(cell->params, label + 1, length - 1) == 0 ? cell->params + length - 1 : NULL;
    if (!at && (at = strstr(cell->params, label)))
        at += length;
    snprintf(value, size, "%.*s", at ? (int)strcspn(at, ";") : 0, at ? at : "");
}

/* How many threads the cell has, as far as its parameters tell: so many thieves beside an owner, so many workers. */
static unsigned threads_of(const struct planned_cell *cell) {
    char value[VALUE_SIZE];
    param(cell, "thieves", value, sizeof value);
    if (*value)
        return (unsigned)strtoul(value, NULL, 10) + 1;
    param(cell, "threads", value, sizeof value);
    if (*value && *value != '0')
        return (unsigned)strtoul(value, NULL, 10);
    param(cell, "owner", value, sizeof value);
    return strcmp(value, "busy") == 0 ? 2 : 1;
}

static int check_cell(const struct planned_cell *cell, char *message) {
    static struct places places;
    char placement[VALUE_SIZE], memory[sizeof placement], nodes[64];
    param(cell, "placement", placement, sizeof placement);
    param(cell, "memory", memory, sizeof memory);
    if (!*placement)
        return 0;
    int wrong = places_plan(&places, placement, threads_of(cell), NULL, message);
    if (wrong != 0)
        return wrong;
    if (*memory)
        wrong = places_memory_nodes(&places, memory, nodes, sizeof nodes, message);
    places_close(&places);
    return wrong;
}

/* Is there an earlier cell that asks for the same? Most plans ask for one thing. */
static bool asked_before(const struct plan *plan, size_t index) {
    static const char *const names[] = {"placement", "memory", "thieves", "threads", "owner"};
    char value[2][VALUE_SIZE];
    if (index == 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        param(&plan->cells[index - 1], names[i], value[0], sizeof value[0]);
        param(&plan->cells[index], names[i], value[1], sizeof value[1]);
        if (strcmp(value[0], value[1]) != 0)
            return false;
    }
    return true;
}

int plan_check_places(const struct plan *plan, bool strict, char *message) {
    char said[MESSAGE_SIZE] = "";
    for (size_t i = 0; i < plan->cell_count; i++) {
        int wrong = asked_before(plan, i) ? 0 : check_cell(&plan->cells[i], message);
        if (wrong == EINVAL || (wrong == ENODEV && strict))
            return 2;
        if (wrong == ENODEV && strcmp(said, message) != 0) {
            fprintf(stderr, "not on this machine: %s\n", message);
            memcpy(said, message, sizeof said);
        }
    }
    return 0;
}
