#include "harness/driver/verbs/needs.h"
#include "harness/driver/execute/simulation.h"
#include "harness/driver/util/files.h"
#include "harness/driver/verbs/table.h"
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

/* Is this the first of the plan's cells that has this deque, and in the same executable, or with small items too? */
enum alike { ALIKE_IN_DEQUE, ALIKE_IN_PART, ALIKE_IN_ITEMS };
static bool is_first(const struct plan *plan, size_t cell, enum alike alike) {
    const struct planned_cell *one = &plan->cells[cell];
    for (const struct planned_cell *other = plan->cells; other < one; other++)
        if (other->deque == one->deque && (alike != ALIKE_IN_PART || other->part == one->part) &&
            (alike != ALIKE_IN_ITEMS || wants_small_items(other)))
            return false;
    return true;
}

static void print(FILE *file, const char *build, const char *folder, const char *id) {
    fprintf(file, "make\t%s/%s/%s\n", build, folder, id);
}

void needs_of_plan(FILE *file, const struct plan *plan, const char *build, const char *root, bool elsewhere) {
    const size_t above = strlen(root) + 1;
    build += above;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const struct catalogue_deque *deque = cell->deque;
        if (!elsewhere && is_first(plan, i, ALIKE_IN_PART))
            fprintf(file, "make\t%s\n", cell->part->executable + above);
        if (!elsewhere && deque->sound && !deque->reference && is_first(plan, i, ALIKE_IN_DEQUE))
            print(file, build, "lab", deque->id); /* a part of the stamp */
        if (wants_small_items(cell) && is_first(plan, i, ALIKE_IN_ITEMS))
            print(file, build, "items4", deque->id);
        print_layouts(file, plan, i, build);
        if (simulation_is_first(plan, i))
            print(file, build, "simulated", deque->id);
    }
}

int needs_of_verb(FILE *file, const struct command_line *line, const char *build) {
    const bool lab = strcmp(line->verb->name, "lab") == 0;
    const char *const *ids = line->words.at + lab; /* what the lab is to do comes first */
    const size_t count = line->words.count - lab;
    char message[MESSAGE_SIZE];
    struct catalogue catalogue = {0};
    const struct catalogue_deque *ignored;
    int result = catalogue_open_described(&catalogue, build, message);
    for (size_t i = 0; i < count && result == 0; i++)
        result = catalogue_must_find(&catalogue, ids[i], false, &ignored, message);
    if (result == 0)
        fprintf(file, "make\t%s\n", lab ? "lab" : "gate_builds");
    for (size_t i = 0; i < count && result == 0; i++)
        fprintf(file, "%s%s%s", i ? " " : "make\tDEQUE_IDS=", ids[i], i + 1 < count ? "" : "\n");
    if (result)
        fprintf(stderr, "stealbench %s: %s\n", line->verb->name, message);
    catalogue_close(&catalogue);
    return result;
}
