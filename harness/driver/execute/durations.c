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

static int by_key(const void *a, const void *b) {
    const struct duration *one = a, *other = b;
    return one->key < other->key ? -1 : one->key > other->key;
}

static void sort(struct durations *durations) {
    if (durations->count > 0)
        qsort(durations->at, durations->count, sizeof durations->at[0], by_key);
}

/* Reads "0123456789abcdef 1.5", which may go on with the number of values and their precision: " 12 3.5". */
static bool read_line(const char *line, struct duration *one) {
    int end[2] = {0};
    *one = (struct duration){0};
    const int got = sscanf(line, "%" SCNx64 " %lf%n %u %lf%n", &one->key, &one->seconds, &end[0], &one->values,
                           &one->precision, &end[1]);
    return strspn(line, "0123456789abcdef") == 16 && (got == 2 || got == 4) && !line[end[got == 4]] &&
           one->seconds > 0 && one->seconds < 1e7 && one->precision >= 0;
}

void durations_read(struct durations *durations, const char *parent) {
    struct text text = {0};
    struct duration one;
    *durations = (struct durations){0};
    file_read(path_join(parent, NAME), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++) {
        if (!read_line(lines.at[i], &one))
            continue;
        const size_t place = ONE_MORE(durations->at, durations->count);
        durations->at[place] = one;
    }
    sort(durations);
    text_free(&text);
}

static struct duration *find(const struct durations *durations, uint64_t key) {
    const struct duration wanted = {.key = key};
    return durations->count == 0 ? NULL
                                 : bsearch(&wanted, durations->at, durations->count, sizeof durations->at[0], by_key);
}

int durations_keep(const char *parent, const struct duration *added, size_t count) {
    struct durations all;
    struct text text = {0};
    durations_read(&all, parent);
    const struct durations before = all;
    for (size_t i = 0; i < count; i++) {
        struct duration *known = find(&before, added[i].key);
        if (known && added[i].values == 0) {
            known->seconds = added[i].seconds;
        } else if (known) {
            *known = added[i];
        } else {
            const size_t place = ONE_MORE(all.at, all.count);
            all.at[place] = added[i];
        }
    }
    sort(&all);
    for (size_t i = 0; i < all.count; i++) {
        text_format(&text, "%016" PRIx64 " %.4g", all.at[i].key, all.at[i].seconds);
        text_add(&text, all.at[i].values > 0 ? formatted(" %u %.4g\n", all.at[i].values, all.at[i].precision) : "\n");
    }
    int result = count > 0 ? folder_make(parent) : 0;
    if (result == 0 && count > 0)
        result = file_replace(path_join(parent, NAME), &text);
    text_free(&text);
    return result;
}

static bool is_adaptive(const struct suite_options *options) {
    return options->precision > 0 && PRECISION_LEAST < options->invocations;
}

/* An interval shrinks with the root of the number of values. */
static double wanted_by(const struct duration *known, const struct suite_options *options) {
    if (!known || known->values == 0 || !is_adaptive(options))
        return -1;
    const double off = known->precision / options->precision, needed = known->values * off * off;
    return fmin(fmax(needed, PRECISION_LEAST), options->invocations);
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

/* The rows of suites/durations.csv that are of this suite, by section and workload; a section's first workload stands
 * for cells that it shares. */
static void read_shipped(struct estimate *estimate, const struct run *run) {
    const struct plan *plan = estimate->plan;
    struct text text = {0};
    file_read(path_join(run->root, SHIPPED), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++) {
        char *field[4];
        if (split_csv(duplicate(lines.at[i]), field, 4) != 4 || strcmp(field[0], run->suite.name) != 0)
            continue;
        for (size_t j = 0; j < plan->cell_count; j++) {
            const char *tag = run->suite.sections[section_first(&plan->cells[j].tags)].tag;
            if (strcmp(tag, field[1]) == 0 && strcmp(plan->cells[j].workload, field[2]) == 0)
                estimate->otherwise[j] = strtod(field[3], NULL);
        }
    }
}

void estimate_open(struct estimate *estimate, const struct run *run) {
    const struct plan *plan = &run->plan;
    struct durations durations;
    *estimate = (struct estimate){.plan = plan,
                                  .kept = allocate(plan->cell_count, sizeof(double)),
                                  .measured = allocate(plan->cell_count, sizeof(double)),
                                  .wanted = allocate(plan->cell_count, sizeof(double)),
                                  .otherwise = allocate(plan->cell_count, sizeof(double))};
    durations_read(&durations, run->parent);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        const struct duration *known = run->topology ? NULL : find(&durations, durations_key(cell));
        estimate->kept[i] = known ? known->seconds : -1;
        estimate->measured[i] = -1;
        estimate->wanted[i] = wanted_by(known, &cell->options);
        estimate->otherwise[i] = asked_for(cell, plan->processors);
    }
    if (!run->topology)
        read_shipped(estimate, run);
}

/* How many times slower the cells measured in this run are than in the run that was kept. */
static double slower_than_kept(const struct estimate *estimate) {
    double measured = 0, kept = 0;
    for (size_t i = 0; i < estimate->plan->cell_count; i++) {
        if (estimate->measured[i] >= 0 && estimate->kept[i] >= 0) {
            measured += estimate->measured[i];
            kept += estimate->kept[i];
        }
    }
    return kept > 0 && measured > 0 ? measured / kept : 1;
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
    const double slower = slower_than_kept(estimate);
    for (size_t i = 0; i < estimate->plan->cell_count; i++)
        seconds[i] = estimate->measured[i] >= 0 ? estimate->measured[i]
                     : estimate->kept[i] >= 0   ? slower * estimate->kept[i]
                                                : -1;
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
        const double counts[3] = {is_adaptive(options) ? PRECISION_LEAST : options->invocations, likely[i],
                                  options->invocations};
        for (size_t j = 0; j < 3; j++) {
            invocations[j] += counts[j];
            time[j] += counts[j] * seconds[i];
        }
    }
    free(likely);
    if (invocations[0] >= invocations[2])
        return formatted("%.0f invocations, about %s", invocations[2], duration_text(time[2], time[2]));
    const char *range = formatted("%.0f to %.0f invocations until each is precise", invocations[0], invocations[2]);
    return is_known ? formatted("%s, as the last run's %.0f, about %s", range, invocations[1],
                                duration_text(time[1], time[1]))
                    : formatted("%s, %s", range, duration_text(time[0], time[2]));
}
