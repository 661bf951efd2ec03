#include "harness/measuring/cell.h"
#include "harness/measuring/random.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool muted;

void cell_mute(void) { muted = true; }

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list arguments;
    if (muted)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* kinds: bits of those that will do. */
static const struct value *value_of(const struct cell *cell, const char *name, unsigned kinds) {
    const struct value *value = settings_get(cell->settings, name);
    if (value && kinds >> value->parameter->kind & 1)
        return value;
    fprintf(stderr, "stealbench: a workload asks for the parameter %s, which it does not declare so\n", name);
    exit(2);
}

const char *cell_text(const struct cell *cell, const char *name) { return value_of(cell, name, ~0u)->text; }
bool cell_is(const struct cell *cell, const char *name, const char *value) {
    return strcmp(cell_text(cell, name), value) == 0;
}
uint64_t cell_integer(const struct cell *cell, const char *name) {
    return value_of(cell, name, 1u << KIND_INTEGER)->integer;
}
double cell_real(const struct cell *cell, const char *name) { return value_of(cell, name, 1u << KIND_REAL)->real; }
unsigned cell_choice(const struct cell *cell, const char *name) {
    return (unsigned)value_of(cell, name, 1u << KIND_CHOICE)->choice;
}

unsigned variant_drawn(uint64_t seed, unsigned invocation, unsigned count) {
    unsigned order[CELL_VARIANTS];
    uint64_t state = random_start(seed, invocation / count); /* each round of all variants has its own order */
    for (unsigned i = 0; i < count; i++) {
        unsigned j = (unsigned)random_below(&state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order[invocation % count];
}

static void print_flags(unsigned flags) {
    static const char *const words[] = {
        [SAMPLE_UNSOUND] = "unsound", [SAMPLE_EMULATED] = "emulated", [SAMPLE_OVERSUBSCRIBED] = "oversubscribed"};
    char text[64] = "";
    string_bits(text, sizeof text, flags, words, sizeof words / sizeof words[0], "+");
    say("%s\n", text);
    fflush(stdout);
}

void cell_sample(const struct cell *cell, const char *role, unsigned repetition, const char *metric, double value,
                 const char *unit, unsigned flags) {
    if (!isfinite(value)) {
        fprintf(stderr, "stealbench: %s %s is no number: there was nothing to divide by\n", role, metric);
        cell_no_sample(cell, role, repetition, metric, unit, "busy");
        return;
    }
    say("sample\t%s\t%u\t%s\t%.9g\t%s\tok\t", role, repetition, metric, value, unit);
    print_flags(flags | cell->flags);
}

void cell_no_sample(const struct cell *cell, const char *role, unsigned repetition, const char *metric,
                    const char *unit, const char *status) {
    say("sample\t%s\t%u\t%s\t\t%s\t%s\t", role, repetition, metric, unit, status);
    print_flags(cell->flags);
}

void cell_histogram(const char *role, const char *metric, double lower, double upper, uint64_t count,
                    const char *unit) {
    say("histogram\t%s\t0\t%s\t%.9g\t%.9g\t%llu\t%s\n", role, metric, lower, upper, (unsigned long long)count, unit);
}

void cell_placement(const char *placement) {
    say("placement\t%s\n", placement);
    fflush(stdout);
}

void cell_distance(double nanoseconds) {
    if (nanoseconds >= 0.05) /* print only values above 0 */
        say("distance\t%.1f\n", nanoseconds);
    else
        say("distance\t\n");
    fflush(stdout);
}

void cell_peak_memory(void) {
    struct rusage children;
    unsigned long long most = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %llu kB", &most) != 1)
        continue;
    if (status)
        fclose(status);
    if (getrusage(RUSAGE_CHILDREN, &children) == 0 && (unsigned long long)children.ru_maxrss > most)
        most = (unsigned long long)children.ru_maxrss;
    if (most > 0)
        say("memory\t%llu\n", 1024 * most);
}
