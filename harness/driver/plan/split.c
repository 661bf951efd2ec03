#include "harness/driver/plan/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MAX (366.0 * 86400)

double split_cell_seconds(const struct planned_cell *cell, double seconds) {
    return cell->options.invocations * seconds;
}

/* A group and its expected time in all. */
struct weighed {
    size_t group;
    double seconds;
};

static int longest_first(const void *a, const void *b) {
    const struct weighed *one = a, *other = b;
    if (one->seconds > other->seconds || one->seconds < other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    return one->group < other->group ? -1 : one->group > other->group;
}

/* Returns the time of the longest part. part_of: by group, from 1. */
static double distribute(const struct weighed *groups, size_t count, unsigned parts, unsigned *part_of) {
    double *taken = allocate(parts, sizeof taken[0]), longest = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned least = 0;
        for (unsigned part = 1; part < parts; part++)
            if (taken[part] < taken[least])
                least = part;
        taken[least] += groups[i].seconds;
        longest = fmax(longest, taken[least]);
        part_of[groups[i].group] = least + 1;
    }
    free(taken);
    return longest;
}

unsigned split_make(const struct plan *plan, const double *seconds, unsigned parts, double length, unsigned *part_of) {
    const size_t count = plan->group_count;
    const unsigned most = count < SPLIT_PARTS_MAX ? (unsigned)count : SPLIT_PARTS_MAX;
    struct weighed *groups = allocate(count, sizeof groups[0]);
    unsigned *part_of_group = allocate(count, sizeof part_of_group[0]);
    double all = 0;
    for (size_t i = 0; i < count; i++)
        groups[i].group = i;
    for (size_t i = 0; i < plan->cell_count; i++) {
        groups[plan->cells[i].group].seconds += split_cell_seconds(&plan->cells[i], seconds[i]);
        all += split_cell_seconds(&plan->cells[i], seconds[i]);
    }
    qsort(groups, count, sizeof groups[0], longest_first);
    const double target = parts > 0 ? INFINITY : fmax(groups[0].seconds, length);
    const double wanted = parts > 0 ? parts : fmax(1, ceil(all / target));
    parts = wanted < most ? (unsigned)wanted : most;
    while (distribute(groups, count, parts, part_of_group) > target * (1 + 1e-9) && parts < most)
        parts++;
    for (size_t i = 0; i < plan->cell_count; i++)
        part_of[i] = part_of_group[plan->cells[i].group];
    return parts;
}

void split_parse_part(const char *text, unsigned *part, unsigned *parts) {
    char slash, more;
    if (sscanf(text, "%u%c%u%c", part, &slash, parts, &more) != 3 || slash != '/' || *part < 1 || *part > *parts ||
        *parts > SPLIT_PARTS_MAX)
        refuse(2, "--part=%.40s: expected I/N, such as 1/12 to 12/12, with N at most %d", text, SPLIT_PARTS_MAX);
}

double split_parse_length(const char *text) {
    char *end;
    const double number = strtod(text, &end);
    const double unit = strcmp(end, "s") == 0 ? 1 : strcmp(end, "m") == 0 ? 60 : strcmp(end, "h") == 0 ? 3600 : 0;
    return end != text && number * unit >= 1 && number * unit <= LENGTH_MAX ? number * unit : 0;
}

void split_parse_wish(const char *text, unsigned *parts, double *length) {
    char *end;
    const double number = strtod(text, &end);
    const bool counted = end != text && !*end && number >= 1 && number <= SPLIT_PARTS_MAX && number <= floor(number);
    *parts = counted ? (unsigned)number : 0;
    *length = split_parse_length(text);
    if (*parts == 0 && !(*length > 0))
        refuse(2, "--split=%.40s: expected a number of parts (1 to %d) or the length of one (90s, 30m, 2h)", text,
               SPLIT_PARTS_MAX);
}
