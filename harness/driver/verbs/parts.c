#include "harness/driver/verbs/measure.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The plan's division by stated times, which all nodes know alike: into parts, or by length. */
struct division {
    unsigned parts, *part_of; /* by cell, from 1 */
    double *seconds;          /* of an invocation, by cell */
};

static struct division divide(const struct run *run, unsigned parts, double length) {
    const size_t count = run->plan.cell_count;
    struct division division = {.part_of = allocate(count, sizeof(unsigned)),
                                .seconds = allocate(count, sizeof(double))};
    estimate_stated(&run->plan, division.seconds);
    division.parts = split_make(&run->plan, division.seconds, parts, length, division.part_of);
    return division;
}

void tell_division(const struct measuring_verb *verb) {
    const struct plan *plan = &verb->run.plan;
    double length;
    unsigned parts;
    split_parse_wish(verb->line->split, &parts, &length);
    const struct division division = divide(&verb->run, parts, length);
    for (unsigned part = 1; part <= division.parts; part++) {
        double all = 0;
        size_t cells = 0, invocations = 0;
        for (size_t i = 0; i < plan->cell_count; i++) {
            if (division.part_of[i] != part)
                continue;
            all += split_cell_seconds(&plan->cells[i], division.seconds[i]);
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
        const double seconds = split_cell_seconds(cell, division->seconds[i]);
        json_array_append_new(
            json, json_pack("{si so ss ss ss si so so}", "part", division->part_of[i], "cell",
                            json_sprintf("%016" PRIx64, cell->id), "workload", cell->workload, "deque", cell->deque->id,
                            "params", cell->params, "invocations", cell->options.invocations, "precision",
                            json_of_real(cell->options.precision), "seconds", json_sprintf("%.4g", seconds)));
    }
    return json;
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

void choose_part(struct measuring_verb *verb) {
    struct run *run = &verb->run;
    const struct command_line *line = verb->line;
    const size_t count = run->plan.cell_count;
    split_parse_part(line->part, &verb->part, &verb->parts);
    if (!line->name && !line->resume)
        refuse(2, "--part needs --name=RUN, the same for all parts of the run");
    name_run(verb);
    run->repeat = (unsigned)must_read(&repeat_parameter, line->repeat ? line->repeat : "1").integer;
    const struct division division = divide(run, verb->parts, 0);
    if (division.parts != verb->parts)
        refuse(2, "--part=%s: the cells make %s at most", line->part, counted(division.parts, "part"));
    run->split = json_of_division(&run->plan, &division);
    bool *keep = allocate(count, sizeof keep[0]);
    for (size_t i = 0; i < count; i++)
        keep[i] = division.part_of[i] == verb->part;
    plan_keep(&run->plan, keep);
}
