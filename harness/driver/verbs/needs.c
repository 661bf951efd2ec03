#include "harness/driver/execute/execute.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

/* Prints a target, unless it was printed already. */
static void need(FILE *file, struct words *said, const char *target) {
    if (words_have(said, target))
        return;
    words_add(said, target);
    fprintf(file, "make\t%s\n", target);
}

void needs_of_plan(FILE *file, const struct plan *plan, const char *build, const char *root, bool elsewhere) {
    const size_t above = strlen(root) + 1;
    struct words said = {0};
    build += above;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const char *id = cell->deque->id, *item = plan_value(cell, "item");
        const char *pool = formatted("%s/pool/%s", build, id);
        const bool pooled = ends_with(cell->part->executable, pool);
        if (!elsewhere) {
            need(file, &said, cell->part->executable + above);
            need(file, &said, formatted("%s/checks/%s", build, id));
        }
        if (!elsewhere && cell->deque->sound && !cell->deque->reference)
            need(file, &said, formatted("%s/lab/%s", build, id)); /* the stamp needs it */
        if (item && strcmp(item, "4") == 0)
            need(file, &said, formatted("%s/items4/%s", build, id));
        for (unsigned layout = 1; layout < cell->options.layouts && pooled; layout++)
            need(file, &said, formatted("%s/pool_layouts/%u/%s", build, layout, id));
    }
}

int needs_of_verb(FILE *file, const struct command_line *line, const char *build) {
    const bool lab = strcmp(line->verb->name, "lab") == 0;
    const struct catalogue catalogue = catalogue_open_described(build);
    catalogue_must_hold(&catalogue);
    for (size_t i = lab; i < line->words.count; i++) /* the first word is what the lab is to do */
        catalogue_must_find(&catalogue, line->words.at[i], false);
    const char *targets = lab ? "lab" : "gate_builds";
    if (line->words.count == lab)
        fprintf(file, "make\t%s\n", targets);
    for (size_t i = lab; i < line->words.count; i++)
        fprintf(file, "make\t%s/%s\n", targets, line->words.at[i]);
    return 0;
}
