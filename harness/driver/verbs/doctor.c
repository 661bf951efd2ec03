/* doctor.c: what on this machine disturbs measuring, why that matters, and what mends it. It measures where it can, and
 * proposes only what this machine has. */
#include "harness/driver/verbs/verbs.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/counters_papi.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/places.h"
#include "harness/measuring/power.h"
#include "harness/measuring/watch.h"
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS 1
#define WINDOW 200000 /* ns: contention's windows */
#define WINDOWS 2500
#define UNDISTURBED_SHARE 0.5
#define DISTANCES_PROBED 64 /* most pairs of processors that are probed, 2 ms each */
#define CLOCK_SLOW 100      /* ns a read */
#define BUSY_SHARE 0.1      /* of one processor */
#define STOLEN_SHARE 0.005  /* of all time: about the share that makes a visible outlier */
#define WORKING_SHARE 0.05  /* of all time */
#define MEMORY_WANTED (2ull << 30)

static json_t *findings, *machine;

/* mend NULL: nothing can be done. */
static void find(const char *verdict, const char *what, const char *value, const char *why, const char *mend) {
    json_t *finding = json_pack("{ss ss so ss ss?}", "verdict", verdict, "what", what, "value", json_of_text(value),
                                "why", why, "mend", mend);
    json_array_append_new(findings, finding);
}

static const char *warn(bool known, bool bad) { return !known ? UNKNOWN : bad ? "warn" : "ok"; }

static const char *fact(const char *name) {
    const char *text = json_string_value(json_object_get(machine, name));
    return text ? text : UNKNOWN;
}

static bool fact_is(const char *name, const char *value) { return strcmp(fact(name), value) == 0; }

static const char *judge(const char *name, const char *good) {
    return warn(!fact_is(name, UNKNOWN), !fact_is(name, good));
}

/* "echo 1 | sudo tee FILE", if the machine has this file. */
static const char *set_file(const char *path, const char *value) {
    return machine_has(path) ? formatted("echo %s | sudo tee %s", value, path) : NULL;
}

static void find_processors(void) {
    static const char governor[] = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    const char *allowed = fact("processors_allowed"), *isolated = fact("isolated");
    const unsigned count = processor_list_count(allowed);
    const bool beside = count > 0 && processor_list_count(isolated) > 0 && !processor_lists_share(isolated, allowed);
    const char *turbo = set_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
    find(warn(count > 0, count < 2), "processors allowed", formatted("%u (%s)", count, allowed),
         "an owner and a thief need one each to run at the same time",
         "give the container or the job more processors (taskset, --cpuset-cpus, --cpus-per-task)");
    struct places_facts facts;
    char message[MESSAGE_SIZE];
    if (places_facts(NULL, &facts, message) && *facts.kinds)
        find("ok", "kinds of cores", formatted("%s; cells use the first kind", facts.kinds), "", NULL);
    find(warn(!fact_is("isolated", UNKNOWN), beside), "isolated processors",
         formatted("%s; without tick: %s", isolated, fact("nohz_full")),
         "these are isolated from the scheduler, but this process measures on others",
         formatted("taskset -c %s ./run.sh ..., or give the job these processors", isolated));
    find(judge("governor", "performance"), "governor", fact("governor"),
         "a processor that changes its frequency with the load makes short measurements slower than long ones",
         machine_has(governor) ? "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
                               : NULL);
    find(judge("turbo", "off"), "turbo", fact("turbo"),
         "turbo lasts as long as the chip stays cool, so what is measured first looks faster",
         turbo ? turbo : set_file("/sys/devices/system/cpu/cpufreq/boost", "0"));
    find(judge("smt", "off"), "SMT", fact("smt"),
         "two threads of one core share its caches and its units; what the sibling does becomes noise. The suites "
         "place threads on cores first",
         set_file("/sys/devices/system/cpu/smt/control", "off"));
}

static void find_heat(void) {
    struct power_reading power;
    power_read(&power, NULL);
    const bool known = power.throttling == POWER_OK;
    find(warn(known, power.throttled > 0), "thermal throttling",
         known ? formatted("%llu events since boot", (unsigned long long)power.throttled)
               : power_status_word(power.throttling),
         "a processor that is too hot slows down; invocations in which it does are measured again, and flagged if it "
         "goes on",
         "cool the machine, or measure on fewer processors at a time");
}

static void find_limits(void) {
    const double memory = json_number_value(json_object_get(machine, "cgroup_memory_bytes")),
                 quota = json_number_value(json_object_get(machine, "cgroup_processors"));
    find(warn(!fact_is("transparent_huge_pages", UNKNOWN), fact_is("transparent_huge_pages", "never")),
         "transparent huge pages", fact("transparent_huge_pages"),
         "items that lie on small pages cost misses of the address cache, which differ from run to run",
         set_file("/sys/kernel/mm/transparent_hugepage/enabled", "madvise"));
    find(warn(true, memory > 0 && memory < MEMORY_WANTED), "control group's memory",
         memory > 0 ? formatted("%.0f MiB", floor(memory / (1 << 20))) : fact("cgroup_memory_bytes"),
         "the kernel kills what needs more; large deques need 2 GiB",
         "raise memory.max of the control group, --memory of the container or --mem of the job");
    find(warn(quota > 0 || !fact_is("cgroup_processors", UNKNOWN), quota > 0), "control group's processor time",
         quota > 0 ? formatted("%.2f processors' worth", quota) : fact("cgroup_processors"),
         "when its share of a period is used up, all threads stop for the rest of the period",
         "raise cpu.max of the control group, or start the container without --cpus (use --cpuset-cpus)");
}

/* Threads that do nothing but read the clock, as owner and thief would run: which windows has each missed? */
struct listener {
    uint64_t begin;
    bool missed[WINDOWS];
};

static void *listen(void *argument) {
    struct listener *listener = argument;
    const uint64_t begin = listener->begin, end = begin + (uint64_t)WINDOWS * WINDOW;
    uint64_t before = begin, now = 0;
    while (now < begin)
        now = clock_nanoseconds();
    for (; before < end; before = now, now = clock_nanoseconds())
        for (uint64_t k = (before - begin) / WINDOW;
             now - before > WATCH_GAP && k < WINDOWS && k * WINDOW <= now - begin; k++)
            listener->missed[k] = true;
    return NULL;
}

/* On one processor one thread listens. */
static void find_windows(const cpu_set_t *allowed) {
    static struct listener listeners[2];
    pthread_t threads[2];
    unsigned count = 0, missed = 0;
    const uint64_t begin = clock_nanoseconds() + 10000000;
    for (int processor = 0; processor < CPU_SETSIZE && count < 2; processor++) {
        listeners[count].begin = begin;
        if (CPU_ISSET((size_t)processor, allowed))
            count += distance_start_on(processor, &threads[count], listen, &listeners[count]);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < WINDOWS; i++)
        missed += listeners[0].missed[i] || listeners[1].missed[i];
    const double share = 1 - (double)missed / WINDOWS;
    find(warn(count > 0, share < UNDISTURBED_SHARE), "undisturbed windows",
         count > 0 ? formatted("%.0f %% of 200 us", 100 * share) : UNKNOWN,
         "in the others one of two threads was off its processor. Contention drops these windows, so it takes longer",
         "stop other programs");
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "10 ns (4 pairs), 51 ns (24 pairs)": groups of distances that agree, each by its median. */
static const char *told_distances(double *distances, size_t count) {
    struct text text = {0};
    qsort(distances, count, sizeof distances[0], by_value);
    for (size_t from = 0, next; from < count; from = next) {
        for (next = from + 1; next < count && distance_agrees(distances[next - 1], distances[next]); next++)
            continue;
        text_format(&text, "%s%.0f ns (%s)", from ? ", " : "", distances[from + (next - from) / 2],
                    counted(next - from, "pair"));
    }
    return count > 0 ? text_string(&text) : UNKNOWN;
}

/* If there are few pairs, each gets more time: on a busy machine, both threads seldom run at once. */
static void find_distances(const cpu_set_t *allowed) {
    double distances[DISTANCES_PROBED];
    size_t count = 0, pair = 0;
    const size_t processors = (size_t)CPU_COUNT(allowed), pairs = processors * (processors - 1) / 2;
    const size_t step = (pairs + DISTANCES_PROBED - 1) / DISTANCES_PROBED;
    for (int a = 0; a < CPU_SETSIZE; a++) {
        for (int b = a + 1; b < CPU_SETSIZE; b++) {
            if (!CPU_ISSET((size_t)a, allowed) || !CPU_ISSET((size_t)b, allowed) || pair++ % step != 0)
                continue;
            const double one = distance_between(a, b, pairs < 8 ? 10 * DISTANCE_SECONDS : DISTANCE_SECONDS);
            if (one > 0)
                distances[count++] = one;
        }
    }
    find(warn(count > 0, false), "distance between processors", told_distances(distances, count), "", NULL);
}

/* "name (pid 42, 97 %)" for each process that was busy between two readings. */
static const char *busy_processes(const struct process_time *before, size_t before_count,
                                  const struct process_time *after, size_t after_count) {
    const double ticks = (double)sysconf(_SC_CLK_TCK) * LOOK_SECONDS;
    struct text busy = {0};
    for (size_t i = 0; i < after_count; i++)
        for (size_t j = 0; j < before_count; j++) {
            const double share = (double)(after[i].ticks - before[j].ticks) / ticks;
            if (before[j].pid == after[i].pid && after[i].pid != getpid() && share >= BUSY_SHARE)
                text_format(&busy, "%s%s (pid %d, %.0f %%)", busy.length ? ", " : "", after[i].name, after[i].pid,
                            share * 100);
        }
    return text_string(&busy);
}

/* Watches the other programs and the host. */
static void find_load(void) {
    struct processor_times first, second;
    struct process_time *before, *after;
    const struct timespec wait = {.tv_sec = LOOK_SECONDS};
    bool known = machine_processor_times(&first);
    const size_t before_count = machine_process_times(&before);
    nanosleep(&wait, NULL);
    known &= machine_processor_times(&second) && second.total > first.total;
    const char *busy = busy_processes(before, before_count, after, machine_process_times(&after));
    const double total = known ? (double)(second.total - first.total) : 1,
                 stolen = (double)(second.stolen - first.stolen) / total,
                 working = 1 - (double)(second.idle - first.idle) / total;
    find(warn(known, working > WORKING_SHARE), "load",
         known ? formatted("%.0f %% of all processors now", working * 100) : UNKNOWN,
         "other programs take processors and caches away in the middle of a loop", "stop other programs");
    find(warn(true, *busy), "other busy processes", *busy ? busy : "none",
         "beside one busy process a naive average over two threads was wrong by six times",
         "stop them, or bind them elsewhere: taskset -cp PROCESSOR PID");
    find(warn(known, stolen > STOLEN_SHARE), "time stolen by the host",
         known ? formatted("%.2f %%", stolen * 100) : UNKNOWN,
         "the host ran somebody else on our processors; measure more invocations, or later", NULL);
}

static void find_clock(void) {
    static const char sources[] = "/sys/devices/system/clocksource/clocksource0/";
    const char *there = machine_line(formatted("%savailable_clocksource", sources));
    const double read = clock_calibrate().overhead;
    find(warn(true, read > CLOCK_SLOW), "clock source", formatted("%s, %.0f ns a read", fact("clock_source"), read),
         "single operations are timed by two reads each, and windows between reads become longer",
         there && strstr(there, "tsc") ? set_file(formatted("%scurrent_clocksource", sources), "tsc") : NULL);
    find(judge("virtualisation", "none"), "virtualisation", fact("virtualisation"),
         "a host moves and interrupts virtual processors, unseen by the guest; counters are often missing. Each sample "
         "has its distance, and only samples of the same distance are compared",
         NULL);
}

static void find_counters(void) {
    const char *counters = machine_hardware_counters(), *papi = counters_papi(),
               *paranoid = machine_line("/proc/sys/kernel/perf_event_paranoid");
    const bool available = strcmp(counters, "available") == 0, denied = paranoid && atoi(paranoid) > 2;
    find(warn(true, !available), "hardware counters",
         formatted("%s; perf_event_paranoid: %s", counters, paranoid ? paranoid : UNKNOWN),
         "without them instructions and misses are not measured; times are not affected",
         denied ? "sudo sysctl kernel.perf_event_paranoid=2" : NULL);
    find(warn(true, !begins_with(papi, "available")), "PAPI", papi,
         "counters= and events= go through it; what it cannot count is a status in the data", NULL);
}

/* Prints the findings; returns how many are warnings. */
static unsigned tell(void) {
    unsigned warnings = 0;
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding) {
        const char *verdict, *what, *value, *why, *mend;
        json_unpack(finding, "{ss ss ss ss ss?}", "verdict", &verdict, "what", &what, "value", &value, "why", &why,
                    "mend", &mend);
        const bool warns = strcmp(verdict, "warn") == 0;
        printf("%-8s %s: %s\n", verdict, what, value);
        if (warns)
            printf("         why it matters: %s\n", why);
        if (warns && mend)
            printf("         mend it: %s\n", mend);
        warnings += warns;
    }
    return warnings;
}

/* A warning is no failure. */
int carry_out_doctor(const struct job *job) {
    cpu_set_t allowed;
    findings = json_array();
    machine = machine_read();
    find_processors();
    find_heat();
    find_limits();
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        find_distances(&allowed);
        find_windows(&allowed);
    }
    find_load();
    find_clock();
    find_counters();
    if (job->line->json) {
        json_dumpf(findings, stdout, JSON_INDENT(2));
        puts("");
        return 0;
    }
    const unsigned warnings = tell();
    if (warnings == 0)
        puts("nothing here disturbs measuring");
    else
        printf("%s: numbers from this machine are noisier; their order is still worth reading\n",
               counted(warnings, "warning"));
    if (fflush(stdout) != 0 || !job->whole) /* main reports a failed write */
        return 0;
    return call(words_of("setup/packages.sh", "--lacking", NULL));
}
