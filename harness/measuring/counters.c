#include "harness/measuring/counters.h"
#include "harness/measuring/parameters.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAPI_LIBRARY_VARIABLE "STEALBENCH_PAPI" /* environment variable: another file to load as libpapi */

static const char *const kernel_metrics[COUNTER_KERNEL][2] = {{"voluntary_context_switches", "switches"},
                                                              {"involuntary_context_switches", "switches"},
                                                              {"minor_page_faults", "faults"},
                                                              {"major_page_faults", "faults"}};

/* The named sets. The rows of a set stand together, and of these the rows of a kind of processor. The first kind whose
 * events PAPI all knows is the one at hand; "others" is the last. The file is C's and a spreadsheet's alike: its texts
 * are in quotation marks, and a comma ends each line. */
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
        bool never_zero;                  /* instructions, cycles: 0 means that nothing was counted */
        bool told;                        /* it has a value or a status */
    } event[COUNTER_EVENTS_MAX];
    size_t count;
    char why[2 * MESSAGE_SIZE]; /* why none of them can be counted, or "" */
    char names[VALUE_SIZE];     /* of events of one's own */
    pthread_key_t threads;      /* runs forget_thread when a thread that counted ends */
} here;

static bool cannot(const char *what, const char *why) {
    snprintf(here.why, sizeof here.why, "%s: %s", what, why);
    return false;
}

/* --- PAPI. libpapi is loaded at the first call and stays. It is neither linked nor included, so building and running
 * need no PAPI. */

/* Codes of PAPI's interface, unchanged since version 5; and our own: instructions or cycles read 0, as PAPI says of
 * processors that are halfway virtual, or of two kinds. */
enum { CODE_INVALID = -1, CODE_DELAYED = -26, CODE_READ_ZERO = -1000 };
enum { DOMAIN_USER = 1, DOMAIN_ALL = 1 | 2 | 4 | 8, NO_SET = -1 };

/* The beginning of PAPI_component_info_t, up to the reason; the same in versions 5 to 7. */
struct component_front {
    char name[128], short_name[64], description[128], version[64], support_version[64], kernel_version[64];
    char reason[128];
};

/* Every function in use: result, name, arguments. */
#define PAPI_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(int, library_init, (int))                                                                                 \
    FUNCTION(int, thread_init, (unsigned long (*)(void)))                                                              \
    FUNCTION(int, set_domain, (int))                                                                                   \
    FUNCTION(const struct component_front *, get_component_info, (int))                                                \
    FUNCTION(int, create_eventset, (int *))                                                                            \
    FUNCTION(int, event_name_to_code, (const char *, int *))                                                           \
    FUNCTION(int, add_event, (int, int))                                                                               \
    FUNCTION(int, start, (int))                                                                                        \
    FUNCTION(int, stop, (int, long long *))                                                                            \
    FUNCTION(int, cleanup_eventset, (int))                                                                             \
    FUNCTION(int, destroy_eventset, (int *))                                                                           \
    FUNCTION(int, unregister_thread, (void))                                                                           \
    FUNCTION(char *, strerror, (int))

#define DECLARE(result, name, arguments) result(*name) arguments;
static struct {
    void *library;
    PAPI_FUNCTIONS(DECLARE)
} papi;

static unsigned long this_thread(void) { return (unsigned long)pthread_self(); }

static bool find_functions(void) {
    void *found;
#define FIND(result, name, arguments)                                                                                  \
    if (!(found = dlsym(papi.library, "PAPI_" #name)))                                                                 \
        return cannot("this libpapi has no function", "PAPI_" #name);                                                  \
    memcpy(&papi.name, &found, sizeof found);
    PAPI_FUNCTIONS(FIND)
    return true;
}

static bool open_library(void) {
    static const char *const names[] = {"libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7",
                                        "libpapi.so.6.0", "libpapi.so.6",   "libpapi.so"};
    const char *asked = getenv(PAPI_LIBRARY_VARIABLE);
    if (asked && *asked) {
        papi.library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
        return papi.library || cannot(PAPI_LIBRARY_VARIABLE, dlerror());
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !papi.library; i++)
        papi.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return papi.library || cannot("libpapi", "it is not installed (Debian: apt-get install libpapi-dev)");
}

/* PAPI asks for the version it was compiled for. A program without its header has to guess. */
static bool initialise(void) {
    static const unsigned char versions[][2] = {{7, 0}, {7, 1}, {7, 2}, {7, 3}, {6, 0}, {5, 7}, {5, 6}, {5, 5}};
    int result = CODE_INVALID;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && result == CODE_INVALID; i++)
        result = papi.library_init(versions[i][0] << 24 | versions[i][1] << 16);
    if (result == CODE_INVALID)
        return cannot("libpapi does not start", "its version is none of 5.5 to 7.3");
    if (result > 0)
        result = papi.thread_init(this_thread);
    return result == 0 || cannot("libpapi does not start", papi.strerror(result));
}

static bool load_papi(void) {
    if (papi.library)
        return true;
    if (open_library() && find_functions() && initialise())
        return true;
    if (papi.library)
        dlclose(papi.library);
    papi.library = NULL;
    return false;
}

/* If this process may not count within the kernel, perf and PAPI count only in user mode and say nothing: a context
 * switch then reads 0. So this asks the kernel itself. */
static bool kernel_may_be_counted(void) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0ul);
    if (file >= 0)
        close((int)file);
    return file >= 0 || (errno != EACCES && errno != EPERM);
}

static bool set_domain(bool kernel) {
    if (kernel && !kernel_may_be_counted())
        return cannot("perf::", strerror(EPERM));
    const int result = papi.set_domain(kernel ? DOMAIN_ALL : DOMAIN_USER);
    return result == 0 || cannot("libpapi", papi.strerror(result));
}

/* PAPI 7 initialises a component when its first event is named; that call then returns this code. */
static int code_of(const char *name, int *code) {
    const int result = papi.event_name_to_code(name, code);
    return result == CODE_DELAYED ? papi.event_name_to_code(name, code) : result;
}

static void free_set(int set) {
    if (set == NO_SET)
        return;
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
}

/* Makes the calling thread's set of some events, and counts for a moment: some conflicts only show then, and PAPI's
 * start-up work would count as page faults of the measured work. 0 with the set, or a code. */
static int make_set(const struct counter_event *events, size_t count, int *set) {
    long long values[COUNTER_EVENTS_MAX];
    *set = NO_SET;
    int code, result = papi.create_eventset(set);
    for (size_t i = 0; i < count && result == 0; i++) {
        result = code_of(events[i].name, &code);
        if (result == 0)
            result = papi.add_event(*set, code);
    }
    if (result == 0)
        result = papi.start(*set);
    if (result == 0)
        result = papi.stop(*set, values);
    for (size_t i = 0; i < count && result == 0; i++)
        if (events[i].never_zero && values[i] == 0)
            result = CODE_READ_ZERO;
    if (result != 0)
        free_set(*set);
    return result;
}

static const char *words_of(int code) {
    return code == CODE_READ_ZERO
               ? "it read 0 where instructions ran: this processor, or what is virtual of it, does not count"
               : papi.strerror(code);
}

/* --- which events */

static size_t index_of(const char *metric) {
    size_t i = 0;
    while (i < here.count && strcmp(here.event[i].metric, metric) != 0)
        i++;
    return i;
}

static void add_event(const char *metric, const char *unit, const char *name) {
    struct counter_event event = {.metric = metric, .unit = unit, .name = name};
    for (size_t i = HEADING; i < ROWS; i++)
        if (strcmp(row(i, EVENT), name) == 0 &&
            (strcmp(row(i, METRIC), "instructions") == 0 || strcmp(row(i, METRIC), "cycles") == 0))
            event.never_zero = true;
    here.event[here.count++] = event;
}

static bool papi_knows_all(size_t first, size_t end) {
    int code;
    while (first < end && papi.library && code_of(row(first, EVENT), &code) == 0)
        first++;
    return first == end;
}

/* Where the rows of the next set or kind of processor begin. */
static size_t end_of_kind(size_t first) {
    size_t end = first;
    while (end < ROWS && strcmp(row(end, SET), row(first, SET)) == 0 &&
           strcmp(row(end, PROCESSORS), row(first, PROCESSORS)) == 0)
        end++;
    return end;
}

/* The set's events on the processor at hand. */
static bool add_named(const char *name) {
    size_t first = HEADING, end;
    while (strcmp(row(first, SET), name) != 0)
        first++;
    while ((end = end_of_kind(first)) < ROWS && strcmp(row(end, SET), name) == 0 && !papi_knows_all(first, end))
        first = end;
    for (; first < end; first++)
        add_event(row(first, METRIC), row(first, UNIT), row(first, EVENT));
    return true;
}

static bool add_chosen(const char *events) {
    char *rest = NULL;
    snprintf(here.names, sizeof here.names, "%s", events);
    for (char *name = strtok_r(here.names, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        if (here.count == COUNTER_EVENTS_MAX)
            return cannot(name, "a set has at most 16 events");
        if (index_of(name) < here.count)
            return cannot(name, "is there twice");
        add_event(name, "events", name);
    }
    return true;
}

/* Tries more and more events together. */
static void try_events(void) {
    int set;
    for (size_t some = 1; some <= here.count; some++) {
        const struct counter_event *last = &here.event[some - 1];
        const int result = make_set(here.event, some, &set);
        if (result == 0) {
            free_set(set);
            continue;
        }
        /* component 0 is the processor's own on every system that PAPI supports */
        const struct component_front *processor = papi.get_component_info(0);
        const char *why = processor && *processor->reason ? processor->reason : words_of(result);
        if (make_set(last, 1, &set) == 0) {
            free_set(set);
            why = "does not fit into the processor's counters beside those before it";
        }
        cannot(last->name, why);
        return;
    }
}

/* Prepares the set. No set: nothing is counted but what the kernel always counts. */
static void open_set(const char *name, const char *events) {
    const bool named = strcmp(name, "none") != 0, chosen = strcmp(events, "default") != 0;
    here.count = 0;
    here.why[0] = '\0';
    if (!named && !chosen)
        return;
    const bool loaded = load_papi() && set_domain(chosen && strstr(events, "perf::"));
    const bool fits = chosen ? add_chosen(events) : add_named(name);
    if (named && chosen)
        cannot("events", "a set of its own, counters=none");
    else if (loaded && fits)
        try_events();
}

const char *counters_refused(const char *name, const char *events) {
    open_set(name, events);
    here.count = 0;
    return here.why[0] ? here.why : NULL;
}

/* --- windows */

/* The calling thread's set. It is made at its first window. */
static _Thread_local struct {
    bool made;
    int set, failure;
} mine;

static void free_mine(void) {
    if (mine.made && mine.failure == 0)
        free_set(mine.set);
    mine.made = false;
}

static void forget_thread(void *unused) {
    (void)unused;
    free_mine();
    papi.unregister_thread();
}

static int make_mine(void) {
    if (!mine.made) {
        mine.failure = make_set(here.event, here.count, &mine.set);
        mine.made = true;
        pthread_setspecific(here.threads, &mine);
    }
    return mine.failure;
}

static void read_kernel(uint64_t *kernel) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    kernel[0] = (uint64_t)usage.ru_nvcsw;
    kernel[1] = (uint64_t)usage.ru_nivcsw;
    kernel[2] = (uint64_t)usage.ru_minflt;
    kernel[3] = (uint64_t)usage.ru_majflt;
}

static bool counts(const struct counters *counters) { return here.count > 0 && !here.why[0] && counters->failure == 0; }

void counters_start(struct counters *counters) {
    if (counts(counters))
        counters->failure = make_mine();
    read_kernel(counters->kernel_before);
    if (counts(counters))
        counters->failure = papi.start(mine.set);
}

void counters_stop(struct counters *counters) {
    uint64_t now[COUNTER_KERNEL];
    long long values[COUNTER_EVENTS_MAX];
    const bool counted = counts(counters);
    if (counted)
        counters->failure = papi.stop(mine.set, values);
    read_kernel(now);
    for (size_t i = 0; counted && i < here.count && counters->failure == 0; i++) {
        counters->count[i] += (double)values[i];
        if (here.event[i].never_zero && values[i] == 0)
            counters->failure = CODE_READ_ZERO;
    }
    for (int i = 0; i < COUNTER_KERNEL; i++)
        counters->kernel[i] += now[i] - counters->kernel_before[i];
}

void counters_add(struct counters *sum, const struct counters *one) {
    sum->failure = sum->failure ? sum->failure : one->failure;
    for (size_t i = 0; i < COUNTER_EVENTS_MAX; i++)
        sum->count[i] += one->count[i];
    for (int i = 0; i < COUNTER_KERNEL; i++)
        sum->kernel[i] += one->kernel[i];
}

/* --- reports */

static void report(const struct cell *cell, const char *role, unsigned repetition, const char *metric, const char *unit,
                   bool counted, double value) {
    if (counted)
        cell_sample(cell, role, repetition, metric, value, unit, 0);
    else
        cell_no_sample(cell, role, repetition, metric, unit, "denied");
}

/* The events' sums; none where one of them could not be counted. */
static void report_events(const struct cell *cell, const char *role, unsigned repetition,
                          const struct counters *counters, double operations) {
    const double *sums = counters->count;
    const size_t instructions = index_of("instructions"), cycles = index_of("cycles");
    int failure = counters->failure;
    for (size_t i = 0; i < here.count && failure == 0 && !here.why[0]; i++)
        if (here.event[i].never_zero && sums[i] <= 0)
            failure = CODE_READ_ZERO; /* not one window */
    if (failure != 0)
        fprintf(stderr, "stealbench: counters of the %s: %s\n", role, words_of(failure));
    const bool counted = failure == 0 && !here.why[0];
    for (size_t i = 0; i < here.count; i++) {
        struct counter_event *event = &here.event[i];
        char name[VALUE_SIZE + 32], per[64];
        event->told = true;
        report(cell, role, repetition, event->metric, event->unit, counted, sums[i]);
        snprintf(name, sizeof name, "%s_per_operation", event->metric);
        snprintf(per, sizeof per, "%s/operation", event->unit);
        if (counted && operations > 0)
            cell_sample(cell, role, repetition, name, sums[i] / operations, per, 0);
    }
    if (instructions < here.count && cycles < here.count)
        report(cell, role, repetition, "instructions_per_cycle", "instructions/cycle", counted,
               sums[instructions] / sums[cycles]);
}

void counters_report(const struct cell *cell, const char *role, unsigned repetition, const struct counters *counters,
                     double operations) {
    report_events(cell, role, repetition, counters, operations);
    for (int i = 0; i < COUNTER_KERNEL; i++)
        cell_sample(cell, role, repetition, kernel_metrics[i][0], (double)counters->kernel[i], kernel_metrics[i][1], 0);
}

/* --- a cell's begin and end */

void counters_open(const struct cell *cell) {
    const char *counters = cell_text(cell, "counters"), *events = cell_text(cell, "events");
    open_set(counters, events);
    if (here.why[0])
        fprintf(stderr, "stealbench: counters=%s events=%s: %s\n", counters, events, here.why);
    if (here.count > 0)
        pthread_key_create(&here.threads, forget_thread);
}

void counters_close(const struct cell *cell) {
    for (size_t i = 0; i < here.count; i++)
        if (!here.event[i].told)
            cell_no_sample(cell, "process", 0, here.event[i].metric, here.event[i].unit, "denied");
    free_mine();
    here.count = 0;
}
