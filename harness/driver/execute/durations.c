#include "harness/driver/execute/execute.h"

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

void estimate_keep(const struct estimate *estimate) {
    const struct plan *plan = &estimate->run->plan;
    struct text text = {0};
    json_t *kept = read_kept(estimate->run->parent);
    for (size_t i = 0; i < plan->cell_count; i++)
        if (estimate->known[i] > 0)
            json_object_set_new(kept, key_of(&plan->cells[i]), json_real(estimate->known[i]));
    text_add(&text, json_dumps(kept, JSON_INDENT(1) | JSON_REAL_PRECISION(4)));
    if (json_object_size(kept) > 0)
        file_replace(path_join(estimate->run->parent, NAME), &text);
}

/* The section's work, shared by the threads, or the minimum time, whichever is longer. */
double estimate_stated(const struct plan *plan, const struct planned_cell *cell) {
    const struct suite_options *options = &cell->options;
    const unsigned threads = cell->threads < plan->processors ? cell->threads : plan->processors;
    const struct value *size = value_find(cell->values, cell->value_count, options->work_of);
    const double work = options->work * (size ? (double)size->integer : 1);
    return START_SECONDS +
           options->repetitions * fmax(work / (threads > 0 ? threads : 1), OVERHEAD * options->minimum_time);
}

size_t estimate_open(struct estimate *estimate, const struct run *run) {
    const struct plan *plan = &run->plan;
    const json_t *kept = read_kept(run->parent);
    *estimate =
        (struct estimate){run, allocate(plan->cell_count, sizeof(double)), allocate(plan->cell_count, sizeof(double))};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const double known = json_number_value(json_object_get(kept, key_of(&plan->cells[i])));
        estimate->known[i] = known > 0 && !run->topology ? known : -1;
    }
    return estimate_again(estimate);
}

size_t estimate_again(const struct estimate *estimate) {
    const struct plan *plan = &estimate->run->plan;
    size_t all_known = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        const struct planned_group *group = &plan->groups[i];
        double sum = 0;
        size_t count = 0;
        for (size_t j = 0; j < group->count; j++) {
            const double known = estimate->known[group->cells[j]];
            count += known >= 0;
            sum += fmax(known, 0);
        }
        for (size_t j = 0; j < group->count; j++) {
            const size_t cell = group->cells[j];
            estimate->seconds[cell] = estimate->known[cell] >= 0 ? estimate->known[cell]
                                      : count > 0                ? sum / (double)count
                                                                 : estimate_stated(plan, &plan->cells[cell]);
        }
        all_known += count;
    }
    return all_known;
}

const char *estimate_text(const struct estimate *estimate) {
    const double within = estimate->run->within, *seconds = estimate->seconds;
    double least = 0, most = 0, least_seconds = 0, most_seconds = 0;
    for (size_t i = 0; i < estimate->run->plan.cell_count; i++) {
        const struct suite_options *options = &estimate->run->plan.cells[i].options;
        const unsigned first = precision_first(options, within);
        least += first;
        most += options->invocations;
        least_seconds += first * seconds[i];
        most_seconds += options->invocations * seconds[i];
    }
    if (least >= most)
        return formatted("%.0f invocations, about %s", most, duration_text(most_seconds, most_seconds));
    if (within > 0)
        return formatted("%.0f invocations or more, %s", least,
                         duration_text(least_seconds, fmax(least_seconds, fmin(most_seconds, within))));
    return formatted("%.0f to %.0f invocations until each is precise, %s", least, most,
                     duration_text(least_seconds, most_seconds));
}

/* --- a plan that fits into a time. The sections of a suite stand in order of worth. */

/* Does this section show the cell, and none before it? */
static bool is_of(const struct planned_cell *cell, const char *section) {
    return strcmp(cell->tags.at[0], section) == 0;
}

const char *within_sections(const struct run *run, const double *seconds, double left, bool *keep) {
    const struct plan *plan = &run->plan;
    struct text left_out = {0};
    for (size_t i = 0; i < run->suite.section_count; i++) {
        const char *tag = run->suite.sections[i].tag;
        double all = 0;
        bool is_there = false;
        for (size_t j = 0; j < plan->cell_count; j++) {
            all += is_of(&plan->cells[j], tag) ? seconds[j] : 0;
            is_there |= is_of(&plan->cells[j], tag);
        }
        const bool fits = all <= left;
        for (size_t j = 0; j < plan->cell_count; j++)
            if (is_of(&plan->cells[j], tag))
                keep[j] = fits;
        left -= fits ? all : 0;
        if (is_there && !fits)
            text_format(&left_out, " %s", tag);
    }
    return text_string(&left_out);
}

void plan_fit(struct run *run) {
    struct plan *plan = &run->plan;
    struct estimate estimate;
    double all = 0;
    bool *keep = allocate(plan->cell_count, sizeof keep[0]);
    size_t dropped = 0;
    estimate_open(&estimate, run);
    for (size_t i = 0; i < plan->cell_count; i++)
        estimate.seconds[i] *= precision_first(&plan->cells[i].options, run->within);
    const char *left_out = within_sections(run, estimate.seconds, run->within, keep);
    for (size_t i = 0; i < plan->cell_count; i++) {
        all += keep[i] ? estimate.seconds[i] : 0;
        dropped += !keep[i];
    }
    if (dropped == plan->cell_count)
        refuse(2, "--within: each section of the suite takes longer");
    fprintf(stderr,
            "within %s: %d invocations of each cell, about %s; what is left goes where intervals are widest%s\n",
            duration_text(run->within, run->within), PRECISION_LEAST, duration_text(all, all),
            dropped == 0 ? "" : formatted("; left out:%s, %s", left_out, counted(dropped, "cell")));
    plan_keep(plan, keep);
}
