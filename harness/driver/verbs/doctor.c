#include "harness/driver/verbs/verbs.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/counters/counters_papi.h"
#include "harness/measuring/threads/distance.h"
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS 1.0
#define DISTANCES_PROBED 64 /* pairs of processors at most, 2 ms each */
#define BUSY_SHARE 0.1      /* of one processor */
#define STOLEN_SHARE 0.005  /* of all time: about what costs a visible outlier */
#define WORKING_SHARE 0.05  /* of all time */
#define MEMORY_WANTED (2ull << 30)
#define INTERRUPTS_SHOWN 1000.0   /* a second and processor: at some microseconds each half a percent */
#define KERNEL_THREAD_SHARE 0.005 /* of one processor */

struct report {
    FILE *file;
    unsigned warnings;
};

/* why and mend (NULL: nothing can be done) are printed where the verdict is not ok. */
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

/* warn where it is, unknown where it is not known. */
static enum doctor_verdict warn(bool known, bool bad) {
    return !known ? DOCTOR_UNKNOWN : bad ? DOCTOR_WARN : DOCTOR_OK;
}

static enum doctor_verdict judge(const char *value, const char *good) {
    return warn(strcmp(value, UNKNOWN) != 0, strcmp(value, good) != 0);
}

static void report_frequency(struct report *report, const struct machine *machine) {
    find(report, judge(machine->governor, "performance"), "governor", machine->governor,
         "a processor that changes its frequency with the load makes short measurements slower than long ones",
         "sudo cpupower frequency-set -g performance (on a virtual machine only its host can)");
    find(report, judge(machine->turbo, "off"), "turbo", machine->turbo,
         "turbo lasts as long as the chip stays cool, so what is measured first looks faster",
         "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (Intel), or "
         "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

static void report_processors(struct report *report, const struct machine *machine) {
    const unsigned count = machine->allowed_count;
    find(report, warn(count > 0, count < 2), "processors allowed",
         count ? formatted("%u (%s)", count, machine->allowed) : UNKNOWN,
         "an owner and a thief need one each to run at the same time",
         "taskset -c 0-3 ./run.sh ..., or give the container or the job more processors");
    find(report, judge(machine->smt, "off"), "SMT", machine->smt,
         "two threads of one core share its caches and its units; what the sibling does becomes noise",
         "echo off | sudo tee /sys/devices/system/cpu/smt/control, or keep placement=compact, which takes cores first");
}

static enum doctor_verdict readable(enum power_status status) {
    return status == POWER_OK ? DOCTOR_OK : status == POWER_DENIED ? DOCTOR_WARN : DOCTOR_UNKNOWN;
}

static void report_power(struct report *report, const struct machine *machine) {
    find(report, readable(machine->power.energy[POWER_PACKAGES]), "energy",
         power_status_word(machine->power.energy[POWER_PACKAGES]),
         "without it no joules are measured; times are not affected",
         machine->power.energy[POWER_PACKAGES] == POWER_DENIED
             ? "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj (until the next boot)"
             : NULL);
    find(report, readable(machine->frequency), "frequency of processors", power_status_word(machine->frequency),
         "without cpufreq only dependent_multiplication shows that a frequency changed", NULL);
    const enum doctor_verdict verdict = readable(machine->power.throttling);
    find(report, verdict == DOCTOR_OK ? warn(true, machine->power.throttled > 0) : verdict, "thermal throttling",
         verdict == DOCTOR_OK ? formatted("%llu events since boot", (unsigned long long)machine->power.throttled)
                              : power_status_word(machine->power.throttling),
         "a processor that is too hot slows down; invocations in which it does are measured again, and flagged if it "
         "goes on",
         verdict == DOCTOR_OK ? "cool the machine, or measure on fewer processors at a time" : NULL);
}

/* Are there processors that were isolated for such as us, and are we elsewhere? */
static bool is_beside_the_isolated(const struct machine *machine) {
    if (machine->allowed_count == 0 || processor_list_count(machine->isolated) == 0)
        return false;
    for (unsigned i = 0; i < 4096; i++)
        if (processor_list_has(machine->isolated, i) && processor_list_has(machine->allowed, i))
            return false;
    return true;
}

static void report_isolation(struct report *report, const struct machine *machine, const struct activity *activity) {
    const double each = machine->allowed_count > 0 ? activity->interrupts / machine->allowed_count : -1;
    find(report, warn(strcmp(machine->isolated, UNKNOWN) != 0, is_beside_the_isolated(machine)), "isolated processors",
         formatted("%s; without tick: %s", machine->isolated, machine->nohz_full),
         "these were set apart from the scheduler, and measuring happens on others",
         formatted("taskset -c %s ./run.sh ..., or give the job these processors", machine->isolated));
    find(report, warn(each >= 0, each > INTERRUPTS_SHOWN), "interrupts of devices",
         each < 0 ? UNKNOWN
                  : formatted("%.0f a second on our processors, most since boot: %s", activity->interrupts,
                              activity->interrupts_busiest),
         "each takes the processor away for some microseconds",
         "stop irqbalance and keep them elsewhere: echo OTHERS | sudo tee /proc/irq/NUMBER/smp_affinity_list");
    find(report, warn(true, *activity->kernel_threads), "kernel threads on our processors",
         *activity->kernel_threads ? activity->kernel_threads : "none noticed",
         "work of the kernel's runs between ours",
         "isolcpus=, nohz_full= and rcu_nocbs= when booting; echo MASK | sudo tee "
         "/sys/devices/virtual/workqueue/cpumask");
}

static void report_memory(struct report *report, const struct machine *machine) {
    const uint64_t limit = machine->cgroup_memory;
    find(report, warn(strcmp(machine->huge_pages, UNKNOWN) != 0, strcmp(machine->huge_pages, "never") == 0),
         "transparent huge pages", machine->huge_pages,
         "items that lie on small pages cost misses of the address cache, which differ from run to run",
         "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    find(report, warn(true, limit && limit < MEMORY_WANTED), "control group's memory",
         limit ? formatted("%llu MiB", (unsigned long long)(limit >> 20)) : "no limit known",
         "the kernel kills what needs more; large deques need 2 GiB",
         "raise memory.max of the control group, --memory of the container or --mem of the job");
}

static void report_quota(struct report *report, const struct machine *machine) {
    const double quota = machine->cgroup_processors;
    find(report, warn(quota >= 0, quota > 0), "control group's processor time",
         quota > 0   ? formatted("%.2f processors' worth", quota)
         : quota < 0 ? UNKNOWN
                     : "no limit",
         "when the share of a period is used up all threads stand still for the rest of it",
         "raise cpu.max of the control group, or start the container without --cpus (use --cpuset-cpus)");
}

static void report_load(struct report *report, const struct machine *machine, const struct activity *activity) {
    const bool known = machine->load >= 0 && activity->working >= 0;
    find(report, warn(known, machine->load > 0.5 || activity->working > WORKING_SHARE), "load",
         known ? formatted("%.2f over a minute, %.0f %% of all processors now", machine->load, activity->working * 100)
               : UNKNOWN,
         "what else runs takes processors and caches away in the middle of a loop",
         "stop what else runs, and wait a minute");
    find(report, warn(true, *activity->busy), "other busy processes", *activity->busy ? activity->busy : "none",
         "beside one busy process a naive average over two threads was wrong by six times",
         "stop them, or bind them elsewhere: taskset -cp PROCESSOR PID");
    find(report, warn(activity->stolen >= 0, activity->stolen > STOLEN_SHARE), "time stolen by the host",
         activity->stolen < 0 ? UNKNOWN : formatted("%.2f %%", activity->stolen * 100),
         "the host ran somebody else on our processors; measure more invocations, or later",
         "only a machine of your own, or dedicated processors, ends this");
}

static void report_clock(struct report *report, const struct machine *machine, const struct activity *activity) {
    find(report, judge(machine->clock_source, "tsc"), "clock source", machine->clock_source,
         "another clock than the processor's own is read by a system call, for a microsecond instead of 20 ns",
         "boot with clocksource=tsc tsc=reliable if the processor's clock is constant");
    find(report, *activity->distances ? judge(machine->virtualisation, "none") : DOCTOR_UNKNOWN,
         "distance between processors", *activity->distances ? activity->distances : UNKNOWN,
         "the way of a cache line between two threads is most of a steal, and the host of a virtual machine moves "
         "processors: near (27 ns) for some minutes, then far (105 ns). Each sample has its distance, and only samples "
         "of one are compared",
         NULL);
    find(report, judge(machine->virtualisation, "none"), "virtualisation", machine->virtualisation,
         "a host moves and interrupts virtual processors unseen; counters are often missing",
         "measure on the bare machine where absolute times matter");
}

static void report_counters(struct report *report, const struct machine *machine, const char *counters,
                            const char *papi) {
    find(report, warn(machine->has_paranoid, machine->perf_event_paranoid > 2), "perf_event_paranoid",
         machine->has_paranoid ? formatted("%d", machine->perf_event_paranoid) : UNKNOWN,
         "above 2 no program may count instructions and cache misses", "sudo sysctl kernel.perf_event_paranoid=2");
    find(report, warn(true, strcmp(counters, "available") != 0), "hardware counters", counters,
         "without them instructions and misses are not measured; times are not affected",
         "lower perf_event_paranoid; most virtual machines have none at all");
    find(report, warn(true, !begins_with(papi, "available")), "PAPI", papi,
         "counters=hardware goes through it; what it cannot count is a status in the data, and counters=callgrind "
         "simulates instructions and cache misses instead",
         "apt-get install libpapi-dev, or the version that knows this processor; " PAPI_LIBRARY_VARIABLE
         "=FILE names another libpapi");
}

unsigned doctor_report(FILE *file, const struct machine *machine, const struct activity *activity, const char *counters,
                       const char *papi) {
    struct report report = {.file = file};
    report_processors(&report, machine);
    report_frequency(&report, machine);
    report_power(&report, machine);
    report_isolation(&report, machine, activity);
    report_memory(&report, machine);
    report_quota(&report, machine);
    report_load(&report, machine, activity);
    report_clock(&report, machine, activity);
    report_counters(&report, machine, counters, papi);
    return report.warnings;
}

/* Adds "name (pid 42, 97 %)" for each process that was busy between two looks, and for each thread of the kernel that
 * ran on one of our processors. */
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

/* Pairs of the processors that this process may use: all, or as many as take a moment, evenly chosen. Few are given
 * more time, for on a busy machine the two threads are seldom there together. */
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

int doctor(void) {
    struct machine machine;
    struct activity activity;
    machine_read(&machine, "");
    doctor_look(&activity, "", LOOK_SECONDS);
    unsigned warnings = doctor_report(stdout, &machine, &activity, machine_hardware_counters(), counters_papi());
    if (warnings == 0)
        puts("nothing here stands in the way of measuring");
    else
        printf(
            "%u warning%s: figures from this machine carry that much more noise; their order is still worth reading\n",
            warnings, warnings == 1 ? "" : "s");
    return 0;
}
