#include "harness/driver/record/headline.h"
#include "harness/driver/record/distances.h"
#include "harness/measuring/cell/parameters.h"
#include "harness/measuring/median.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_FIELDS 8

void headline_take(struct headline *headline, const char *role, const char *metric, const char *unit,
                   const char *status, const char *value, double distance) {
    if (strcmp(role, "process") == 0 || strcmp(status, "ok") != 0 ||
        (choice_index("ns|us|ms|s", unit) < 0 && (strlen(unit) < 3 || !ends_with(unit, "/s"))))
        return;
    if (headline->count == 0) {
        snprintf(headline->role, sizeof headline->role, "%s", role);
        snprintf(headline->metric, sizeof headline->metric, "%s", metric);
        headline->distance = distance;
    }
    if (strcmp(role, headline->role) != 0 || strcmp(metric, headline->metric) != 0)
        return;
    const size_t i = ONE_MORE(headline->values, headline->count);
    headline->values[i] = strtod(value, NULL);
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
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *flag;
        if (!begins_with(line, "sample\t") || split_tabs(line, field, SAMPLE_FIELDS) != SAMPLE_FIELDS)
            continue;
        const double distance = distances_around(&distances, strtoul(field[2], NULL, 10), &flag);
        if (strcmp(flag, FLAG_MOVED) != 0)
            headline_take(&headline, field[1], field[3], field[5], field[6], field[4], distance);
    }
    free(copy);
    return headline_end(&headline);
}
