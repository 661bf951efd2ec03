/* parts.c: divides a plan into parts, which several nodes measure.
 *
 * No group is divided: one driver measures the cells that are compared, in the balanced order. The longest group is
 * placed first, each group into the part that has the least time so far. */
#include "harness/driver/verbs/measure.h"

#define PARTS_MAX 10000
#define LENGTH_MAX (366.0 * 86400)

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

/* The plan's division by stated times, which all nodes know alike. */
struct division {
    unsigned parts, *part_of; /* by cell, from 1 */
    double *seconds;          /* of all invocations, by cell */
};

/* Divides into so many parts, at most one per group. parts 0: into the fewest parts that take about `length` seconds,
 * or as long as the longest group. */
static struct division divide(const struct plan *plan, unsigned parts, double length) {
    const size_t count = plan->group_count;
    const unsigned most = count < PARTS_MAX ? (unsigned)count : PARTS_MAX;
    struct weighed *groups = allocate(count, sizeof groups[0]);
    unsigned *part_of_group = allocate(count, sizeof part_of_group[0]);
    struct division division = {.part_of = allocate(plan->cell_count, sizeof(unsigned)),
                                .seconds = allocate(plan->cell_count, sizeof(double))};
    double all = 0;
    for (size_t i = 0; i < count; i++)
        groups[i].group = i;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        division.seconds[i] = cell->options.invocations * estimate_stated(plan, cell);
        groups[cell->group].seconds += division.seconds[i];
        all += division.seconds[i];
    }
    qsort(groups, count, sizeof groups[0], longest_first);
    const double target = parts > 0 ? INFINITY : fmax(groups[0].seconds, length);
    const double wanted = parts > 0 ? parts : fmax(1, ceil(all / target));
    parts = wanted < most ? (unsigned)wanted : most;
    while (distribute(groups, count, parts, part_of_group) > target * (1 + 1e-9) && parts < most)
        parts++;
    for (size_t i = 0; i < plan->cell_count; i++)
        division.part_of[i] = part_of_group[plan->cells[i].group];
    division.parts = parts;
    return division;
}

/* Reads "3/12". */
static void parse_part(const char *text, unsigned *part, unsigned *parts) {
    char slash, more;
    if (sscanf(text, "%u%c%u%c", part, &slash, parts, &more) != 3 || slash != '/' || *part < 1 || *part > *parts ||
        *parts > PARTS_MAX)
        refuse(2, "--part=%.40s: expected I/N, such as 1/12 to 12/12, with N at most %d", text, PARTS_MAX);
}

double length_read(const char *text) {
    char *end;
    const double number = strtod(text, &end);
    const double unit = strcmp(end, "s") == 0 ? 1 : strcmp(end, "m") == 0 ? 60 : strcmp(end, "h") == 0 ? 3600 : 0;
    return end != text && number * unit >= 1 && number * unit <= LENGTH_MAX ? number * unit : 0;
}

/* Reads "12" into parts, or "30m" into seconds; the other result is 0. */
static void parse_wish(const char *text, unsigned *parts, double *length) {
    char *end;
    const double number = strtod(text, &end);
    const bool counted = end != text && !*end && number >= 1 && number <= PARTS_MAX && number <= floor(number);
    *parts = counted ? (unsigned)number : 0;
    *length = length_read(text);
    if (*parts == 0 && !(*length > 0))
        refuse(2, "--split=%.40s: expected a number of parts (1 to %d) or the length of one (90s, 30m, 2h)", text,
               PARTS_MAX);
}

void tell_division(const struct measuring_verb *verb) {
    const struct plan *plan = &verb->run.plan;
    double length;
    unsigned parts;
    parse_wish(value_of(verb->line, "split"), &parts, &length);
    const struct division division = divide(plan, parts, length);
    for (unsigned part = 1; part <= division.parts; part++) {
        double all = 0;
        size_t cells = 0, invocations = 0;
        for (size_t i = 0; i < plan->cell_count; i++) {
            if (division.part_of[i] != part)
                continue;
            all += division.seconds[i];
            invocations += plan->cells[i].options.invocations;
            cells++;
        }
        printf("part\t%u\t%.1f\t%zu\t%zu\n", part, all, cells, invocations);
    }
}

/* Every cell of the whole plan, for the manifest of each part: merging finds by it what no part has measured. */
static json_t *json_of_division(const struct plan *plan, const struct division *division) {
    json_t *json = json_array();
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        json_array_append_new(json,
                              json_pack("{si so ss ss ss si so so}", "part", division->part_of[i], "cell",
                                        json_sprintf("%016" PRIx64, cell->id), "workload", cell->workload, "deque",
                                        cell->deque->id, "params", cell->params, "invocations",
                                        cell->options.invocations, "precision", json_of_real(cell->options.precision),
                                        "seconds", json_sprintf("%.4g", division->seconds[i])));
    }
    return json;
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

void choose_part(struct measuring_verb *verb) {
    struct run *run = &verb->run;
    const struct command_line *line = verb->line;
    const size_t count = run->plan.cell_count;
    parse_part(value_of(line, "part"), &verb->part, &verb->parts);
    if (!value_of(line, "name") && !value_of(line, "resume"))
        refuse(2, "--part needs --name=RUN, the same for all parts of the run");
    name_run(verb);
    run->repeat =
        (unsigned)must_read(&repeat_parameter, value_of(line, "repeat") ? value_of(line, "repeat") : "1").integer;
    const struct division division = divide(&run->plan, verb->parts, 0);
    if (division.parts != verb->parts)
        refuse(2, "--part=%s: the cells make %s at most", value_of(line, "part"), counted(division.parts, "part"));
    run->split = json_of_division(&run->plan, &division);
    bool *keep = allocate(count, sizeof keep[0]);
    for (size_t i = 0; i < count; i++)
        keep[i] = division.part_of[i] == verb->part;
    plan_keep(&run->plan, keep);
}
