#include "harness/driver/plan/plan.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/places.h"

/* Where a placement puts so many threads and their deque's memory. */
struct placed {
    const char *key;
    int wrong;           /* as places_plan returns it */
    const char *message; /* why it cannot be; else "" */
    const char *processors, *nodes;
    bool oversubscribed;
};

static struct placed find_places(const char *placement, const char *memory, unsigned threads, const char *machine) {
    static struct places places;
    struct placed placed = {.message = "", .processors = "", .nodes = "any"};
    char message[MESSAGE_SIZE], list[8192], nodes[64];
    placed.wrong = places_plan(&places, placement, threads, machine, message);
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
static const struct placed *places_of(const struct planned_cell *cell, const char *placement, const char *machine) {
    static struct placed *known;
    static size_t count;
    const char *memory = plan_value(cell, "memory");
    const char *key = formatted("%s %u %s %s", placement, cell->threads, memory ? memory : "", machine ? machine : "");
    for (size_t i = count; i-- > 0;)
        if (strcmp(known[i].key, key) == 0)
            return &known[i];
    const size_t place = ONE_MORE(known, count);
    known[place] = find_places(placement, memory, cell->threads, machine);
    known[place].key = key;
    return &known[place];
}

bool plan_same_places(const struct planned_cell *cell, const char *placement, const char *machine) {
    const struct placed here = *places_of(cell, plan_value(cell, "placement"), machine);
    const struct placed *there = places_of(cell, placement, machine);
    return !here.wrong && !there->wrong && strcmp(here.processors, there->processors) == 0;
}

const char *plan_place_text(const struct planned_cell *cell, const char *machine) {
    const char *placement = plan_value(cell, "placement"), *memory = plan_value(cell, "memory");
    if (!placement)
        return "(nowhere in particular)";
    const struct placed *placed = places_of(cell, placement, machine);
    if (placed->wrong)
        return formatted("(%s)", placed->message);
    const bool of_pool = plan_value(cell, "threads") && memory && strcmp(memory, "owner") == 0;
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
    size_t i = 0;
    if (!counters || !events)
        return NULL;
    const char *set =
        strcmp(events, "default") == 0 ? formatted("counters=%s", counters) : formatted("events=%s", events);
    while (i < asked.count && strcmp(asked.at[i], set) != 0)
        i++;
    if (i == asked.count) {
        struct places_facts facts;
        char message[MESSAGE_SIZE];
        const bool one = places_find_facts(NULL, &facts, message) && facts.sockets < 2;
        const char *why = one && strcmp(set, "counters=remote") == 0 ? "one socket has no remote memory"
                                                                     : counters_refused(counters, events);
        words_add(&asked, set);
        words_add(&answers, why ? formatted("%s: %s", set, why) : "");
        if (why)
            fprintf(stderr, "not on this machine: %s\n", answers.at[i]);
    }
    return *answers.at[i] ? answers.at[i] : NULL;
}

/* " fig6 fig7" */
static const char *told(const struct words *tags) {
    struct text text = {0};
    for (size_t i = 0; i < tags->count; i++)
        text_format(&text, " %s", tags->at[i]);
    return text_string(&text);
}

void plan_check_counters(struct plan *plan) {
    bool *keep = allocate(plan->cell_count, sizeof keep[0]);
    struct words tags = {0};
    size_t left_out = 0;
    const char *why = NULL;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const char *missing = why_uncounted(cell);
        keep[i] = !missing;
        left_out += !keep[i];
        why = missing ? missing : why;
        for (size_t j = 0; j < cell->tags.count && missing; j++)
            words_add_once(&tags, cell->tags.at[j]);
    }
    words_add_all(&plan->denied, &tags);
    if (left_out == plan->cell_count)
        refuse(3, "this machine cannot count what the plan asks for (%.400s), and it asks for nothing else", why);
    if (left_out > 0)
        fprintf(stderr, "not on this machine: hardware counters: left out%s, %s\n", told(&tags),
                counted(left_out, "cell"));
    plan_keep(plan, keep);
}

void plan_check_places(const struct plan *plan, bool strict, const char *machine) {
    struct words said = {0};
    char message[MESSAGE_SIZE];
    const char *which = machine ? "that" : "this";
    struct places_facts facts;
    if (places_find_facts(machine, &facts, message) && *facts.kinds)
        fprintf(stderr, "kinds of cores on %s machine: %s; cells use the first kind, except with placement=mixed\n",
                which, facts.kinds);
    if (plan->denied.count > 0)
        fprintf(stderr, "not on %s machine: so much memory: left out%s\n", which, told(&plan->denied));
    for (size_t i = 0; i < plan->cell_count; i++) {
        const char *placement = plan_value(&plan->cells[i], "placement");
        const struct placed *placed = placement ? places_of(&plan->cells[i], placement, machine) : NULL;
        if (!placed || !placed->wrong)
            continue;
        if (placed->wrong == EINVAL || (placed->wrong == ENODEV && strict))
            refuse(2, "%s", placed->message);
        if (placed->wrong == ENODEV && !words_have(&said, placed->message)) {
            fprintf(stderr, "not on %s machine: %s\n", which, placed->message);
            words_add(&said, placed->message);
        }
    }
}
