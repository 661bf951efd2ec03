#include "harness/driver/record/machine.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/text.h"
#include "harness/measuring/threads/processors_only.h"
#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first line of root/path; false, and "unknown", when there is none. */
static bool read_line(const char *root, const char *path, char *line, size_t size) {
    char *whole = formatted("%s%s", root, path);
    const bool got = file_line(whole, line, size) && *line;
    if (!got)
        snprintf(line, size, UNKNOWN);
    free(whole);
    return got;
}

/* The lines of root/path; none where it cannot be read. */
static struct words read_lines(const char *root, const char *path) {
    struct text text = {0};
    file_read(formatted("%s%s", root, path), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    text_free(&text);
    return lines;
}

/* What follows "name:" in a file of such lines. */
static bool read_labelled(const char *root, const char *path, const char *name, char *value, size_t size) {
    const struct words lines = read_lines(root, path);
    snprintf(value, size, UNKNOWN);
    for (size_t i = 0; i < lines.count; i++) {
        const char *line = lines.at[i], *behind = line + strlen(name);
        if (!begins_with(line, name) || behind[strspn(behind, " \t")] != ':')
            continue;
        behind = strchr(behind, ':') + 1;
        snprintf(value, size, "%s", behind + strspn(behind, " \t"));
        return true;
    }
    return false;
}

/* The next "3" or "0-3" of a list such as "0-3,8"; false when there is none, and *at is then at its end, or at what is
 * no list. */
static bool next_range(const char **at, unsigned long *first, unsigned long *last) {
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *first = *last = strtoul(*at, &end, 10);
    if (*end == '-')
        *last = strtoul(end + 1, &end, 10);
    if (*last < *first || (*end != ',' && *end != '\0'))
        return false;
    *at = *end ? end + 1 : end;
    return true;
}

unsigned processor_list_count(const char *list) {
    unsigned count = 0;
    unsigned long first, last;
    while (next_range(&list, &first, &last))
        count += (unsigned)(last - first + 1);
    return *list ? 0 : count;
}

bool processor_list_has(const char *list, unsigned processor) {
    unsigned long first, last;
    while (next_range(&list, &first, &last))
        if (processor >= first && processor <= last)
            return true;
    return false;
}

/* A list of processors that may be empty, which is "none"; "unknown" without the file. */
static void read_processor_list(const char *root, const char *path, char *list, size_t size) {
    if (!file_line(formatted("%s%s", root, path), list, size))
        snprintf(list, size, UNKNOWN);
    else if (processor_list_count(list) == 0)
        snprintf(list, size, "none");
}

static void read_governor(struct machine *machine, const char *root) {
    char path[96], governor[sizeof machine->governor];
    snprintf(machine->governor, sizeof machine->governor, UNKNOWN);
    for (unsigned i = 0; i < 4096; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i);
        if (!read_line(root, path, governor, sizeof governor))
            return;
        if (i > 0 && strcmp(governor, machine->governor) != 0) {
            snprintf(machine->governor, sizeof machine->governor, "mixed");
            return;
        }
        memcpy(machine->governor, governor, sizeof governor);
    }
}

/* A switch that a file has as 0 and 1, one of which means off. */
static bool read_switch(const char *root, const char *path, const char *off, char *value, size_t size) {
    char line[64];
    const bool got = read_line(root, path, line, sizeof line);
    snprintf(value, size, "%s", !got ? UNKNOWN : strcmp(line, off) == 0 ? "off" : "on");
    return got;
}

static void read_switches(struct machine *machine, const char *root) {
    char *turbo = machine->turbo;
    if (!read_switch(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1", turbo, sizeof machine->turbo))
        read_switch(root, "/sys/devices/system/cpu/cpufreq/boost", "0", turbo, sizeof machine->turbo);
    read_switch(root, "/sys/devices/system/cpu/smt/active", "0", machine->smt, sizeof machine->smt);
}

/* "always [madvise] never": the one in brackets. */
static void read_huge_pages(struct machine *machine, const char *root) {
    char line[96];
    bool got = read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    char *open = got ? strchr(line, '[') : NULL;
    char *close = open ? strchr(open, ']') : NULL;
    if (close)
        *close = '\0';
    snprintf(machine->huge_pages, sizeof machine->huge_pages, "%.15s", close ? open + 1 : UNKNOWN);
}

static void read_virtualisation(struct machine *machine, const char *root) {
    static const char *const telling[] = {"/sys/hypervisor/type", "/sys/class/dmi/id/product_name"};
    char flags[4096], name[96];
    bool known = read_labelled(root, "/proc/cpuinfo", "flags", flags, sizeof flags);
    if (known && !strstr(flags, " hypervisor")) {
        snprintf(machine->virtualisation, sizeof machine->virtualisation, "none");
        return;
    }
    snprintf(machine->virtualisation, sizeof machine->virtualisation, known ? "a virtual machine" : UNKNOWN);
    for (size_t i = 0; known && i < sizeof telling / sizeof telling[0]; i++) {
        if (read_line(root, telling[i], name, sizeof name)) {
            snprintf(machine->virtualisation, sizeof machine->virtualisation, "a virtual machine (%s)", name);
            return;
        }
    }
}

bool machine_lacks(const char *wanted, const char *root, char *lacking, size_t size) {
    char known[8192];
    struct text lacks = {0};
    *lacking = '\0';
    if (!read_labelled(root, "/proc/cpuinfo", "flags", known, sizeof known) &&
        !read_labelled(root, "/proc/cpuinfo", "Features", known, sizeof known))
        return false;
    const struct words sets = split_words(wanted, " "), there = split_words(known, " ");
    for (size_t i = 0; i < sets.count; i++)
        if (!words_have(&there, sets.at[i]))
            text_format(&lacks, "%s%s", lacks.length > 0 ? " " : "", sets.at[i]);
    snprintf(lacking, size, "%s", text_string(&lacks));
    return *lacking;
}

/* The path of this process in the control group hierarchy of one controller ("" for version 2):
 * "4:cpu,cpuacct:/user.slice", or "0::/user.slice". */
static bool cgroup_path(const char *root, const char *controller, char *path, size_t size) {
    const struct words lines = read_lines(root, "/proc/self/cgroup");
    for (size_t i = 0; i < lines.count; i++) {
        char *rest = duplicate(lines.at[i]);
        strsep(&rest, ":");
        const char *names = strsep(&rest, ":");
        const struct words controllers = split_words(names ? names : "", ",");
        if (!rest || !(*controller ? words_have(&controllers, controller) : !*names))
            continue;
        snprintf(path, size, "%s", strcmp(rest, "/") == 0 ? "" : rest);
        return true;
    }
    return false;
}

/* Reads file in the group's folder and in every folder above; what is read goes to take, nearest first. Returns whether
 * any was there. Inside a container the path may be the host's: then only the top group is there. */
static bool walk_cgroup(const char *root, const char *mount, const char *controller, const char *file,
                        void (*take)(const char *, void *), void *context) {
    char path[1024], line[128];
    bool any = false;
    if (!cgroup_path(root, controller, path, sizeof path))
        return false;
    for (;;) {
        if (read_line(root, formatted("%s%s/%s", mount, path, file), line, sizeof line)) {
            take(line, context);
            any = true;
        }
        char *slash = strrchr(path, '/');
        if (!slash)
            return any;
        *slash = '\0';
    }
}

static void take_least(double value, double *least) {
    if (value > 0 && (*least <= 0 || value < *least))
        *least = value;
}

/* "200000 100000" or "max 100000" */
static void take_cpu_max(const char *line, void *least) {
    double quota, period;
    if (sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0)
        take_least(quota / period, least);
}

static void take_bytes(const char *line, void *least) {
    double bytes;
    /* version 1 writes "no limit" as a number near 2^63 */
    if (sscanf(line, "%lf", &bytes) == 1 && bytes < 4e18)
        take_least(bytes, least);
}

static void take_number(const char *line, void *least) {
    double number;
    if (sscanf(line, "%lf", &number) == 1)
        take_least(number, least);
}

/* Version 1's quota in one of the places where the controller is mounted. */
static bool read_cpu_quota(const char *root, double *processors) {
    static const char *const mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        double quota = 0, period = 0;
        if (!walk_cgroup(root, mounts[i], "cpu", "cpu.cfs_quota_us", take_number, &quota))
            continue;
        if (quota > 0 && walk_cgroup(root, mounts[i], "cpu", "cpu.cfs_period_us", take_number, &period) && period > 0)
            *processors = quota / period;
        return true;
    }
    return false;
}

static uint64_t read_memory(const char *root) {
    char line[64];
    return read_labelled(root, "/proc/meminfo", "MemTotal", line, sizeof line) ? strtoull(line, NULL, 10) * 1024 : 0;
}

static uint64_t read_cgroup_memory(const char *root) {
    double memory = 0;
    walk_cgroup(root, "/sys/fs/cgroup", "", "memory.max", take_bytes, &memory);
    walk_cgroup(root, "/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", take_bytes, &memory);
    return (uint64_t)memory;
}

uint64_t machine_memory(const char *root) {
    uint64_t installed = read_memory(root), granted = read_cgroup_memory(root);
    return granted > 0 && (granted < installed || installed == 0) ? granted : installed;
}

static void read_cgroups(struct machine *machine, const char *root) {
    double processors = 0;
    bool known = walk_cgroup(root, "/sys/fs/cgroup", "", "cpu.max", take_cpu_max, &processors);
    known |= read_cpu_quota(root, &processors);
    /* the top group of version 2 has no cpu.max: being in it means no limit */
    char path[1024], controllers[64];
    known |= cgroup_path(root, "", path, sizeof path) &&
             read_line(root, "/sys/fs/cgroup/cgroup.controllers", controllers, sizeof controllers);
    machine->cgroup_processors = known ? processors : -1;
    machine->cgroup_memory = read_cgroup_memory(root);
}

static void read_kernel(struct machine *machine, const char *root) {
    char release[80], version[112];
    bool got = read_line(root, "/proc/sys/kernel/osrelease", release, sizeof release);
    if (read_line(root, "/proc/sys/kernel/version", version, sizeof version))
        snprintf(machine->kernel, sizeof machine->kernel, "%s %s", release, version);
    else
        snprintf(machine->kernel, sizeof machine->kernel, "%s", got ? release : UNKNOWN);
}

void machine_read(struct machine *machine, const char *root) {
    char line[64];
    *machine = (struct machine){0};
    read_labelled(root, "/proc/cpuinfo", "model name", machine->cpu_model, sizeof machine->cpu_model);
    read_kernel(machine, root);
    read_governor(machine, root);
    read_switches(machine, root);
    read_huge_pages(machine, root);
    read_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", machine->clock_source,
              sizeof machine->clock_source);
    read_virtualisation(machine, root);
    read_labelled(root, "/proc/self/status", "Cpus_allowed_list", machine->allowed, sizeof machine->allowed);
    machine->allowed_count = processor_list_count(machine->allowed);
    read_labelled(root, "/proc/self/status", "Mems_allowed_list", machine->memory_nodes, sizeof machine->memory_nodes);
    read_processor_list(root, "/sys/devices/system/cpu/isolated", machine->isolated, sizeof machine->isolated);
    read_processor_list(root, "/sys/devices/system/cpu/nohz_full", machine->nohz_full, sizeof machine->nohz_full);
    if (!cgroup_path(root, "", machine->cgroup, sizeof machine->cgroup))
        snprintf(machine->cgroup, sizeof machine->cgroup, UNKNOWN);
    double hertz;
    power_read(&machine->power, *root ? root : NULL);
    machine->frequency = power_frequency(*root ? root : NULL, 0, &hertz);
    machine->load = read_line(root, "/proc/loadavg", line, sizeof line) ? strtod(line, NULL) : -1;
    machine->has_paranoid = read_line(root, "/proc/sys/kernel/perf_event_paranoid", line, sizeof line);
    machine->perf_event_paranoid = machine->has_paranoid ? atoi(line) : 0;
    machine->memory = read_memory(root);
    read_cgroups(machine, root);
}

bool machine_processor_times(struct processor_times *times, const char *root) {
    char line[256];
    unsigned long long value[8] = {0};
    *times = (struct processor_times){0};
    if (!read_line(root, "/proc/stat", line, sizeof line) ||
        sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &value[0], &value[1], &value[2], &value[3],
               &value[4], &value[5], &value[6], &value[7]) != 8)
        return false;
    for (size_t i = 0; i < 8; i++)
        times->total += value[i];
    times->idle = value[3] + value[4];
    times->stolen = value[7];
    return true;
}

double machine_processors_busy(const struct processor_times *before, const struct processor_times *after,
                               unsigned processors) {
    if (after->total <= before->total || after->idle < before->idle)
        return -1;
    double idle = (double)(after->idle - before->idle) / (double)(after->total - before->total);
    return (1 - idle) * processors;
}

#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD, in the flags of /proc/PID/stat */

/* The columns of /proc/interrupts that are of these processors: "  CPU0 CPU2 ...". */
static size_t interrupt_columns(const char *heading, const char *processors, bool *wanted, size_t most) {
    size_t count = 0;
    for (const char *at = heading; (at = strstr(at, "CPU")) && count < most; count++) {
        at += 3;
        wanted[count] = processor_list_has(processors, (unsigned)strtoul(at, NULL, 10));
    }
    return count;
}

/* " 24:  10  0  PCI-MSI 512-edge  nvme0q1": the sum of the wanted columns; what is no number is no device's. */
static double interrupts_of(const char *line, const bool *wanted, size_t columns, char *name, size_t size) {
    char *end;
    const unsigned long number = strtoul(line, &end, 10);
    double sum = 0;
    if (*end != ':')
        return -1;
    end++;
    for (size_t i = 0; i < columns; i++) {
        char *begin = end;
        const double count = (double)strtoull(begin, &end, 10);
        if (end == begin)
            break;
        sum += wanted[i] ? count : 0;
    }
    const char *last = strrchr(end, ' ');
    snprintf(name, size, "%lu (%.40s)", number, last ? last + 1 : end);
    return sum;
}

double machine_interrupts(const char *processors, char *busiest, size_t size, const char *root) {
    enum { PROCESSORS_MAX = 4096 };
    static bool wanted[PROCESSORS_MAX];
    const struct words lines = read_lines(root, "/proc/interrupts");
    double sum = 0, most = 0;
    snprintf(busiest, size, "none");
    if (lines.count == 0)
        return -1;
    const size_t columns = interrupt_columns(lines.at[0], processors, wanted, PROCESSORS_MAX);
    for (size_t i = 1; i < lines.count; i++) {
        char name[64];
        const double count = interrupts_of(lines.at[i], wanted, columns, name, sizeof name);
        sum += count > 0 ? count : 0;
        if (count > most)
            snprintf(busiest, size, "%s", name);
        most = count > most ? count : most;
    }
    return sum;
}

/* "42 (a name) S 1 ...": the name may hold anything, so its end is the last bracket. */
static bool parse_process(const char *line, struct process_time *process) {
    const char *open = strchr(line, '('), *close = strrchr(line, ')');
    unsigned long long user, system;
    unsigned flags;
    process->processor = -1; /* the last that is read, and may be missing */
    if (!open || !close || close < open ||
        sscanf(close + 1,
               " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u "
               "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
               &flags, &user, &system, &process->processor) < 3)
        return false;
    process->of_kernel = flags & KERNEL_THREAD;
    process->pid = atoi(line);
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close - open - 1), open + 1);
    process->ticks = user + system;
    return true;
}

size_t machine_process_times(struct process_time **processes, const char *root) {
    const struct words names = folder_names(formatted("%s/proc", root), "");
    size_t count = 0;
    *processes = NULL;
    for (size_t i = 0; i < names.count; i++) {
        struct process_time process;
        char line[1024];
        if (!isdigit((unsigned char)*names.at[i]) ||
            !read_line(root, formatted("/proc/%s/stat", names.at[i]), line, sizeof line) ||
            !parse_process(line, &process))
            continue;
        const size_t place = ONE_MORE(*processes, count);
        (*processes)[place] = process;
    }
    return count;
}

const char *machine_hardware_counters(void) {
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

static unsigned count_objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (unsigned)count : 0;
}

bool machine_topology(struct topology *facts) {
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_topology_t topology = processors_only();
    *facts = (struct topology){0};
    if (!topology)
        return false;
    bool loaded = hwloc_topology_load(topology) == 0;
    if (loaded) {
        facts->packages = count_objects(topology, HWLOC_OBJ_PACKAGE);
        facts->numa_nodes = count_objects(topology, HWLOC_OBJ_NUMANODE);
        facts->cores = count_objects(topology, HWLOC_OBJ_CORE);
        facts->processors = count_objects(topology, HWLOC_OBJ_PU);
    }
    for (size_t i = 0; loaded && i < 3; i++) {
        hwloc_obj_t cache = hwloc_get_obj_by_type(topology, caches[i], 0);
        if (!cache)
            continue;
        facts->cache[i + 1] = cache->attr->cache.size;
        facts->cache_line = cache->attr->cache.linesize;
    }
    hwloc_topology_destroy(topology);
    return loaded;
}
