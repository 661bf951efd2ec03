#include "harness/driver/execute/execute.h"

#define NAME ".durations"
#define START_SECONDS 0.03 /* what a process takes that measures nothing */
#define OVERHEAD 1.5       /* a process takes so many times what it measures, because it also prepares */

const char *durations_key(const struct planned_cell *cell) {
    const char *options = formatted("%u %.9g", cell->options.repetitions, cell->options.minimum_time);
    const uint64_t hash = plan_subject(cell->workload, cell->deque->id, cell->params);
    return formatted("%016" PRIx64, hash_bytes(hash, options, strlen(options)));
}

/* An empty object if there is no such file, or it makes no sense. */
static json_t *read_kept(const char *parent) {
    json_t *kept = json_load_file(path_join(parent, NAME), 0, NULL);
    return json_is_object(kept) ? kept : json_object();
}

void durations_keep(const char *parent, json_t *measured) {
    struct text text = {0};
    json_t *kept = read_kept(parent);
    json_object_update(kept, measured);
    text_add(&text, json_dumps(kept, JSON_INDENT(1) | JSON_REAL_PRECISION(4)));
    if (json_object_size(measured) > 0 && folder_make(parent) == 0)
        file_replace(path_join(parent, NAME), &text);
    text_free(&text);
}

/* The section's work, shared by the threads, or the minimum time, whichever is longer. */
static double asked_for(const struct planned_cell *cell, unsigned processors) {
    const struct suite_options *options = &cell->options;
    const unsigned threads = cell->threads < processors ? cell->threads : processors;
    const struct value *size = value_find(cell->values, cell->value_count, options->work_of);
    const double work = options->work * (size ? (double)size->integer : 1);
    return START_SECONDS +
           options->repetitions * fmax(work / (threads > 0 ? threads : 1), OVERHEAD * options->minimum_time);
}

void estimate_stated(const struct plan *plan, double *seconds) {
    for (size_t i = 0; i < plan->cell_count; i++)
        seconds[i] = asked_for(&plan->cells[i], plan->processors);
}

void estimate_open(struct estimate *estimate, const struct run *run) {
    const struct plan *plan = &run->plan;
    const json_t *kept = read_kept(run->parent);
    *estimate = (struct estimate){.plan = plan,
                                  .within = run->within,
                                  .known = allocate(plan->cell_count, sizeof(double)),
                                  .otherwise = allocate(plan->cell_count, sizeof(double))};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const double known = json_number_value(json_object_get(kept, durations_key(&plan->cells[i])));
        estimate->known[i] = known > 0 && !run->topology ? known : -1;
    }
    estimate_stated(plan, estimate->otherwise);
}

size_t estimate_cells(const struct estimate *estimate, double *seconds) {
    size_t all_known = 0;
    for (size_t i = 0; i < estimate->plan->group_count; i++) {
        const struct planned_group *group = &estimate->plan->groups[i];
        double sum = 0;
        size_t count = 0;
        for (size_t j = 0; j < group->count; j++) {
            const double known = estimate->known[group->cells[j]];
            count += known >= 0;
            sum += fmax(known, 0);
        }
        for (size_t j = 0; j < group->count; j++) {
            const size_t cell = group->cells[j];
            seconds[cell] = estimate->known[cell] >= 0 ? estimate->known[cell]
                            : count > 0                ? sum / (double)count
                                                       : estimate->otherwise[cell];
        }
        all_known += count;
    }
    return all_known;
}

const char *estimate_text(const struct estimate *estimate, const double *seconds) {
    double least = 0, most = 0, least_seconds = 0, most_seconds = 0;
    for (size_t i = 0; i < estimate->plan->cell_count; i++) {
        const struct suite_options *options = &estimate->plan->cells[i].options;
        const unsigned first = precision_first(options, estimate->within);
        least += first;
        most += options->invocations;
        least_seconds += first * seconds[i];
        most_seconds += options->invocations * seconds[i];
    }
    if (least >= most)
        return formatted("%.0f invocations, about %s", most, duration_text(most_seconds, most_seconds));
    if (estimate->within > 0)
        return formatted("%.0f invocations or more, %s", least,
                         duration_text(least_seconds, fmax(least_seconds, fmin(most_seconds, estimate->within))));
    return formatted("%.0f to %.0f invocations until each is precise, %s", least, most,
                     duration_text(least_seconds, most_seconds));
}
