#include "harness/driver/record/headline.h"
#include "harness/measuring/cell/parameters.h"
#include "harness/measuring/median.h"
#include "harness/measuring/threads/distance.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_FIELDS 8

void distances_read(struct distances *distances, const struct text *output) {
    static const char word[] = "distance\t";
    distances->count = 0;
    for (const char *line = text_string(output); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!begins_with(line, word) || distances->count == DISTANCES_MAX)
            continue;
        const char *number = line + sizeof word - 1;
        const double value = *number == '\n' ? 0 : strtod(number, NULL); /* which would read on in the next line */
        distances->at[distances->count++] = value > 0 ? value : (double)NAN;
    }
}

/* The nearest probes on both sides of a repetition that gave a distance; NAN where there is none on that side. */
static void find_around(const struct distances *distances, unsigned long repetition, double *before, double *after) {
    const unsigned long last = distances->count - 1, place = repetition < last ? repetition : last;
    *before = *after = (double)NAN;
    for (unsigned long i = place + 1; i-- > 0 && isnan(*before);)
        *before = distances->at[i];
    for (unsigned long i = place + (place < last); i <= last && isnan(*after); i++)
        *after = distances->at[i];
}

double distances_around(const struct distances *distances, unsigned long repetition, const char **flag) {
    double before, after;
    *flag = "";
    if (distances->count == 0)
        return (double)NAN;
    find_around(distances, repetition, &before, &after);
    if (isnan(before) && isnan(after))
        *flag = FLAG_NO_DISTANCE;
    if (isnan(before) || isnan(after))
        return isnan(before) ? after : before;
    if (distance_agrees(before, after))
        return (before + after) / 2;
    *flag = FLAG_MOVED;
    return (double)NAN;
}

bool distances_moved(const struct distances *distances, double *before, double *after) {
    for (unsigned long i = 0; i + 1 < distances->count; i++) {
        find_around(distances, i, before, after);
        if (!isnan(*before) && !isnan(*after) && !distance_agrees(*before, *after))
            return true;
    }
    return false;
}

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
