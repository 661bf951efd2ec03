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
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS 1.0
#define WINDOWS_SECONDS 0.5
#define SILENCES_MAX 8192     /* of a thread */
#define UNDISTURBED_SHARE 0.5 /* of the windows of contention */
#define DISTANCES_PROBED 64   /* most pairs of processors that are probed, 2 ms each */
#define BUSY_SHARE 0.1        /* of one processor */
#define STOLEN_SHARE 0.005    /* of all time: about the share that makes a visible outlier */
#define WORKING_SHARE 0.05    /* of all time */
#define MEMORY_WANTED (2ull << 30)
#define INTERRUPTS_SHOWN 1000.0   /* per second and processor; at some microseconds each, they take half a percent */
#define KERNEL_THREAD_SHARE 0.005 /* of one processor */

struct report {
    FILE *file;
    const char *root;
    const json_t *machine;
    unsigned warnings;
};

/* Adds a finding. why and mend are printed unless the verdict is ok. mend NULL: nothing can be done. */
static void find(struct report *report, enum doctor_verdict verdict, const char *what, const char *value,
                 const char *why, const char *mend) {
    static const char *const verdicts[] = {"ok", "warn", "unknown"};
    fprintf(report->file, "%-8s %s: %s\n", verdicts[verdict], what, value);
    report->warnings += verdict == DOCTOR_WARN;
    if (verdict == DOCTOR_OK)
        return;
    fprintf(report->file, "         why it matters: %s\n", why);
    if (mend)
        fprintf(report->file, "         mend it: %s\n", mend);
}

static enum doctor_verdict warn(bool known, bool bad) {
    return !known ? DOCTOR_UNKNOWN : bad ? DOCTOR_WARN : DOCTOR_OK;
}

static enum doctor_verdict judge(const char *value, const char *good) {
    return warn(strcmp(value, UNKNOWN) != 0, strcmp(value, good) != 0);
}

static const char *fact(const struct report *report, const char *name) {
    const char *text = json_string_value(json_object_get(report->machine, name));
    return text ? text : UNKNOWN;
}

/* otherwise: the result if the fact is no number. */
static double number(const struct report *report, const char *name, double otherwise) {
    const json_t *fact = json_object_get(report->machine, name);
    return json_is_number(fact) ? json_number_value(fact) : otherwise;
}

static void report_frequency(struct report *report) {
    find(report, judge(fact(report, "governor"), "performance"), "governor", fact(report, "governor"),
         "a processor that changes its frequency with the load makes short measurements slower than long ones",
         "sudo cpupower frequency-set -g performance (on a virtual machine only its host can)");
    find(report, judge(fact(report, "turbo"), "off"), "turbo", fact(report, "turbo"),
         "turbo lasts as long as the chip stays cool, so what is measured first looks faster",
         "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (Intel), or "
         "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

static void report_processors(struct report *report) {
    const unsigned count = processor_list_count(fact(report, "processors_allowed"));
    find(report, warn(count > 0, count < 2), "processors allowed",
         count ? formatted("%u (%s)", count, fact(report, "processors_allowed")) : UNKNOWN,
         "an owner and a thief need one each to run at the same time",
         "taskset -c 0-3 ./run.sh ..., or give the container or the job more processors");
    struct places_facts facts;
    char message[MESSAGE_SIZE];
    if (places_facts(NULL, &facts, message) && *facts.kinds)
        find(report, DOCTOR_OK, "kinds of cores", formatted("%s; cells use the first kind", facts.kinds), "", NULL);
    find(report, judge(fact(report, "smt"), "off"), "SMT", fact(report, "smt"),
         "two threads of one core share its caches and its units; what the sibling does becomes noise",
         "echo off | sudo tee /sys/devices/system/cpu/smt/control, or keep placement=compact, which takes cores first");
}

static enum doctor_verdict readable(enum power_status status) {
    return status == POWER_OK ? DOCTOR_OK : status == POWER_DENIED ? DOCTOR_WARN : DOCTOR_UNKNOWN;
}

static void report_power(struct report *report) {
    struct power_reading power;
    power_read(&power, *report->root ? report->root : NULL);
    const enum doctor_verdict throttling = readable(power.throttling);
    const char *frequency = fact(report, "processor_frequency");
    find(report,
         strcmp(frequency, "ok") == 0       ? DOCTOR_OK
         : strcmp(frequency, "denied") == 0 ? DOCTOR_WARN
                                            : DOCTOR_UNKNOWN,
         "frequency of processors", frequency,
         "without cpufreq only dependent_multiplication shows that a frequency changed", NULL);
    find(report, throttling == DOCTOR_OK ? warn(true, power.throttled > 0) : throttling, "thermal throttling",
         throttling == DOCTOR_OK ? formatted("%llu events since boot", (unsigned long long)power.throttled)
                                 : power_status_word(power.throttling),
         "a processor that is too hot slows down; invocations in which it does are measured again, and flagged if it "
         "goes on",
         throttling == DOCTOR_OK ? "cool the machine, or measure on fewer processors at a time" : NULL);
}

static void report_isolation(struct report *report, const struct activity *activity) {
    const char *isolated = fact(report, "isolated"), *allowed = fact(report, "processors_allowed");
    const unsigned count = processor_list_count(allowed);
    const bool beside = count > 0 && processor_list_count(isolated) > 0 && !processor_lists_share(isolated, allowed);
    const double each = count > 0 ? activity->interrupts / count : -1;
    find(report, warn(strcmp(isolated, UNKNOWN) != 0, beside), "isolated processors",
         formatted("%s; without tick: %s", isolated, fact(report, "nohz_full")),
         "these are isolated from the scheduler, but this process measures on others",
         formatted("taskset -c %s ./run.sh ..., or give the job these processors", isolated));
    find(report, warn(each >= 0, each > INTERRUPTS_SHOWN), "interrupts of devices",
         each < 0 ? UNKNOWN
                  : formatted("%.0f a second on our processors, most since boot: %s", activity->interrupts,
                              activity->interrupts_busiest),
         "each takes the processor away for some microseconds",
         "stop irqbalance and keep them elsewhere: echo OTHERS | sudo tee /proc/irq/NUMBER/smp_affinity_list");
    find(report, warn(true, *activity->kernel_threads), "kernel threads on our processors",
         *activity->kernel_threads ? activity->kernel_threads : "none noticed", "the kernel's work interrupts ours",
         "isolcpus=, nohz_full= and rcu_nocbs= when booting; echo MASK | sudo tee "
         "/sys/devices/virtual/workqueue/cpumask");
}

static void report_memory(struct report *report) {
    const double limit = number(report, "cgroup_memory_bytes", 0);
    find(report,
         warn(strcmp(fact(report, "transparent_huge_pages"), UNKNOWN) != 0,
              strcmp(fact(report, "transparent_huge_pages"), "never") == 0),
         "transparent huge pages", fact(report, "transparent_huge_pages"),
         "items that lie on small pages cost misses of the address cache, which differ from run to run",
         "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    find(report, warn(true, limit > 0 && limit < MEMORY_WANTED), "control group's memory",
         limit > 0 ? formatted("%.0f MiB", floor(limit / (1 << 20))) : "no limit known",
         "the kernel kills what needs more; large deques need 2 GiB",
         "raise memory.max of the control group, --memory of the container or --mem of the job");
}

static void report_quota(struct report *report) {
    const bool unknown = strcmp(fact(report, "cgroup_processors"), UNKNOWN) == 0;
    const double quota = number(report, "cgroup_processors", unknown ? -1 : 0);
    find(report, warn(quota >= 0, quota > 0), "control group's processor time",
         quota > 0   ? formatted("%.2f processors' worth", quota)
         : quota < 0 ? UNKNOWN
                     : "no limit",
         "when its share of a period is used up, all threads stop for the rest of the period",
         "raise cpu.max of the control group, or start the container without --cpus (use --cpuset-cpus)");
}

static void report_load(struct report *report, const struct activity *activity) {
    const bool known = activity->working >= 0;
    find(report, warn(known, activity->working > WORKING_SHARE), "load",
         known ? formatted("%.0f %% of all processors now", activity->working * 100) : UNKNOWN,
         "other programs take processors and caches away in the middle of a loop", "stop other programs");
    find(report, warn(true, *activity->busy), "other busy processes", *activity->busy ? activity->busy : "none",
         "beside one busy process a naive average over two threads was wrong by six times",
         "stop them, or bind them elsewhere: taskset -cp PROCESSOR PID");
    const double *share = activity->undisturbed;
    find(report, warn(share[0] >= 0, share[2] < UNDISTURBED_SHARE), "undisturbed windows",
         share[0] < 0 ? UNKNOWN
                      : formatted("%.0f %% of 50 us, %.0f %% of 100 us, %.0f %% of 200 us, %.0f %% of 1 ms",
                                  100 * share[0], 100 * share[1], 100 * share[2], 100 * share[3]),
         "in the others one of two threads was off its processor. Contention has windows of 200 us and drops these, so "
         "it "
         "takes longer",
         "stop other programs");
    find(report, warn(activity->stolen >= 0, activity->stolen > STOLEN_SHARE), "time stolen by the host",
         activity->stolen < 0 ? UNKNOWN : formatted("%.2f %%", activity->stolen * 100),
         "the host ran somebody else on our processors; measure more invocations, or later",
         "only a machine of your own, or dedicated processors, ends this");
}

static void report_clock(struct report *report, const struct activity *activity) {
    find(report, judge(fact(report, "clock_source"), "tsc"), "clock source", fact(report, "clock_source"),
         "a clock other than the processor's own is read by a system call, which takes a microsecond instead of 20 ns",
         "boot with clocksource=tsc tsc=reliable if the processor's clock is constant");
    find(report, *activity->distances ? judge(fact(report, "virtualisation"), "none") : DOCTOR_UNKNOWN,
         "distance between processors", *activity->distances ? activity->distances : UNKNOWN,
         "moving a cache line between two threads is most of a steal's time. A host moves virtual processors: near (27 "
         "ns) for some minutes, then far (105 ns). Each sample has its distance, and only samples of the same distance "
         "are compared",
         NULL);
    find(report, judge(fact(report, "virtualisation"), "none"), "virtualisation", fact(report, "virtualisation"),
         "a host moves and interrupts virtual processors, unseen by the guest; counters are often missing",
         "measure on the bare machine where absolute times matter");
}

static void report_counters(struct report *report, const char *counters, const char *papi) {
    const char *paranoid = machine_paranoid(report->root);
    find(report, warn(paranoid, paranoid && atoi(paranoid) > 2), "perf_event_paranoid", paranoid ? paranoid : UNKNOWN,
         "above 2 no program may count instructions and cache misses", "sudo sysctl kernel.perf_event_paranoid=2");
    find(report, warn(true, strcmp(counters, "available") != 0), "hardware counters", counters,
         "without them instructions and misses are not measured; times are not affected",
         "lower perf_event_paranoid; most virtual machines have none at all");
    find(report, warn(true, !begins_with(papi, "available")), "PAPI", papi,
         "counters= and events= go through it; what it cannot count is a status in the data",
         "apt-get install libpapi-dev, or the version that knows this processor; " PAPI_LIBRARY_VARIABLE
         "=FILE names another libpapi");
}

unsigned doctor_report(FILE *file, const char *root, const struct activity *activity, const char *counters,
                       const char *papi) {
    struct report report = {.file = file, .root = root, .machine = machine_read(root)};
    report_processors(&report);
    report_frequency(&report);
    report_power(&report);
    report_isolation(&report, activity);
    report_memory(&report);
    report_quota(&report);
    report_load(&report, activity);
    report_clock(&report, activity);
    report_counters(&report, counters, papi);
    return report.warnings;
}

/* Adds "name (pid 42, 97 %)" for each process that was busy between two readings, and for each kernel thread that ran
 * on one of our processors. */
static void compare_processes(struct activity *activity, const char *allowed, const struct process_time *before,
                              size_t before_count, const struct process_time *after, size_t after_count,
                              double seconds) {
    double ticks = (double)sysconf(_SC_CLK_TCK) * seconds;
    struct text busy = {0}, kernel = {0};
    for (size_t i = 0; i < after_count; i++) {
        for (size_t j = 0; j < before_count; j++) {
            if (before[j].pid != after[i].pid || after[i].pid == getpid())
                continue;
            double share = (double)(after[i].ticks - before[j].ticks) / ticks;
            if (after[i].of_kernel && share >= KERNEL_THREAD_SHARE && after[i].processor >= 0 &&
                processor_list_has(allowed, (unsigned)after[i].processor))
                text_format(&kernel, "%s%s (on %d, %.0f %%)", kernel.length ? ", " : "", after[i].name,
                            after[i].processor, share * 100);
            if (share >= BUSY_SHARE)
                text_format(&busy, "%s%s (pid %d, %.0f %%)", busy.length ? ", " : "", after[i].name, after[i].pid,
                            share * 100);
            break;
        }
    }
    activity->busy = text_string(&busy);
    activity->kernel_threads = text_string(&kernel);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

const char *doctor_tell_distances(double *distances, size_t count) {
    struct text text = {0};
    qsort(distances, count, sizeof distances[0], by_value);
    for (size_t from = 0, next; from < count; from = next) {
        for (next = from + 1; next < count && distance_agrees(distances[next - 1], distances[next]); next++)
            continue;
        text_format(&text, "%s%.0f ns (%zu pair%s)", from ? ", " : "", distances[from + (next - from) / 2], next - from,
                    next - from == 1 ? "" : "s");
    }
    return text_string(&text);
}

/* Probes at most DISTANCES_PROBED pairs of the processors that this process may use. If there are few pairs, each gets
 * more time: on a busy machine, both threads seldom run at once. */
static void probe_distances(struct activity *activity) {
    double distances[DISTANCES_PROBED];
    size_t count = 0, pair = 0;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    const size_t processors = (size_t)CPU_COUNT(&allowed), pairs = processors * (processors - 1) / 2;
    const size_t step = (pairs + DISTANCES_PROBED - 1) / DISTANCES_PROBED;
    for (int a = 0; a < CPU_SETSIZE; a++) {
        for (int b = a + 1; b < CPU_SETSIZE; b++) {
            if (!CPU_ISSET((size_t)a, &allowed) || !CPU_ISSET((size_t)b, &allowed) || pair++ % step != 0)
                continue;
            const double one = distance_between(a, b, pairs < 8 ? 10 * DISTANCE_SECONDS : DISTANCE_SECONDS);
            if (one > 0)
                distances[count++] = one;
        }
    }
    activity->distances = doctor_tell_distances(distances, count);
}

const uint64_t doctor_windows[4] = {50000, 100000, 200000, 1000000};

void doctor_share_windows(const struct silence *silences, size_t count, uint64_t nanoseconds, double *shares) {
    for (size_t i = 0; i < 4; i++) {
        const size_t windows = nanoseconds / doctor_windows[i];
        size_t spoilt = 0;
        bool *spoils = calloc(windows, sizeof *spoils);
        for (size_t j = 0; spoils && j < count; j++)
            for (size_t k = silences[j].from / doctor_windows[i];
                 k < windows && k * doctor_windows[i] <= silences[j].to; k++) {
                spoilt += !spoils[k];
                spoils[k] = true;
            }
        shares[i] = spoils && windows > 0 ? 1 - (double)spoilt / (double)windows : -1;
        free(spoils);
    }
}

struct listener {
    uint64_t begin, end;
    size_t count;
    struct silence silences[SILENCES_MAX];
};

static void *listen_for_silences(void *argument) {
    struct listener *listener = argument;
    const uint64_t begin = listener->begin;
    uint64_t before = clock_nanoseconds(), now;
    before = before > begin ? begin : before; /* it came too late */
    for (; before < listener->end; before = now) {
        now = clock_nanoseconds();
        if (now - before > WATCH_GAP && now > begin && listener->count < SILENCES_MAX)
            listener->silences[listener->count++] = (struct silence){before > begin ? before - begin : 0, now - begin};
    }
    return NULL;
}

/* Two threads listen at once, as owner and thief would; on one processor, one. */
static void share_windows(struct activity *activity) {
    static struct listener listeners[2];
    pthread_t threads[2];
    unsigned count = 0;
    cpu_set_t allowed;
    activity->undisturbed[0] = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    const uint64_t begin = clock_nanoseconds() + 10000000, length = (uint64_t)(WINDOWS_SECONDS * 1e9);
    for (int processor = 0; processor < CPU_SETSIZE && count < 2; processor++) {
        if (!CPU_ISSET((size_t)processor, &allowed))
            continue;
        listeners[count] = (struct listener){.begin = begin, .end = begin + length};
        count += distance_start_on(processor, &threads[count], listen_for_silences, &listeners[count]);
    }
    static struct silence all[2 * SILENCES_MAX];
    size_t silences = 0;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        memcpy(&all[silences], listeners[i].silences, listeners[i].count * sizeof all[0]);
        silences += listeners[i].count;
    }
    if (count > 0)
        doctor_share_windows(all, silences, length, activity->undisturbed);
}

/* Watches for this many seconds. */
static void doctor_look(struct activity *activity, const char *root, double seconds) {
    struct processor_times first, second;
    struct process_time *before, *after;
    const struct timespec wait = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    const char *allowed = machine_allowed(root);
    *activity = (struct activity){
        .stolen = -1, .working = -1, .interrupts = -1, .busy = "", .kernel_threads = "", .distances = ""};
    probe_distances(activity);
    share_windows(activity);
    const double interrupts = machine_interrupts(allowed, &activity->interrupts_busiest, root);
    bool known = machine_processor_times(&first, root);
    const size_t before_count = machine_process_times(&before, root);
    nanosleep(&wait, NULL);
    const double later = machine_interrupts(allowed, &activity->interrupts_busiest, root);
    if (interrupts >= 0 && later >= interrupts && seconds > 0)
        activity->interrupts = (later - interrupts) / seconds;
    known &= machine_processor_times(&second, root);
    const size_t after_count = machine_process_times(&after, root);
    if (known && second.total > first.total) {
        const double total = (double)(second.total - first.total);
        activity->stolen = (double)(second.stolen - first.stolen) / total;
        activity->working = 1 - (double)(second.idle - first.idle) / total;
    }
    compare_processes(activity, allowed, before, before_count, after, after_count, seconds);
}

/* A warning is no failure. */
int carry_out_doctor(const struct job *job) {
    struct activity activity;
    doctor_look(&activity, "", LOOK_SECONDS);
    const unsigned warnings = doctor_report(stdout, "", &activity, machine_hardware_counters(), counters_papi());
    if (warnings == 0)
        puts("nothing here disturbs measuring");
    else
        printf("%u warning%s: numbers from this machine are noisier; their order is still worth reading\n", warnings,
               warnings == 1 ? "" : "s");
    if (fflush(stdout) != 0 || !job->whole) /* main reports a failed write */
        return 0;
    return call(words_of("setup/packages.sh", "--lacking", NULL));
}
