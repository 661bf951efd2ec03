#include "harness/driver/record/invocation.h"
#include "harness/driver/record/headline.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8 /* of a line of output, a sample's or a histogram's */

/* What the rows of one invocation have in common. */
struct row_head {
    const struct planned_cell *cell;
    const char *placement, *variant, *host;
    unsigned invocation;
    bool throttled;
    const struct distances *distances; /* NULL: of one that measured nothing */
};

static void add_flag(struct text *flags, const char *flag) {
    if (*flag)
        text_format(flags, "%s%s", flags->length > 0 ? "+" : "", flag);
}

static void add_row(struct text *rows, const struct row_head *head, const char *role, const char *repetition,
                    const char *metric, const char *value, const char *unit, const char *status, const char *flags) {
    char cell[20], invocation[16], distance[32] = "";
    const char *of_distance = "";
    struct text all_flags = {0};
    const double ns =
        head->distances ? distances_around(head->distances, strtoul(repetition, NULL, 10), &of_distance) : (double)NAN;
    if (!isnan(ns))
        snprintf(distance, sizeof distance, "%.1f", ns);
    snprintf(cell, sizeof cell, "%016" PRIx64, head->cell->id);
    snprintf(invocation, sizeof invocation, "%u", head->invocation);
    add_flag(&all_flags, head->cell->unsound && !strstr(flags, "unsound") ? "unsound" : "");
    add_flag(&all_flags, flags);
    add_flag(&all_flags, head->throttled ? "throttled" : "");
    add_flag(&all_flags, of_distance);
    const char *const fields[SAMPLES_COLUMN_COUNT] = {cell,
                                                      head->cell->workload,
                                                      head->cell->deque->id,
                                                      head->cell->params,
                                                      head->placement,
                                                      role,
                                                      invocation,
                                                      repetition,
                                                      metric,
                                                      value,
                                                      unit,
                                                      status,
                                                      text_string(&all_flags),
                                                      head->variant,
                                                      head->host,
                                                      distance};
    text_add_row(rows, fields, SAMPLES_COLUMN_COUNT);
    text_free(&all_flags);
}

/* A row of the whole process that has a value. */
static void add_cost(struct text *rows, const struct row_head *head, const char *metric, const char *value,
                     const char *unit, const char *status) {
    /* valgrind's memory and time are not the deque's */
    add_row(rows, head, "process", "0", metric, value, unit, status, head->cell->simulated ? "simulated" : "");
}

static bool is_number(const char *text) {
    char *end;
    const double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value) && !isspace((unsigned char)*text);
}

static bool is_count(const char *text) { return *text && strspn(text, "0123456789") == strlen(text); }

/* sample    ROLE REPETITION METRIC VALUE UNIT STATUS FLAGS
 * histogram ROLE REPETITION METRIC LOWER UPPER COUNT UNIT: letters, digits and a little more. */
static bool makes_sense(char *const *field, bool sample) {
    for (size_t i = 1; i < FIELDS; i++)
        for (const char *at = field[i]; *at; at++)
            if (!isalnum((unsigned char)*at) && !strchr("_-+/%.:", *at))
                return false;
    if (!*field[1] || !is_count(field[2]) || !*field[3])
        return false;
    if (sample && strcmp(field[6], "ok") != 0)
        return !*field[4] && choice_index("unsupported|denied|timeout|crashed", field[6]) >= 0;
    if (sample)
        return is_number(field[4]);
    return is_number(field[4]) && is_number(field[5]) && strtod(field[4], NULL) < strtod(field[5], NULL) &&
           is_count(field[6]) && strtoull(field[6], NULL, 10) > 0;
}

/* What is printed once, anywhere, and every row carries: the rest of the line that begins with this word and a tab, to
 * be freed. "" where there is none. */
static char *find_said(const struct text *output, const char *word) {
    const size_t length = strlen(word);
    for (const char *line = text_string(output); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (begins_with(line, word) && line[length] == '\t')
            return strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    }
    return duplicate("");
}

/* A line of the output: a sample, or a bucket of a histogram. */
static bool take_line(struct text *rows, struct text *histograms, const struct row_head *head, char *line,
                      size_t *samples) {
    char *field[FIELDS];
    const bool sample = begins_with(line, "sample\t");
    if ((!sample && !begins_with(line, "histogram\t")) || split_tabs(line, field, FIELDS) != FIELDS ||
        !makes_sense(field, sample))
        return false;
    if (sample)
        add_row(rows, head, field[1], field[2], field[3], field[4], field[5], field[6], field[7]);
    else
        text_format(histograms, "%016" PRIx64 ",%s,%u,%s,%s,%s,%s,%s,%s\n", head->cell->id, field[1], head->invocation,
                    field[2], field[3], field[4], field[5], field[6], field[7]);
    *samples += sample;
    return true;
}

/* Is it one of the lines of which every row carries something, or that others read? */
static bool is_about_all(const char *line) {
    return begins_with(line, "placement\t") || (begins_with(line, "variant\t") && is_count(line + 8)) ||
           (begins_with(line, "memory\t") && is_count(line + 7)) ||
           (begins_with(line, "distance\t") && (!line[9] || (is_number(line + 9) && strtod(line + 9, NULL) > 0)));
}

/* One row for every sample; false with why when the output is not what was agreed. */
static bool add_samples(struct text *rows, struct text *histograms, const struct row_head *head,
                        const struct text *output, char *why) {
    char *copy = duplicate(text_string(output)), *rest = NULL;
    size_t samples = 0;
    bool fine = strlen(copy) == output->length || fail(why, false, "printed bytes that are no text");
    for (char *line = strtok_r(copy, "\n", &rest); line && fine; line = strtok_r(NULL, "\n", &rest)) {
        char begins[64];
        snprintf(begins, sizeof begins, "%s", line);
        fine = is_about_all(line) || take_line(rows, histograms, head, line, &samples) ||
               fail(why, false, "printed a line that is no sample: %s", begins);
    }
    free(copy);
    return fine && (samples > 0 || fail(why, false, "ended without a single sample"));
}

/* What the machine took in that time, of which our process had its part. What it does not tell at all, the manifest
 * says once. */
static void add_power(struct text *rows, const struct row_head *head, const struct process *process) {
    static const char *const metrics[POWER_DOMAINS] = {"invocation_energy", "invocation_energy_memory"};
    const struct power_reading *before = &process->power_before, *after = &process->power_after;
    char value[32];
    double amount = 0;
    if (before->throttling == POWER_NOT_READ || head->cell->simulated)
        return;
    for (enum power_domain domain = 0; domain <= POWER_DOMAINS; domain++) {
        const bool energy = domain < POWER_DOMAINS;
        const enum power_status status =
            energy ? power_energy(before, after, domain, &amount) : power_throttled(before, after, &amount);
        snprintf(value, sizeof value, "%.*f", energy ? 6 : 0, amount);
        if (status != POWER_UNSUPPORTED)
            add_cost(rows, head, energy ? metrics[domain] : "throttle_events", status == POWER_OK ? value : "",
                     energy ? "J" : "events", power_status_word(status));
    }
}

/* What the kernel counted, then the row that ends the invocation. Of memory what the process said; else, of one that
 * ended before it could, what the kernel counted, which is never less than what this driver held when it started it. */
static void add_costs(struct text *rows, const struct row_head *head, const struct process *process,
                      const char *status) {
    char *said = find_said(&process->output, "memory"), value[32];
    const struct {
        const char *metric, *unit;
        long value;
    } costs[] = {{"peak_memory", "bytes", is_count(said) ? strtol(said, NULL, 10) : process->usage.ru_maxrss * 1024},
                 {"voluntary_context_switches", "switches", process->usage.ru_nvcsw},
                 {"involuntary_context_switches", "switches", process->usage.ru_nivcsw}};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        snprintf(value, sizeof value, "%ld", costs[i].value);
        add_cost(rows, head, costs[i].metric, value, costs[i].unit, "ok");
    }
    add_power(rows, head, process);
    snprintf(value, sizeof value, "%.6f", process->seconds);
    free(said);
    add_cost(rows, head, INVOCATION_END, strcmp(status, "ok") == 0 ? value : "", "s", status);
}

/* The samples of a process that ended by itself. */
static enum invocation_status take_output(struct text *rows, struct text *histograms, const struct row_head *head,
                                          const struct process *process, char *why) {
    if (process->end == PROCESS_EXITED && process->code == 0)
        return add_samples(rows, histograms, head, &process->output, why) ? INVOCATION_OK : INVOCATION_CRASHED;
    process_say(process, head->cell->options.timeout, why);
    if (process->end == PROCESS_TIMEOUT)
        return INVOCATION_TIMEOUT;
    if (process->end != PROCESS_EXITED || process->code != 3)
        return INVOCATION_CRASHED;
    add_row(rows, head, "process", "0", head->cell->workload, "", "", "denied", "");
    return INVOCATION_DENIED;
}

enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *cell,
                                       unsigned invocation, const char *host, const struct process *process,
                                       char *why) {
    static const char *const ends[] = {[INVOCATION_OK] = "ok",
                                       [INVOCATION_DENIED] = "ok",
                                       [INVOCATION_CRASHED] = "crashed",
                                       [INVOCATION_TIMEOUT] = "timeout"};
    const size_t before = rows->length, histograms_before = histograms->length;
    char *placement = find_said(&process->output, "placement"), *said = find_said(&process->output, "variant");
    char layout[16];
    struct distances distances;
    *why = '\0';
    snprintf(layout, sizeof layout, "%u", plan_layout(cell, invocation));
    distances_read(&distances, &process->output);
    const struct row_head head = {.cell = cell,
                                  .placement = placement,
                                  .variant = cell->layouts > 1 ? layout
                                             : is_count(said)  ? said
                                                               : "",
                                  .host = host,
                                  .invocation = invocation,
                                  .throttled = power_throttle_events(&process->power_before, &process->power_after) > 0,
                                  .distances = &distances};
    const enum invocation_status status = take_output(rows, histograms, &head, process, why);
    if (status == INVOCATION_CRASHED) {
        text_cut(rows, before);
        text_cut(histograms, histograms_before);
    }
    add_costs(rows, &head, process, ends[status]);
    free(placement);
    free(said);
    return status;
}

void invocation_unproven(struct text *rows, const struct planned_cell *cell, unsigned invocation, const char *host) {
    const struct row_head head = {.cell = cell, .placement = "", .variant = "", .host = host, .invocation = invocation};
    add_row(rows, &head, "process", "0", cell->workload, "", "", STATUS_UNPROVEN, "");
    add_row(rows, &head, "process", "0", INVOCATION_END, "", "s", STATUS_UNPROVEN, "");
}
