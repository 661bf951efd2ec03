#include "harness/driver/record/manifest.h"
#include "harness/driver/record/invocation.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/json.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/cell/fences.h"
#include "harness/measuring/counters/counters.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GIT_TIMEOUT 20.0

static void utc_now(char *text, size_t size) {
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

/* Runs git and returns the first line it prints; false, with why in words, when there is none. */
static bool ask_git(const char *root, const char *const *words, char *line, size_t size, char *why, size_t why_size) {
    const char *arguments[8] = {"git", "-C", root};
    struct process process;
    for (size_t i = 0; words[i] && i < 4; i++)
        arguments[3 + i] = words[i];
    process_run(&process, arguments, GIT_TIMEOUT);
    bool fine = process.end == PROCESS_EXITED && process.code == 0;
    const char *text = text_string(&process.output), *errors = text_string(&process.errors);
    snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
    if (process.end == PROCESS_NOT_STARTED)
        snprintf(why, why_size, "git is not installed");
    else if (!fine)
        snprintf(why, why_size, "%.*s", (int)strcspn(errors, "\n"), errors);
    process_free(&process);
    return fine;
}

static void gather_git(struct manifest *manifest) {
    static const char *const head[] = {"rev-parse", "HEAD", NULL}, *const changes[] = {"status", "--porcelain", NULL};
    char line[256];
    if (!ask_git(manifest->root, head, manifest->commit, sizeof manifest->commit, manifest->git,
                 sizeof manifest->git)) {
        manifest->commit[0] = '\0';
        return;
    }
    if (ask_git(manifest->root, changes, line, sizeof line, manifest->git, sizeof manifest->git))
        snprintf(manifest->git, sizeof manifest->git, "%s", *line ? "dirty" : "clean");
}

void manifest_gather(struct manifest *manifest) {
    utc_now(manifest->start, sizeof manifest->start);
    machine_read(&manifest->machine, "");
    machine_topology(&manifest->topology);
    manifest->clock = clock_calibrate();
    snprintf(manifest->counters, sizeof manifest->counters, "%s", machine_hardware_counters());
    gather_git(manifest);
}

static void write_machine(struct json *json, const struct machine *machine) {
    json_open(json, "machine", '{');
    json_string(json, "cpu", machine->cpu_model);
    json_string(json, "kernel", machine->kernel);
    json_string(json, "governor", machine->governor);
    json_string(json, "turbo", machine->turbo);
    json_string(json, "smt", machine->smt);
    json_string(json, "transparent_huge_pages", machine->huge_pages);
    json_string(json, "clock_source", machine->clock_source);
    json_string(json, "virtualisation", machine->virtualisation);
    json_string(json, "asymmetric_fences", describe_fences());
    json_string(json, "processors_allowed", machine->allowed);
    json_string(json, "memory_nodes_allowed", machine->memory_nodes);
    json_string(json, "isolated", machine->isolated);
    json_string(json, "nohz_full", machine->nohz_full);
    json_string(json, "cgroup", machine->cgroup);
    json_string(json, "energy", power_status_word(machine->power.energy[POWER_PACKAGES]));
    json_string(json, "throttling", power_status_word(machine->power.throttling));
    json_string(json, "processor_frequency", power_status_word(machine->frequency));
    if (machine->load < 0)
        json_raw(json, "load_at_start", "null");
    else
        json_real(json, "load_at_start", machine->load);
    if (machine->cgroup_processors < 0)
        json_string(json, "cgroup_processors", UNKNOWN);
    else if (machine->cgroup_processors > 0)
        json_real(json, "cgroup_processors", machine->cgroup_processors);
    else
        json_string(json, "cgroup_processors", "no limit");
    json_count(json, "memory_bytes", machine->memory);
    if (machine->cgroup_memory > 0)
        json_count(json, "cgroup_memory_bytes", machine->cgroup_memory);
    else
        json_string(json, "cgroup_memory_bytes", "no limit known");
    json_close(json, '}');
}

static void write_topology(struct json *json, const struct topology *topology) {
    char name[32];
    json_open(json, "topology", '{');
    json_count(json, "packages", topology->packages);
    json_count(json, "numa_nodes", topology->numa_nodes);
    json_count(json, "cores", topology->cores);
    json_count(json, "processors", topology->processors);
    for (unsigned level = 1; level <= 3; level++) {
        snprintf(name, sizeof name, "cache_level_%u_bytes", level);
        json_count(json, name, topology->cache[level]);
    }
    json_count(json, "cache_line_bytes", topology->cache_line);
    json_close(json, '}');
}

/* build/build.json as it is, when it looks like an object. */
static void write_build(struct json *json, const char *build) {
    struct text text = {0};
    char *path = path_join(build, "build.json");
    bool read = file_read(path, &text) == 0 && text.length > 0;
    while (read && text.length > 0 && strchr(" \r\n\t", text.data[text.length - 1]))
        text.data[--text.length] = '\0';
    bool object = read && text.length > 1 && text.data[0] == '{' && text.data[text.length - 1] == '}';
    json_raw(json, "build", object ? text.data : "null");
    text_free(&text);
    free(path);
}

static void write_counters(struct json *json, const struct manifest *manifest) {
    json_open(json, "counters", '{');
    json_string(json, "hardware", manifest->counters);
    json_string(json, "papi", counters_papi());
    if (manifest->machine.has_paranoid)
        json_real(json, "perf_event_paranoid", manifest->machine.perf_event_paranoid);
    else
        json_string(json, "perf_event_paranoid", UNKNOWN);
    json_close(json, '}');
}

static void write_suite(struct json *json, const struct suite *suite) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, suite->hash);
    json_string(json, "suite_title", suite->title);
    json_string(json, "suite_hash", hash);
    json_string(json, "suite_text", text_string(&suite->text));
    json_open(json, "sections", '[');
    for (size_t i = 0; i < suite->section_count; i++) {
        struct text line = {0};
        text_add(&line, "{\"tag\": ");
        text_add_json(&line, suite->sections[i].tag);
        text_add(&line, ", \"title\": ");
        text_add_json(&line, suite->sections[i].title);
        text_add(&line, "}");
        json_raw(json, NULL, line.data);
        text_free(&line);
    }
    json_close(json, ']');
}

static void write_schema(struct json *json, const char *file, unsigned version, const char *names) {
    char *columns = duplicate(names), *rest = NULL;
    json_open(json, file, '{');
    json_count(json, "version", version);
    json_open(json, "columns", '[');
    for (char *column = strtok_r(columns, ",", &rest); column; column = strtok_r(NULL, ",", &rest))
        json_string(json, NULL, column);
    json_close(json, ']');
    json_close(json, '}');
    free(columns);
}

static void write_deques(struct json *json, const struct manifest *manifest) {
    static const char *const stamps[] = LIST_WORDS(STAMP_RESULTS);
    char content[32];
    json_open(json, "deques", '[');
    for (size_t i = 0; i < manifest->catalogue->deque_count; i++) {
        const struct catalogue_deque *deque = &manifest->catalogue->deques[i];
        json_open(json, NULL, '{');
        const struct description *description = &deque->parts[0].description;
        for (size_t j = 0; j < description->field_count; j++)
            json_string(json, description->fields[j].name, description->fields[j].value);
        json_open(json, "executables", '{');
        for (size_t j = 0; j < deque->part_count; j++) {
            const char *path = deque->parts[j].executable;
            const size_t length = strlen(manifest->build);
            if (strncmp(path, manifest->build, length) == 0 && path[length] == '/')
                path += length + 1;
            snprintf(content, sizeof content, "%016" PRIx64, deque->parts[j].content);
            json_string(json, path, content);
        }
        json_close(json, '}');
        json_string(json, "stamp", stamps[manifest->stamps[i].result]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_member(struct text *line, const char *name, const char *value) {
    text_format(line, ", \"%s\": ", name);
    text_add_json(line, value);
}

/* One line, of a form that carry_cell reads back. */
static void write_cell(struct json *json, const struct suite *suite, const struct planned_cell *cell) {
    struct text line = {0};
    const char *separator = "";
    text_format(&line, "{\"cell\": \"%016" PRIx64 "\"", cell->id);
    add_member(&line, "workload", cell->workload);
    add_member(&line, "deque", cell->deque->id);
    add_member(&line, "params", cell->params);
    text_add(&line, ", \"tags\": [");
    for (size_t i = 0; i < suite->section_count; i++) {
        if (!(cell->tags >> i & 1))
            continue;
        text_add(&line, separator);
        text_add_json(&line, suite->sections[i].tag);
        separator = ", ";
    }
    text_add(&line, "]");
    if (cell->options.precision > 0)
        text_format(&line, ", \"precision\": %.9g", cell->options.precision);
    text_format(&line, ", \"invocations\": %u, \"repetitions\": %u, \"minimum_time\": %.9g, \"timeout\": %.9g}",
                cell->options.invocations, cell->options.repetitions, cell->options.minimum_time,
                cell->options.timeout);
    json_raw(json, NULL, line.data);
    text_free(&line);
}

static void write_cells(struct json *json, const struct manifest *manifest) {
    char *carried = duplicate(text_string(&manifest->carried)), *rest = NULL;
    json_open(json, "cells", '[');
    for (size_t i = 0; i < manifest->plan->cell_count; i++)
        write_cell(json, manifest->suite, &manifest->plan->cells[i]);
    for (char *line = strtok_r(carried, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        json_raw(json, NULL, line);
    json_close(json, ']');
    free(carried);
}

static void write_times(struct json *json, const struct manifest *manifest, const char *state, int exit_code) {
    char end[32] = "";
    if (exit_code >= 0)
        utc_now(end, sizeof end);
    json_string(json, "start", manifest->start);
    json_string(json, "resumed", manifest->resumed);
    json_string(json, "end", end);
    json_string(json, "state", state);
    if (exit_code >= 0)
        json_count(json, "exit_code", (uint64_t)exit_code);
    else
        json_raw(json, "exit_code", "null");
}

static void write_part(struct json *json, const struct manifest *manifest) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, manifest->split);
    json_string(json, "part", manifest->part);
    json_count(json, "repeat", manifest->repeat);
    json_string(json, "split", hash);
}

int manifest_write(const struct manifest *manifest, const char *folder, const char *state, int exit_code,
                   char *message) {
    struct text text = {0};
    struct json json = {.text = &text};
    json_open(&json, NULL, '{');
    json_count(&json, "manifest_version", MANIFEST_VERSION);
    json_string(&json, "run", manifest->run);
    json_string(&json, "suite", manifest->suite->name);
    json_string(&json, "host", manifest->host);
    if (manifest->part)
        write_part(&json, manifest);
    write_times(&json, manifest, state, exit_code);
    json_open(&json, "command", '[');
    for (size_t i = 0; manifest->command[i]; i++)
        json_string(&json, NULL, manifest->command[i]);
    json_close(&json, ']');
    json_string(&json, "commit", manifest->commit);
    json_string(&json, "sources", manifest->git);
    write_build(&json, manifest->build);
    write_machine(&json, &manifest->machine);
    json_count(&json, "memory_limit_bytes", manifest->memory_limit);
    write_topology(&json, &manifest->topology);
    json_open(&json, "clock", '{');
    json_real(&json, "read_overhead_ns", manifest->clock.overhead);
    json_real(&json, "resolution_ns", manifest->clock.resolution);
    json_close(&json, '}');
    write_counters(&json, manifest);
    write_suite(&json, manifest->suite);
    write_schema(&json, "samples", SAMPLES_VERSION, SAMPLES_COLUMNS);
    write_schema(&json, "histograms", HISTOGRAMS_VERSION, HISTOGRAMS_COLUMNS);
    write_deques(&json, manifest);
    write_cells(&json, manifest);
    json_close(&json, '}');
    text_add(&text, "\n");
    char *path = path_join(folder, "manifest.json");
    int unwritten = file_replace(path, &text);
    if (unwritten)
        snprintf(message, MESSAGE_SIZE, "cannot write %.300s: %s", path, strerror(unwritten));
    free(path);
    text_free(&text);
    return unwritten ? 4 : 0;
}

/* Copies the string after "name": " in line; we wrote the file ourselves, and these values hold no escapes. */
static bool copy_member(const char *line, const char *name, char *value, size_t size) {
    char label[48];
    snprintf(label, sizeof label, "\"%s\": \"", name);
    const char *at = strstr(line, label);
    if (!at)
        return false;
    at += strlen(label);
    size_t length = strcspn(at, "\"");
    if (at[length] != '"' || length >= size)
        return false;
    memcpy(value, at, length);
    value[length] = '\0';
    return true;
}

bool manifest_text(const char *folder, const char *name, char *value, size_t size) {
    struct text text = {0};
    char label[48];
    char *path = path_join(folder, "manifest.json");
    bool found = file_read(path, &text) == 0;
    snprintf(label, sizeof label, "\n  \"%s\": \"", name);
    const char *at = found ? strstr(text_string(&text), label) : NULL;
    found = at && copy_member(at, name, value, size);
    text_free(&text);
    free(path);
    return found;
}

/* What must be the same for values to belong to one run, as write_machine and write_build name it. */
static const char *const conditions[] = {"cpu", "kernel", "compiler", "version", "flags", "cppflags"};

static int compare_conditions(const char *before, const char *now, char *message) {
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        char was[200] = UNKNOWN, is[200] = UNKNOWN;
        copy_member(before, conditions[i], was, sizeof was);
        copy_member(now, conditions[i], is, sizeof is);
        if (strcmp(was, is) == 0)
            continue;
        snprintf(message, MESSAGE_SIZE,
                 "it was measured with another %s: \"%s\", here it is \"%s\"; --anyway mixes them", conditions[i], was,
                 is);
        return 2;
    }
    return 0;
}

int manifest_check(const char *folder, const char *build, bool anyway, char *message) {
    static const char label[] = "\"manifest_version\": ";
    struct text before = {0}, now = {0};
    struct json json = {.text = &now};
    struct machine machine;
    char *path = path_join(folder, "manifest.json");
    int result = 0;
    /* a run that was stopped at once has none yet */
    if (file_read(path, &before) == 0) {
        const char *version = strstr(text_string(&before), label);
        if (!version || strtoul(version + sizeof label - 1, NULL, 10) != MANIFEST_VERSION) {
            snprintf(message, MESSAGE_SIZE, "%.300s is not of version %d, which is the one that can be gone on with",
                     path, MANIFEST_VERSION);
            result = 2;
        } else if (!anyway) {
            machine_read(&machine, "");
            write_build(&json, build);
            write_machine(&json, &machine);
            result = compare_conditions(before.data, now.data, message);
        }
    }
    free(path);
    text_free(&before);
    text_free(&now);
    return result;
}

/* Keeps the line of a cell unless this plan measures the same thing. */
static void carry_cell(struct manifest *manifest, char *line) {
    static char workload[128], deque[256], params[3 * SETTINGS_TEXT + SETTINGS_MAX * (NAME_SIZE + 2)];
    size_t length = strlen(line);
    if (!copy_member(line, "workload", workload, sizeof workload) || !copy_member(line, "deque", deque, sizeof deque) ||
        !copy_member(line, "params", params, sizeof params))
        return;
    for (size_t i = 0; i < manifest->plan->cell_count; i++) {
        const struct planned_cell *cell = &manifest->plan->cells[i];
        if (strcmp(cell->workload, workload) == 0 && strcmp(cell->deque->id, deque) == 0 &&
            strcmp(cell->params, params) == 0)
            return;
    }
    if (line[length - 1] == ',')
        line[length - 1] = '\0';
    text_format(&manifest->carried, "%s\n", line + strspn(line, " "));
}

void manifest_take_up(struct manifest *manifest, const char *folder) {
    struct text text = {0};
    char *path = path_join(folder, "manifest.json"), *rest = NULL;
    snprintf(manifest->resumed, sizeof manifest->resumed, "%s", manifest->start);
    manifest_text(folder, "start", manifest->start, sizeof manifest->start);
    if (file_read(path, &text) == 0 && text.data)
        for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            if (strncmp(line, "    {\"cell\": ", 13) == 0)
                carry_cell(manifest, line);
    text_free(&text);
    free(path);
}

void manifest_free(struct manifest *manifest) { text_free(&manifest->carried); }
