#include "harness/measuring/power/power.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POWERCAP "/sys/class/powercap"
#define ZONES "intel-rapl:" /* also AMD's; intel-rapl-mmio reports the same packages a second time */
#define PROCESSORS "/sys/devices/system/cpu"

static const char *root_or_environment(const char *root) {
    const char *given = root ? root : getenv(POWER_ROOT_VARIABLE);
    return given ? given : "";
}

static enum power_status status_of(int error) {
    return error == EACCES || error == EPERM ? POWER_DENIED : POWER_UNSUPPORTED;
}

/* Reads the first line of folder/name. */
static enum power_status read_line(const char *folder, const char *name, char *line, size_t size) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return status_of(errno);
    errno = 0;
    const bool got = fgets(line, (int)size, file) != NULL;
    const int error = errno;
    fclose(file);
    if (!got)
        return status_of(error);
    line[strcspn(line, "\n")] = '\0';
    return POWER_OK;
}

static enum power_status read_count(const char *folder, const char *name, uint64_t *count) {
    char line[64], *end;
    const enum power_status status = read_line(folder, name, line, sizeof line);
    if (status != POWER_OK)
        return status;
    *count = strtoull(line, &end, 10);
    return end != line && *end == '\0' ? POWER_OK : POWER_UNSUPPORTED;
}

/* The domain of a zone: "package-0" or "dram". The others are skipped: core and uncore are in the package, and psys is
 * the whole machine. */
static bool domain_of(const char *name, enum power_domain *domain) {
    *domain = strncmp(name, "package", 7) == 0 ? POWER_PACKAGES : POWER_MEMORY;
    return *domain == POWER_PACKAGES || strcmp(name, "dram") == 0;
}

/* If one zone of a domain is refused, the whole domain is: the sum of the others would look like the total. */
static void note_status(enum power_status *known, enum power_status status) {
    if (*known == POWER_UNSUPPORTED || status == POWER_DENIED)
        *known = status;
}

static void read_zone(struct power_reading *reading, const char *folder) {
    char name[64];
    struct power_zone zone = {.range = 0};
    if (reading->zones == POWER_ZONES_MAX || read_line(folder, "name", name, sizeof name) != POWER_OK ||
        !domain_of(name, &zone.domain))
        return;
    const enum power_status status = read_count(folder, "energy_uj", &zone.microjoules);
    if (status == POWER_UNSUPPORTED)
        return;
    note_status(&reading->energy[zone.domain], status);
    if (status != POWER_OK || read_count(folder, "max_energy_range_uj", &zone.range) != POWER_OK)
        zone.range = 0;
    reading->zone[reading->zones++] = zone;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_zone(const struct dirent *entry) { return strncmp(entry->d_name, ZONES, strlen(ZONES)) == 0; }
static int is_processor(const struct dirent *entry) {
    return strncmp(entry->d_name, "cpu", 3) == 0 && isdigit((unsigned char)entry->d_name[3]);
}

/* Visits the entries in a fixed order, so that two readings have the same zones at the same indices. */
static void each_of(const char *root, const char *path, int (*wanted)(const struct dirent *),
                    void (*read)(struct power_reading *, const char *folder), struct power_reading *reading) {
    char folder[PATH_MAX];
    struct dirent **entries;
    snprintf(folder, sizeof folder, "%s%s", root, path);
    const int count = scandir(folder, &entries, wanted, by_name);
    for (int i = 0; i < count; i++) {
        char below[PATH_MAX];
        if (snprintf(below, sizeof below, "%s/%s", folder, entries[i]->d_name) < (int)sizeof below)
            read(reading, below);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void read_throttling(struct power_reading *reading, const char *folder) {
    static const char *const counters[] = {"thermal_throttle/core_throttle_count",
                                           "thermal_throttle/package_throttle_count"};
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        uint64_t events = 0;
        const enum power_status status = read_count(folder, counters[i], &events);
        if (status != POWER_UNSUPPORTED)
            note_status(&reading->throttling, status);
        reading->throttled += events;
    }
}

void power_read_energy(struct power_reading *reading, const char *root) {
    root = root_or_environment(root);
    *reading =
        (struct power_reading){.energy = {POWER_UNSUPPORTED, POWER_UNSUPPORTED}, .throttling = POWER_UNSUPPORTED};
    each_of(root, POWERCAP, is_zone, read_zone, reading);
}

void power_read(struct power_reading *reading, const char *root) {
    root = root_or_environment(root);
    power_read_energy(reading, root);
    each_of(root, PROCESSORS, is_processor, read_throttling, reading);
}

static enum power_status both(enum power_status before, enum power_status after) {
    return before == after ? before : POWER_DENIED;
}

enum power_status power_energy(const struct power_reading *before, const struct power_reading *after,
                               enum power_domain domain, double *joules) {
    const enum power_status status = both(before->energy[domain], after->energy[domain]);
    if (status != POWER_OK)
        return status;
    if (before->zones != after->zones)
        return POWER_DENIED;
    *joules = 0;
    for (unsigned i = 0; i < after->zones; i++) {
        const struct power_zone *from = &before->zone[i], *to = &after->zone[i];
        if (from->domain != to->domain)
            return POWER_DENIED;
        if (to->domain != domain)
            continue;
        if (to->microjoules < from->microjoules && to->range < from->microjoules)
            return POWER_DENIED; /* the counter went back without a wrap */
        const uint64_t anew = to->microjoules < from->microjoules ? to->range : 0;
        *joules += (double)(to->microjoules + anew - from->microjoules) * 1e-6;
    }
    return POWER_OK;
}

enum power_status power_throttled(const struct power_reading *before, const struct power_reading *after,
                                  double *events) {
    const enum power_status status = both(before->throttling, after->throttling);
    if (status != POWER_OK)
        return status;
    if (after->throttled < before->throttled)
        return POWER_DENIED; /* a processor went offline */
    *events = (double)(after->throttled - before->throttled);
    return POWER_OK;
}

double power_throttle_events(const struct power_reading *before, const struct power_reading *after) {
    double events = 0;
    return power_throttled(before, after, &events) == POWER_OK ? events : 0;
}

enum power_status power_frequency(const char *root, unsigned processor, double *hertz) {
    char folder[PATH_MAX];
    uint64_t kilohertz;
    snprintf(folder, sizeof folder, "%s" PROCESSORS "/cpu%u/cpufreq", root_or_environment(root), processor);
    const enum power_status status = read_count(folder, "scaling_cur_freq", &kilohertz);
    if (status == POWER_OK)
        *hertz = (double)kilohertz * 1e3;
    return status;
}

const char *power_status_word(enum power_status status) {
    static const char *const words[] = {"not read", "ok", "unsupported", "denied"};
    return words[status];
}

void power_report(const struct cell *cell, const char *role, unsigned repetition, const struct power_reading *before,
                  const struct power_reading *after) {
    double joules = 0;
    const enum power_status status = power_energy(before, after, POWER_PACKAGES, &joules);
    if (status == POWER_OK)
        cell_sample(cell, role, repetition, "energy", joules, "J", 0);
    else if (status == POWER_DENIED)
        cell_no_sample(cell, role, repetition, "energy", "J", power_status_word(status));
}
