/* counters_test.c: hardware counters of several threads and windows, by the real libpapi on a made-up Ice Lake (pmu.c,
 * which lies beside this executable). On that processor the set `caches` counts the time of the thread as instructions,
 * page faults as misses of L1, and context switches as misses of L2. Where there is no PAPI, or the kernel does not let
 * us count, that is said and nothing is tested. What a cell reports is asked by tests/end_to_end/counted.py. */
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

static int open_caches(void **state) {
    static const char *const given[][2] = {{"counters", "caches"}, {"events", "default"}};
    char message[MESSAGE_SIZE];
    const char *why = counters_refused("caches", "default");
    (void)state;
    if (why) {
        printf("0 passed, 0 failed\nnot tested: %s\n", why);
        exit(0);
    }
    for (size_t i = 0; i < 2; i++)
        settings_set(&settings, parameter_find(common_parameters, given[i][0]), given[i][1], message);
    counters_open(&cell);
    return 0;
}

static void touch_fresh_pages(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        *(volatile char *)(memory + i * page) = 1;
    munmap(memory, PAGES * page);
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
        touch_fresh_pages();
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

/* More windows add up; between them nothing is counted. */
TEST(only_windows_count) {
    static struct counters counters;
    for (int i = 0; i < 2; i++) {
        counters_start(&counters);
        touch_fresh_pages();
        counters_stop(&counters);
        touch_fresh_pages();
    }
    assert_in_range((unsigned)counters.count[FAULTS], 2 * PAGES, 2 * PAGES + 16);
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
    return unit_tests_run(open_caches, NULL);
}
