#include "harness/driver/execute/execute.h"
#include "harness/measuring/counters/counters.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALGRIND_TIMEOUT 20.0

bool simulation_is_first(const struct plan *plan, size_t cell) {
    if (!plan->cells[cell].simulated)
        return false;
    for (size_t i = 0; i < cell; i++)
        if (plan->cells[i].deque == plan->cells[cell].deque && plan->cells[i].simulated)
            return false;
    return true;
}

static bool has_valgrind(void) {
    static const char *const arguments[] = {"valgrind", "--version", NULL};
    struct process process;
    process_run(&process, arguments, VALGRIND_TIMEOUT);
    const bool has = process.end == PROCESS_EXITED && process.code == 0;
    process_free(&process);
    return has;
}

static char *executable_of(const struct simulation *simulation, const struct planned_cell *cell) {
    return formatted("%s/simulated/%s", simulation->build, cell->deque->id);
}

void simulation_open(struct simulation *simulation, const struct plan *plan, const char *build) {
    bool looked = false;
    *simulation = (struct simulation){.build = build};
    for (size_t i = 0; i < plan->cell_count && !simulation->why; i++) {
        if (!simulation_is_first(plan, i))
            continue;
        const char *executable = executable_of(simulation, &plan->cells[i]);
        if (!looked && !has_valgrind())
            simulation->why = "valgrind is not installed (Debian: apt-get install valgrind)";
        looked = true;
        if (simulation->why)
            fprintf(stderr, "counters=callgrind: nothing is simulated: %s\n", simulation->why);
        else if (access(executable, X_OK) != 0)
            fprintf(stderr, "counters=callgrind: %s is not simulated: %s is not built; ./run.sh builds it on the way\n",
                    plan->cells[i].deque->id, executable);
    }
}

void simulation_command(const struct simulation *simulation, const struct planned_cell *cell, unsigned invocation,
                        const char *counts, struct words *arguments) {
    static const char *const options[] = {"valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes",
                                          "--collect-atstart=no"};
    char *executable = executable_of(simulation, cell);
    struct text file = {0};
    if (!cell->simulated || simulation->why || access(executable, X_OK) != 0) {
        free(executable);
        words_add(arguments, duplicate(plan_executable(cell, invocation)));
        return;
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        words_add(arguments, duplicate(options[i]));
    text_add(&file, "--callgrind-out-file=");
    for (const char *at = counts; *at; at++) /* valgrind would expand %p and the like: write %% for % */
        text_append(&file, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
    words_add(arguments, file.data);
    words_add(arguments, executable);
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

/* The words of the line with this name: "events: Ir Dr Dw ..." and "totals: 12 3 4 ..." of callgrind's file. */
static struct words read_line(const char *text, const char *name) {
    struct words words = {0};
    char *rest = NULL, *copy = duplicate(text);
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (begins_with(line, name))
            words = split_words(line + strlen(name), " ");
    free(copy);
    return words;
}

/* Adds a metric as two samples, or nothing if callgrind did not count it. callgrind leaves out totals of 0 at the end
 * of the line. */
static void add_metric(struct text *output, size_t metric, const struct words *events, const struct words *totals,
                       const char *role, double operations) {
    const char *name = simulated_metrics[metric].metric, *unit = simulated_metrics[metric].unit;
    double sum = 0;
    bool found = false;
    for (size_t i = 0; i < events->count; i++) {
        for (size_t j = 0; j < 2; j++) {
            if (strcmp(events->at[i], simulated_metrics[metric].events[j]) != 0)
                continue;
            found = true;
            sum += i < totals->count ? strtod(totals->at[i], NULL) : 0;
        }
    }
    if (!found)
        return;
    text_format(output, "sample\t%s\t0\t%s\t%.12g\t%s\tok\tsimulated\n", role, name, sum, unit);
    if (operations > 0)
        text_format(output, "sample\t%s\t0\t%s_per_operation\t%.9g\t%s/operation\tok\tsimulated\n", role, name,
                    sum / operations, unit);
}

/* Finds the one line in which the process says whose counts they are, and of how many operations. */
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
    char role[32];
    double operations;
    const bool read = file_read(counts, &text) == 0;
    unlink(counts);
    if (read && find_operations(output, role, &operations)) {
        const struct words events = read_line(text_string(&text), "events:");
        const struct words totals = read_line(text_string(&text), "totals:");
        for (size_t i = 0; i < sizeof simulated_metrics / sizeof simulated_metrics[0] && totals.count > 0; i++)
            add_metric(output, i, &events, &totals, role, operations);
    }
    text_free(&text);
}
