#include "harness/measuring/counters.h"
#include "harness/measuring/counters_papi.h"
#include "harness/measuring/parameters.h"
#include "harness/measuring/power.h"
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

/* The named sets. The rows of a set and kind of processor stand together. The first kind whose events PAPI all knows is
 * the one at hand; "others" is the last. The file is C's and a spreadsheet's alike: its texts are in quotation marks,
 * and a comma ends each line. */
enum column { SET, PROCESSORS, METRIC, UNIT, EVENT, NOTHING };
static const char *const cells[] = {
#include "harness/measuring/counter_sets.csv"
};
#define ROWS (sizeof cells / sizeof cells[0] / NOTHING)
#define HEADING 1

static const char *row(size_t number, enum column column) { return cells[number * NOTHING + column]; }

/* What is counted; made by counters_open. */
static struct {
    struct counter_event {
        const char *metric, *unit, *name; /* the last: PAPI's */
        int failure;                      /* PAPI's code for why it cannot be counted, or 0 */
        bool never_zero;                  /* instructions, cycles: 0 means that nothing was counted */
        bool told;                        /* it has a value or a status */
    } event[COUNTER_EVENTS_MAX];
    size_t count;
    int failure;            /* of the set as a whole, or 0 */
    char why[VALUE_SIZE];   /* what cannot be counted and why, or "" */
    char names[VALUE_SIZE]; /* of events of one's own */
    pthread_key_t threads;  /* runs forget_thread when a thread that counted ends */
    bool has_key;
} here;

/* The calling thread's set. It is made at its first window. */
static _Thread_local struct {
    bool made;
    int set, failure;
} mine;

static void free_set(void) {
    if (mine.made && mine.failure == 0)
        papi_set_free(mine.set);
    mine.made = false;
}

static void forget_thread(void *unused) {
    (void)unused;
    free_set();
    papi_thread_ends();
}

/* --- which events */

static void cannot(int failure, const char *what, const char *why) {
    const size_t used = strlen(here.why);
    snprintf(here.why + used, sizeof here.why - used, "%s%s: %s", used ? "; " : "", what, why);
    here.failure = failure;
}

static void add_event(const char *metric, const char *unit, const char *name) {
    here.event[here.count++] = (struct counter_event){.metric = metric, .unit = unit, .name = name};
}

static size_t index_of(const char *metric) {
    size_t i = 0;
    while (i < here.count && strcmp(here.event[i].metric, metric) != 0)
        i++;
    return i;
}

/* The names of the events that can be counted; returns how many. */
static size_t names_of(const char **names) {
    size_t count = 0;
    for (size_t i = 0; i < here.count; i++)
        if (here.event[i].failure == 0)
            names[count++] = here.event[i].name;
    return count;
}

static bool papi_knows_all(size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (!papi_knows(row(i, EVENT)))
            return false;
    return true;
}

static bool alike(size_t a, size_t b) {
    return strcmp(row(a, SET), row(b, SET)) == 0 && strcmp(row(a, PROCESSORS), row(b, PROCESSORS)) == 0;
}

/* The set's events on the processor at hand. */
static void add_named(const char *name) {
    size_t first = 0, end = 0;
    for (size_t i = HEADING; i < ROWS && (end == 0 || !papi_knows_all(first, end)); i++) {
        if (strcmp(row(i, SET), name) != 0 || (end > 0 && alike(i, first)))
            continue;
        for (first = end = i; end < ROWS && alike(end, first);)
            end++;
    }
    for (size_t i = first; i < end; i++)
        add_event(row(i, METRIC), row(i, UNIT), row(i, EVENT));
}

static void add_chosen(const char *events) {
    char *rest = NULL;
    snprintf(here.names, sizeof here.names, "%s", events);
    for (char *name = strtok_r(here.names, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        if (here.count == COUNTER_EVENTS_MAX) {
            cannot(PAPI_NO_FIT, name, "a set has at most 16 events");
            return;
        }
        if (index_of(name) < here.count)
            cannot(PAPI_NO_FIT, name, "is there twice");
        add_event(name, "events", name);
    }
}

static void mark_never_zero(struct counter_event *event) {
    for (size_t i = HEADING; i < ROWS && !event->never_zero; i++)
        event->never_zero = strcmp(row(i, EVENT), event->name) == 0 &&
                            (strcmp(row(i, METRIC), "instructions") == 0 || strcmp(row(i, METRIC), "cycles") == 0);
}

/* Can the calling thread count these events together? Counts for a moment, because some conflicts only show then. */
static int try_names(const char *const *names, size_t count, long long *values) {
    int set, result = papi_set_make(names, count, &set);
    if (result != 0)
        return result;
    result = papi_set_start(set);
    if (result == 0)
        result = papi_set_stop(set, values);
    papi_set_free(set);
    return result;
}

/* Tries each event alone, then more and more of them together. */
static void try_events(void) {
    const char *names[COUNTER_EVENTS_MAX];
    long long values[COUNTER_EVENTS_MAX];
    for (size_t i = 0; i < here.count; i++) {
        struct counter_event *event = &here.event[i];
        mark_never_zero(event);
        event->failure = try_names(&event->name, 1, values);
        if (event->failure == 0 && event->never_zero && values[0] == 0)
            event->failure = PAPI_READ_ZERO;
        if (event->failure != 0)
            cannot(event->failure == PAPI_READ_ZERO ? PAPI_READ_ZERO : here.failure, event->name,
                   papi_words(event->failure));
    }
    const size_t count = names_of(names);
    if (count == 0)
        here.failure = here.event[0].failure;
    for (size_t some = 2; some <= count && here.failure == 0; some++)
        if (try_names(names, some, values) != 0)
            cannot(PAPI_NO_FIT, names[some - 1], "does not fit into the processor's counters beside those before it");
    if (here.failure != 0 && papi_disabled())
        cannot(here.failure, "PAPI", papi_disabled());
}

/* Prepares the set. No set: nothing is counted but what the kernel always counts. */
static void open_set(const char *name, const char *events) {
    const bool named = strcmp(name, "none") != 0, chosen = strcmp(events, "default") != 0;
    char why[MESSAGE_SIZE];
    here.count = 0;
    here.failure = 0;
    here.why[0] = '\0';
    if (!named && !chosen)
        return;
    int failure = papi_load(why);
    if (failure != 0)
        cannot(failure, "PAPI", why);
    else if ((failure = papi_count_kernel(chosen && strstr(events, "perf::"))) != 0)
        cannot(failure, "perf::", papi_words(failure)); /* in user mode alone the kernel's own events would read 0 */
    if (named && chosen)
        cannot(PAPI_NO_FIT, "events", "a set of its own, counters=none");
    if (chosen)
        add_chosen(events);
    else
        add_named(name);
    if (here.failure == 0)
        try_events();
}

const char *counters_refused(const char *name, const char *events) {
    open_set(name, events);
    here.count = 0;
    const bool in_part = strcmp(events, "default") == 0 && here.failure == 0;
    return here.why[0] && !in_part ? here.why : NULL;
}

const char *counters_papi(void) {
    static char text[2 * MESSAGE_SIZE];
    size_t refused = 0, sets = 0, used = (size_t)snprintf(text, sizeof text, "available");
    for (size_t i = HEADING; i < ROWS; i++) {
        if (strcmp(row(i, SET), row(i - 1, SET)) == 0)
            continue;
        sets++;
        if (counters_refused(row(i, SET), "default"))
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", refused++ ? ", " : ", without ", row(i, SET));
    }
    if (refused == sets)
        snprintf(text, sizeof text, "%.900s", here.why);
    return text;
}

static const char *setting_or(const struct cell *cell, const char *name, const char *fallback) {
    const struct value *value = cell->settings ? settings_get(cell->settings, name) : NULL;
    return value ? value->text : fallback;
}

void counters_open(const struct cell *cell) {
    const char *counters = setting_or(cell, "counters", "none"), *events = setting_or(cell, "events", "default");
    open_set(counters, events);
    if (here.why[0])
        fprintf(stderr, "stealbench: counters=%s events=%s: %s\n", counters, events, here.why);
    if (!here.has_key)
        here.has_key = pthread_key_create(&here.threads, forget_thread) == 0;
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

/* Makes the calling thread's set when it is first needed. */
static int make_mine(void) {
    if (mine.made)
        return mine.failure;
    const char *names[COUNTER_EVENTS_MAX];
    long long values[COUNTER_EVENTS_MAX];
    mine.failure = papi_set_make(names, names_of(names), &mine.set);
    mine.made = true;
    /* a dry run: else PAPI's start-up work would count as page faults of the measured work */
    if (mine.failure == 0)
        mine.failure = papi_set_start(mine.set);
    if (mine.failure == 0)
        mine.failure = papi_set_stop(mine.set, values);
    if (here.has_key)
        pthread_setspecific(here.threads, &mine);
    return mine.failure;
}

/* Adds a window's values. A window without instructions was not counted. */
static void take(struct counters *counters, const long long *values) {
    for (size_t i = 0; i < here.count; i++) {
        if (here.event[i].failure != 0)
            continue;
        if (here.event[i].never_zero && *values == 0)
            counters->failure = PAPI_READ_ZERO;
        counters->count[i] += (double)*values++;
    }
}

static bool counts(const struct counters *counters) {
    return here.count > 0 && here.failure == 0 && counters->failure == 0;
}

void counters_start(struct counters *counters) {
    if (counts(counters))
        counters->failure = make_mine();
    read_kernel(counters->kernel_before);
    if (counts(counters))
        counters->failure = papi_set_start(mine.set);
}

void counters_stop(struct counters *counters) {
    uint64_t now[COUNTER_KERNEL];
    long long values[COUNTER_EVENTS_MAX];
    if (counts(counters)) {
        counters->failure = papi_set_stop(mine.set, values);
        if (counters->failure == 0)
            take(counters, values);
    }
    read_kernel(now);
    for (int i = 0; i < COUNTER_KERNEL; i++)
        counters->kernel[i] += now[i] - counters->kernel_before[i];
}

/* --- reports */

static void report_event(const struct cell *cell, const char *role, unsigned repetition,
                         const struct counter_event *event, double sum, double operations) {
    char name[VALUE_SIZE + 32], per[64];
    cell_sample(cell, role, repetition, event->metric, sum, event->unit, 0);
    if (operations <= 0)
        return;
    snprintf(name, sizeof name, "%s_per_operation", event->metric);
    snprintf(per, sizeof per, "%s/operation", event->unit);
    cell_sample(cell, role, repetition, name, sum / operations, per, 0);
}

static void report_ratio(const struct cell *cell, const char *role, unsigned repetition, const double *sums,
                         bool counted) {
    const size_t instructions = index_of("instructions"), cycles = index_of("cycles");
    static const char metric[] = "instructions_per_cycle", unit[] = "instructions/cycle";
    if (instructions == here.count || cycles == here.count)
        return;
    if (counted && here.event[instructions].failure == 0 && here.event[cycles].failure == 0)
        cell_sample(cell, role, repetition, metric, sums[instructions] / sums[cycles], unit, 0);
    else
        cell_no_sample(cell, role, repetition, metric, unit, "denied");
}

static void report_events(const struct cell *cell, const char *role, unsigned repetition,
                          const struct counters *counters, double operations) {
    const double *sums = counters->count;
    int failure = counters->failure;
    for (size_t i = 0; i < here.count && failure == 0; i++)
        if (here.event[i].never_zero && here.event[i].failure == 0 && here.failure == 0 && sums[i] <= 0)
            failure = PAPI_READ_ZERO; /* not one window */
    if (failure != 0)
        fprintf(stderr, "stealbench: counters of the %s: %s\n", role, papi_words(failure));
    const bool counted = here.failure == 0 && failure == 0;
    for (size_t i = 0; i < here.count; i++) {
        struct counter_event *event = &here.event[i];
        event->told = true;
        if (counted && event->failure == 0)
            report_event(cell, role, repetition, event, sums[i], operations);
        else
            cell_no_sample(cell, role, repetition, event->metric, event->unit, "denied");
    }
    report_ratio(cell, role, repetition, sums, counted);
}

void counters_add(struct counters *sum, const struct counters *one) {
    sum->failure = sum->failure ? sum->failure : one->failure;
    for (size_t i = 0; i < COUNTER_EVENTS_MAX; i++)
        sum->count[i] += one->count[i];
    for (int i = 0; i < COUNTER_KERNEL; i++)
        sum->kernel[i] += one->kernel[i];
}

void counters_report(const struct cell *cell, const char *role, unsigned repetition, const struct counters *counters,
                     double operations) {
    report_events(cell, role, repetition, counters, operations);
    for (int i = 0; i < COUNTER_KERNEL; i++)
        cell_sample(cell, role, repetition, kernel_metrics[i][0], (double)counters->kernel[i], kernel_metrics[i][1], 0);
}

/* Reports the frequency of the main thread's processor right after the work, while it is still warm. */
static void report_frequency(const struct cell *cell) {
    double hertz = 0;
    const int processor = sched_getcpu();
    const enum power_status status = processor < 0 ? POWER_DENIED : power_frequency((unsigned)processor, &hertz);
    if (status == POWER_OK)
        cell_sample(cell, "process", 0, "processor_frequency", hertz, "Hz", 0);
    else if (status == POWER_DENIED)
        cell_no_sample(cell, "process", 0, "processor_frequency", "Hz", power_status_word(status));
}

void counters_close(const struct cell *cell) {
    report_frequency(cell);
    for (size_t i = 0; i < here.count; i++)
        if (!here.event[i].told)
            cell_no_sample(cell, "process", 0, here.event[i].metric, here.event[i].unit, "denied");
    free_set();
    here.count = 0;
}
