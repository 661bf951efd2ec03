/* plan_places.c: checks what a plan asks of the machine before anything runs. */
#pragma once

#include "harness/driver/plan/cells.c"
#include "harness/measuring/counters.h"

/* The machine that is planned for, from --topology (places_plan); NULL: this one. */
const char *plan_for;

/* Its facts. Refuses a machine that cannot be read. */
struct places_facts plan_machine(void) {
    struct places_facts facts;
    char message[MESSAGE_SIZE];
    if (!places_find_facts(plan_for, &facts, message))
        refuse(plan_for ? 2 : 3, "%s", message);
    return facts;
}

/* Where a placement puts so many threads and their deque's memory. */
struct placed {
    const char *key;
    int wrong;           /* as places_plan returns it */
    const char *message; /* why it cannot be; else "" */
    const char *processors, *nodes;
    bool oversubscribed;
};

static struct placed find_places(const char *placement, const char *memory, unsigned threads) {
    static struct places places;
    struct placed placed = {.message = "", .processors = "", .nodes = "any"};
    char message[MESSAGE_SIZE], list[8192], nodes[64];
    placed.wrong = places_plan(&places, placement, threads, plan_for, message);
    if (placed.wrong == 0) {
        places_list(&places, list, sizeof list);
        placed.processors = duplicate(list);
        placed.oversubscribed = places.oversubscribed;
        placed.wrong = memory ? places_memory_nodes(&places, memory, nodes, sizeof nodes, message) : 0;
        placed.nodes = placed.wrong ? "" : memory ? duplicate(nodes) : "any";
        places_close(&places);
    }
    placed.message = placed.wrong ? duplicate(message) : "";
    return placed;
}

/* The same for a cell, which has a placement; asks once for all cells that are alike in this. */
static const struct placed *places_of(const struct planned_cell *cell, const char *placement) {
    static LIST(struct placed) known;
    const char *memory = plan_value(cell, "memory");
    const char *key = formatted("%s %u %s", placement, cell->threads, memory ? memory : "");
    foreach (one, known)
        if (same(one->key, key))
            return one;
    struct placed *placed = ONE_MORE(known);
    *placed = find_places(placement, memory, cell->threads);
    placed->key = key;
    return placed;
}

/* Would the cell have the same processors at that placement? Asks once for each placement and number of threads. */
bool plan_same_places(const struct planned_cell *cell, const char *placement) {
    const struct placed here = *places_of(cell, plan_value(cell, "placement"));
    const struct placed *there = places_of(cell, placement);
    return !here.wrong && !there->wrong && same(here.processors, there->processors);
}

/* Where the cell would put its threads and its deque's memory: "0-31 memory 0"; or, in brackets, why it cannot. */
const char *plan_place_text(const struct planned_cell *cell) {
    const char *placement = plan_value(cell, "placement"), *memory = plan_value(cell, "memory");
    if (!placement)
        return "(nowhere in particular)";
    const struct placed *placed = places_of(cell, placement);
    if (placed->wrong)
        return formatted("(%s)", placed->message);
    const bool of_pool = plan_value(cell, "threads") && memory && same(memory, "owner");
    return formatted("%s%s%s%s", placed->processors, memory ? " memory " : "",
                     of_pool  ? "beside each" /* worker of a pool */
                     : memory ? placed->nodes
                              : "",
                     placed->oversubscribed ? " oversubscribed" : "");
}

/* Why this machine cannot count what the cell asks for, or NULL. Asks once for each set. */
static const char *why_uncounted(const struct planned_cell *cell) {
    static struct words asked, answers;
    const char *counters = plan_value(cell, "counters"), *events = plan_value(cell, "events");
    if (!counters || !events)
        return NULL;
    const char *set = same(events, "default") ? formatted("counters=%s", counters) : formatted("events=%s", events);
    size_t i = 0;
    while (i < asked.count && !same(asked.at[i], set))
        i++;
    if (i == asked.count) {
        const bool lacks = same(set, "counters=remote") && plan_machine().sockets < 2;
        const char *why = lacks ? "one socket has no remote memory" : counters_refused(counters, events);
        words_add(&asked, set);
        words_add(&answers, why ? formatted("%s: %s", set, why) : "");
        if (why)
            fprintf(stderr, "not on this machine: %s\n", answers.at[i]);
    }
    return *answers.at[i] ? answers.at[i] : NULL;
}

/* Leaves out the cells whose counters or events this machine cannot count together, and says so once for each set. */
void plan_check_counters(struct plan *plan) {
    struct words tags = {0};
    size_t left_out = 0;
    const char *why = NULL;
    foreach (cell, plan->cells) {
        const char *missing = why_uncounted(cell);
        cell->dropped = missing;
        left_out += cell->dropped;
        why = missing ? missing : why;
        for (size_t j = 0; j < cell->tags.count && missing; j++)
            words_add_once(&tags, cell->tags.at[j]);
    }
    words_add_all(&plan->denied, tags);
    if (left_out == plan->cells.count)
        refuse(3, "this machine cannot count what the plan asks for (%.400s), and it asks for nothing else", why);
    if (left_out > 0)
        fprintf(stderr, "not on this machine: hardware counters: left out %s, %s\n", joined(tags, " "),
                counted(left_out, "cell"));
    plan_drop(plan);
}

/* Says what kinds of cores the machine has, and what its memory does not hold. Refuses a placement that makes no sense.
 * A placement that this machine lacks is refused if the command line asked for it (strict). If a suite asked for it, a
 * message says so, and the cells report that they were denied. */
void plan_check_places(const struct plan *plan, bool strict) {
    struct words said = {0};
    const char *which = plan_for ? "that" : "this";
    const struct places_facts facts = plan_machine();
    if (*facts.kinds)
        fprintf(stderr, "kinds of cores on %s machine: %s; cells use the first kind, except with placement=mixed\n",
                which, facts.kinds);
    if (plan->denied.count > 0)
        fprintf(stderr, "not on %s machine: so much memory: left out %s\n", which, joined(plan->denied, " "));
    foreach (cell, plan->cells) {
        const char *placement = plan_value(cell, "placement");
        const struct placed *placed = placement ? places_of(cell, placement) : NULL;
        if (!placed || !placed->wrong)
            continue;
        if (placed->wrong == EINVAL || (placed->wrong == ENODEV && strict))
            refuse(2, "%s", placed->message);
        if (placed->wrong == ENODEV && words_add_once(&said, placed->message))
            fprintf(stderr, "not on %s machine: %s\n", which, placed->message);
    }
}
