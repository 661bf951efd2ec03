#include "harness/driver/record/record.h"

/* What the rows of one invocation share. */
struct row_head {
    const struct planned_cell *cell;
    const char *placement, *variant, *host;
    unsigned invocation;
    bool throttled;
    const struct output *output; /* NULL: the process measured nothing */
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
        head->output ? output_distance(head->output, strtoul(repetition, NULL, 10), &of_distance) : (double)NAN;
    if (!isnan(ns))
        snprintf(distance, sizeof distance, "%.1f", ns);
    snprintf(cell, sizeof cell, "%016" PRIx64, head->cell->id);
    snprintf(invocation, sizeof invocation, "%u", head->invocation);
    add_flag(&all_flags, head->cell->unsound && !strstr(flags, "unsound") ? "unsound" : "");
    add_flag(&all_flags, flags);
    add_flag(&all_flags, head->throttled ? "throttled" : "");
    add_flag(&all_flags, of_distance);
    const char *const fields[SAMPLES_COLUMN_COUNT] = {[COLUMN_CELL] = cell,
                                                      [COLUMN_WORKLOAD] = head->cell->workload,
                                                      [COLUMN_DEQUE] = head->cell->deque->id,
                                                      [COLUMN_PARAMS] = head->cell->params,
                                                      [COLUMN_PLACEMENT] = head->placement,
                                                      [COLUMN_ROLE] = role,
                                                      [COLUMN_INVOCATION] = invocation,
                                                      [COLUMN_REPETITION] = repetition,
                                                      [COLUMN_METRIC] = metric,
                                                      [COLUMN_VALUE] = value,
                                                      [COLUMN_UNIT] = unit,
                                                      [COLUMN_STATUS] = status,
                                                      [COLUMN_FLAGS] = text_string(&all_flags),
                                                      [COLUMN_VARIANT] = head->variant,
                                                      [COLUMN_HOST] = head->host,
                                                      [COLUMN_DISTANCE] = distance};
    for (size_t i = 0; i < SAMPLES_COLUMN_COUNT; i++) /* none has a comma (text_add_escaped) */
        text_format(rows, "%s%s", i ? "," : "", fields[i]);
    text_add(rows, "\n");
    text_free(&all_flags);
}

/* Adds a row about the whole process that has a value. */
static void add_cost(struct text *rows, const struct row_head *head, const char *metric, const char *value,
                     const char *unit, const char *status) {
    add_row(rows, head, "process", "0", metric, value, unit, status, "");
}

/* Adds what the kernel counted, then the row that ends the invocation. peak_memory is what the process said. If the
 * process ended before it could say, it is the kernel's count, which is at least the driver's own size when it started
 * the process. */
static void add_costs(struct text *rows, const struct row_head *head, const struct process *process,
                      const char *status) {
    const char *said = head->output->memory;
    char value[32];
    const struct {
        const char *metric, *unit;
        long value;
    } costs[] = {{"peak_memory", "bytes", *said ? strtol(said, NULL, 10) : process->usage.ru_maxrss * 1024},
                 {"voluntary_context_switches", "switches", process->usage.ru_nvcsw},
                 {"involuntary_context_switches", "switches", process->usage.ru_nivcsw}};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        snprintf(value, sizeof value, "%ld", costs[i].value);
        add_cost(rows, head, costs[i].metric, value, costs[i].unit, "ok");
    }
    snprintf(value, sizeof value, "%.0f", process->throttled);
    if (!isnan(process->throttled))
        add_cost(rows, head, "throttle_events", value, "events", "ok");
    snprintf(value, sizeof value, "%.6f", process->seconds);
    add_cost(rows, head, INVOCATION_END, strcmp(status, "ok") == 0 ? value : "", "s", status);
}

/* Adds a row for every sample and for every bucket of a histogram. */
static void add_lines(struct text *rows, struct text *histograms, const struct row_head *head) {
    for (size_t i = 0; i < head->output->line_count; i++) {
        char *const *field = head->output->lines[i].field;
        if (head->output->lines[i].is_sample)
            add_row(rows, head, field[ROLE], field[REPETITION], field[METRIC], field[VALUE], field[UNIT], field[STATUS],
                    field[FLAGS]);
        else
            text_format(histograms, "%016" PRIx64 ",%s,%u,%s,%s,%s,%s,%s,%s\n", head->cell->id, field[1],
                        head->invocation, field[2], field[3], field[4], field[5], field[6], field[7]);
    }
}

/* Why the process failed, or NULL. */
static const char *why_failed(const struct row_head *head, const struct process *process) {
    bool sampled = false;
    if (process->end != PROCESS_EXITED || process->code != 0)
        return process_ending(process, head->cell->options.timeout);
    for (size_t i = 0; i < head->output->line_count; i++)
        sampled |= head->output->lines[i].is_sample;
    return head->output->wrong || sampled ? head->output->wrong : "ended without a single sample";
}

enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *cell,
                                       unsigned invocation, const char *host, const struct process *process,
                                       const struct output *output, const char **why) {
    static const char *const ends[] = {[INVOCATION_OK] = "ok",
                                       [INVOCATION_DENIED] = "ok",
                                       [INVOCATION_CRASHED] = "crashed",
                                       [INVOCATION_TIMEOUT] = "timeout"};
    char variant[16] = "";
    if (cell->variants > 1)
        snprintf(variant, sizeof variant, "%u", plan_variant(cell, invocation));
    const struct row_head head = {.cell = cell,
                                  .placement = output->placement,
                                  .variant = variant,
                                  .host = host,
                                  .invocation = invocation,
                                  .throttled = process->throttled > 0,
                                  .output = output};
    *why = why_failed(&head, process);
    const bool denied = process->end == PROCESS_EXITED && process->code == 3;
    const enum invocation_status status = !*why                             ? INVOCATION_OK
                                          : denied                          ? INVOCATION_DENIED
                                          : process->end == PROCESS_TIMEOUT ? INVOCATION_TIMEOUT
                                                                            : INVOCATION_CRASHED;
    if (status == INVOCATION_OK)
        add_lines(rows, histograms, &head);
    if (status == INVOCATION_DENIED)
        add_row(rows, &head, "process", "0", cell->workload, "", "", "denied", "");
    add_costs(rows, &head, process, ends[status]);
    return status;
}

void invocation_unproven(struct text *rows, const struct planned_cell *cell, unsigned invocation, const char *host) {
    const struct row_head head = {.cell = cell, .placement = "", .variant = "", .host = host, .invocation = invocation};
    add_row(rows, &head, "process", "0", cell->workload, "", "", STATUS_UNPROVEN, "");
    add_row(rows, &head, "process", "0", INVOCATION_END, "", "s", STATUS_UNPROVEN, "");
}
