#include "harness/driver/record/headline.h"
#include "harness/driver/record/distances.h"
#include "harness/measuring/median.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_FIELDS 8

static bool is_time_or_rate(const char *unit) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    const size_t length = strlen(unit);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return length > 2 && strcmp(unit + length - 2, "/s") == 0;
}

void headline_take(struct headline *headline, const char *role, const char *metric, const char *unit,
                   const char *status, const char *value, double distance) {
    if (strcmp(role, "process") == 0 || strcmp(status, "ok") != 0 || !is_time_or_rate(unit))
        return;
    if (headline->count == 0) {
        snprintf(headline->role, sizeof headline->role, "%s", role);
        snprintf(headline->metric, sizeof headline->metric, "%s", metric);
        headline->distance = distance;
    }
    if (strcmp(role, headline->role) != 0 || strcmp(metric, headline->metric) != 0)
        return;
    headline->values = reallocate(headline->values, headline->count + 1, sizeof headline->values[0]);
    headline->values[headline->count++] = strtod(value, NULL);
}

struct judged headline_end(struct headline *headline) {
    struct judged judged = {(double)NAN, (double)NAN};
    if (headline->count > 0)
        judged = (struct judged){median(headline->values, headline->count), headline->distance};
    free(headline->values);
    *headline = (struct headline){0};
    return judged;
}

struct judged headline_of_output(const struct text *output) {
    struct headline headline = {0};
    struct distances distances;
    distances_read(&distances, output);
    char *copy = duplicate(text_string(output)), *rest = NULL, *field[SAMPLE_FIELDS];
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "sample\t", 7) == 0 && split_tabs(line, field, SAMPLE_FIELDS) == SAMPLE_FIELDS) {
            const char *flag;
            const double distance = distances_around(&distances, strtoul(field[2], NULL, 10), &flag);
            if (strcmp(flag, FLAG_MOVED) != 0)
                headline_take(&headline, field[1], field[3], field[5], field[6], field[4], distance);
        }
    free(copy);
    return headline_end(&headline);
}
