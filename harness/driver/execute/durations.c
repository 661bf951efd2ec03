#include "harness/driver/execute/execute.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME ".durations"
#define START_SECONDS 0.1 /* what a process takes that measures nothing */
#define OVERHEAD 1.5      /* a process takes so many times what it measures, because it also prepares */

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

int durations_keep(struct durations *durations, const char *parent, const struct duration *added, size_t count) {
    struct text text = {0};
    const size_t sorted = durations->count;
    for (size_t i = 0; i < count; i++) {
        struct duration *known = find(&(struct durations){durations->at, sorted}, added[i].key);
        if (known && added[i].values == 0) {
            known->seconds = added[i].seconds;
        } else if (known) {
            *known = added[i];
        } else {
            const size_t place = ONE_MORE(durations->at, durations->count);
            durations->at[place] = added[i];
        }
    }
    sort(durations);
    for (size_t i = 0; i < durations->count; i++) {
        const struct duration *one = &durations->at[i];
        text_format(&text, "%016" PRIx64 " %.4g", one->key, one->seconds);
        if (one->values > 0)
            text_format(&text, " %u %.4g", one->values, one->precision);
        text_add(&text, "\n");
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

void estimate_open(struct estimate *estimate, const struct plan *plan, const struct durations *durations) {
    *estimate = (struct estimate){.plan = plan,
                                  .kept = allocate(plan->cell_count, sizeof estimate->kept[0]),
                                  .measured = allocate(plan->cell_count, sizeof estimate->measured[0]),
                                  .wanted = allocate(plan->cell_count, sizeof estimate->wanted[0])};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct duration *known = find(durations, durations_key(&plan->cells[i]));
        estimate->kept[i] = known ? known->seconds : -1;
        estimate->measured[i] = -1;
        estimate->wanted[i] = wanted_by(known, &plan->cells[i].options);
    }
}

/* A sum of seconds and how many there are. */
struct mean {
    double sum;
    size_t count;
};

static void add(struct mean *mean, double seconds) {
    mean->sum += seconds;
    mean->count++;
}

/* Are the cells of one workload in one section? A cell belongs to the first section that shows it. */
static bool are_alike(const struct planned_cell *one, const struct planned_cell *other) {
    return (one->tags & -one->tags) == (other->tags & -other->tags) && strcmp(one->workload, other->workload) == 0;
}

/* For each group: the number of the first group that is like it. */
static size_t *kinds_of(const struct plan *plan) {
    size_t *kinds = allocate(plan->group_count, sizeof kinds[0]);
    for (size_t i = 0; i < plan->group_count; i++)
        while (!are_alike(&plan->cells[plan->groups[kinds[i]].cells[0]], &plan->cells[plan->groups[i].cells[0]]))
            kinds[i]++;
    return kinds;
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

static double known_of(const struct estimate *estimate, size_t cell, double slower) {
    if (estimate->measured[cell] >= 0)
        return estimate->measured[cell];
    return estimate->kept[cell] >= 0 ? slower * estimate->kept[cell] : -1;
}

static double asked_for(const struct suite_options *options) {
    return START_SECONDS + OVERHEAD * options->repetitions * options->minimum_time;
}

/* Replaces each negative value by the mean of its group or, if that is unknown, of its workload in its section. Returns
 * the mean of all known values, and how many there are. */
static struct mean fill_by_like(const struct plan *plan, double *values) {
    struct mean *groups = allocate(plan->group_count, sizeof groups[0]);
    struct mean *alike = allocate(plan->group_count, sizeof alike[0]), all = {0};
    size_t *kinds = kinds_of(plan);
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (values[i] < 0)
            continue;
        add(&all, values[i]);
        add(&groups[plan->cells[i].group], values[i]);
        add(&alike[kinds[plan->cells[i].group]], values[i]);
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mean *group = &groups[plan->cells[i].group], *kind = &alike[kinds[plan->cells[i].group]];
        if (values[i] < 0 && kind->count > 0)
            values[i] = group->count > 0 ? group->sum / (double)group->count : kind->sum / (double)kind->count;
    }
    free(groups);
    free(alike);
    free(kinds);
    return all;
}

size_t estimate_cells(const struct estimate *estimate, double *seconds) {
    const struct plan *plan = estimate->plan;
    const double slower = slower_than_kept(estimate);
    for (size_t i = 0; i < plan->cell_count; i++)
        seconds[i] = known_of(estimate, i, slower);
    const struct mean known = fill_by_like(plan, seconds);
    for (size_t i = 0; i < plan->cell_count; i++)
        if (seconds[i] < 0)
            seconds[i] = asked_for(&plan->cells[i].options);
    return known.count;
}

bool estimate_invocations(const struct estimate *estimate, double *invocations) {
    const struct plan *plan = estimate->plan;
    size_t adaptive = 0;
    memcpy(invocations, estimate->wanted, plan->cell_count * sizeof invocations[0]);
    const struct mean known = fill_by_like(plan, invocations);
    for (size_t i = 0; i < plan->cell_count; i++)
        adaptive += is_adaptive(&plan->cells[i].options);
    const bool enough = 2 * known.count >= adaptive;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct suite_options *options = &plan->cells[i].options;
        if (invocations[i] < 0 && known.count > 0)
            invocations[i] = known.sum / (double)known.count;
        if (!enough || !is_adaptive(options) || invocations[i] > options->invocations)
            invocations[i] = options->invocations;
    }
    return enough;
}

double estimate_asked(const struct planned_cell *cell, unsigned processors) {
    const struct suite_options *options = &cell->options;
    unsigned threads = cell->threads < processors ? cell->threads : processors;
    const double share = options->work / (threads > 0 ? threads : 1), timed = OVERHEAD * options->minimum_time;
    return START_SECONDS + options->repetitions * fmax(share, timed);
}

/* The middle cell of a group. A group begins with the references and ends with what the suite adds. */
static size_t middle_of(const struct planned_group *group) { return group->cells[group->count / 2]; }

static bool is_known(const struct estimate *estimate, const struct planned_group *group) {
    for (size_t i = 0; i < group->count; i++)
        if (known_of(estimate, group->cells[i], 1) >= 0)
            return true;
    return false;
}

size_t estimate_pilots(const struct estimate *estimate, size_t *cells) {
    const struct plan *plan = estimate->plan;
    size_t *kinds = kinds_of(plan), count = 0;
    size_t *unknown = allocate(plan->group_count, sizeof unknown[0]),
           *seen = allocate(plan->group_count, sizeof seen[0]);
    for (size_t i = 0; i < plan->group_count; i++)
        unknown[kinds[i]] += !is_known(estimate, &plan->groups[i]);
    for (size_t i = 0; i < plan->group_count; i++) {
        const size_t kind = kinds[i], all = unknown[kind], wanted = all < PILOTS ? all : PILOTS;
        if (is_known(estimate, &plan->groups[i]))
            continue;
        /* the groups at which another wanted-th part of them is full */
        if ((seen[kind] + 1) * wanted / all > seen[kind] * wanted / all)
            cells[count++] = middle_of(&plan->groups[i]);
        seen[kind]++;
    }
    return count;
}
