#include "harness/measuring/power.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PROCESSORS "/sys/devices/system/cpu"

static const char *root(void) {
    const char *given = getenv(POWER_ROOT_VARIABLE);
    return given ? given : "";
}

static enum power_status read_count(const char *path, uint64_t *count) {
    char line[64] = "", *end;
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

void power_read(struct power_reading *reading) {
    char pattern[PATH_MAX];
    glob_t files = {0};
    *reading = (struct power_reading){.throttling = POWER_UNSUPPORTED};
    snprintf(pattern, sizeof pattern, "%s" PROCESSORS "/cpu[0-9]*/thermal_throttle/{core,package}_throttle_count",
             root());
    glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        uint64_t events = 0;
        const enum power_status status = read_count(files.gl_pathv[i], &events);
        /* if one counter is refused, the sum of the others would look like the total */
        if (status == POWER_DENIED || (status == POWER_OK && reading->throttling == POWER_UNSUPPORTED))
            reading->throttling = status;
        reading->throttled += events;
    }
    globfree(&files);
}

double power_throttled(const struct power_reading *before, const struct power_reading *after) {
    const bool known = before->throttling == POWER_OK && after->throttling == POWER_OK &&
                       after->throttled >= before->throttled; /* else a processor went offline */
    return known ? (double)(after->throttled - before->throttled) : NAN;
}

enum power_status power_frequency(unsigned processor, double *hertz) {
    char path[PATH_MAX];
    uint64_t kilohertz;
    snprintf(path, sizeof path, "%s" PROCESSORS "/cpu%u/cpufreq/scaling_cur_freq", root(), processor);
    const enum power_status status = read_count(path, &kilohertz);
    if (status == POWER_OK)
        *hertz = (double)kilohertz * 1e3;
    return status;
}

const char *power_status_word(enum power_status status) {
    static const char *const words[] = {"unsupported", "ok", "denied"};
    return words[status];
}
