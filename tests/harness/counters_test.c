/* counters_test.c: what a cell reports of hardware counters, against a libpapi that counts and fails by script, and
 * what it always reports of the kernel. Beside this executable lies papi_stand_in.so. */
#include "harness/measuring/cell/describe.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/counters/counters_papi.h"
#include "tests/harness/papi_stand_in.h"
#include "tests/unit.h"
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static struct papi_stand_in *script;
static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1};

/* A processor with all of the default events, event i counting 1000 (i + 1), and room for so many at a time. */
static void script_all(int counters) {
    static const char *const names[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_TCM",
                                        "PAPI_L3_TCA",  "PAPI_L3_TCM",  "PAPI_TLB_DM", "PAPI_BR_MSP"};
    *script = (struct papi_stand_in){.version = 7 << 24, .counters = counters};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(script->event[i].name, sizeof script->event[i].name, "%s", names[i]);
        script->event[i].count = 1000 * ((long long)i + 1);
    }
    snprintf(script->event[8].name, sizeof script->event[8].name, "MEM_LOAD_L3_HIT_RETIRED:XSNP_FWD");
    script->event[8].count = 9000;
    snprintf(script->event[9].name, sizeof script->event[9].name, "perf::CACHE-REFERENCES");
    script->event[9].count = 10000;
    snprintf(script->event[10].name, sizeof script->event[10].name, "perf::CACHE-MISSES");
    script->event[10].count = 11000;
}

static void *one_window(void *counters) {
    counters_start(counters);
    counters_stop(counters);
    return NULL;
}

static unsigned windows = 1;

static void measure_and_report(void) {
    static struct counters mine;
    mine = (struct counters){0};
    counters_open(&cell);
    for (unsigned i = 0; i < windows; i++) {
        counters_start(&mine);
        counters_stop(&mine);
    }
    counters_report(&cell, "owner", 0, &mine, 1, 100.0 * windows);
    counters_close(&cell);
}

static void set(const char *name, const char *value) {
    char message[MESSAGE_SIZE];
    assert_true(settings_set(&settings, parameter_find(common_parameters, name), value, message));
}

/* A cell with counters=hardware on a processor with room for so many events. */
static void set_hardware(int counters) {
    script_all(counters);
    settings.count = 0;
    set("counters", "hardware");
}

static const char *cell_prints(const char *counters, const char *events, unsigned of_windows) {
    settings.count = 0;
    set("counters", counters);
    set("events", events);
    windows = of_windows;
    return written_to(STDOUT_FILENO, measure_and_report);
}

static bool has(const char *text, const char *metric, const char *rest) {
    char line[256];
    snprintf(line, sizeof line, "\t%s\t%s\n", metric, rest);
    return strstr(text, line) != NULL;
}

/* First, while nothing is loaded: every try is a new one. */
TEST(a_library_that_will_not_start) {
    char why[MESSAGE_SIZE];
    *script = (struct papi_stand_in){.version = 4 << 24};
    assert_true(papi_load(why) < 0);
    assert_non_null(strstr(why, "libpapi does not start"));
    *script = (struct papi_stand_in){.version = 7 << 24, .init_failure = -3};
    assert_int_equal(papi_load(why), -3);
    assert_true(has(cell_prints("hardware", "default", 1), "instructions", "\tinstructions\tdenied\t"));
    char *path = strdup(getenv(PAPI_LIBRARY_VARIABLE));
    setenv(PAPI_LIBRARY_VARIABLE, "/nonexistent/libpapi.so", 1);
    assert_int_equal(papi_load(why), PAPI_NOT_THERE);
    assert_true(has(cell_prints("hardware", "default", 1), "instructions", "\tinstructions\tdenied\t"));
    setenv(PAPI_LIBRARY_VARIABLE, path, 1);
    free(path);
    *script = (struct papi_stand_in){.version = 6 << 24};
    assert_int_equal(papi_load(why), 0);
}

TEST(totals_and_values_per_operation) {
    script_all(16);
    const char *text = cell_prints("hardware", "default", 3);
    assert_true(has(text, "instructions", "3000\tinstructions\tok\t"));
    assert_true(has(text, "instructions_per_operation", "10\tinstructions/operation\tok\t"));
    assert_true(has(text, "instructions_per_cycle", "0.5\tinstructions/cycle\tok\t"));
    assert_true(has(text, "l1_data_misses", "9000\tmisses\tok\t"));
    assert_true(has(text, "l3_references", "15000\treferences\tok\t"));
    assert_true(has(text, "modified_lines_taken", "27000\tlines\tok\t"));
    assert_true(has(text, "cache_references", "30000\treferences\tok\t"));
    assert_true(has(text, "cache_misses_per_operation", "110\tmisses/operation\tok\t"));
    assert_true(has(text, "voluntary_context_switches", "0\tswitches\tok\t"));
    assert_null(strstr(text, "counter_groups"));
    assert_int_equal(script->domain, 1); /* user mode */
}

/* Four counters, eleven events: three groups, each window counts one. No total is made of a part of the windows. */
TEST(too_many_events_take_turns_by_window) {
    for (int at_start = 0; at_start < 2; at_start++) {
        script_all(4);
        script->conflicts_at_start = at_start;
        const char *text = cell_prints("hardware", "default", 6);
        assert_true(has(text, "counter_groups", "3\tgroups\tok\t"));
        assert_true(has(text, "instructions_per_operation", "10\tinstructions/operation\tok\t"));
        assert_true(has(text, "modified_lines_taken_per_operation", "90\tlines/operation\tok\t"));
        assert_true(has(text, "instructions_per_cycle", "0.5\tinstructions/cycle\tok\t"));
        assert_null(strstr(text, "\tinstructions\t"));
        assert_null(strstr(text, "multiplexed"));
    }
}

/* One window counts one group, exactly; what had no turn is a status, not 0. */
TEST(what_no_window_counted_is_a_status) {
    script_all(4);
    const char *text = cell_prints("hardware", "default", 1);
    assert_true(has(text, "instructions", "1000\tinstructions\tok\t"));
    assert_true(has(text, "l3_references", "\treferences\tdenied\t"));
    assert_true(has(text, "modified_lines_taken", "\tlines\tdenied\t"));
    assert_null(strstr(text, "l3_references_per_operation"));
}

static void three_repetitions(void) {
    static struct counters mine;
    counters_open(&cell);
    for (unsigned i = 0; i < 3; i++) {
        mine = (struct counters){0};
        one_window(&mine);
        counters_report(&cell, "owner", i, &mine, 1, 100);
    }
    counters_close(&cell);
}

/* A repetition of one window counts one group; three of them count all three, each in full. */
TEST(repetitions_begin_with_one_group_after_the_other) {
    set_hardware(4);
    const char *text = written_to(STDOUT_FILENO, three_repetitions);
    assert_non_null(strstr(text, "sample\towner\t0\tinstructions\t1000\tinstructions\tok\t\n"));
    assert_non_null(strstr(text, "sample\towner\t1\tl3_references\t5000\treferences\tok\t\n"));
    assert_non_null(strstr(text, "sample\towner\t2\tmodified_lines_taken\t9000\tlines\tok\t\n"));
    assert_null(strstr(text, "denied"));
}

TEST(multiplexing_is_flagged) {
    script_all(4);
    const char *text = cell_prints("hardware+multiplexed", "default", 2);
    assert_true(has(text, "branch_misses", "16000\tmisses\tok\tmultiplexed"));
    assert_true(has(text, "branch_misses_per_operation", "80\tmisses/operation\tok\tmultiplexed"));
    assert_null(strstr(text, "counter_groups"));
}

TEST(a_missing_preset_is_denied) {
    script_all(16);
    snprintf(script->event[5].name, sizeof script->event[5].name, "gone");
    *script->event[8].name = '\0';
    const char *text = cell_prints("hardware", "default", 1);
    assert_true(has(text, "l3_misses", "\tmisses\tdenied\t"));
    assert_true(has(text, "modified_lines_taken", "\tlines\tdenied\t"));
    assert_true(has(text, "l3_references", "5000\treferences\tok\t"));
    assert_null(strstr(text, "l3_misses_per_operation"));
}

TEST(no_permission_is_denied) {
    script_all(16);
    for (int i = 0; i < STAND_IN_EVENTS; i++)
        script->event[i].failure = -15;
    const char *text = cell_prints("hardware", "default", 1);
    assert_true(has(text, "cycles", "\tcycles\tdenied\t"));
    assert_true(has(text, "instructions_per_cycle", "\tinstructions/cycle\tdenied\t"));
    assert_true(has(text, "minor_page_faults", "0\tfaults\tok\t"));
    script_all(16);
    snprintf(script->disabled, sizeof script->disabled, "perf_event_paranoid is 3");
    assert_true(has(cell_prints("hardware", "default", 1), "cycles", "\tcycles\tdenied\t"));
    script_all(16);
    snprintf(script->disabled, sizeof script->disabled, "Unknown processor");
    assert_true(has(cell_prints("hardware", "default", 1), "cycles", "\tcycles\tdenied\t"));
}

static void close_counters(void) { counters_close(&cell); }

TEST(a_window_that_fails_to_start_gives_no_value) {
    static struct counters mine;
    set_hardware(16);
    counters_open(&cell);
    script->start_failure = -15;
    mine = (struct counters){0};
    /* a thread of its own has no set yet */
    pthread_t thread;
    pthread_create(&thread, NULL, one_window, &mine);
    pthread_join(thread, NULL);
    assert_int_equal(mine.failure[0], -15);
    assert_int_equal(mine.counted[0], 0);
    written_to(STDOUT_FILENO, close_counters);
}

static struct counters thieves[3];
static void report_thieves(void) {
    counters_open(&cell);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        thieves[i] = (struct counters){0};
        pthread_create(&thread, NULL, one_window, &thieves[i]);
        pthread_join(thread, NULL);
    }
    counters_report(&cell, "thief", 2, thieves, 3, 30);
    counters_close(&cell);
}

/* Each thread's set is its own, is added up, and is given back when the thread ends. */
TEST(threads_have_sets_of_their_own) {
    set_hardware(16);
    const char *text = written_to(STDOUT_FILENO, report_thieves);
    assert_non_null(strstr(text, "sample\tthief\t2\tinstructions\t3000\tinstructions\tok\t\n"));
    assert_non_null(strstr(text, "sample\tthief\t2\tinstructions_per_operation\t100\tinstructions/operation\tok\t\n"));
    /* the probes' sets, and one of each thread */
    int probes = 11 + 1 + 10; /* alone (two names of the last), and joining the first */
    assert_int_equal(script->destroyed, probes + 3);
}

TEST(a_copy_put_back_takes_a_window_back) {
    static struct counters mine, before;
    set_hardware(16);
    counters_open(&cell);
    one_window(&mine);
    before = mine;
    one_window(&mine);
    assert_true(mine.count[0] == 2000 && mine.windows == 2);
    mine = before;
    assert_true(mine.count[0] == 1000 && mine.windows == 1);
    written_to(STDOUT_FILENO, close_counters);
}

TEST(events_of_ones_own) {
    script_all(16);
    snprintf(script->event[9].name, sizeof script->event[9].name, "perf::PAGE-FAULTS");
    script->event[9].count = 7;
    const char *text = cell_prints("hardware", "PAPI_TOT_CYC+perf::PAGE-FAULTS+nonsense", 1);
    bool kernel = papi_count_kernel(true) == 0; /* a user may be kept out of it */
    assert_true(has(text, "PAPI_TOT_CYC", "2000\tevents\tok\t"));
    assert_true(has(text, "perf::PAGE-FAULTS", kernel ? "7\tevents\tok\t" : "\tevents\tdenied\t"));
    assert_true(has(text, "nonsense", "\tevents\tdenied\t"));
    assert_null(strstr(text, "instructions_per_cycle"));
    assert_int_equal(script->domain, kernel ? 15 : 1); /* the kernel's events happen in the kernel */
}

static void touch_pages(void) {
    static struct counters mine;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, 16 * page, MADV_NOHUGEPAGE);
    mine = (struct counters){0};
    counters_open(&cell);
    counters_start(&mine);
    for (size_t i = 0; i < 16; i++)
        *(volatile char *)(memory + i * page) = 1;
    counters_stop(&mine);
    munmap(memory, 16 * page);
    counters_report(&cell, "worker", 0, &mine, 1, 0);
    counters_close(&cell);
}

TEST(the_kernels_counts_need_no_papi) {
    settings.count = 0; /* as a cell without the parameter */
    const char *text = written_to(STDOUT_FILENO, touch_pages);
    const char *at = strstr(text, "\tminor_page_faults\t");
    assert_non_null(at);
    assert_in_range(atoi(at + strlen("\tminor_page_faults\t")), 16, 32);
    assert_true(has(text, "major_page_faults", "0\tfaults\tok\t"));
    assert_null(strstr(text, "instructions"));
}

static void nothing_reported(void) {
    counters_open(&cell);
    counters_close(&cell);
}

TEST(a_workload_that_counts_nothing_says_so) {
    set_hardware(16);
    const char *text = written_to(STDOUT_FILENO, nothing_reported);
    assert_non_null(strstr(text, "sample\tprocess\t0\tinstructions\t\tinstructions\tdenied\t\n"));
}

/* Loads the stand-in under the name that harness/measuring/counters/counters_papi.c is told, and finds its script. */
static int load(void **state) {
    static char path[4096];
    char own[2048];
    (void)state;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return -1;
    own[length] = '\0';
    snprintf(path, sizeof path, "%s/papi_stand_in.so", dirname(own));
    setenv(PAPI_LIBRARY_VARIABLE, path, 1);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    script = dlsym(library, "stand_in");
    return script ? 0 : -1;
}

int main(void) { return unit_tests_run(load, NULL); }
