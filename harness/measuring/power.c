#include "harness/measuring/power.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSORS "/sys/devices/system/cpu"

static const char *root(void) {
    const char *given = getenv(POWER_ROOT_VARIABLE);
    return given ? given : "";
}

static enum power_status read_count(const char *folder, const char *name, uint64_t *count) {
    char path[PATH_MAX], line[64] = "", *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    errno = 0;
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        *line = '\0';
    const bool denied = errno == EACCES || errno == EPERM;
    if (file)
        fclose(file);
    *count = strtoull(line, &end, 10);
    const bool number = end != line && (*end == '\0' || *end == '\n');
    return number ? POWER_OK : denied ? POWER_DENIED : POWER_UNSUPPORTED;
}

static int is_processor(const struct dirent *entry) {
    return strncmp(entry->d_name, "cpu", 3) == 0 && isdigit((unsigned char)entry->d_name[3]);
}

/* If one counter is refused, the sum of the others would look like the total. */
static void read_throttling(struct power_reading *reading, const char *folder) {
    static const char *const counters[] = {"thermal_throttle/core_throttle_count",
                                           "thermal_throttle/package_throttle_count"};
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        uint64_t events = 0;
        const enum power_status status = read_count(folder, counters[i], &events);
        if (status == POWER_DENIED || (status == POWER_OK && reading->throttling == POWER_UNSUPPORTED))
            reading->throttling = status;
        reading->throttled += events;
    }
}

void power_read(struct power_reading *reading) {
    char folder[PATH_MAX];
    struct dirent **entries;
    snprintf(folder, sizeof folder, "%s" PROCESSORS, root());
    *reading = (struct power_reading){.throttling = POWER_UNSUPPORTED};
    const int count = scandir(folder, &entries, is_processor, NULL);
    for (int i = 0; i < count; i++) {
        char below[PATH_MAX];
        if (snprintf(below, sizeof below, "%s/%s", folder, entries[i]->d_name) < (int)sizeof below)
            read_throttling(reading, below);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

enum power_status power_throttled(const struct power_reading *before, const struct power_reading *after,
                                  double *events) {
    if (before->throttling != after->throttling)
        return POWER_DENIED;
    if (after->throttling != POWER_OK)
        return after->throttling;
    if (after->throttled < before->throttled)
        return POWER_DENIED; /* a processor went offline */
    *events = (double)(after->throttled - before->throttled);
    return POWER_OK;
}

double power_throttle_events(const struct power_reading *before, const struct power_reading *after) {
    double events = 0;
    return power_throttled(before, after, &events) == POWER_OK ? events : 0;
}

enum power_status power_frequency(unsigned processor, double *hertz) {
    char folder[PATH_MAX];
    uint64_t kilohertz;
    snprintf(folder, sizeof folder, "%s" PROCESSORS "/cpu%u/cpufreq", root(), processor);
    const enum power_status status = read_count(folder, "scaling_cur_freq", &kilohertz);
    if (status == POWER_OK)
        *hertz = (double)kilohertz * 1e3;
    return status;
}

const char *power_status_word(enum power_status status) {
    static const char *const words[] = {"not read", "ok", "unsupported", "denied"};
    return words[status];
}
