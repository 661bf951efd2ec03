#include "harness/driver/record/invocation.h"
#include "harness/driver/record/distances.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_FIELDS 8
#define HISTOGRAM_FIELDS 8

/* What the rows of one invocation have in common. */
struct row_head {
    const struct planned_cell *cell;
    const char *placement, *variant, *host;
    unsigned invocation;
    bool unsound, throttled;
    const struct distances *distances; /* NULL: of one that measured nothing */
};

static void add_flag(struct text *rows, size_t start, const char *flag) {
    if (*flag)
        text_format(rows, "%s%s", rows->length > start ? "+" : "", flag);
}

/* flags with unsound in front where it has to be and is not, and behind them what the driver saw. */
static void add_flags(struct text *rows, const char *flags, const struct row_head *head, const char *of_distance) {
    const size_t start = rows->length;
    if (head->unsound && !strstr(flags, "unsound"))
        add_flag(rows, start, "unsound");
    add_flag(rows, start, flags);
    add_flag(rows, start, head->throttled ? "throttled" : "");
    add_flag(rows, start, of_distance);
}

static void add_row(struct text *rows, const struct row_head *head, const char *role, const char *repetition,
                    const char *metric, const char *value, const char *unit, const char *status, const char *flags) {
    text_format(rows, "%016" PRIx64 ",", head->cell->id);
    text_add_csv(rows, head->cell->workload);
    text_add(rows, ",");
    text_add_csv(rows, head->cell->deque->id);
    text_add(rows, ",");
    text_add_csv(rows, head->cell->params);
    text_add(rows, ",");
    text_add_csv(rows, head->placement);
    text_add(rows, ",");
    text_add_csv(rows, role);
    text_format(rows, ",%u,%s,", head->invocation, repetition);
    text_add_csv(rows, metric);
    text_format(rows, ",%s,", value);
    text_add_csv(rows, unit);
    text_format(rows, ",%s,", status);
    const char *of_distance = "";
    const double distance =
        head->distances ? distances_around(head->distances, strtoul(repetition, NULL, 10), &of_distance) : (double)NAN;
    add_flags(rows, flags, head, of_distance);
    text_format(rows, ",%s,", head->variant);
    text_add_csv(rows, head->host);
    if (isnan(distance))
        text_add(rows, ",\n");
    else
        text_format(rows, ",%.1f\n", distance);
}

static bool is_one_of(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool is_number(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value) && !isspace((unsigned char)*text);
}

static bool is_count(const char *text) { return *text && strspn(text, "0123456789") == strlen(text); }

/* role, metric, unit and flags: letters, digits and a little more. */
static bool is_plain(const char *text) {
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_-+/%.:", *text))
            return false;
    return true;
}

/* sample ROLE REPETITION METRIC VALUE UNIT STATUS FLAGS */
static bool sample_makes_sense(char *const *field, size_t count) {
    static const char *const statuses[] = {"unsupported", "denied", "timeout", "crashed"};
    if (count != SAMPLE_FIELDS || !*field[1] || !is_count(field[2]) || !*field[3])
        return false;
    for (size_t i = 1; i < SAMPLE_FIELDS; i++)
        if (!is_plain(field[i]))
            return false;
    if (strcmp(field[6], "ok") == 0)
        return is_number(field[4]);
    return !*field[4] && is_one_of(field[6], statuses, sizeof statuses / sizeof statuses[0]);
}

/* histogram ROLE REPETITION METRIC LOWER UPPER COUNT UNIT */
static bool histogram_makes_sense(char *const *field, size_t count) {
    if (count != HISTOGRAM_FIELDS || !*field[1] || !is_count(field[2]) || !*field[3])
        return false;
    for (size_t i = 1; i < HISTOGRAM_FIELDS; i++)
        if (!is_plain(field[i]))
            return false;
    return is_number(field[4]) && is_number(field[5]) && strtod(field[4], NULL) < strtod(field[5], NULL) &&
           is_count(field[6]) && strtoull(field[6], NULL, 10) > 0;
}

static void add_bucket(struct text *histograms, const struct row_head *head, char *const *field) {
    text_format(histograms, "%016" PRIx64 ",%s,%u,%s,%s,%s,%s,%s,%s\n", head->cell->id, field[1], head->invocation,
                field[2], field[3], field[4], field[5], field[6], field[7]);
}

/* What is printed once, anywhere, and every row carries: the rest of the line that begins with this word and a tab. ""
 * where there is none. */
static void find_said(const char *output, const char *word, char *said, size_t size) {
    const size_t length = strlen(word);
    *said = '\0';
    for (const char *line = output; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) != 0 || line[length] != '\t')
            continue;
        line += length + 1;
        snprintf(said, size, "%.*s", (int)strcspn(line, "\n"), line);
        return;
    }
}

/* A line of the output: a sample, or a bucket of a histogram. */
static bool take_line(struct text *rows, struct text *histograms, const struct row_head *head, char *line,
                      size_t *samples) {
    char *field[SAMPLE_FIELDS > HISTOGRAM_FIELDS ? SAMPLE_FIELDS : HISTOGRAM_FIELDS];
    if (strncmp(line, "histogram\t", 10) == 0) {
        if (!histogram_makes_sense(field, split_tabs(line, field, HISTOGRAM_FIELDS)))
            return false;
        add_bucket(histograms, head, field);
        return true;
    }
    if (strncmp(line, "sample\t", 7) != 0 || !sample_makes_sense(field, split_tabs(line, field, SAMPLE_FIELDS)))
        return false;
    add_row(rows, head, field[1], field[2], field[3], field[4], field[5], field[6], field[7]);
    ++*samples;
    return true;
}

static bool is_distance(const char *line) {
    return strncmp(line, "distance\t", 9) == 0 && (!line[9] || (is_number(line + 9) && strtod(line + 9, NULL) > 0));
}

/* One row for every sample; false with why when the output is not what was agreed. */
static bool add_samples(struct text *rows, struct text *histograms, const struct row_head *head,
                        const struct text *output, char *why) {
    char *copy = duplicate(text_string(output));
    size_t samples = 0;
    bool fine = strlen(copy) == output->length;
    if (!fine)
        snprintf(why, MESSAGE_SIZE, "printed bytes that are no text");
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line && fine; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "placement\t", 10) == 0 || (strncmp(line, "variant\t", 8) == 0 && is_count(line + 8)) ||
            (strncmp(line, "memory\t", 7) == 0 && is_count(line + 7)) || is_distance(line))
            continue;
        char begins[64];
        snprintf(begins, sizeof begins, "%s", line);
        fine = take_line(rows, histograms, head, line, &samples);
        if (!fine)
            snprintf(why, MESSAGE_SIZE, "printed what is no sample: %s", begins);
    }
    if (fine && samples == 0) {
        snprintf(why, MESSAGE_SIZE, "ended without a single sample");
        fine = false;
    }
    free(copy);
    return fine;
}

/* What the machine took in that time, of which our process had its part. What it does not tell at all, the manifest
 * says once. */
static void add_power(struct text *rows, const struct row_head *head, const struct process *process,
                      const char *flags) {
    static const char *const metrics[POWER_DOMAINS] = {"invocation_energy", "invocation_energy_memory"};
    const struct power_reading *before = &process->power_before, *after = &process->power_after;
    char value[32];
    double amount = 0;
    if (before->throttling == POWER_NOT_READ || head->cell->simulated)
        return;
    for (enum power_domain domain = 0; domain < POWER_DOMAINS; domain++) {
        const enum power_status status = power_energy(before, after, domain, &amount);
        if (status == POWER_UNSUPPORTED)
            continue;
        snprintf(value, sizeof value, "%.6f", amount);
        add_row(rows, head, "process", "0", metrics[domain], status == POWER_OK ? value : "", "J",
                power_status_word(status), flags);
    }
    const enum power_status status = power_throttled(before, after, &amount);
    if (status == POWER_UNSUPPORTED)
        return;
    snprintf(value, sizeof value, "%.0f", amount);
    add_row(rows, head, "process", "0", "throttle_events", status == POWER_OK ? value : "", "events",
            power_status_word(status), flags);
}

/* What the process said; else, of one that ended before it could, what the kernel counted, which is never less than
 * what this driver held when it started it. */
static long peak_memory(const struct process *process) {
    char said[32];
    find_said(text_string(&process->output), "memory", said, sizeof said);
    return is_count(said) ? strtol(said, NULL, 10) : process->usage.ru_maxrss * 1024;
}

/* What the kernel counted, then the row that ends the invocation. */
static void add_costs(struct text *rows, const struct row_head *head, const struct process *process,
                      const char *status) {
    const struct rusage *usage = &process->usage;
    const struct {
        const char *metric, *unit;
        long value;
    } costs[] = {{"peak_memory", "bytes", peak_memory(process)},
                 {"voluntary_context_switches", "switches", usage->ru_nvcsw},
                 {"involuntary_context_switches", "switches", usage->ru_nivcsw}};
    char value[32];
    /* valgrind's memory and time are not the deque's */
    const char *flags = head->cell->simulated ? "simulated" : "";
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        snprintf(value, sizeof value, "%ld", costs[i].value);
        add_row(rows, head, "process", "0", costs[i].metric, value, costs[i].unit, "ok", flags);
    }
    add_power(rows, head, process, flags);
    snprintf(value, sizeof value, "%.6f", process->seconds);
    bool ok = strcmp(status, "ok") == 0;
    add_row(rows, head, "process", "0", INVOCATION_END, ok ? value : "", "s", status, flags);
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
                                       bool unsound, char *why) {
    static const char *const ends[] = {[INVOCATION_OK] = "ok",
                                       [INVOCATION_DENIED] = "ok",
                                       [INVOCATION_CRASHED] = "crashed",
                                       [INVOCATION_TIMEOUT] = "timeout"};
    char placement[4096], variant[16];
    size_t before = rows->length, histograms_before = histograms->length;
    *why = '\0';
    find_said(text_string(&process->output), "placement", placement, sizeof placement);
    find_said(text_string(&process->output), "variant", variant, sizeof variant);
    if (cell->layouts > 1)
        snprintf(variant, sizeof variant, "%u", plan_layout(cell, invocation));
    const bool throttled = power_throttle_events(&process->power_before, &process->power_after) > 0;
    struct distances distances;
    distances_read(&distances, &process->output);
    struct row_head head = {cell,      placement, is_count(variant) ? variant : "", host, invocation, unsound,
                            throttled, &distances};
    enum invocation_status status = take_output(rows, histograms, &head, process, why);
    if (status == INVOCATION_CRASHED) {
        text_cut(rows, before);
        text_cut(histograms, histograms_before);
    }
    add_costs(rows, &head, process, ends[status]);
    return status;
}

void invocation_unproven(struct text *rows, const struct planned_cell *cell, unsigned invocation, const char *host) {
    struct row_head head = {cell, "", "", host, invocation, false, false, NULL};
    add_row(rows, &head, "process", "0", cell->workload, "", "", STATUS_UNPROVEN, "");
    add_row(rows, &head, "process", "0", INVOCATION_END, "", "s", STATUS_UNPROVEN, "");
}
