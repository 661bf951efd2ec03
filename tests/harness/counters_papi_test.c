/* counters_papi_test.c: true counts per thread from the real PAPI.
 *
 * On many virtual machines libpfm knows no hardware PMU, and PAPI then disables its whole perf_event component,
 * software events and all. The kernel can count these all the same: this executable answers libpfm's question itself
 * and calls the software PMU `perf` the default one, with 8 counters. What is under test is ours: sets of threads, the
 * domain, windows, sums. Where there is no PAPI, or the kernel does not let us count, that is said and nothing is
 * tested.
 */
#include "harness/measuring/cell/describe.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/counters/counters_papi.h"
#include "tests/unit.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Of perfmon/pfmlib.h, which is not installed with every libpfm. */
struct pmu_info {
    const char *name, *desc;
    size_t size;
    int pmu, type, nevents, first_event, max_encoding, num_cntrs, num_fixed_cntrs;
    struct {
        unsigned is_present : 1;
        unsigned is_dfl : 1;
        unsigned reserved : 30;
    };
};
enum { TYPE_UNKNOWN, TYPE_CORE };
int pfm_get_pmu_info(int pmu, struct pmu_info *info);

/* Stands before libpfm's own, because the executable is searched first. */
int pfm_get_pmu_info(int pmu, struct pmu_info *info) {
    static int (*real)(int, struct pmu_info *);
    void *found = real ? NULL : dlsym(RTLD_NEXT, "pfm_get_pmu_info");
    if (found)
        memcpy(&real, &found, sizeof found);
    if (!real)
        return -1;
    int result = real(pmu, info);
    if (result != 0 || !info->name)
        return result;
    info->is_dfl = strcmp(info->name, "perf") == 0; /* PAPI wants exactly one */
    if (!info->is_dfl && info->type == TYPE_CORE)
        info->type = TYPE_UNKNOWN;
    if (info->is_dfl) {
        info->type = TYPE_CORE;
        info->num_cntrs = 8;
    }
    return result;
}

#define EVENTS "perf::CONTEXT-SWITCHES+perf::PAGE-FAULTS+perf::CPU-MIGRATIONS+perf::TASK-CLOCK"
enum { SWITCHES, FAULTS, MIGRATIONS, TASK_CLOCK };

#define PAGES 64
#define SLEEPS 5

static struct settings settings;
static struct cell cell = {.settings = &settings, .repetitions = 1};
static bool possible;

static void set_to(const char *name, const char *value) {
    char message[MESSAGE_SIZE];
    assert_true(settings_set(&settings, parameter_find(common_parameters, name), value, message));
}

static int open_counters(void **state) {
    char why[MESSAGE_SIZE];
    size_t at;
    int set;
    const char *const name = "perf::TASK-CLOCK";
    (void)state;
    /* the real one has to be found by the name of the next */
    if (!dlopen("libpfm.so.4", RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "not tested: no libpfm: %s\n", dlerror());
        return 0;
    }
    if (papi_load(why) != 0) {
        fprintf(stderr, "not tested: %s\n", why);
        return 0;
    }
    int failure = papi_count_kernel(true);
    if (failure == 0)
        failure = papi_set_make(&name, 1, false, &set, &at);
    if (failure == 0)
        failure = papi_set_start(set);
    if (failure != 0) {
        fprintf(stderr, "not tested: PAPI cannot count %s here: %s %s\n", name, papi_words(failure),
                papi_disabled() ? papi_disabled() : "");
        return 0;
    }
    long long value;
    papi_set_stop(set, &value);
    papi_set_free(set);
    set_to("counters", "hardware");
    set_to("events", EVENTS);
    counters_open(&cell);
    possible = true;
    return 0;
}

static void touch(char *memory, size_t pages) {
    for (size_t i = 0; i < pages; i++)
        *(volatile char *)(memory + i * (size_t)sysconf(_SC_PAGESIZE)) = 1;
}

static char *fresh_pages(size_t pages) {
    size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

struct work {
    struct counters counters;
    char *memory;
    bool faults, sleeps, migrates, spins;
};

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void go_to(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *thread_works(void *argument) {
    struct work *work = argument;
    const struct timespec nap = {.tv_nsec = 1000000};
    if (work->migrates)
        go_to(0);
    counters_start(&work->counters);
    if (work->faults)
        touch(work->memory, PAGES);
    for (int i = 0; i < SLEEPS && work->sleeps; i++)
        nanosleep(&nap, NULL);
    for (int i = 1; i <= 4 && work->migrates; i++)
        go_to(i % 2);
    for (double end = processor_seconds() + 0.02; work->spins && processor_seconds() < end;)
        ;
    counters_stop(&work->counters);
    return NULL;
}

static void run(struct work *works, size_t count) {
    pthread_t thread[4];
    for (size_t i = 0; i < count; i++) {
        works[i].memory = fresh_pages(PAGES);
        pthread_create(&thread[i], NULL, thread_works, &works[i]);
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
        munmap(works[i].memory, PAGES * (size_t)sysconf(_SC_PAGESIZE));
        for (int event = SWITCHES; event <= TASK_CLOCK; event++) {
            assert_int_equal(works[i].counters.failure[event], 0);
            assert_int_equal(works[i].counters.counted[event], works[i].counters.windows);
        }
    }
}

/* Threads at work at the same time, each with its own kind: the counts do not mix. */
TEST(counts_are_each_threads_own) {
    static struct work works[4];
    if (!possible)
        skip();
    works[0] = (struct work){.faults = true};
    works[1] = (struct work){.sleeps = true};
    works[2] = (struct work){.spins = true};
    works[3] = (struct work){0};
    run(works, 4);
    /* a page is a fault; the kernel may map some of a stack or a library besides */
    assert_in_range(works[0].counters.count[FAULTS], PAGES, PAGES + 16);
    assert_in_range(works[3].counters.count[FAULTS], 0, 16);
    assert_true(works[1].counters.count[SWITCHES] >= SLEEPS);
    assert_true(works[2].counters.count[TASK_CLOCK] >= 0.015e9);
    assert_true(works[3].counters.count[TASK_CLOCK] < works[2].counters.count[TASK_CLOCK]);
}

/* Two sources of one number: PAPI's count for a thread must be that of getrusage. */
TEST(papi_and_the_kernel_agree) {
    static struct work works[2];
    if (!possible)
        skip();
    works[0] = (struct work){.faults = true};
    works[1] = (struct work){.sleeps = true};
    run(works, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct counters *counters = &works[i].counters;
        double faults = (double)(counters->kernel[2] + counters->kernel[3]);
        double switches = (double)(counters->kernel[0] + counters->kernel[1]);
        assert_true(counters->count[FAULTS] <= faults && faults <= counters->count[FAULTS] + 4);
        assert_true(counters->count[SWITCHES] <= switches && switches <= counters->count[SWITCHES] + 2);
    }
}

TEST(migrations_are_counted) {
    static struct work work;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (!possible || !CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed))
        skip();
    work = (struct work){.migrates = true};
    run(&work, 1);
    assert_true(work.counters.count[MIGRATIONS] == 4);
}

/* More windows add up; between them nothing is counted. */
TEST(only_windows_count) {
    static struct counters counters;
    if (!possible)
        skip();
    char *memory = fresh_pages(3 * PAGES);
    const size_t part = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    counters = (struct counters){0};
    counters_start(&counters);
    touch(memory, PAGES);
    counters_stop(&counters);
    touch(memory + part, PAGES);
    counters_start(&counters);
    touch(memory + 2 * part, PAGES);
    counters_stop(&counters);
    munmap(memory, 3 * part);
    assert_in_range(counters.count[FAULTS], 2 * PAGES, 2 * PAGES + 16);
}

int main(void) { return unit_tests_run(open_counters, NULL); }
