/* invocation.c: turns one process of a cell into rows of samples.csv and histograms.csv. */
#pragma once

#include "harness/driver/plan/cells.c"
#include "harness/driver/record/output.c"

/* The metric whose row ends an invocation; its status when the deque's checks came to no verdict, and when the process
 * refused its input. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"
#define STATUS_REFUSED "refused"

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

static void add_row(struct text *rows, const struct row_head *head, const char *const *field) {
    const struct planned_cell *cell = head->cell;
    const char *of_distance = "";
    char distance[32] = "";
    struct text all_flags = {0};
    const double ns =
        head->output ? output_distance(head->output, strtoul(field[REPETITION], NULL, 10), &of_distance) : (double)NAN;
    if (!isnan(ns))
        snprintf(distance, sizeof distance, "%.1f", ns);
    add_flag(&all_flags, cell->unsound && !strstr(field[FLAGS], "unsound") ? "unsound" : "");
    add_flag(&all_flags, field[FLAGS]);
    add_flag(&all_flags, head->throttled ? "throttled" : "");
    add_flag(&all_flags, of_distance);
    /* SAMPLES_COLUMNS; none has a comma (text_add_escaped) */
    text_format(rows, "%016" PRIx64 ",%s,%s,%s,%s,%s,%u,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", cell->id, cell->workload,
                cell->deque->id, cell->params, head->placement, field[ROLE], head->invocation, field[REPETITION],
                field[METRIC], field[VALUE], field[UNIT], field[STATUS], text_string(&all_flags), head->variant,
                head->host, distance);
    text_free(&all_flags);
}

/* Adds a row about the whole process. */
static void add_cost(struct text *rows, const struct row_head *head, const char *metric, const char *value,
                     const char *unit, const char *status) {
    add_row(rows, head, (const char *const[]){"sample", "process", "0", metric, value, unit, status, ""});
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
    foreach (cost, LIST_OF(costs)) {
        snprintf(value, sizeof value, "%ld", cost->value);
        add_cost(rows, head, cost->metric, value, cost->unit, "ok");
    }
    snprintf(value, sizeof value, "%.0f", process->throttled);
    if (!isnan(process->throttled))
        add_cost(rows, head, "throttle_events", value, "events", "ok");
    snprintf(value, sizeof value, "%.6f", process->seconds);
    add_cost(rows, head, INVOCATION_END, same(status, "ok") ? value : "", "s", status);
}

/* Adds a row for every sample and for every bucket of a histogram. */
static void add_lines(struct text *rows, struct text *histograms, const struct row_head *head) {
    foreach (line, head->output->lines) {
        const char *const *field = line->field;
        if (line->is_sample)
            add_row(rows, head, field);
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
    foreach (line, head->output->lines)
        sampled |= line->is_sample;
    return head->output->wrong || sampled ? head->output->wrong : "ended without a single sample";
}

/* Appends the rows of both files. For a process that failed, only what it cost and how it ended; *why says that in
 * words (else NULL). host: the machine's name. Returns "ok", "denied" (this machine cannot do it), "refused", "crashed"
 * or "timeout". */
const char *invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *cell,
                            unsigned invocation, const char *host, const struct process *process,
                            const struct output *output, const char **why) {
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
    const int code = *why && process->end == PROCESS_EXITED ? process->code : 0;
    const bool denied = code == 3;
    const char *status = !*why || denied                   ? "ok"
                         : process->end == PROCESS_TIMEOUT ? "timeout"
                         : code == 2                       ? STATUS_REFUSED
                                                           : "crashed";
    if (!*why)
        add_lines(rows, histograms, &head);
    if (denied)
        add_cost(rows, &head, cell->workload, "", "", "denied");
    add_costs(rows, &head, process, status);
    return denied ? "denied" : status;
}

/* Appends the rows of a cell whose deque is unproven. A resumed run measures the cell again. */
void invocation_unproven(struct text *rows, const struct planned_cell *cell, unsigned invocation, const char *host) {
    const struct row_head head = {.cell = cell, .placement = "", .variant = "", .host = host, .invocation = invocation};
    add_cost(rows, &head, cell->workload, "", "", STATUS_UNPROVEN);
    add_cost(rows, &head, INVOCATION_END, "", "s", STATUS_UNPROVEN);
}
