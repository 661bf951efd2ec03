#include "harness/simulation.h"
#include "harness/counters.h"
#include "harness/files.h"
#include "harness/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILD_TIMEOUT 600.0
#define VALGRIND_TIMEOUT 20.0
#define COUNTS_MOST 16

bool simulation_wants(const struct planned_cell *cell) { return strstr(cell->params, "counters=callgrind") != NULL; }

/* --- the executables */

/* NAME=what build.json says of it, as make was told before; other values would build everything anew. */
static void add_variable(struct text *words, size_t *starts, size_t *count, const char *json, const char *variable,
                         const char *member) {
    char label[32];
    snprintf(label, sizeof label, "\"%s\": \"", member);
    const char *at = strstr(json, label);
    if (!at)
        return;
    at += strlen(label);
    starts[(*count)++] = words->length;
    text_format(words, "%s=%.*s", variable, (int)strcspn(at, "\""), at);
    text_append(words, "", 1);
}

/* The first line that says what went wrong, make's own only where there is no other. */
static void first_error(const struct text *text, char *line, size_t size) {
    char *copy = duplicate(text_string(text)), *rest = NULL;
    snprintf(line, size, "make failed");
    for (char *at = strtok_r(copy, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest))
        if (strstr(at, "rror") || strstr(at, "undefined reference")) {
            snprintf(line, size, "%s", at);
            if (strncmp(at, "make", 4) != 0)
                break;
        }
    free(copy);
}

/* make -C ROOT BUILD=... CC=... build/simulated/A build/simulated/B, each once. */
static void make_executables(struct simulation *simulation, const struct plan *plan, const char *root) {
    struct text words = {0}, json = {0};
    size_t count = 0, length = strlen(root);
    size_t *starts = allocate(plan->cell_count + 16, sizeof starts[0]);
    const char **arguments = allocate(plan->cell_count + 16, sizeof arguments[0]);
    const char *below = simulation->build;
    /* the names of files that make knows are relative */
    if (strncmp(below, root, length) == 0 && below[length] == '/')
        below += length + 1;
    char *path = path_join(simulation->build, "build.json");
    file_read(path, &json);
#define WORD(...) (starts[count++] = words.length, text_format(&words, __VA_ARGS__), text_append(&words, "", 1))
    WORD("make");
    WORD("-s");
    WORD("-C");
    WORD("%s", root);
    WORD("-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
    WORD("BUILD=%s", below);
    add_variable(&words, starts, &count, text_string(&json), "CC", "compiler");
    add_variable(&words, starts, &count, text_string(&json), "CXX", "cxx");
    add_variable(&words, starts, &count, text_string(&json), "OPTIMISE", "flags");
    add_variable(&words, starts, &count, text_string(&json), "CPPFLAGS", "cppflags");
    for (size_t i = 0; i < plan->cell_count; i++) {
        bool wanted = simulation_wants(&plan->cells[i]);
        for (size_t j = 0; j < i && wanted; j++)
            wanted = plan->cells[j].deque != plan->cells[i].deque || !simulation_wants(&plan->cells[j]);
        if (wanted)
            WORD("%s/simulated/%s", below, plan->cells[i].deque->id);
    }
#undef WORD
    for (size_t i = 0; i < count; i++)
        arguments[i] = words.data + starts[i];
    struct process process;
    process_run(&process, arguments, BUILD_TIMEOUT);
    if (process.end != PROCESS_EXITED || process.code != 0) {
        char line[256];
        first_error(&process.errors, line, sizeof line);
        snprintf(simulation->why, sizeof simulation->why, "the executables for it could not be built: %s", line);
    }
    process_free(&process);
    free(path);
    free(starts);
    free(arguments);
    text_free(&words);
    text_free(&json);
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

void simulation_open(struct simulation *simulation, const struct plan *plan, const char *build, const char *root,
                     bool quiet) {
    bool wanted = false;
    *simulation = (struct simulation){.build = build};
    for (size_t i = 0; i < plan->cell_count; i++)
        wanted |= simulation_wants(&plan->cells[i]);
    if (!wanted)
        return;
    look_for_valgrind(simulation);
    if (!*simulation->why && !quiet)
        fprintf(stderr, "building for valgrind what counters=callgrind wants\n");
    if (!*simulation->why)
        make_executables(simulation, plan, root);
    if (*simulation->why)
        fprintf(stderr, "counters=callgrind: nothing is simulated: %s\n", simulation->why);
}

size_t simulation_command(const struct simulation *simulation, const struct planned_cell *cell, const char *counts,
                          struct text *arguments, size_t *starts) {
    static const char *const options[] = {"valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes",
                                          "--collect-atstart=no"};
    size_t count = 0;
    bool simulated = simulation_wants(cell) && !*simulation->why;
    for (size_t i = 0; simulated && i < sizeof options / sizeof options[0]; i++) {
        starts[count++] = arguments->length;
        text_append(arguments, options[i], strlen(options[i]) + 1);
    }
    if (simulated) {
        starts[count++] = arguments->length;
        text_add(arguments, "--callgrind-out-file=");
        for (const char *at = counts; *at; at++) /* valgrind writes %p and the like for what it knows, %% for itself */
            text_append(arguments, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
        text_append(arguments, "", 1);
    }
    starts[count++] = arguments->length;
    if (simulated)
        text_format(arguments, "%s/simulated/%s", simulation->build, cell->deque->id);
    else
        text_format(arguments, "%s", cell->executable);
    text_append(arguments, "", 1);
    return count;
}

/* --- the counts */

/* What a metric is the sum of, by callgrind's names of events. */
static const struct {
    const char *metric, *unit, *events[2];
} simulated_metrics[] = {
    {"instructions_simulated", "instructions", {"Ir", ""}},
    {"data_references_simulated", "references", {"Dr", "Dw"}},
    {"l1_data_misses_simulated", "misses", {"D1mr", "D1mw"}},
    {"last_level_data_misses_simulated", "misses", {"DLmr", "DLmw"}},
};

struct totals {
    char names[COUNTS_MOST][16];
    double values[COUNTS_MOST];
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
            if (names && totals->names_count < COUNTS_MOST)
                snprintf(totals->names[totals->names_count++], sizeof totals->names[0], "%.15s", word);
            else if (values && totals->values_count < COUNTS_MOST)
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
