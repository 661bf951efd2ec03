#include "harness/driver/plan/plan.h"
#include "harness/driver/util/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 8
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

struct split split_make(const struct plan *plan, const double *seconds, unsigned parts, double length) {
    const size_t count = plan->group_count;
    const unsigned most = count < SPLIT_PARTS_MAX ? (unsigned)count : SPLIT_PARTS_MAX;
    struct weighed *groups = allocate(count, sizeof groups[0]);
    unsigned *part_of = allocate(count, sizeof part_of[0]);
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
    while (distribute(groups, count, parts, part_of) > target * (1 + 1e-9) && parts < most)
        parts++;
    const struct split split = {.parts = parts, .part_of = allocate(plan->cell_count, sizeof split.part_of[0])};
    for (size_t i = 0; i < plan->cell_count; i++)
        split.part_of[i] = part_of[plan->cells[i].group];
    return split;
}

void split_write(struct text *text, const struct split *split, const struct plan *plan, const double *seconds) {
    text_add(text, SPLIT_COLUMNS "\n");
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const char *const fields[COLUMNS] = {formatted("%u", split->part_of[i]),
                                             formatted("%016" PRIx64, cell->id),
                                             cell->workload,
                                             cell->deque->id,
                                             cell->params,
                                             formatted("%u", cell->options.invocations),
                                             formatted("%.9g", cell->options.precision),
                                             formatted("%.4g", split_cell_seconds(cell, seconds[i]))};
        text_add_row(text, fields, COLUMNS);
    }
}

/* Reads the row of this cell. */
static bool take_row(struct split *split, const struct plan *plan, size_t cell, char *row) {
    char *field[COLUMNS], *end;
    if (split_csv(row, field, COLUMNS) != COLUMNS)
        return false;
    const unsigned long part = strtoul(field[0], &end, 10);
    if (end == field[0] || *end || part < 1 || part > SPLIT_PARTS_MAX)
        return false;
    split->part_of[cell] = (unsigned)part;
    split->parts = part > split->parts ? (unsigned)part : split->parts;
    return strcmp(field[1], formatted("%016" PRIx64, plan->cells[cell].id)) == 0 &&
           plan->cells[cell].options.invocations == strtoul(field[5], NULL, 10);
}

struct split split_read(const struct plan *plan, const char *text) {
    const struct words lines = split_words(text, "\n");
    struct split split = {.part_of = allocate(plan->cell_count, sizeof split.part_of[0])};
    bool fits = lines.count == plan->cell_count + 1 && strcmp(lines.at[0], SPLIT_COLUMNS) == 0;
    for (size_t i = 1; i < lines.count && fits; i++)
        fits = take_row(&split, plan, i - 1, duplicate(lines.at[i]));
    if (!fits)
        refuse(2, "the run was divided for other cells (another suite, --only, --deque, number of invocations, or "
                  "build): repeat the options that it was started with, or start another run by --name");
    return split;
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
