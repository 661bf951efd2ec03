#include "harness/driver/verbs/doctor.h"
#include "harness/driver/util/text.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/counters/counters_papi.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS 1.0
#define BUSY_SHARE 0.1     /* of one processor */
#define STOLEN_SHARE 0.005 /* of all time: about what costs a visible outlier */
#define WORKING_SHARE 0.05 /* of all time */
#define MEMORY_WANTED (2ull << 30)

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

static enum doctor_verdict judge(const char *value, const char *good) {
    if (strcmp(value, UNKNOWN) == 0)
        return DOCTOR_UNKNOWN;
    return strcmp(value, good) == 0 ? DOCTOR_OK : DOCTOR_WARN;
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
    char value[192];
    enum doctor_verdict verdict = machine->allowed_count == 0  ? DOCTOR_UNKNOWN
                                  : machine->allowed_count < 2 ? DOCTOR_WARN
                                                               : DOCTOR_OK;
    snprintf(value, sizeof value, "%u (%s)", machine->allowed_count, machine->allowed);
    find(report, verdict, "processors allowed", machine->allowed_count ? value : UNKNOWN,
         "an owner and a thief need one each to run at the same time",
         "taskset -c 0-3 ./run.sh ..., or give the container or the job more processors");
    find(report, judge(machine->smt, "off"), "SMT", machine->smt,
         "two threads of one core share its caches and its units; what the sibling does becomes noise",
         "echo off | sudo tee /sys/devices/system/cpu/smt/control, or keep placement=compact, which takes cores first");
}

static void report_memory(struct report *report, const struct machine *machine) {
    char value[64];
    enum doctor_verdict verdict = strcmp(machine->huge_pages, UNKNOWN) == 0   ? DOCTOR_UNKNOWN
                                  : strcmp(machine->huge_pages, "never") == 0 ? DOCTOR_WARN
                                                                              : DOCTOR_OK;
    find(report, verdict, "transparent huge pages", machine->huge_pages,
         "items that lie on small pages cost misses of the address cache, which differ from run to run",
         "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    if (machine->cgroup_memory == 0)
        snprintf(value, sizeof value, "no limit known");
    else
        snprintf(value, sizeof value, "%llu MiB", (unsigned long long)(machine->cgroup_memory >> 20));
    find(report, machine->cgroup_memory && machine->cgroup_memory < MEMORY_WANTED ? DOCTOR_WARN : DOCTOR_OK,
         "control group's memory", value, "the kernel kills what needs more; large deques need 2 GiB",
         "raise memory.max of the control group, --memory of the container or --mem of the job");
}

static void report_quota(struct report *report, const struct machine *machine) {
    char value[64];
    double quota = machine->cgroup_processors;
    if (quota > 0)
        snprintf(value, sizeof value, "%.2f processors' worth", quota);
    else
        snprintf(value, sizeof value, "%s", quota < 0 ? UNKNOWN : "no limit");
    find(report,
         quota > 0   ? DOCTOR_WARN
         : quota < 0 ? DOCTOR_UNKNOWN
                     : DOCTOR_OK,
         "control group's processor time", value,
         "when the share of a period is used up all threads stand still for the rest of it",
         "raise cpu.max of the control group, or start the container without --cpus (use --cpuset-cpus)");
}

static void report_load(struct report *report, const struct machine *machine, const struct activity *activity) {
    char value[320];
    bool known = machine->load >= 0 && activity->working >= 0;
    bool high = machine->load > 0.5 || activity->working > WORKING_SHARE;
    snprintf(value, sizeof value, "%.2f over a minute, %.0f %% of all processors now", machine->load,
             activity->working * 100);
    find(report,
         !known ? DOCTOR_UNKNOWN
         : high ? DOCTOR_WARN
                : DOCTOR_OK,
         "load", known ? value : UNKNOWN, "what else runs takes processors and caches away in the middle of a loop",
         "stop what else runs, and wait a minute");
    snprintf(value, sizeof value, "%s", *activity->busy ? activity->busy : "none");
    find(report, *activity->busy ? DOCTOR_WARN : DOCTOR_OK, "other busy processes", value,
         "beside one busy process a naive average over two threads was wrong by six times",
         "stop them, or bind them elsewhere: taskset -cp PROCESSOR PID");
    snprintf(value, sizeof value, "%.2f %%", activity->stolen * 100);
    find(report,
         activity->stolen < 0              ? DOCTOR_UNKNOWN
         : activity->stolen > STOLEN_SHARE ? DOCTOR_WARN
                                           : DOCTOR_OK,
         "time stolen by the host", activity->stolen < 0 ? UNKNOWN : value,
         "the host ran somebody else on our processors; measure more invocations, or later",
         "only a machine of your own, or dedicated processors, ends this");
}

static void report_clock(struct report *report, const struct machine *machine) {
    find(report, judge(machine->clock_source, "tsc"), "clock source", machine->clock_source,
         "another clock than the processor's own is read by a system call, for a microsecond instead of 20 ns",
         "boot with clocksource=tsc tsc=reliable if the processor's clock is constant");
    find(report, judge(machine->virtualisation, "none"), "virtualisation", machine->virtualisation,
         "a host moves and interrupts virtual processors unseen; counters are often missing",
         "measure on the bare machine where absolute times matter");
}

static void report_counters(struct report *report, const struct machine *machine, const char *counters,
                            const char *papi) {
    char value[32];
    snprintf(value, sizeof value, "%d", machine->perf_event_paranoid);
    enum doctor_verdict verdict = !machine->has_paranoid             ? DOCTOR_UNKNOWN
                                  : machine->perf_event_paranoid > 2 ? DOCTOR_WARN
                                                                     : DOCTOR_OK;
    find(report, verdict, "perf_event_paranoid", machine->has_paranoid ? value : UNKNOWN,
         "above 2 no program may count instructions and cache misses", "sudo sysctl kernel.perf_event_paranoid=2");
    find(report, strcmp(counters, "available") == 0 ? DOCTOR_OK : DOCTOR_WARN, "hardware counters", counters,
         "without them instructions and misses are not measured; times are not affected",
         "lower perf_event_paranoid; most virtual machines have none at all");
    find(report, strncmp(papi, "available", 9) == 0 ? DOCTOR_OK : DOCTOR_WARN, "PAPI", papi,
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
    report_memory(&report, machine);
    report_quota(&report, machine);
    report_load(&report, machine, activity);
    report_clock(&report, machine);
    report_counters(&report, machine, counters, papi);
    return report.warnings;
}

/* Adds "name (pid 42, 97 %)" for each process that was busy between two looks. */
static void compare_processes(struct activity *activity, const struct process_time *before, size_t before_count,
                              const struct process_time *after, size_t after_count, double seconds) {
    double ticks = (double)sysconf(_SC_CLK_TCK) * seconds;
    struct text busy = {0};
    for (size_t i = 0; i < after_count; i++) {
        for (size_t j = 0; j < before_count; j++) {
            if (before[j].pid != after[i].pid || after[i].pid == getpid())
                continue;
            double share = (double)(after[i].ticks - before[j].ticks) / ticks;
            if (share >= BUSY_SHARE)
                text_format(&busy, "%s%s (pid %d, %.0f %%)", busy.length ? ", " : "", after[i].name, after[i].pid,
                            share * 100);
            break;
        }
    }
    snprintf(activity->busy, sizeof activity->busy, "%s", text_string(&busy));
    text_free(&busy);
}

void doctor_look(struct activity *activity, const char *root, double seconds) {
    struct processor_times first, second;
    struct process_time *before, *after;
    struct timespec wait = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    *activity = (struct activity){.stolen = -1, .working = -1};
    bool known = machine_processor_times(&first, root);
    size_t before_count = machine_process_times(&before, root);
    nanosleep(&wait, NULL);
    known &= machine_processor_times(&second, root);
    size_t after_count = machine_process_times(&after, root);
    if (known && second.total > first.total) {
        double total = (double)(second.total - first.total);
        activity->stolen = (double)(second.stolen - first.stolen) / total;
        activity->working = 1 - (double)(second.idle - first.idle) / total;
    }
    compare_processes(activity, before, before_count, after, after_count, seconds);
    free(before);
    free(after);
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
