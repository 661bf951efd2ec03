/* parts.c: divides a plan into parts, which several nodes measure.
 *
 * No group is divided: one driver measures the cells that are compared, in the balanced order. The longest group is
 * placed first, each group into the part that has the least time so far. */
#pragma once

#include "harness/driver/execute/durations.c"
#include "harness/driver/verbs/programs.c"

#define PARTS_MAX 10000
#define REPEATS_MAX 1000
#define LENGTH_MAX (366.0 * 86400)

/* Of groups that take alike the first of the plan. */
static int longest_first(const void *a, const void *b) {
    const struct planned_group *one = *(struct planned_group *const *)a, *other = *(struct planned_group *const *)b;
    if (one->takes > other->takes || one->takes < other->takes)
        return one->takes > other->takes ? -1 : 1;
    return one < other ? -1 : one > other;
}

/* Sets each cell's share. Returns the time of the longest part. */
static double distribute(struct planned_group *const *groups, size_t count, unsigned parts) {
    double *taken = allocate(parts, sizeof taken[0]), longest = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned least = 0;
        for (unsigned part = 1; part < parts; part++)
            if (taken[part] < taken[least])
                least = part;
        taken[least] += groups[i]->takes;
        longest = fmax(longest, taken[least]);
        foreach (cell, groups[i]->cells)
            (*cell)->share = least + 1;
    }
    free(taken);
    return longest;
}

/* Divides by stated times, which all nodes know alike, into so many parts, at most one per group. parts 0: into the
 * fewest parts that take about `length` seconds, or as long as the longest group. Sets each cell's time and share.
 * Returns the number of parts. */
static unsigned divide(const struct plan *plan, unsigned parts, double length) {
    const size_t count = plan->groups.count;
    const unsigned most = count < PARTS_MAX ? (unsigned)count : PARTS_MAX;
    struct planned_group **groups = allocate(count, sizeof groups[0]);
    double all = 0;
    foreach (group, plan->groups) {
        groups[group - plan->groups.at] = group;
        group->takes = 0;
        foreach (cell, group->cells) {
            (*cell)->takes = (*cell)->options.invocations * estimate_stated(plan, *cell);
            group->takes += (*cell)->takes;
        }
        all += group->takes;
    }
    qsort(groups, count, sizeof groups[0], longest_first);
    const double target = parts > 0 ? INFINITY : fmax(groups[0]->takes, length);
    const double wanted = parts > 0 ? parts : fmax(1, ceil(all / target));
    parts = wanted < most ? (unsigned)wanted : most;
    while (distribute(groups, count, parts) > target * (1 + 1e-9) && parts < most)
        parts++;
    return parts;
}

/* Reads "3/12". */
static void parse_part(const char *text, unsigned *part, unsigned *parts) {
    char slash, more;
    if (sscanf(text, "%u%c%u%c", part, &slash, parts, &more) != 3 || slash != '/' || *part < 1 || *part > *parts ||
        *parts > PARTS_MAX)
        refuse(2, "--part=%.40s: expected I/N, such as 1/12 to 12/12, with N at most %d", text, PARTS_MAX);
}

/* The seconds of "30m", "2h" or "90s"; 0: it is none. */
double length_read(const char *text) {
    char *end;
    const double number = strtod(text, &end);
    const double unit = same(end, "s") ? 1 : same(end, "m") ? 60 : same(end, "h") ? 3600 : 0;
    return end != text && number * unit >= 1 && number * unit <= LENGTH_MAX ? number * unit : 0;
}

/* Reads "12", or "30m" into seconds; then the number is 0. */
static unsigned parse_wish(const char *text, double *length) {
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    *length = length_read(text);
    if (isdigit((unsigned char)*text) && !*end && number >= 1 && number <= PARTS_MAX)
        return (unsigned)number;
    if (!(*length > 0))
        refuse(2, "--split=%.40s: expected a number of parts (1 to %d) or the length of one (90s, 30m, 2h)", text,
               PARTS_MAX);
    return 0;
}

/* For --split: a line per part: its number, seconds, cells and invocations. */
void tell_division(const struct run *run) {
    const struct plan *plan = &run->plan;
    double length;
    const unsigned wish = parse_wish(value_of(run->line, "split"), &length), parts = divide(plan, wish, length);
    for (unsigned part = 1; part <= parts; part++) {
        double all = 0;
        size_t cells = 0, invocations = 0;
        foreach (cell, plan->cells) {
            if (cell->share != part)
                continue;
            all += cell->takes;
            invocations += cell->options.invocations;
            cells++;
        }
        printf("part\t%u\t%.1f\t%zu\t%zu\n", part, all, cells, invocations);
    }
}

/* Every cell of the whole plan, for the manifest of each part: merging finds by it what no part has measured. */
static json_t *json_of_division(const struct plan *plan) {
    json_t *json = json_array();
    foreach (cell, plan->cells)
        json_array_append_new(
            json, json_pack("{si so ss ss ss si so so}", "part", cell->share, "cell",
                            json_sprintf("%016" PRIx64, cell->id), "workload", cell->workload, "deque", cell->deque->id,
                            "params", cell->params, "invocations", cell->options.invocations, "precision",
                            json_of_real(cell->options.precision), "seconds", json_sprintf("%.4g", cell->takes)));
    return json;
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

/* For --part: keeps the cells of this part. */
void choose_part(struct run *run) {
    const struct command_line *line = run->line;
    parse_part(run->part, &run->part_number, &run->part_count);
    if (!value_of(line, "name") && !value_of(line, "resume"))
        refuse(2, "--part needs --name=RUN, the same for all parts of the run");
    name_run(run);
    run->repeat = (unsigned)number_of(line, &repeat_parameter).integer;
    const unsigned parts = divide(&run->plan, run->part_count, 0);
    if (parts != run->part_count)
        refuse(2, "--part=%s: the cells make %s at most", run->part, counted(parts, "part"));
    run->split = json_of_division(&run->plan);
    foreach (cell, run->plan.cells)
        cell->dropped = cell->share != run->part_number;
    plan_drop(&run->plan);
}

/* Makes one run of the parts. Draws its table, figures and report if Python's packages are installed. */
int carry_out_merge(const struct job *job) {
    const char *run = run_named(job->line->words.at[0], job->root);
    struct words merge = module_words("harness.cluster.merge");
    words_add(&merge, run);
    words_add_all(&merge, job->line->options);
    const int result = call(merge);
    if (!has(job->line, "missing") && access(path_join(run, "manifest.json"), R_OK) == 0 && result != 2 &&
        call(words_of("setup/python.sh", "-m", "plots.draw", run, NULL)) != 0)
        fprintf(stderr,
                "merged but not drawn: copy %s to a machine with Python's packages, and call ./run.sh report there\n",
                run);
    return result;
}
