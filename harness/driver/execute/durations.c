/* durations.c: estimates how long an invocation of each cell takes: from this run, from the last run here, or from
 * what the suite says. results/.durations keeps the seconds by a hash of what the cell measures, whatever the build; it
 * may be deleted. */
#pragma once

#include "harness/driver/execute/precision.c"
#include "harness/driver/execute/progress.c"
#include "harness/driver/plan/plan_places.c"
#include "harness/driver/record/run.h"

#define NAME ".durations"
#define START_SECONDS 0.03 /* what a process takes that measures nothing */
#define OVERHEAD 1.5       /* a process takes so many times what it measures, because it also prepares */

static const char *key_of(const struct planned_cell *cell) {
    const char *options = formatted("%u %.9g", cell->options.repetitions, cell->options.minimum_time);
    return formatted("%016" PRIx64, hash_bytes(cell->subject, options, strlen(options)));
}

/* An empty object if there is no such file, or it makes no sense. */
static json_t *read_kept(const char *parent) {
    json_t *kept = json_load_file(path_join(parent, NAME), 0, NULL);
    return json_is_object(kept) ? kept : json_object();
}

/* Adds what is known to the file. May fail: only the next estimate suffers. */
void estimate_keep(const struct run *run) {
    json_t *kept = read_kept(run->parent);
    foreach (cell, run->plan.cells)
        if (cell->known > 0)
            json_object_set_new(kept, key_of(cell), json_real(cell->known));
    if (json_object_size(kept) > 0)
        file_replace(path_join(run->parent, NAME), json_dumps(kept, JSON_INDENT(1) | JSON_REAL_PRECISION(4)));
}

/* The seconds that an invocation takes by what the cell asks for, the same on every node: the section's work, shared by
 * the threads, or the minimum time, whichever is longer. */
double estimate_stated(const struct plan *plan, const struct planned_cell *cell) {
    const struct suite_options *options = &cell->options;
    const unsigned threads = cell->threads < plan->processors ? cell->threads : plan->processors;
    const struct value *size = value_find(cell->values.at, cell->values.count, options->work_of);
    const double work = options->work * (size ? (double)size->integer : 1);
    return START_SECONDS +
           options->repetitions * fmax(work / (threads > 0 ? threads : 1), OVERHEAD * options->minimum_time);
}

/* These set the seconds of all cells: as known, the mean of the group, or as stated. They return how many are known. */
size_t estimate_again(struct plan *plan) {
    size_t all_known = 0;
    foreach (group, plan->groups) {
        double sum = 0;
        size_t count = 0;
        foreach (cell, group->cells) {
            count += (*cell)->known >= 0;
            sum += fmax((*cell)->known, 0);
        }
        foreach (cell, group->cells)
            (*cell)->seconds = (*cell)->known >= 0 ? (*cell)->known
                               : count > 0         ? sum / (double)count
                                                   : estimate_stated(plan, *cell);
        all_known += count;
    }
    return all_known;
}

size_t estimate_open(struct run *run) {
    const json_t *kept = read_kept(run->parent);
    foreach (cell, run->plan.cells) {
        const double known = json_number_value(json_object_get(kept, key_of(cell)));
        cell->known = known > 0 && !plan_for ? known : -1;
    }
    return estimate_again(&run->plan);
}

/* "40 invocations, about 8 min", or with a precision from the least to the most. */
const char *estimate_text(const struct run *run) {
    double least = 0, most = 0, least_seconds = 0, most_seconds = 0;
    foreach (cell, run->plan.cells) {
        const unsigned first = precision_first(&cell->options, run->within);
        least += first;
        most += cell->options.invocations;
        least_seconds += first * cell->seconds;
        most_seconds += cell->options.invocations * cell->seconds;
    }
    if (least >= most)
        return formatted("%.0f invocations, about %s", most, duration_text(most_seconds, most_seconds));
    if (run->within > 0)
        return formatted("%.0f invocations or more, %s", least,
                         duration_text(least_seconds, fmax(least_seconds, fmin(most_seconds, run->within))));
    return formatted("%.0f to %.0f invocations until each is precise, %s", least, most,
                     duration_text(least_seconds, most_seconds));
}

/* --- a plan that fits into a time. The sections of a suite stand in order of worth. A cell belongs to the first that
 * shows it. */

/* Drops the cells of sections that do not fit into the time that is left, by what each takes of it. Returns the names
 * of these sections, each behind a space. */
const char *within_sections(struct run *run, double left) {
    struct text left_out = {0};
    foreach (section, run->suite.sections) {
        double all = 0;
        bool is_there = false;
        foreach (cell, run->plan.cells)
            if (same(cell->tags.at[0], section->tag)) {
                all += cell->takes;
                is_there = true;
            }
        const bool fits = all <= left;
        foreach (cell, run->plan.cells)
            if (same(cell->tags.at[0], section->tag))
                cell->dropped = !fits;
        left -= fits ? all : 0;
        if (is_there && !fits)
            text_format(&left_out, " %s", section->tag);
    }
    return text_string(&left_out);
}

/* Keeps those sections of a suite, the first ones first, of which the first invocations of each cell fit into
 * run->within seconds. Says what it did. */
void plan_fit(struct run *run) {
    struct plan *plan = &run->plan;
    double all = 0;
    size_t dropped = 0;
    estimate_open(run);
    foreach (cell, plan->cells)
        cell->takes = cell->seconds * precision_first(&cell->options, run->within);
    const char *left_out = within_sections(run, run->within);
    foreach (cell, plan->cells) {
        all += cell->dropped ? 0 : cell->takes;
        dropped += cell->dropped;
    }
    if (dropped == plan->cells.count)
        refuse(2, "--within: each section of the suite takes longer");
    fprintf(stderr,
            "within %s: %d invocations of each cell, about %s; what is left goes where intervals are widest%s\n",
            duration_text(run->within, run->within), PRECISION_LEAST, duration_text(all, all),
            dropped == 0 ? "" : formatted("; left out:%s, %s", left_out, counted(dropped, "cell")));
    plan_drop(plan);
}
