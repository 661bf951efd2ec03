/* counters_test.c: what a cell reports of hardware counters, by the real libpapi on a made-up Ice Lake (pmu.c, which
 * lies beside this executable), and what it always reports of the kernel. On that processor the set `caches` counts the
 * time of the thread as instructions, page faults as misses of L1, and context switches as misses of L2. Where there is
 * no PAPI, or the kernel does not let us count, that is said and little is tested. */
#include "harness/measuring/counters.h"
#include "harness/measuring/counters_papi.h"
#include "harness/measuring/describe.h"
#include "tests/unit.h"
#include <libgen.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

enum { TIME, FAULTS, SWITCHES };
enum { PAGES = 64, SLEEPS = 5 };

static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1};
static bool possible;

static void set(const char *name, const char *value) {
    char message[MESSAGE_SIZE];
    assert_true(settings_set(&settings, parameter_find(common_parameters, name), value, message));
}

static void ask(const char *counters, const char *events) {
    settings.count = settings.used = 0;
    set("counters", counters);
    set("events", events);
}

static char *fresh_pages(size_t pages) {
    size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

static void touch_fresh(size_t pages) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = fresh_pages(pages);
    for (size_t i = 0; i < pages; i++)
        *(volatile char *)(memory + i * page) = 1;
    munmap(memory, pages * page);
}

static struct counters mine;
static unsigned windows;
static void measure_and_report(void) {
    mine = (struct counters){0};
    counters_open(&cell);
    for (unsigned i = 0; i < windows; i++) {
        counters_start(&mine);
        touch_fresh(PAGES);
        counters_stop(&mine);
    }
    if (windows > 0)
        counters_report(&cell, "owner", 0, &mine, PAGES);
    counters_close(&cell);
}

static const char *cell_prints(const char *counters, const char *events, unsigned of_windows) {
    ask(counters, events);
    windows = of_windows;
    return written_to(STDOUT_FILENO, measure_and_report);
}

static const char *cell_says(const char *counters, const char *events) {
    ask(counters, events);
    windows = 1;
    return written_to(STDERR_FILENO, measure_and_report);
}

/* The value of a metric that has one, else a negative number; the rest of the line has to begin with `rest`. */
static double value_of(const char *text, const char *metric, const char *rest) {
    char line[256];
    snprintf(line, sizeof line, "\t%s\t", metric);
    const char *at = strstr(text, line);
    assert_non_null(at);
    char *end;
    const double value = strtod(at + strlen(line), &end);
    assert_memory_equal(end, rest, strlen(rest));
    return end == at + strlen(line) ? -1 : value;
}

static bool is_denied(const char *text, const char *metric) {
    char line[256];
    snprintf(line, sizeof line, "\t%s_per_operation\t", metric);
    return value_of(text, metric, "\t") < 0 && strstr(text, "\tdenied\t") && !strstr(text, line);
}

static void *try_papi(void *unused) {
    (void)unused;
    const char *why = counters_refused("caches", "default");
    if (why)
        fprintf(stderr, "not tested: %s\n", why);
    possible = !why;
    return NULL;
}

TEST(a_set_gives_totals_and_values_per_operation) {
    try_papi(NULL);
    if (!possible)
        skip();
    const char *text = cell_prints("caches", "default", 2);
    const double faults = value_of(text, "l1_data_misses", "\tmisses\tok\t");
    assert_in_range((unsigned)faults, 2 * PAGES, 2 * PAGES + 16);
    assert_true(value_of(text, "l1_data_misses_per_operation", "\tmisses/operation\tok\t") * PAGES - faults < 1e-3);
    assert_true(value_of(text, "modified_lines_taken", "\tlines\tok\t") > 0);
    assert_null(strstr(text, "cycle"));
    assert_true(
        value_of(cell_prints("pipeline", "default", 1), "instructions_per_cycle", "\tinstructions/cycle\tok\t") > 0);
}

struct work {
    struct counters counters;
    bool faults, sleeps, spins;
};

static void *thread_works(void *argument) {
    struct work *work = argument;
    const struct timespec nap = {.tv_nsec = 1000000};
    counters_start(&work->counters);
    if (work->faults)
        touch_fresh(PAGES);
    for (int i = 0; i < SLEEPS && work->sleeps; i++)
        nanosleep(&nap, NULL);
    for (clock_t end = clock() + CLOCKS_PER_SEC / 50; work->spins && clock() < end;)
        ;
    counters_stop(&work->counters);
    return NULL;
}

/* Threads at work at the same time, each with its own kind: the counts do not mix, and are those of getrusage. */
TEST(counts_are_each_threads_own) {
    static struct work works[4] = {{.faults = true}, {.sleeps = true}, {.spins = true}, {.faults = false}};
    pthread_t thread[4];
    if (!possible)
        skip();
    ask("caches", "default");
    counters_open(&cell);
    for (size_t i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, thread_works, &works[i]);
    for (size_t i = 0; i < 4; i++) {
        const struct counters *counters = &works[i].counters;
        pthread_join(thread[i], NULL);
        assert_int_equal(counters->failure, 0);
        const double faults = (double)(counters->kernel[2] + counters->kernel[3]);
        const double switches = (double)(counters->kernel[0] + counters->kernel[1]);
        assert_true(counters->count[FAULTS] <= faults && faults <= counters->count[FAULTS] + 4);
        assert_true(counters->count[SWITCHES] <= switches && switches <= counters->count[SWITCHES] + 2);
    }
    /* a page is a fault; the kernel may map some of a stack or a library besides */
    assert_in_range((unsigned)works[0].counters.count[FAULTS], PAGES, PAGES + 16);
    assert_in_range((unsigned)works[3].counters.count[FAULTS], 0, 16);
    assert_true(works[1].counters.count[SWITCHES] >= SLEEPS);
    assert_true(works[2].counters.count[TIME] > works[3].counters.count[TIME]);
}

/* More windows add up; between them nothing is counted; a copy put back takes a window back. */
TEST(only_windows_count) {
    static struct counters counters;
    if (!possible)
        skip();
    for (int i = 0; i < 2; i++) {
        counters_start(&counters);
        touch_fresh(PAGES);
        counters_stop(&counters);
        touch_fresh(PAGES);
    }
    const struct counters before = counters;
    assert_in_range((unsigned)counters.count[FAULTS], 2 * PAGES, 2 * PAGES + 16);
    thread_works(&(struct work){.faults = true});
    counters = before;
    assert_in_range((unsigned)counters.count[FAULTS], 2 * PAGES, 2 * PAGES + 16);
}

#define LOADS                                                                                                          \
    "MEM_LOAD_RETIRED:L1_MISS+MEM_LOAD_RETIRED:L2_MISS+MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM+"                           \
    "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM"

TEST(events_of_ones_own) {
    if (!possible)
        skip();
    const char *text = cell_prints("none", LOADS "+L1D_PEND_MISS:PENDING_CYCLES", 1);
    assert_true(is_denied(text, "MEM_LOAD_RETIRED:L1_MISS") && is_denied(text, "L1D_PEND_MISS:PENDING_CYCLES"));
    assert_non_null(strstr(cell_says("none", LOADS "+L1D_PEND_MISS:PENDING_CYCLES"),
                           "L1D_PEND_MISS:PENDING_CYCLES: does not fit into the processor's counters"));
    text = cell_prints("none", LOADS "+PAPI_TOT_INS", 1); /* 120 bytes and more */
    assert_true(value_of(text, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", "\tevents\tok\t") > 0);
    assert_true(value_of(text, "PAPI_TOT_INS", "\tevents\tok\t") > 0);
    text = cell_prints("none", "PAPI_TOT_INS+nonsense", 1);
    assert_true(value_of(text, "PAPI_TOT_INS", "\tevents\tok\t") > 0);
    assert_true(value_of(text, "nonsense", "\tevents\tdenied\t") < 0);
}

TEST(what_cannot_be_counted_is_refused_by_name) {
    const char *const cases[][3] = {
        {"none", "PAPI_TOT_INS+nonsense", "nonsense: "},
        {"none", LOADS "+L1D:REPLACEMENT", "L1D:REPLACEMENT: does not fit"},
        {"none", "PAPI_TOT_INS+PAPI_TOT_CYC+PAPI_TOT_INS", "PAPI_TOT_INS: is there twice"},
        {"none", "a1+a2+a3+a4+a5+a6+a7+a8+a9+b1+b2+b3+b4+b5+b6+b7+b8", "b8: a set has at most 16 events"},
        {"caches", "PAPI_TOT_INS", "events: a set of its own"}};
    if (!possible)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_non_null(strstr(counters_refused(cases[i][0], cases[i][1]), cases[i][2]));
    assert_null(counters_refused("none", "PAPI_TOT_INS+PAPI_TOT_CYC"));
    assert_null(counters_refused("none", "default"));
}

/* A processor that says 0 instructions did not count. */
TEST(zero_instructions_are_denied) {
    if (!possible)
        skip();
    setenv("PMU_HALF", "1", 1);
    assert_true(is_denied(cell_prints("pipeline", "default", 1), "instructions"));
    assert_true(is_denied(cell_prints("caches", "default", 1), "l1_data_misses"));
    assert_true(is_denied(cell_prints("none", "PAPI_TOT_INS+L1D:REPLACEMENT", 1), "PAPI_TOT_INS"));
    assert_non_null(strstr(cell_says("pipeline", "default"), "it read 0 where instructions ran"));
    unsetenv("PMU_HALF");
    ask("pipeline", "default");
    counters_open(&cell); /* and if it begins to later */
    setenv("PMU_HALF", "1", 1);
    static struct work work;
    pthread_t thread;
    pthread_create(&thread, NULL, thread_works, &work);
    pthread_join(thread, NULL);
    assert_int_equal(work.counters.failure, PAPI_READ_ZERO);
    unsetenv("PMU_HALF");
}

TEST(a_workload_that_counts_nothing_says_so) {
    assert_true(is_denied(cell_prints("caches", "default", 0), "instructions"));
}

/* Begins again as a program on the made-up processor. */
int main(int count, char **words) {
    static char own[2048], path[2100];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (!getenv("LIBPFM_FORCE_PMU") && count == 1 && length > 0) {
        char *const again[] = {words[0], NULL};
        setenv("LIBPFM_FORCE_PMU", "icx", 1);
        snprintf(path, sizeof path, "%s/pmu.so", dirname(strdup(own)));
        setenv("LD_PRELOAD", path, 1);
        execv(own, again);
    }
    return unit_tests_run(NULL, NULL);
}
