#include "harness/driver/execute/execute.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME ".durations"
#define SHIPPED "suites/durations.csv"
#define START_SECONDS 0.03 /* what a process takes that measures nothing */
#define OVERHEAD 1.5       /* a process takes so many times what it measures, because it also prepares */

uint64_t durations_key(const struct planned_cell *cell) {
    char options[64];
    uint64_t hash = plan_subject(cell->workload, cell->deque->id, cell->params);
    int length = snprintf(options, sizeof options, "%u %.9g", cell->options.repetitions, cell->options.minimum_time);
    return hash_bytes(hash, options, (size_t)length);
}

/* Reads "0123456789abcdef 1.5 12"; the number of invocations may be missing. */
static bool read_line(const char *line, struct duration *one) {
    *one = (struct duration){0};
    const int got = sscanf(line, "%" SCNx64 " %lf %u", &one->key, &one->seconds, &one->invocations);
    return strspn(line, "0123456789abcdef") == 16 && got >= 2 && one->seconds > 0 && one->seconds < 1e7;
}

struct durations {
    struct duration *at;
    size_t count;
};

/* Skips lines that make no sense. */
static struct durations read_kept(const char *parent) {
    struct text text = {0};
    struct durations durations = {0};
    struct duration one;
    file_read(path_join(parent, NAME), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++) {
        if (!read_line(lines.at[i], &one))
            continue;
        const size_t place = ONE_MORE(durations.at, durations.count);
        durations.at[place] = one;
    }
    return durations;
}

static const struct duration *find(const struct duration *durations, size_t count, uint64_t key) {
    for (size_t i = 0; i < count; i++)
        if (durations[i].key == key)
            return &durations[i];
    return NULL;
}

static void write_line(struct text *text, const struct duration *one) {
    text_format(text, "%016" PRIx64 " %.4g", one->key, one->seconds);
    text_add(text, one->invocations > 0 ? formatted(" %u\n", one->invocations) : "\n");
}

void durations_keep(const char *parent, const struct duration *added, size_t count) {
    const struct durations before = read_kept(parent);
    struct text text = {0};
    for (size_t i = 0; i < count; i++)
        write_line(&text, &added[i]);
    for (size_t i = 0; i < before.count; i++)
        if (!find(added, count, before.at[i].key))
            write_line(&text, &before.at[i]);
    if (count > 0 && folder_make(parent) == 0)
        file_replace(path_join(parent, NAME), &text);
    text_free(&text);
}

static bool is_adaptive(const struct suite_options *options) {
    return precision_first(options, 0) < options->invocations;
}

/* As many as the last run took, as far as the cell now allows; negative: not known. */
static double wanted_by(const struct duration *known, const struct suite_options *options) {
    if (!known || known->invocations == 0 || !is_adaptive(options))
        return -1;
    return fmin(fmax(known->invocations, PRECISION_LEAST), options->invocations);
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

/* By the rows of suites/durations.csv that are of this suite, by section and workload; a section's first workload
 * stands for cells that it shares. Else by what the cell asks for. */
void estimate_stated(const struct run *run, double *seconds) {
    const struct plan *plan = &run->plan;
    struct text text = {0};
    for (size_t i = 0; i < plan->cell_count; i++)
        seconds[i] = asked_for(&plan->cells[i], plan->processors);
    if (!run->topology)
        file_read(path_join(run->root, SHIPPED), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++) {
        char *field[4];
        if (split_csv(duplicate(lines.at[i]), field, 4) != 4 || strcmp(field[0], run->suite.name) != 0)
            continue;
        for (size_t j = 0; j < plan->cell_count; j++) {
            if (strcmp(plan->cells[j].tags.at[0], field[1]) == 0 && strcmp(plan->cells[j].workload, field[2]) == 0)
                seconds[j] = strtod(field[3], NULL);
        }
    }
}

void estimate_open(struct estimate *estimate, const struct run *run) {
    const struct plan *plan = &run->plan;
    const struct durations kept = read_kept(run->parent);
    *estimate = (struct estimate){.plan = plan,
                                  .within = run->within,
                                  .kept = allocate(plan->cell_count, sizeof(double)),
                                  .measured = allocate(plan->cell_count, sizeof(double)),
                                  .wanted = allocate(plan->cell_count, sizeof(double)),
                                  .otherwise = allocate(plan->cell_count, sizeof(double))};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const struct duration *known = run->topology ? NULL : find(kept.at, kept.count, durations_key(cell));
        estimate->kept[i] = known ? known->seconds : -1;
        estimate->measured[i] = -1;
        estimate->wanted[i] = wanted_by(known, &cell->options);
    }
    estimate_stated(run, estimate->otherwise);
}

/* Replaces each negative value by the mean of those known in its group, else by `otherwise`. Returns how many were
 * known.
 */
static size_t fill(const struct plan *plan, double *values, const double *otherwise) {
    size_t known = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        const struct planned_group *group = &plan->groups[i];
        double sum = 0;
        size_t count = 0;
        for (size_t j = 0; j < group->count; j++) {
            count += values[group->cells[j]] >= 0;
            sum += fmax(values[group->cells[j]], 0);
        }
        for (size_t j = 0; j < group->count; j++) {
            double *value = &values[group->cells[j]];
            if (*value < 0)
                *value = count > 0 ? sum / (double)count : otherwise[group->cells[j]];
        }
        known += count;
    }
    return known;
}

size_t estimate_cells(const struct estimate *estimate, double *seconds) {
    for (size_t i = 0; i < estimate->plan->cell_count; i++)
        seconds[i] = estimate->measured[i] >= 0 ? estimate->measured[i] : estimate->kept[i];
    return fill(estimate->plan, seconds, estimate->otherwise);
}

bool estimate_invocations(const struct estimate *estimate, double *invocations) {
    const struct plan *plan = estimate->plan;
    double *most = allocate(plan->cell_count, sizeof most[0]);
    size_t adaptive = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        most[i] = plan->cells[i].options.invocations;
        adaptive += is_adaptive(&plan->cells[i].options);
        invocations[i] = is_adaptive(&plan->cells[i].options) ? estimate->wanted[i] : -1;
    }
    const bool enough = 2 * fill(plan, invocations, most) >= adaptive;
    for (size_t i = 0; i < plan->cell_count; i++)
        if (!enough || !is_adaptive(&plan->cells[i].options) || invocations[i] > most[i])
            invocations[i] = most[i];
    free(most);
    return enough;
}

const char *estimate_text(const struct estimate *estimate, const double *seconds) {
    const struct plan *plan = estimate->plan;
    double *likely = allocate(plan->cell_count, sizeof likely[0]), time[3] = {0}, invocations[3] = {0};
    const bool is_known = estimate_invocations(estimate, likely);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct suite_options *options = &plan->cells[i].options;
        const double counts[3] = {precision_first(options, estimate->within), likely[i], options->invocations};
        for (size_t j = 0; j < 3; j++) {
            invocations[j] += counts[j];
            time[j] += counts[j] * seconds[i];
        }
    }
    free(likely);
    if (estimate->within > 0)
        return formatted("%.0f invocations or more, %s", invocations[0],
                         duration_text(time[0], fmax(time[0], fmin(time[2], estimate->within))));
    if (invocations[0] >= invocations[2])
        return formatted("%.0f invocations, about %s", invocations[2], duration_text(time[2], time[2]));
    const char *range = formatted("%.0f to %.0f invocations until each is precise", invocations[0], invocations[2]);
    return is_known ? formatted("%s, as the last run's %.0f, about %s", range, invocations[1],
                                duration_text(time[1], time[1]))
                    : formatted("%s, %s", range, duration_text(time[0], time[2]));
}
