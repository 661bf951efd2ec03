#include "harness/measuring/counters/counter_events.h"
#include "harness/measuring/cell/parameters.h"
#include "harness/measuring/counters/counters_papi.h"
#include <stdio.h>
#include <string.h>

#define CANDIDATES_MAX 5

/* A metric and the events that measure it; the first event that the processor has is used. */
struct hardware_metric {
    const char *metric, *unit;
    const char *events[CANDIDATES_MAX];
};

/* cache_references, cache_misses: what `perf stat` shows under these names. The kernel chooses the event for each
 * processor: the third level on Intel, the second on Zen. modified_lines_taken: loads that found their line modified in
 * another core's cache of the same socket. Only Intel distinguishes these from other hits; since Ice Lake the event is
 * called XSNP_FWD. Instructions and cycles are next to each other, so that their ratio comes from the same windows. */
static const struct hardware_metric hardware_metrics[] = {
    {"instructions", "instructions", {"PAPI_TOT_INS"}},
    {"cycles", "cycles", {"PAPI_TOT_CYC"}},
    {"l1_data_misses", "misses", {"PAPI_L1_DCM"}},
    {"l2_misses", "misses", {"PAPI_L2_TCM", "PAPI_L2_DCM"}},
    {"l3_references", "references", {"PAPI_L3_TCA"}},
    {"l3_misses", "misses", {"PAPI_L3_TCM"}},
    {"tlb_misses", "misses", {"PAPI_TLB_DM"}},
    {"branch_misses", "misses", {"PAPI_BR_MSP"}},
    {"modified_lines_taken",
     "lines",
     {"MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", "MEM_LOAD_L3_HIT_RETIRED:XSNP_FWD", "MEM_LOAD_UOPS_L3_HIT_RETIRED:XSNP_HITM",
      "MEM_LOAD_UOPS_LLC_HIT_RETIRED:XSNP_HITM"}},
    {"cache_references", "references", {"perf::CACHE-REFERENCES"}},
    {"cache_misses", "misses", {"perf::CACHE-MISSES"}},
};
#define HARDWARE_METRICS (sizeof hardware_metrics / sizeof hardware_metrics[0])

size_t counter_events_of(const struct counter_events *events, int group, const char **names, size_t *places) {
    size_t count = 0;
    for (size_t i = 0; i < events->count; i++) {
        if (events->event[i].failure != 0 || events->event[i].group != group)
            continue;
        places[count] = i;
        names[count++] = events->event[i].name;
    }
    return count;
}

/* Can the calling thread count these events together? Counts for a moment, because some conflicts only show then. */
static int try_names(const struct counter_events *events, const char *const *names, size_t count) {
    long long values[COUNTER_EVENTS_MAX];
    size_t at;
    int set, result = papi_set_make(names, count, events->multiplexed, &set, &at);
    if (result != 0)
        return result;
    result = papi_set_start(set);
    if (result == 0)
        result = papi_set_stop(set, values);
    papi_set_free(set);
    return result;
}

/* Adds a metric by the first of its candidates that the processor has. If it has none, keeps the first one's failure.
 */
static void add_event(struct counter_events *events, const char *metric, const char *unit,
                      const char *const *candidates, size_t count, int failure) {
    struct counter_event *event = &events->event[events->count++];
    const char *chosen = candidates[0];
    *event = (struct counter_event){.unit = unit, .failure = failure, .group = -1};
    for (size_t i = 0; failure == 0 && i < count && candidates[i]; i++) {
        int result = try_names(events, &candidates[i], 1);
        if (i == 0 || result == 0)
            event->failure = result;
        if (result == 0) {
            chosen = candidates[i];
            break;
        }
    }
    snprintf(event->metric, sizeof event->metric, "%s", metric);
    snprintf(event->name, sizeof event->name, "%s", chosen);
}

void counter_events_add_default(struct counter_events *events, int failure) {
    for (size_t i = 0; i < HARDWARE_METRICS; i++)
        add_event(events, hardware_metrics[i].metric, hardware_metrics[i].unit, hardware_metrics[i].events,
                  CANDIDATES_MAX, failure);
}

void counter_events_add_chosen(struct counter_events *events, const char *list, int failure, int of_kernel) {
    char copy[COUNTER_NAME_SIZE], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *name = strtok_r(copy, "+", &rest); name && events->count < COUNTER_EVENTS_MAX;
         name = strtok_r(NULL, "+", &rest)) {
        const char *only = name;
        add_event(events, name, "events", &only, 1, strncmp(name, "perf::", 6) == 0 ? of_kernel : failure);
    }
}

/* Does the event fit into the group? The group may be a new one. */
static bool joins(struct counter_events *events, struct counter_event *event, int group) {
    const char *names[COUNTER_EVENTS_MAX];
    size_t places[COUNTER_EVENTS_MAX];
    event->group = group;
    size_t count = counter_events_of(events, group, names, places);
    int failure = count == 1 ? 0 : try_names(events, names, count);
    if (failure == 0)
        return true;
    event->group = -1;
    if (!papi_is_conflict(failure))
        event->failure = failure;
    return false;
}

void counter_events_group(struct counter_events *events) {
    for (size_t i = 0; i < events->count; i++) {
        struct counter_event *event = &events->event[i];
        for (int group = 0; event->failure == 0 && event->group < 0; group++)
            if (joins(events, event, group) && group == events->groups)
                events->groups++;
    }
}

void counter_events_say_failures(const struct counter_events *events) {
    const char *disabled = papi_disabled();
    for (size_t i = 0; i < events->count; i++) {
        int failure = events->event[i].failure;
        bool said = failure == 0 || failure == PAPI_NOT_THERE;
        for (size_t j = 0; j < i && !said; j++)
            said = events->event[j].failure == failure;
        if (said)
            continue;
        fprintf(stderr, "stealbench: counters=hardware: %s (PAPI's code %d)%s%s:", papi_words(failure), failure,
                disabled ? "; " : "", disabled ? disabled : "");
        for (size_t j = i; j < events->count; j++)
            if (events->event[j].failure == failure)
                fprintf(stderr, " %s", events->event[j].name);
        fprintf(stderr, "\n");
    }
}

/* "available", and which events are missing. */
static void describe_events(const struct counter_events *events, char *text, size_t size) {
    size_t missing = 0, used = (size_t)snprintf(text, size, "available");
    for (size_t i = 0; i < events->count && used < size; i++)
        if (events->event[i].failure != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", missing++ ? ", " : ", without ",
                                     events->event[i].metric);
    if (missing < events->count)
        return;
    const char *disabled = papi_disabled();
    snprintf(text, size, "it is there but counts nothing here: %s",
             disabled ? disabled : papi_words(events->event[0].failure));
}

const char *counters_papi(void) {
    static char text[MESSAGE_SIZE];
    struct counter_events events = {0};
    char why[MESSAGE_SIZE];
    if (*text)
        return text;
    if (papi_load(why) != 0) {
        snprintf(text, sizeof text, "%.500s", why);
        return text;
    }
    papi_count_kernel(false);
    counter_events_add_default(&events, 0);
    describe_events(&events, text, sizeof text);
    return text;
}
