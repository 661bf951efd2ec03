#include "harness/driver/record/machine.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/text.h"
#include "harness/measuring/threads/processors_only.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first line of root/path; false, and "unknown", when there is none. */
static bool read_line(const char *root, const char *path, char *line, size_t size) {
    struct text whole = {0};
    text_format(&whole, "%s%s", root, path);
    bool got = file_line(whole.data, line, size) && *line;
    if (!got)
        snprintf(line, size, UNKNOWN);
    text_free(&whole);
    return got;
}

/* What follows "name:" in a file of such lines. */
static bool read_labelled(const char *root, const char *path, const char *name, char *value, size_t size) {
    struct text whole = {0}, text = {0};
    text_format(&whole, "%s%s", root, path);
    bool got = false;
    char *rest = NULL;
    if (file_read(whole.data, &text) == 0 && text.data) {
        for (char *line = strtok_r(text.data, "\n", &rest); line && !got; line = strtok_r(NULL, "\n", &rest)) {
            char *colon = strchr(line, ':');
            size_t length = strlen(name);
            if (!colon || strncmp(line, name, length) != 0 || line[length + strspn(line + length, " \t")] != ':')
                continue;
            snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
            got = true;
        }
    }
    if (!got)
        snprintf(value, size, UNKNOWN);
    text_free(&whole);
    text_free(&text);
    return got;
}

unsigned processor_list_count(const char *list) {
    unsigned count = 0;
    for (const char *at = list; *at;) {
        char *end;
        if (!isdigit((unsigned char)*at))
            return 0;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || (*end != ',' && *end != '\0'))
            return 0;
        count += (unsigned)(last - first + 1);
        at = *end ? end + 1 : end;
    }
    return count;
}

bool processor_list_has(const char *list, unsigned processor) {
    for (const char *at = list; isdigit((unsigned char)*at);) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (processor >= first && processor <= last)
            return true;
        at = *end == ',' ? end + 1 : end;
    }
    return false;
}

/* A list of processors that may be empty, which is "none"; "unknown" without the file. */
static void read_processor_list(const char *root, const char *path, char *list, size_t size) {
    struct text whole = {0};
    text_format(&whole, "%s%s", root, path);
    if (!file_line(whole.data, list, size))
        snprintf(list, size, UNKNOWN);
    else if (processor_list_count(list) == 0)
        snprintf(list, size, "none");
    text_free(&whole);
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

static void read_switches(struct machine *machine, const char *root) {
    char line[64];
    const char *turbo = UNKNOWN, *smt = UNKNOWN;
    if (read_line(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", line, sizeof line))
        turbo = strcmp(line, "0") == 0 ? "on" : "off";
    else if (read_line(root, "/sys/devices/system/cpu/cpufreq/boost", line, sizeof line))
        turbo = strcmp(line, "0") == 0 ? "off" : "on";
    if (read_line(root, "/sys/devices/system/cpu/smt/active", line, sizeof line))
        smt = strcmp(line, "0") == 0 ? "off" : "on";
    snprintf(machine->turbo, sizeof machine->turbo, "%s", turbo);
    snprintf(machine->smt, sizeof machine->smt, "%s", smt);
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
    char known[8192] = " ", word[64];
    size_t used = 0;
    *lacking = '\0';
    if (!read_labelled(root, "/proc/cpuinfo", "flags", known + 1, sizeof known - 2) &&
        !read_labelled(root, "/proc/cpuinfo", "Features", known + 1, sizeof known - 2))
        return false;
    strcat(known, " ");
    while (*(wanted += strspn(wanted, " "))) {
        size_t length = strcspn(wanted, " ");
        snprintf(word, sizeof word, " %.*s ", (int)length, wanted);
        if (!strstr(known, word) && used < size)
            used += (size_t)snprintf(lacking + used, size - used, "%s%.*s", used > 0 ? " " : "", (int)length, wanted);
        wanted += length;
    }
    return used > 0;
}

/* The path of this process in the control group hierarchy of one controller ("" for version 2). */
static bool cgroup_path(const char *root, const char *controller, char *path, size_t size) {
    struct text whole = {0}, text = {0};
    bool found = false;
    char *rest = NULL;
    text_format(&whole, "%s/proc/self/cgroup", root);
    if (file_read(whole.data, &text) == 0 && text.data) {
        /* "4:cpu,cpuacct:/user.slice", or "0::/user.slice" */
        for (char *line = strtok_r(text.data, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
            char *names = strchr(line, ':');
            char *where = names ? strchr(names + 1, ':') : NULL;
            if (!where)
                continue;
            *where++ = '\0';
            char *name_rest = NULL;
            found = !*controller && !names[1];
            for (char *name = strtok_r(names + 1, ",", &name_rest); name; name = strtok_r(NULL, ",", &name_rest))
                found |= strcmp(name, controller) == 0;
            if (found)
                snprintf(path, size, "%s", strcmp(where, "/") == 0 ? "" : where);
        }
    }
    text_free(&whole);
    text_free(&text);
    return found;
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
        struct text whole = {0};
        text_format(&whole, "%s%s/%s", mount, path, file);
        if (read_line(root, whole.data, line, sizeof line)) {
            take(line, context);
            any = true;
        }
        text_free(&whole);
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
static double interrupts_of(char *line, const bool *wanted, size_t columns, char *name, size_t size) {
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
    struct text path = {0}, text = {0};
    bool *wanted = allocate(PROCESSORS_MAX, sizeof *wanted);
    double sum = -1, most = 0;
    size_t columns = 0;
    char *rest = NULL;
    snprintf(busiest, size, "none");
    text_format(&path, "%s/proc/interrupts", root);
    if (file_read(path.data, &text) == 0 && text.data)
        for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            char name[64];
            if (columns == 0) {
                columns = interrupt_columns(line, processors, wanted, PROCESSORS_MAX);
                sum = 0;
                continue;
            }
            const double count = interrupts_of(line, wanted, columns, name, sizeof name);
            sum += count > 0 ? count : 0;
            if (count > most) {
                most = count;
                snprintf(busiest, size, "%s", name);
            }
        }
    free(wanted);
    text_free(&path);
    text_free(&text);
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
    char path[300], line[1024];
    struct text folder = {0};
    size_t count = 0;
    *processes = NULL;
    text_format(&folder, "%s/proc", root);
    DIR *entries = opendir(folder.data);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        struct process_time process;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if (!read_line(root, path, line, sizeof line) || !parse_process(line, &process))
            continue;
        *processes = reallocate(*processes, count + 1, sizeof process);
        (*processes)[count++] = process;
    }
    if (entries)
        closedir(entries);
    text_free(&folder);
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
