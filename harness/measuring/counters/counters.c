#include "harness/measuring/counters/counters.h"
#include "harness/measuring/counters/counter_events.h"
#include "harness/measuring/counters/counters_papi.h"
#include "harness/measuring/power/power.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *const kernel_metrics[COUNTER_KERNEL][2] = {{"voluntary_context_switches", "switches"},
                                                              {"involuntary_context_switches", "switches"},
                                                              {"minor_page_faults", "faults"},
                                                              {"major_page_faults", "faults"}};

/* The state of the whole process, made by counters_open. */
static struct {
    bool hardware; /* PAPI counts; false: the kernel alone */
    bool chosen;   /* events chosen by name; false: the default ones */
    struct counter_events events;
    unsigned turn; /* the group that the first window of a set counts; each repetition starts with another group */
    pthread_key_t threads; /* runs forget_thread when a thread that counted ends */
    bool has_key;
} here;

/* The calling thread's sets, one per group. Each is made at the first window of its group. */
static _Thread_local struct {
    bool made[COUNTER_EVENTS_MAX];
    int set[COUNTER_EVENTS_MAX], failure[COUNTER_EVENTS_MAX];
} mine;

static void free_sets(void) {
    for (int group = 0; group < here.events.groups; group++)
        if (mine.made[group] && mine.failure[group] == 0)
            papi_set_free(mine.set[group]);
    memset(&mine, 0, sizeof mine);
}

static void forget_thread(void *unused) {
    (void)unused;
    free_sets();
    papi_thread_ends();
}

static void open_hardware(const char *events) {
    char why[MESSAGE_SIZE];
    int failure = papi_load(why);
    here.chosen = strcmp(events, "default") != 0;
    int of_kernel = failure; /* the kernel counts these events: in user mode alone they would read 0 */
    if (failure != 0)
        fprintf(stderr, "stealbench: counters=hardware: %s\n", why);
    else if ((of_kernel = papi_count_kernel(here.chosen && strstr(events, "perf::"))) != 0)
        failure = papi_count_kernel(false);
    if (here.chosen)
        counter_events_add_chosen(&here.events, events, failure, of_kernel);
    else
        counter_events_add_default(&here.events, failure);
    if (failure == 0)
        counter_events_group(&here.events);
    if (!here.has_key)
        here.has_key = pthread_key_create(&here.threads, forget_thread) == 0;
}

static const char *setting_or(const struct cell *cell, const char *name, const char *fallback) {
    const struct value *value = cell->settings ? settings_get(cell->settings, name) : NULL;
    return value ? value->text : fallback;
}

void counters_open(const struct cell *cell) {
    const char *counters = setting_or(cell, "counters", "none");
    here.hardware = false;
    here.events = (struct counter_events){.multiplexed = strcmp(counters, "hardware+multiplexed") == 0};
    here.turn = 0;
    if (strcmp(counters, "none") != 0) {
        here.hardware = true;
        open_hardware(setting_or(cell, "events", "default"));
        counter_events_say_failures(&here.events);
        if (here.events.groups > 1)
            cell_sample(cell, "process", 0, "counter_groups", here.events.groups, "groups", 0);
    }
}

/* --- windows */

static void read_kernel(uint64_t *kernel) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    kernel[0] = (uint64_t)usage.ru_nvcsw;
    kernel[1] = (uint64_t)usage.ru_nivcsw;
    kernel[2] = (uint64_t)usage.ru_minflt;
    kernel[3] = (uint64_t)usage.ru_majflt;
}

static void note_failure(struct counters *counters, int group, int failure) {
    for (size_t i = 0; i < here.events.count; i++)
        if (here.events.event[i].failure == 0 && here.events.event[i].group == group)
            counters->failure[i] = failure;
}

/* The calling thread's set of that group; made when first needed. */
static int my_set(int group, int *set) {
    if (!mine.made[group]) {
        const char *names[COUNTER_EVENTS_MAX];
        size_t places[COUNTER_EVENTS_MAX], at, count = counter_events_of(&here.events, group, names, places);
        long long values[COUNTER_EVENTS_MAX];
        mine.failure[group] = papi_set_make(names, count, here.events.multiplexed, &mine.set[group], &at);
        mine.made[group] = true;
        /* a dry run: else PAPI's start-up work would count as page faults of the measured work */
        if (mine.failure[group] == 0)
            mine.failure[group] = papi_set_start(mine.set[group]);
        if (mine.failure[group] == 0)
            mine.failure[group] = papi_set_stop(mine.set[group], values);
        if (here.has_key)
            pthread_setspecific(here.threads, &mine);
    }
    *set = mine.set[group];
    return mine.failure[group];
}

static void start_hardware(struct counters *counters) {
    int set, group = (int)((here.turn + counters->windows) % (unsigned)here.events.groups);
    int failure = my_set(group, &set);
    read_kernel(counters->kernel_before);
    if (failure == 0)
        failure = papi_set_start(set);
    counters->group = failure == 0 ? group : -1;
    if (failure != 0)
        note_failure(counters, group, failure);
}

static void stop_hardware(struct counters *counters) {
    long long values[COUNTER_EVENTS_MAX];
    const char *names[COUNTER_EVENTS_MAX];
    size_t places[COUNTER_EVENTS_MAX];
    int group = counters->group;
    if (group < 0)
        return;
    int failure = papi_set_stop(mine.set[group], values);
    if (failure != 0) {
        note_failure(counters, group, failure);
        return;
    }
    for (size_t i = 0, count = counter_events_of(&here.events, group, names, places); i < count; i++) {
        counters->count[places[i]] += (double)values[i];
        counters->counted[places[i]]++;
    }
}

void counters_start(struct counters *counters) {
    if (here.hardware && here.events.groups > 0)
        start_hardware(counters);
    else
        read_kernel(counters->kernel_before);
    counters->windows++;
}

void counters_stop(struct counters *counters) {
    uint64_t now[COUNTER_KERNEL];
    if (here.hardware && here.events.groups > 0)
        stop_hardware(counters);
    read_kernel(now);
    for (int i = 0; i < COUNTER_KERNEL; i++)
        counters->kernel[i] += now[i] - counters->kernel_before[i];
}

/* --- reports */

static void report_per_operation(const struct cell *cell, const char *role, unsigned repetition, const char *metric,
                                 const char *unit, double value, unsigned flags) {
    char name[COUNTER_NAME_SIZE + 32], per[64];
    snprintf(name, sizeof name, "%s_per_operation", metric);
    snprintf(per, sizeof per, "%s/operation", unit);
    cell_sample(cell, role, repetition, name, value, per, flags);
}

/* The sum of one event over the sets. */
struct sum {
    double count;
    uint64_t counted, windows;
    int failure;
};

static struct sum sum_of(const struct counters *sets, size_t threads, size_t event) {
    struct sum sum = {0};
    for (size_t i = 0; i < threads; i++) {
        sum.count += sets[i].count[event];
        sum.counted += sets[i].counted[event];
        sum.windows += sets[i].windows;
        if (sets[i].failure[event] != 0)
            sum.failure = sets[i].failure[event];
    }
    return sum;
}

/* Reports an event. A total that missed a window would be too small, so it is not reported. A value per operation comes
 * from the windows that were counted. */
static void report_event(const struct cell *cell, const char *role, unsigned repetition, struct counter_event *event,
                         const struct sum *sum, double operations) {
    unsigned flags = here.events.multiplexed ? SAMPLE_MULTIPLEXED : 0;
    int failure = event->failure ? event->failure : sum->failure;
    if (failure != 0) {
        cell_no_sample(cell, role, repetition, event->metric, event->unit,
                       "denied"); /* this machine lacks the event, or its kernel refuses it */
        event->told = true;
        return;
    }
    if (sum->counted == 0)
        return; /* not its turn yet; counters_close says so if its turn never came */
    event->counted = true;
    if (sum->counted == sum->windows)
        cell_sample(cell, role, repetition, event->metric, sum->count, event->unit, flags);
    if (operations > 0) {
        double seen = operations * (double)sum->counted / (double)sum->windows;
        report_per_operation(cell, role, repetition, event->metric, event->unit, sum->count / seen, flags);
    }
}

static void report_hardware(const struct cell *cell, const char *role, unsigned repetition, const struct counters *sets,
                            size_t threads, double operations) {
    struct sum sums[COUNTER_EVENTS_MAX];
    for (size_t i = 0; i < here.events.count; i++) {
        sums[i] = sum_of(sets, threads, i);
        report_event(cell, role, repetition, &here.events.event[i], &sums[i], operations);
    }
    if (here.chosen)
        return;
    const struct sum *instructions = &sums[COUNTER_INSTRUCTIONS], *cycles = &sums[COUNTER_CYCLES];
    if (here.events.event[COUNTER_CYCLES].failure || here.events.event[COUNTER_INSTRUCTIONS].failure ||
        cycles->failure || instructions->failure)
        cell_no_sample(cell, role, repetition, "instructions_per_cycle", "instructions/cycle", "denied");
    else if (cycles->counted == instructions->counted && cycles->count > 0)
        cell_sample(cell, role, repetition, "instructions_per_cycle", instructions->count / cycles->count,
                    "instructions/cycle", here.events.multiplexed ? SAMPLE_MULTIPLEXED : 0);
}

void counters_report(const struct cell *cell, const char *role, unsigned repetition, const struct counters *sets,
                     size_t threads, double operations) {
    here.turn = repetition + 1;
    if (here.hardware)
        report_hardware(cell, role, repetition, sets, threads, operations);
    for (int i = 0; i < COUNTER_KERNEL; i++) {
        double sum = 0;
        for (size_t thread = 0; thread < threads; thread++)
            sum += (double)sets[thread].kernel[i];
        cell_sample(cell, role, repetition, kernel_metrics[i][0], sum, kernel_metrics[i][1], 0);
    }
}

/* Reports the frequency of the main thread's processor right after the work, while it is still warm. */
static void report_frequency(const struct cell *cell) {
    double hertz = 0;
    const int processor = sched_getcpu();
    const enum power_status status = processor < 0 ? POWER_DENIED : power_frequency(NULL, (unsigned)processor, &hertz);
    if (status == POWER_OK)
        cell_sample(cell, "process", 0, "processor_frequency", hertz, "Hz", 0);
    else if (status == POWER_DENIED)
        cell_no_sample(cell, "process", 0, "processor_frequency", "Hz", power_status_word(status));
}

void counters_close(const struct cell *cell) {
    report_frequency(cell);
    for (size_t i = 0; i < here.events.count && here.hardware; i++) {
        struct counter_event *event = &here.events.event[i];
        if (event->counted || event->told)
            continue;
        if (event->failure == 0)
            fprintf(stderr, "stealbench: counters=hardware: %s: no window counted it; %d groups take turns\n",
                    event->metric, here.events.groups);
        cell_no_sample(cell, "process", 0, event->metric, event->unit, "denied");
    }
    free_sets();
    here.hardware = false;
}
