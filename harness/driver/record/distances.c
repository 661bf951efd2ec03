#include "harness/driver/record/distances.h"
#include "harness/measuring/threads/distance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
