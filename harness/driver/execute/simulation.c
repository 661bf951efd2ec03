#include "harness/driver/execute/simulation.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/counters/counters.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALGRIND_TIMEOUT 20.0
#define COUNTS_MAX 16

bool simulation_is_first(const struct plan *plan, size_t cell) {
    if (!plan->cells[cell].simulated)
        return false;
    for (size_t i = 0; i < cell; i++)
        if (plan->cells[i].deque == plan->cells[cell].deque && plan->cells[i].simulated)
            return false;
    return true;
}

static void look_for_valgrind(struct simulation *simulation) {
    static const char *const arguments[] = {"valgrind", "--version", NULL};
    struct process process;
    process_run(&process, arguments, VALGRIND_TIMEOUT);
    if (process.end != PROCESS_EXITED || process.code != 0)
        snprintf(simulation->why, sizeof simulation->why,
                 "valgrind is not installed (Debian: apt-get install valgrind)");
    process_free(&process);
}

static char *executable_of(const struct simulation *simulation, const struct planned_cell *cell) {
    struct text path = {0};
    text_format(&path, "%s/simulated/%s", simulation->build, cell->deque->id);
    return path.data;
}

void simulation_open(struct simulation *simulation, const struct plan *plan, const char *build) {
    bool looked = false;
    *simulation = (struct simulation){.build = build};
    for (size_t i = 0; i < plan->cell_count && !*simulation->why; i++) {
        if (!simulation_is_first(plan, i))
            continue;
        if (!looked)
            look_for_valgrind(simulation);
        looked = true;
        char *executable = executable_of(simulation, &plan->cells[i]);
        if (*simulation->why)
            fprintf(stderr, "counters=callgrind: nothing is simulated: %s\n", simulation->why);
        else if (access(executable, X_OK) != 0)
            fprintf(stderr, "counters=callgrind: %s is not simulated: %s is not built; ./run.sh builds it on the way\n",
                    plan->cells[i].deque->id, executable);
        free(executable);
    }
}

size_t simulation_command(const struct simulation *simulation, const struct planned_cell *cell, unsigned invocation,
                          const char *counts, struct text *arguments, size_t *starts) {
    static const char *const options[] = {"valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes",
                                          "--collect-atstart=no"};
    size_t count = 0;
    char *executable = executable_of(simulation, cell);
    bool simulated = cell->simulated && !*simulation->why && access(executable, X_OK) == 0;
    for (size_t i = 0; simulated && i < sizeof options / sizeof options[0]; i++) {
        starts[count++] = arguments->length;
        text_append(arguments, options[i], strlen(options[i]) + 1);
    }
    if (simulated) {
        starts[count++] = arguments->length;
        text_add(arguments, "--callgrind-out-file=");
        for (const char *at = counts; *at; at++) /* valgrind expands %p and the like, and %% to % */
            text_append(arguments, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
        text_append(arguments, "", 1);
    }
    starts[count++] = arguments->length;
    text_add(arguments, simulated ? executable : plan_executable(cell, invocation));
    text_append(arguments, "", 1);
    free(executable);
    return count;
}

/* --- the counts */

/* Each metric as a sum of callgrind's events, by name. */
static const struct {
    const char *metric, *unit, *events[2];
} simulated_metrics[] = {
    {"instructions_simulated", "instructions", {"Ir", ""}},
    {"data_references_simulated", "references", {"Dr", "Dw"}},
    {"l1_data_misses_simulated", "misses", {"D1mr", "D1mw"}},
    {"last_level_data_misses_simulated", "misses", {"DLmr", "DLmw"}},
};

struct totals {
    char names[COUNTS_MAX][16];
    double values[COUNTS_MAX];
    size_t names_count, values_count;
};

/* "events: Ir Dr Dw ..." and "totals: 12 3 4 ..." of callgrind's file; events that are 0 at the end may be left out. */
static void read_totals(char *text, struct totals *totals) {
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        bool names = strncmp(line, "events:", 7) == 0, values = strncmp(line, "totals:", 7) == 0;
        char *word_rest = NULL;
        if (!names && !values)
            continue;
        if (values)
            totals->values_count = 0;
        for (char *word = strtok_r(line + 7, " ", &word_rest); word; word = strtok_r(NULL, " ", &word_rest)) {
            if (names && totals->names_count < COUNTS_MAX)
                snprintf(totals->names[totals->names_count++], sizeof totals->names[0], "%.15s", word);
            else if (values && totals->values_count < COUNTS_MAX)
                totals->values[totals->values_count++] = strtod(word, NULL);
        }
    }
}

/* Adds a metric as two samples; nothing when callgrind did not count it. */
static void add_metric(struct text *output, size_t metric, const struct totals *totals, const char *role,
                       double operations) {
    double sum = 0;
    bool found = false;
    for (size_t i = 0; i < totals->names_count; i++) {
        for (size_t j = 0; j < 2; j++) {
            if (strcmp(totals->names[i], simulated_metrics[metric].events[j]) != 0)
                continue;
            found = true;
            sum += i < totals->values_count ? totals->values[i] : 0;
        }
    }
    if (!found)
        return;
    const char *name = simulated_metrics[metric].metric, *unit = simulated_metrics[metric].unit;
    text_format(output, "sample\t%s\t0\t%s\t%.12g\t%s\tok\tsimulated\n", role, name, sum, unit);
    if (operations > 0)
        text_format(output, "sample\t%s\t0\t%s_per_operation\t%.9g\t%s/operation\tok\tsimulated\n", role, name,
                    sum / operations, unit);
}

/* The one line with which the process says whose counts they are, and of how many operations. */
static bool find_operations(const struct text *output, char *role, double *operations) {
    const char *at = strstr(text_string(output), "\t" SIMULATED_OPERATIONS "\t");
    if (!at || strstr(at + 1, "\t" SIMULATED_OPERATIONS "\t"))
        return false;
    const char *line = at;
    while (line > output->data && line[-1] != '\n')
        line--;
    return sscanf(line, "sample\t%31[^\t]\t%*u\t" SIMULATED_OPERATIONS "\t%lf", role, operations) == 2;
}

void simulation_take_counts(const char *counts, struct text *output) {
    struct text text = {0};
    struct totals totals = {0};
    char role[32];
    double operations;
    bool read = file_read(counts, &text) == 0;
    unlink(counts);
    if (read && text.data && find_operations(output, role, &operations)) {
        read_totals(text.data, &totals);
        for (size_t i = 0; i < sizeof simulated_metrics / sizeof simulated_metrics[0] && totals.values_count > 0; i++)
            add_metric(output, i, &totals, role, operations);
    }
    text_free(&text);
}
