/* machine.c: reads from /proc and /sys the facts about the machine that decide what a measurement is worth. A fact
 * that cannot be read is "unknown", never a guess. Before every path stands the environment's STEALBENCH_SYSTEM_ROOT,
 * where tests put a machine of their own. */
#pragma once

#include "harness/driver/util/files.c"
#include "harness/measuring/counters.h"
#include "harness/measuring/places.h"
#include <glob.h>
#include <hwloc.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define UNKNOWN "unknown"

static const char *at(const char *path) {
    const char *root = getenv("STEALBENCH_SYSTEM_ROOT");
    return root ? formatted("%s%s", root, path) : path;
}

/* Its first line; NULL if there is none. */
static const char *machine_line(const char *path) {
    const char *line = file_line(at(path));
    return line && *line ? line : NULL;
}

static const char *or_unknown(const char *text) { return text ? text : UNKNOWN; }

/* None if the file cannot be read. */
static struct words lines_of(const char *path) { return split_words(file_text(at(path)), "\n"); }

/* The text behind "name:" in a file of such lines, or NULL. */
static const char *labelled(const char *path, const char *name) {
    const struct words lines = lines_of(path);
    foreach (line, lines) {
        const char *behind = *line + (begins_with(*line, name) ? strlen(name) : 0);
        behind += strspn(behind, " \t");
        if (behind > *line && *behind == ':')
            return behind + 1 + strspn(behind + 1, " \t");
    }
    return NULL;
}

/* An empty list is "none"; a missing file NULL. */
static const char *processor_list(const char *path) {
    const char *list = machine_line(path);
    return list ? list : access(at(path), F_OK) == 0 ? "none" : NULL;
}

static const char *read_governor(void) {
    const char *all = NULL, *one;
    unsigned i = 0;
    while ((one = machine_line(formatted("/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i++)))) {
        if (all && !same(one, all))
            return "mixed";
        all = one;
    }
    return all;
}

/* Reads a switch from a file that holds 0 or 1. off: which of these means off. NULL: no such file. */
static const char *read_switch(const char *path, const char *off) {
    const char *line = machine_line(path);
    return !line ? NULL : same(line, off) ? "off" : "on";
}

/* The word in brackets of "always [madvise] never". */
static const char *read_huge_pages(void) {
    const char *line = machine_line("/sys/kernel/mm/transparent_hugepage/enabled"),
               *open = line ? strchr(line, '[') : NULL;
    return open ? formatted("%.*s", (int)strcspn(open + 1, "]"), open + 1) : NULL;
}

static const char *read_virtualisation(void) {
    const char *flags = labelled("/proc/cpuinfo", "flags"), *name = machine_line("/sys/hypervisor/type");
    if (!flags)
        return NULL;
    if (!strstr(flags, " hypervisor"))
        return "none";
    name = name ? name : machine_line("/sys/class/dmi/id/product_name");
    return name ? formatted("a virtual machine (%s)", name) : "a virtual machine";
}

/* Which of these instruction sets ("avx2 bmi2", as Linux names them) the processors lack; "": none, or not known. */
const char *machine_lacks(const char *wanted) {
    const char *flags = labelled("/proc/cpuinfo", "flags");
    const char *known = flags ? flags : labelled("/proc/cpuinfo", "Features");
    const struct words sets = split_words(wanted, " "), there = split_words(known ? known : wanted, " ");
    struct words lacks = {0};
    foreach (set, sets)
        if (!words_have(there, *set))
            words_add(&lacks, *set);
    return joined(lacks, " ");
}

/* The path of this process in the control group hierarchy of a controller ("" for version 2), or NULL. The lines look
 * like "4:cpu,cpuacct:/user.slice" or "0::/user.slice". */
static const char *cgroup_path(const char *controller) {
    const struct words lines = lines_of("/proc/self/cgroup");
    foreach (line, lines) {
        char *rest = duplicate(*line), *number = strsep(&rest, ":"), *names = strsep(&rest, ":");
        if (number && rest && (*controller ? words_have(split_words(names, ","), controller) : !*names))
            return same(rest, "/") ? "" : rest;
    }
    return NULL;
}

/* Reads one or two numbers from a file in the group's folder and in every folder above: the least quotient above 0, or
 * the number itself if there is only one. 0: no limit is known ("max" is no number). Inside a container the path may be
 * the host's: then only the top group exists. */
static double least_of_groups(const char *mount, const char *controller, const char *file) {
    const char *group = cgroup_path(controller);
    double least = 0;
    for (char *path = group ? duplicate(group) : NULL, *slash; path; path = slash ? path : NULL) {
        const char *line = machine_line(formatted("%s%s/%s", mount, path, file));
        double number, divisor = 1;
        if (line && sscanf(line, "%lf %lf", &number, &divisor) >= 1 && number / divisor > 0 &&
            (least <= 0 || number / divisor < least))
            least = number / divisor;
        if ((slash = strrchr(path, '/')))
            *slash = '\0';
    }
    return least;
}

static uint64_t read_memory(void) {
    const char *total = labelled("/proc/meminfo", "MemTotal");
    return total ? strtoull(total, NULL, 10) * 1024 : 0;
}

/* The control group's, by version 2 or 1, which writes "no limit" as a number near 2^63; 0: no limit known. */
static uint64_t read_cgroup_memory(void) {
    double memory = least_of_groups("/sys/fs/cgroup", "", "memory.max");
    memory = memory > 0 ? memory : least_of_groups("/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes");
    return memory > 0 && memory < 4e18 ? (uint64_t)memory : 0;
}

/* Bytes of memory that this machine and its control group allow a process; 0: unknown. */
uint64_t machine_memory(void) {
    const uint64_t installed = read_memory(), granted = read_cgroup_memory();
    return granted > 0 && (granted < installed || installed == 0) ? granted : installed;
}

/* The same of processors. */
static double read_cgroup_processors(void) {
    const double quota = least_of_groups("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_quota_us"),
                 period = least_of_groups("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_period_us");
    return quota > 0 && period > 0 ? quota / period : least_of_groups("/sys/fs/cgroup", "", "cpu.max");
}

/* How often cores and packages were slowed down for heat or power since boot; NAN: the kernel does not tell. */
double machine_throttled(void) {
    const char *pattern = at("/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/{core,package}_throttle_count");
    static glob_t files; /* two for each processor: looked for once */
    static bool known;
    if (!known)
        glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &files);
    known = true;
    double sum = files.gl_pathc > 0 ? 0 : NAN;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *events = file_line(files.gl_pathv[i]);
        sum += events ? strtod(events, NULL) : NAN;
        free(events);
    }
    return sum;
}

static json_t *json_of_limit(double limit) { return limit > 0 ? json_of_real(limit) : json_string("no limit known"); }

/* The facts as texts, by their names in manifest.json. The control group's limits of processors and memory
 * are numbers. */
json_t *machine_read(void) {
    const char *release = machine_line("/proc/sys/kernel/osrelease"),
               *version = machine_line("/proc/sys/kernel/version"),
               *turbo = read_switch("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
    const struct {
        const char *name, *text;
    } texts[] = {{"cpu", labelled("/proc/cpuinfo", "model name")},
                 {"kernel", version ? formatted("%s %s", or_unknown(release), version) : release},
                 {"governor", read_governor()},
                 {"turbo", turbo ? turbo : read_switch("/sys/devices/system/cpu/cpufreq/boost", "0")},
                 {"smt", read_switch("/sys/devices/system/cpu/smt/active", "0")},
                 {"transparent_huge_pages", read_huge_pages()},
                 {"clock_source", machine_line("/sys/devices/system/clocksource/clocksource0/current_clocksource")},
                 {"virtualisation", read_virtualisation()},
                 {"asymmetric_fences", describe_fences()},
                 {"processors_allowed", labelled("/proc/self/status", "Cpus_allowed_list")},
                 {"memory_nodes_allowed", labelled("/proc/self/status", "Mems_allowed_list")},
                 {"isolated", processor_list("/sys/devices/system/cpu/isolated")},
                 {"nohz_full", processor_list("/sys/devices/system/cpu/nohz_full")},
                 {"throttling", isnan(machine_throttled()) ? "unsupported" : "ok"}};
    json_t *json = json_object();
    foreach (one, LIST_OF(texts))
        json_object_set_new(json, one->name, json_of_text(or_unknown(one->text)));
    json_object_set_new(json, "cgroup_processors", json_of_limit(read_cgroup_processors()));
    json_object_set_new(json, "memory_bytes", json_integer((json_int_t)read_memory()));
    json_object_set_new(json, "cgroup_memory_bytes", json_of_limit((double)read_cgroup_memory()));
    return json;
}

/* Reads how the processors' time was spent since boot, in ticks. */
static bool read_times(unsigned long long *total, unsigned long long *idle) {
    const char *line = machine_line("/proc/stat");
    unsigned long long value[8] = {0};
    if (!line || sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &value[0], &value[1], &value[2], &value[3],
                        &value[4], &value[5], &value[6], &value[7]) != 8)
        return false;
    *idle = value[3] + value[4];
    *total = *idle + value[0] + value[1] + value[2] + value[5] + value[6] + value[7];
    return true;
}

/* Watches for so many seconds how many processors are busy, or taken by the host. Below 0: unknown. */
double machine_processors_busy(double seconds) {
    const struct timespec wait = {.tv_nsec = (long)(seconds * 1e9)};
    unsigned long long total[2], idle[2];
    if (!read_times(&total[0], &idle[0]))
        return -1;
    nanosleep(&wait, NULL);
    if (!read_times(&total[1], &idle[1]) || total[1] <= total[0] || idle[1] < idle[0])
        return -1;
    const double share = (double)(idle[1] - idle[0]) / (double)(total[1] - total[0]);
    return (1 - share) * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static const char *hardware_counters(void) {
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (descriptor < 0)
        return strerror(errno);
    close((int)descriptor);
    return "available";
}

/* Whether the kernel ("hardware") and PAPI count for this process: "available", or the reason why not; and the kernel's
 * perf_event_paranoid. */
json_t *machine_counters(void) {
    const char *paranoid = machine_line("/proc/sys/kernel/perf_event_paranoid");
    const char *why = counters_refused("pipeline", "default"); /* the set that asks least */
    json_t *json = json_pack("{ss ss}", "hardware", hardware_counters(), "papi", why ? why : "available");
    json_object_set_new(json, "perf_event_paranoid", paranoid ? json_integer(atoi(paranoid)) : json_string(UNKNOWN));
    return json;
}

/* hwloc reads some twenty files for each processor, and visits it: with 128 of them longer than a short measurement. So
 * the driver asks once, and the processes that it starts read what it has found. */
void machine_share_topology(void) {
    hwloc_topology_t topology = processors_only();
    const char *file = formatted("/proc/self/fd/%d", memfd_create("topology", 0));
    if (topology && hwloc_topology_load(topology) == 0 && hwloc_topology_export_xml(topology, file, 0) == 0) {
        setenv("HWLOC_XMLFILE", file, 0);
        setenv("HWLOC_THISSYSTEM", "1", 0);
    }
    if (topology)
        hwloc_topology_destroy(topology);
}

/* The machine as hwloc sees it, by the names in manifest.json: numbers of packages and the like, bytes of the data or
 * unified caches. 0: hwloc does not tell. "kinds" is a text (kinds_text). */
json_t *machine_topology(void) {
    static const struct {
        const char *name;
        hwloc_obj_type_t type;
    } objects[] = {{"packages", HWLOC_OBJ_PACKAGE},
                   {"numa_nodes", HWLOC_OBJ_NUMANODE},
                   {"cores", HWLOC_OBJ_CORE},
                   {"processors", HWLOC_OBJ_PU},
                   {"cache_level_1_bytes", HWLOC_OBJ_L1CACHE},
                   {"cache_level_2_bytes", HWLOC_OBJ_L2CACHE},
                   {"cache_level_3_bytes", HWLOC_OBJ_L3CACHE}};
    hwloc_topology_t topology = processors_only();
    const bool loaded = topology && hwloc_topology_load(topology) == 0;
    json_t *json = json_object();
    unsigned line = 0;
    foreach (object, LIST_OF(objects)) {
        const int count = loaded ? hwloc_get_nbobjs_by_type(topology, object->type) : 0;
        hwloc_obj_t first = count > 0 ? hwloc_get_obj_by_type(topology, object->type, 0) : NULL;
        const bool is_cache = begins_with(object->name, "cache");
        line = first && is_cache ? first->attr->cache.linesize : line;
        const json_int_t size = first && is_cache ? (json_int_t)first->attr->cache.size : 0;
        json_object_set_new(json, object->name, json_integer(is_cache ? size : count));
    }
    json_object_set_new(json, "cache_line_bytes", json_integer(line));
    char kinds[256] = "";
    if (loaded)
        kinds_text(topology, kinds, sizeof kinds);
    json_object_set_new(json, "kinds", json_of_text(kinds));
    if (topology)
        hwloc_topology_destroy(topology);
    return json;
}
