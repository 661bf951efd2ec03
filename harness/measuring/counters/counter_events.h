/* counter_events.h: the events that PAPI can count here, their names, and their groups. For counters.c. */
#ifndef STEALBENCH_COUNTER_EVENTS_H
#define STEALBENCH_COUNTER_EVENTS_H

#include "harness/measuring/counters/counters.h"

#define COUNTER_NAME_SIZE 96

struct counter_event {
    char metric[COUNTER_NAME_SIZE], name[COUNTER_NAME_SIZE]; /* ours; PAPI's */
    const char *unit;
    int failure;        /* PAPI's code for why no thread can count it, or 0 */
    int group;          /* counted together with the other events of that group */
    bool counted, told; /* set by a report: the event got a value, or a status */
};

struct counter_events {
    struct counter_event event[COUNTER_EVENTS_MAX];
    size_t count;
    int groups;
    bool multiplexed;
};

/* The first two default metrics; their ratio is a metric, too. */
enum { COUNTER_INSTRUCTIONS, COUNTER_CYCLES };

/* Main thread. Adds the default metrics, or events by PAPI's names joined by +. failure: 0, or why there is no PAPI;
 * of_kernel: the same for the kernel's own events (perf::...). */
void counter_events_add_default(struct counter_events *, int failure);
void counter_events_add_chosen(struct counter_events *, const char *list, int failure, int of_kernel);

/* Main thread. Puts each event into the first group that has room for it. */
void counter_events_group(struct counter_events *);

/* Says on standard error, once for each reason, which events cannot be counted. */
void counter_events_say_failures(const struct counter_events *);

/* The names of a group's events and their indices among all; returns how many. */
size_t counter_events_of(const struct counter_events *, int group, const char **names, size_t *places);

#endif
