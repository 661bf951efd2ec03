#include "harness/driver/verbs/measure.h"
#include <stdlib.h>
#include <string.h>

/* All parts have to mean the same run, so the user must name it. option: split or part. */
static void name_divided(struct measuring_verb *verb, const char *option) {
    if (!verb->line->name && !verb->line->resume)
        refuse(2, "--%s needs --name=RUN, the same for all parts of the run", option);
    name_run(verb);
}

/* Divides the plan by what is known of its times. seconds: of an invocation, by cell. */
static struct split divide(const struct run *run, unsigned parts, double length, double *seconds, struct text *text) {
    struct estimate estimate;
    estimate_open(&estimate, run);
    estimate_cells(&estimate, seconds);
    const struct split split = split_make(&run->plan, seconds, parts, length);
    split_write(text, &split, &run->plan, seconds);
    return split;
}

/* Prints a line per part: its number, seconds, cells and invocations. */
static void print_split(const struct measuring_verb *verb, const struct split *split, const double *seconds) {
    const struct plan *plan = &verb->run.plan;
    printf("run\t%s\n", run_folder(verb));
    for (unsigned part = 1; part <= split->parts; part++) {
        double all = 0;
        size_t cells = 0, invocations = 0;
        for (size_t i = 0; i < plan->cell_count; i++) {
            if (split->part_of[i] != part)
                continue;
            all += split_cell_seconds(&plan->cells[i], seconds[i]);
            invocations += plan->cells[i].options.invocations;
            cells++;
        }
        printf("part\t%u\t%.1f\t%zu\t%zu\n", part, all, cells, invocations);
    }
}

void divide_run(struct measuring_verb *verb) {
    double length, *seconds = allocate(verb->run.plan.cell_count, sizeof seconds[0]);
    unsigned parts;
    struct text text = {0}, there = {0};
    name_divided(verb, "split");
    split_parse_wish(verb->line->split, &parts, &length);
    const struct split split = divide(&verb->run, parts, length, seconds, &text);
    if (!verb->line->dry_run) {
        parts_agree(path_join(verb->run.parent, verb->run.name), &text, &there);
        if (strcmp(text_string(&text), text_string(&there)) != 0)
            refuse(2, "%.300s is divided already: continue its parts, or choose another name", run_folder(verb));
    }
    print_split(verb, &split, seconds);
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

void choose_part(struct measuring_verb *verb) {
    struct run *run = &verb->run;
    const struct command_line *line = verb->line;
    const size_t count = run->plan.cell_count;
    struct text text = {0}, agreed = {0};
    split_parse_part(line->part, &verb->part, &verb->parts);
    name_divided(verb, "part");
    run->repeat = (unsigned)must_read(&repeat_parameter, line->repeat ? line->repeat : "1").integer;
    divide(run, verb->parts, 0, allocate(count, sizeof(double)), &text);
    parts_agree(path_join(run->parent, run->name), &text, &agreed);
    const struct split split = split_read(&run->plan, text_string(&agreed));
    if (split.parts != verb->parts)
        refuse(2, "--part=%s: %.100s has %u part%s", line->part, run->name, split.parts, split.parts == 1 ? "" : "s");
    bool *keep = allocate(count, sizeof keep[0]);
    for (size_t i = 0; i < count; i++)
        keep[i] = split.part_of[i] == verb->part;
    plan_keep(&run->plan, keep);
    run->split = hash_bytes(HASH_START, text_string(&agreed), agreed.length);
}
