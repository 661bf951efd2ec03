#include "harness/driver/plan/plan.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/places.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_cell(const struct planned_cell *cell, const char *machine, char *message) {
    static struct places places;
    const char *placement = plan_value(cell, "placement"), *memory = plan_value(cell, "memory");
    char nodes[64];
    if (!placement)
        return 0;
    int wrong = places_plan(&places, placement, cell->threads, machine, message);
    if (wrong != 0)
        return wrong;
    if (memory)
        wrong = places_memory_nodes(&places, memory, nodes, sizeof nodes, message);
    places_close(&places);
    return wrong;
}

void plan_place_text(const struct planned_cell *cell, const char *machine, char *text, size_t size) {
    static struct places places;
    const char *placement = plan_value(cell, "placement"), *memory = plan_value(cell, "memory");
    char message[MESSAGE_SIZE] = "", nodes[64] = "any";
    if (!placement || places_plan(&places, placement, cell->threads, machine, message) != 0) {
        snprintf(text, size, "(%s)", placement ? message : "nowhere in particular");
        return;
    }
    places_list(&places, text, size);
    const bool of_pool = plan_value(cell, "threads") && memory && strcmp(memory, "owner") == 0;
    const size_t used = strlen(text);
    if (memory && places_memory_nodes(&places, memory, nodes, sizeof nodes, message) != 0)
        snprintf(text, size, "(%s)", message);
    else if (used < size)
        snprintf(text + used, size - used, "%s%s%s", memory ? " memory " : "",
                 of_pool  ? "of each its own" /* a pool's workers */
                 : memory ? nodes
                          : "",
                 places.oversubscribed ? " oversubscribed" : "");
    places_close(&places);
}

static bool alike(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* Does the cell before ask for the same places? Most plans ask for only one kind. */
static bool asked_before(const struct planned_cell *cells, size_t index) {
    if (index == 0)
        return false;
    const struct planned_cell *cell = &cells[index], *before = cell - 1;
    return cell->threads == before->threads && alike(plan_value(cell, "placement"), plan_value(before, "placement")) &&
           alike(plan_value(cell, "memory"), plan_value(before, "memory"));
}

/* Why this machine cannot count what the cell asks for, or NULL. Asks once for each set. */
static const char *why_uncounted(const struct planned_cell *cell) {
    static struct words asked, answers;
    const char *counters = plan_value(cell, "counters"), *events = plan_value(cell, "events");
    size_t i = 0;
    if (!counters || !events)
        return NULL;
    const char *set =
        strcmp(events, "default") == 0 ? formatted("counters=%s", counters) : formatted("events=%s", events);
    while (i < asked.count && strcmp(asked.at[i], set) != 0)
        i++;
    if (i == asked.count) {
        const char *why = counters_refused(counters, events);
        words_add(&asked, set);
        words_add(&answers, why ? formatted("%s: %s", set, why) : "");
        if (why)
            fprintf(stderr, "not on this machine: %s\n", answers.at[i]);
    }
    return *answers.at[i] ? answers.at[i] : NULL;
}

void plan_check_counters(struct plan *plan, const struct suite *suite) {
    bool *keep = allocate(plan->cell_count, sizeof keep[0]);
    struct text tags = {0};
    size_t left_out = 0;
    const char *why = NULL;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const char *missing = why_uncounted(&plan->cells[i]);
        keep[i] = !missing;
        left_out += !keep[i];
        plan->uncounted |= keep[i] ? 0 : plan->cells[i].tags;
        why = missing ? missing : why;
    }
    for (size_t i = 0; i < suite->section_count; i++)
        if (plan->uncounted >> i & 1)
            text_format(&tags, " %s", suite->sections[i].tag);
    if (left_out == plan->cell_count)
        refuse(3, "this machine cannot count what the plan asks for (%.400s), and it asks for nothing else", why);
    if (left_out > 0)
        fprintf(stderr, "not on this machine: hardware counters: left out%s, %zu cells\n", text_string(&tags),
                left_out);
    plan_keep(plan, keep);
}

void plan_check_places(const struct plan *plan, bool strict, const char *machine) {
    char said[MESSAGE_SIZE] = "", message[MESSAGE_SIZE], has[256];
    if (machine && !places_machine(machine, has, sizeof has, message))
        refuse(2, "%s", message);
    if (plan->clipped > 0)
        fprintf(stderr, "not on %s machine: %lu threads; it has %u processors, and more threads are clipped to that\n",
                machine ? "that" : "this", plan->clipped, plan->processors);
    for (size_t i = 0; i < plan->cell_count; i++) {
        int wrong = asked_before(plan->cells, i) ? 0 : check_cell(&plan->cells[i], machine, message);
        if (wrong == EINVAL || (wrong == ENODEV && strict))
            refuse(2, "%s", message);
        if (wrong == ENODEV && strcmp(said, message) != 0) {
            fprintf(stderr, "not on %s machine: %s\n", machine ? "that" : "this", message);
            memcpy(said, message, sizeof said);
        }
    }
}
