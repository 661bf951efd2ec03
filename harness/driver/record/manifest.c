#include "harness/driver/record/record.h"
#include "harness/measuring/cell.h"

#define GIT_TIMEOUT 20.0

static const char *utc_now(void) {
    char text[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return duplicate(text);
}

/* Runs git and returns the first line that it prints; NULL, with why in words, when it fails. */
static const char *ask_git(const char *root, const char *command, const char *what, const char **why) {
    const char *const arguments[] = {"git", "-C", root, command, what, NULL};
    struct process process;
    process_run(&process, arguments, GIT_TIMEOUT);
    const bool fine = process.end == PROCESS_EXITED && process.code == 0;
    const char *said = text_string(fine ? &process.output : &process.errors);
    const char *line = formatted("%.*s", (int)strcspn(said, "\n"), said);
    *why = process.end == PROCESS_NOT_STARTED ? "git is not installed" : line;
    process_free(&process);
    return fine ? line : NULL;
}

static void set_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, json_of_text(text));
}

static json_t *json_of_hash(uint64_t hash) { return json_sprintf("%016" PRIx64, hash); }

/* The object in build/build.json, unchanged. */
static json_t *build_json(const char *build) {
    json_t *json = json_load_file(path_join(build, "build.json"), 0, NULL);
    return json_is_object(json) ? json : json_null();
}

static json_t *json_of_words(struct words words) {
    json_t *json = json_array();
    for (size_t i = 0; i < words.count; i++)
        json_array_append_new(json, json_of_text(words.at[i]));
    return json;
}

static json_t *schema_json(int version, const char *columns) {
    return json_pack("{si so}", "version", version, "columns", json_of_words(split_words(columns, ",")));
}

static json_t *deques_json(const struct run *run) {
    const char *build = formatted("%s/", run->build);
    json_t *deques = json_array();
    for (size_t i = 0; i < run->catalogue.deque_count; i++) {
        const struct catalogue_deque *deque = &run->catalogue.deques[i];
        json_t *json = json_copy(deque->parts[0].description.fields), *executables = json_object();
        for (size_t j = 0; j < deque->part_count; j++) {
            const char *path = deque->parts[j].executable;
            json_object_set_new(executables, path + (begins_with(path, build) ? strlen(build) : 0),
                                json_of_hash(deque->parts[j].content));
        }
        json_object_set_new(json, "executables", executables);
        set_text(json, "stamp", run->stamps[i]);
        json_array_append_new(deques, json);
    }
    return deques;
}

static json_t *cell_json(const struct planned_cell *cell) {
    const struct suite_options *options = &cell->options;
    json_t *json =
        json_pack("{so ss so ss so si si so so}", "cell", json_of_hash(cell->id), "workload", cell->workload, "deque",
                  json_of_text(cell->deque->id), "params", cell->params, "tags", json_of_words(cell->tags),
                  "invocations", options->invocations, "repetitions", options->repetitions, "minimum_time",
                  json_of_real(options->minimum_time), "timeout", json_of_real(options->timeout));
    if (options->precision > 0)
        json_object_set_new(json, "precision", json_of_real(options->precision));
    return json;
}

static void set_suite(json_t *json, const struct suite *suite, const struct plan *plan) {
    json_t *sections = json_array();
    for (size_t i = 0; i < suite->section_count; i++) {
        json_t *section =
            json_pack("{ss so}", "tag", suite->sections[i].tag, "title", json_of_text(suite->sections[i].title));
        if (words_have(&plan->denied, suite->sections[i].tag))
            set_text(section, "status", "denied");
        json_array_append_new(sections, section);
    }
    set_text(json, "suite_title", suite->title);
    json_object_set_new(json, "suite_hash", json_of_hash(suite->hash));
    set_text(json, "suite_text", suite->text ? suite->text : "");
    json_object_set_new(json, "sections", sections);
}

/* The facts about the run itself. manifest_write sets how it ended. */
static json_t *run_json(const struct run *run) {
    json_t *json =
        json_pack("{si ss so so ss ss ss ss ss so}", "manifest_version", MANIFEST_VERSION, "run", run->name, "suite",
                  json_of_text(run->suite.name), "host", json_of_text(run->host), "start", utc_now(), "resumed", "",
                  "end", "", "state", "", "exit_code", "", "command", json_of_words(run->command));
    if (run->part) {
        set_text(json, "part", run->part);
        json_object_set_new(json, "repeat", json_integer(run->repeat));
        json_object_set(json, "split", run->split);
    }
    return json;
}

static void set_sources(json_t *json, const char *root) {
    const char *state, *commit = ask_git(root, "rev-parse", "HEAD", &state);
    const char *changes = commit ? ask_git(root, "status", "--porcelain", &state) : NULL;
    set_text(json, "commit", commit ? commit : "");
    set_text(json, "sources", !changes ? state : *changes ? "dirty" : "clean");
}

json_t *manifest_of(const struct run *run) {
    json_t *json = run_json(run), *cells = json_array();
    for (size_t i = 0; i < run->plan.cell_count; i++)
        json_array_append_new(cells, cell_json(&run->plan.cells[i]));
    set_sources(json, run->root);
    set_suite(json, &run->suite, &run->plan);
    json_t *more =
        json_pack("{so so sI so s{so} so so so so so}", "build", build_json(run->build), "machine", machine_read(),
                  "memory_limit_bytes", (json_int_t)process_memory_limit(), "topology", machine_topology(), "clock",
                  "read_overhead_ns", json_of_real(clock_overhead()), "counters", machine_counters(), "samples",
                  schema_json(SAMPLES_VERSION, SAMPLES_COLUMNS), "histograms",
                  schema_json(HISTOGRAMS_VERSION, HISTOGRAMS_COLUMNS), "deques", deques_json(run), "cells", cells);
    json_object_update(json, more);
    return json;
}

const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code) {
    const char *path = path_join(folder, "manifest.json");
    struct text text = {0};
    set_text(manifest, "end", exit_code >= 0 ? utc_now() : "");
    set_text(manifest, "state", state);
    json_object_set_new(manifest, "exit_code", exit_code >= 0 ? json_integer(exit_code) : json_null());
    text_add(&text, json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(9)));
    text_add(&text, "\n");
    const int unwritten = file_replace(path, &text);
    return unwritten ? formatted("cannot write %.300s: %s", path, strerror(unwritten)) : NULL;
}

/* --- reading one */

json_t *manifest_read(const char *folder) {
    char *path = path_join(folder, "manifest.json");
    return json_load_file(path, 0, NULL);
}

const char *manifest_text(const json_t *manifest, const char *name) {
    return json_string_value(json_object_get(manifest, name));
}

/* A fact of a manifest, such as machine.cpu. */
static const char *fact_of(const json_t *manifest, const char *part, const char *name) {
    const char *fact = json_string_value(json_object_get(json_object_get(manifest, part), name));
    return fact ? fact : UNKNOWN;
}

void manifest_check(const char *folder, const char *build) {
    const char *path = path_join(folder, "manifest.json");
    if (access(path, F_OK) != 0) /* a run that stopped at once has no manifest yet */
        return;
    json_t *before = manifest_read(folder), *now = json_object();
    if (json_integer_value(json_object_get(before, "manifest_version")) != MANIFEST_VERSION)
        refuse(2, "%.300s is not of version %d, so the run cannot be resumed", path, MANIFEST_VERSION);
    if (!build)
        return;
    json_object_set_new(now, "machine", machine_read());
    json_object_set_new(now, "build", build_json(build));
    const struct words conditions = split_words(CONDITIONS, ",");
    for (size_t i = 0; i < conditions.count; i++) {
        const struct words words = split_words(conditions.at[i], ":."); /* "processor:machine.cpu" */
        const char *was = fact_of(before, words.at[1], words.at[2]), *is = fact_of(now, words.at[1], words.at[2]);
        if (strcmp(was, is) != 0)
            refuse(2, "it was measured with another %s: \"%.100s\", here it is \"%.100s\"; --anyway mixes them",
                   words.at[0], was, is);
    }
}

/* Does this plan contain the cell? */
static bool is_planned(const struct plan *plan, const json_t *cell) {
    const uint64_t subject =
        plan_subject(manifest_text(cell, "workload"), manifest_text(cell, "deque"), manifest_text(cell, "params"));
    for (size_t i = 0; i < plan->cell_count; i++)
        if (plan->cells[i].subject == subject)
            return true;
    return false;
}

void manifest_take_up(json_t *manifest, const struct run *run) {
    const json_t *before = manifest_read(run->results.folder);
    json_t *start = json_object_get(before, "start"), *cells = json_object_get(manifest, "cells"), *cell;
    size_t i;
    set_text(manifest, "resumed", manifest_text(manifest, "start"));
    if (json_is_string(start))
        json_object_set(manifest, "start", start);
    json_array_foreach(json_object_get(before, "cells"), i, cell) {
        if (manifest_text(cell, "workload") && manifest_text(cell, "deque") && manifest_text(cell, "params") &&
            !is_planned(&run->plan, cell))
            json_array_append(cells, cell);
    }
}
