#include "harness/driver/record/machine.h"
#include "harness/driver/util/util.h"
#include "harness/measuring/cell.h"
#include "harness/measuring/places_kinds.h"
#include "harness/measuring/power.h"
#include "harness/measuring/processors_only.h"
#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first line of root/path, or NULL. */
static const char *line_of(const char *root, const char *path) {
    char line[4096], *whole = formatted("%s%s", root, path);
    const bool got = file_line(whole, line, sizeof line) && *line;
    free(whole);
    return got ? duplicate(line) : NULL;
}

static const char *or_unknown(const char *text) { return text ? text : UNKNOWN; }

/* The lines of root/path; none if the file cannot be read. */
static struct words read_lines(const char *root, const char *path) {
    struct text text = {0};
    file_read(formatted("%s%s", root, path), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    text_free(&text);
    return lines;
}

/* The text behind "name:" in a file of such lines, or NULL. */
static const char *labelled(const char *root, const char *path, const char *name) {
    const struct words lines = read_lines(root, path);
    for (size_t i = 0; i < lines.count; i++) {
        const char *behind = lines.at[i] + (begins_with(lines.at[i], name) ? strlen(name) : 0);
        behind += strspn(behind, " \t");
        if (behind > lines.at[i] && *behind == ':')
            return behind + 1 + strspn(behind + 1, " \t");
    }
    return NULL;
}

/* Reads a list such as "0-3,8"; NULL: it is no list. */
static hwloc_bitmap_t bitmap_of(const char *list) {
    hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
    if (bitmap && strspn(list, "0123456789,-") == strlen(list) && hwloc_bitmap_list_sscanf(bitmap, list) == 0)
        return bitmap;
    hwloc_bitmap_free(bitmap);
    return NULL;
}

unsigned processor_list_count(const char *list) {
    hwloc_bitmap_t bitmap = bitmap_of(list);
    const int count = bitmap ? hwloc_bitmap_weight(bitmap) : 0;
    hwloc_bitmap_free(bitmap);
    return count > 0 ? (unsigned)count : 0;
}

bool processor_list_has(const char *list, unsigned processor) {
    return processor_lists_share(list, formatted("%u", processor));
}

bool processor_lists_share(const char *list, const char *other) {
    hwloc_bitmap_t one = bitmap_of(list), two = bitmap_of(other);
    const bool share = one && two && hwloc_bitmap_intersects(one, two);
    hwloc_bitmap_free(one);
    hwloc_bitmap_free(two);
    return share;
}

/* Reads a list of processors. An empty list is "none"; a missing file "unknown". */
static const char *processor_list(const char *root, const char *path) {
    char list[4096];
    if (!file_line(formatted("%s%s", root, path), list, sizeof list))
        return UNKNOWN;
    return processor_list_count(list) == 0 ? "none" : duplicate(list);
}

static const char *read_governor(const char *root) {
    const char *all = UNKNOWN;
    for (unsigned i = 0; i < 4096; i++) {
        const char *one = line_of(root, formatted("/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i));
        if (!one)
            return all;
        if (i > 0 && strcmp(one, all) != 0)
            return "mixed";
        all = one;
    }
    return all;
}

/* Reads a switch from a file that holds 0 or 1. off: which of these means off. NULL: no such file. */
static const char *read_switch(const char *root, const char *path, const char *off) {
    const char *line = line_of(root, path);
    return !line ? NULL : strcmp(line, off) == 0 ? "off" : "on";
}

/* The word in brackets of "always [madvise] never". */
static const char *read_huge_pages(const char *root) {
    const char *line = line_of(root, "/sys/kernel/mm/transparent_hugepage/enabled"),
               *open = line ? strchr(line, '[') : NULL;
    const char *close = open ? strchr(open, ']') : NULL;
    return close ? formatted("%.*s", (int)(close - open - 1), open + 1) : UNKNOWN;
}

static const char *read_virtualisation(const char *root) {
    const char *flags = labelled(root, "/proc/cpuinfo", "flags"), *name = line_of(root, "/sys/hypervisor/type");
    if (!flags)
        return UNKNOWN;
    if (!strstr(flags, " hypervisor"))
        return "none";
    name = name ? name : line_of(root, "/sys/class/dmi/id/product_name");
    return name ? formatted("a virtual machine (%s)", name) : "a virtual machine";
}

const char *machine_lacks(const char *wanted, const char *root) {
    const char *flags = labelled(root, "/proc/cpuinfo", "flags");
    const char *known = flags ? flags : labelled(root, "/proc/cpuinfo", "Features");
    const struct words sets = split_words(wanted, " "), there = split_words(known ? known : wanted, " ");
    struct text lacks = {0};
    for (size_t i = 0; i < sets.count; i++)
        if (!words_have(&there, sets.at[i]))
            text_format(&lacks, "%s%s", lacks.length > 0 ? " " : "", sets.at[i]);
    return text_string(&lacks);
}

/* The path of this process in the control group hierarchy of a controller ("" for version 2), or NULL. The lines look
 * like "4:cpu,cpuacct:/user.slice" or "0::/user.slice". */
static const char *cgroup_path(const char *root, const char *controller) {
    const struct words lines = read_lines(root, "/proc/self/cgroup");
    for (size_t i = 0; i < lines.count; i++) {
        char *rest = duplicate(lines.at[i]);
        strsep(&rest, ":");
        const char *names = strsep(&rest, ":");
        const struct words controllers = split_words(names ? names : "", ",");
        if (rest && (*controller ? words_have(&controllers, controller) : !*names))
            return strcmp(rest, "/") == 0 ? "" : rest;
    }
    return NULL;
}

/* Reads one or two numbers from a file in the group's folder and in every folder above. Keeps the least quotient above
 * 0, or the number itself if there is only one; "max" is no number. Returns whether any file was there. Inside a
 * container the path may be the host's: then only the top group exists. */
static bool walk_cgroup(const char *root, const char *mount, const char *controller, const char *file, double *least) {
    const char *group = cgroup_path(root, controller);
    bool any = false;
    for (char *path = group ? duplicate(group) : NULL, *slash; path; path = slash ? path : NULL) {
        const char *line = line_of(root, formatted("%s%s/%s", mount, path, file));
        double number, divisor = 1;
        any |= line != NULL;
        if (line && sscanf(line, "%lf %lf", &number, &divisor) >= 1 && number / divisor > 0 &&
            (*least <= 0 || number / divisor < *least))
            *least = number / divisor;
        if ((slash = strrchr(path, '/')))
            *slash = '\0';
    }
    return any;
}

/* Reads version 1's quota, in one of the places where the controller may be mounted. */
static bool read_cpu_quota(const char *root, double *processors) {
    static const char *const mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        double quota = 0, period = 0;
        if (!walk_cgroup(root, mounts[i], "cpu", "cpu.cfs_quota_us", &quota))
            continue;
        if (quota > 0 && walk_cgroup(root, mounts[i], "cpu", "cpu.cfs_period_us", &period) && period > 0)
            *processors = quota / period;
        return true;
    }
    return false;
}

static uint64_t read_memory(const char *root) {
    const char *total = labelled(root, "/proc/meminfo", "MemTotal");
    return total ? strtoull(total, NULL, 10) * 1024 : 0;
}

static uint64_t read_cgroup_memory(const char *root) {
    double memory = 0;
    walk_cgroup(root, "/sys/fs/cgroup", "", "memory.max", &memory);
    walk_cgroup(root, "/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", &memory);
    return memory < 4e18 ? (uint64_t)memory : 0; /* version 1 writes "no limit" as a number near 2^63 */
}

uint64_t machine_memory(const char *root) {
    const uint64_t installed = read_memory(root), granted = read_cgroup_memory(root);
    return granted > 0 && (granted < installed || installed == 0) ? granted : installed;
}

/* The top group of version 2 has no cpu.max: being in it means no limit. */
static double read_cgroup_processors(const char *root) {
    double processors = 0;
    bool known = walk_cgroup(root, "/sys/fs/cgroup", "", "cpu.max", &processors);
    known |= read_cpu_quota(root, &processors);
    known |= cgroup_path(root, "") && line_of(root, "/sys/fs/cgroup/cgroup.controllers");
    return known ? processors : -1;
}

const char *machine_allowed(const char *root) {
    return or_unknown(labelled(root, "/proc/self/status", "Cpus_allowed_list"));
}

const char *machine_paranoid(const char *root) { return line_of(root, "/proc/sys/kernel/perf_event_paranoid"); }

json_t *machine_read(const char *root) {
    const char *release = line_of(root, "/proc/sys/kernel/osrelease"),
               *version = line_of(root, "/proc/sys/kernel/version"),
               *turbo = read_switch(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
    const double processors = read_cgroup_processors(root);
    const uint64_t memory = read_cgroup_memory(root);
    const char *const tree = *root ? root : NULL;
    struct power_reading power;
    double hertz;
    power_read(&power, tree);
    const struct {
        const char *name, *text;
    } texts[] = {{"cpu", labelled(root, "/proc/cpuinfo", "model name")},
                 {"kernel", version ? formatted("%s %s", or_unknown(release), version) : release},
                 {"governor", read_governor(root)},
                 {"turbo", turbo ? turbo : read_switch(root, "/sys/devices/system/cpu/cpufreq/boost", "0")},
                 {"smt", read_switch(root, "/sys/devices/system/cpu/smt/active", "0")},
                 {"transparent_huge_pages", read_huge_pages(root)},
                 {"clock_source", line_of(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource")},
                 {"virtualisation", read_virtualisation(root)},
                 {"asymmetric_fences", describe_fences()},
                 {"processors_allowed", machine_allowed(root)},
                 {"memory_nodes_allowed", labelled(root, "/proc/self/status", "Mems_allowed_list")},
                 {"isolated", processor_list(root, "/sys/devices/system/cpu/isolated")},
                 {"nohz_full", processor_list(root, "/sys/devices/system/cpu/nohz_full")},
                 {"cgroup", cgroup_path(root, "")},
                 {"throttling", power_status_word(power.throttling)},
                 {"processor_frequency", power_status_word(power_frequency(tree, 0, &hertz))}};
    json_t *json = json_object();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        json_object_set_new(json, texts[i].name, json_of_text(or_unknown(texts[i].text)));
    json_object_set_new(json, "cgroup_processors",
                        processors > 0 ? json_of_real(processors) : json_string(processors < 0 ? UNKNOWN : "no limit"));
    json_object_set_new(json, "memory_bytes", json_integer((json_int_t)read_memory(root)));
    json_object_set_new(json, "cgroup_memory_bytes",
                        memory > 0 ? json_integer((json_int_t)memory) : json_string("no limit known"));
    return json;
}

bool machine_processor_times(struct processor_times *times, const char *root) {
    const char *line = line_of(root, "/proc/stat");
    unsigned long long value[8] = {0};
    *times = (struct processor_times){0};
    if (!line || sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &value[0], &value[1], &value[2], &value[3],
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

/* Finds the columns of /proc/interrupts that belong to these processors: "  CPU0 CPU2 ...". */
static size_t interrupt_columns(const char *heading, const char *processors, bool *wanted, size_t most) {
    size_t count = 0;
    for (const char *at = heading; (at = strstr(at, "CPU")) && count < most; count++) {
        at += 3;
        wanted[count] = processor_list_has(processors, (unsigned)strtoul(at, NULL, 10));
    }
    return count;
}

/* Reads " 24:  10  0  PCI-MSI 512-edge  nvme0q1": the sum of the wanted columns, and the name "24 (nvme0q1)". Negative
 * for a line without a number: that is no device's. */
static double interrupts_of(const char *line, const bool *wanted, size_t columns, const char **name) {
    char *end;
    const unsigned long number = strtoul(line, &end, 10);
    double sum = 0;
    if (*end++ != ':')
        return -1;
    for (size_t i = 0; i < columns; i++) {
        char *begin = end;
        const double count = (double)strtoull(begin, &end, 10);
        if (end == begin)
            break;
        sum += wanted[i] ? count : 0;
    }
    const char *last = strrchr(end, ' ');
    *name = formatted("%lu (%.40s)", number, last ? last + 1 : end);
    return sum;
}

double machine_interrupts(const char *processors, const char **busiest, const char *root) {
    enum { PROCESSORS_MAX = 4096 };
    static bool wanted[PROCESSORS_MAX];
    const struct words lines = read_lines(root, "/proc/interrupts");
    double sum = 0, most = 0;
    *busiest = "none";
    if (lines.count == 0)
        return -1;
    const size_t columns = interrupt_columns(lines.at[0], processors, wanted, PROCESSORS_MAX);
    for (size_t i = 1; i < lines.count; i++) {
        const char *name = "";
        const double count = interrupts_of(lines.at[i], wanted, columns, &name);
        if (count > most) {
            *busiest = name;
            most = count;
        }
        sum += count > 0 ? count : 0;
    }
    return sum;
}

/* Reads "42 (a name) S 1 ...". The name may hold anything, so it ends at the last bracket. */
static bool parse_process(const char *line, struct process_time *process) {
    const char *open = strchr(line, '('), *close = strrchr(line, ')');
    unsigned long long user, system;
    unsigned flags;
    process->processor = -1; /* the last field that is read; it may be missing */
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
        const char *line =
            isdigit((unsigned char)*names.at[i]) ? line_of(root, formatted("/proc/%s/stat", names.at[i])) : NULL;
        if (!line || !parse_process(line, &process))
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
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        const int count = loaded ? hwloc_get_nbobjs_by_type(topology, objects[i].type) : 0;
        const bool is_cache = i >= 4;
        hwloc_obj_t cache = count > 0 && is_cache ? hwloc_get_obj_by_type(topology, objects[i].type, 0) : NULL;
        const json_int_t value = cache ? (json_int_t)cache->attr->cache.size : count > 0 && !is_cache ? count : 0;
        line = cache ? cache->attr->cache.linesize : line;
        json_object_set_new(json, objects[i].name, json_integer(value));
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
