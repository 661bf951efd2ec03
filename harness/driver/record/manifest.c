/* manifest.c: manifest.json of a run: what was measured, with what, on which machine, and how it ended. It is
 * written at the start and again at the end. Rows of samples.csv whose cell is not in it are of another build. */
#pragma once

#include "harness/driver/record/machine.c"
#include "harness/driver/record/run.h"
#include "harness/driver/util/format.h"

/* format: strftime's. */
char *utc_now(const char *format) {
    char text[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, sizeof text, format, gmtime_r(&now, &utc));
    return duplicate(text);
}

/* Runs git and returns the first line that it prints; NULL, with why in words, when it fails. */
const char *ask_git(const char *root, const char *command, const char *what, const char **why) {
    const char *const arguments[] = {"git", "-C", root, command, what, NULL};
    struct process process;
    process_run(&process, arguments, 20);
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
    foreach (word, words)
        json_array_append_new(json, json_of_text(*word));
    return json;
}

static json_t *schema_json(int version, const char *columns) {
    return json_pack("{si so}", "version", version, "columns", json_of_words(split_words(columns, ",")));
}

static json_t *deques_json(const struct run *run) {
    const char *build = formatted("%s/", run->build);
    json_t *deques = json_array();
    foreach (deque, run->catalogue.deques) {
        json_t *json = json_copy(deque->parts.at[0].description.fields), *executables = json_object();
        foreach (part, deque->parts) {
            const char *path = part->executable;
            json_object_set_new(executables, path + (begins_with(path, build) ? strlen(build) : 0),
                                json_of_hash(part->content));
        }
        json_object_set_new(json, "executables", executables);
        set_text(json, "stamp", deque->stamp);
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
    foreach (section, suite->sections) {
        json_t *one = json_pack("{ss so}", "tag", section->tag, "title", json_of_text(section->title));
        if (words_have(plan->denied, section->tag))
            set_text(one, "status", "denied");
        json_array_append_new(sections, one);
    }
    set_text(json, "suite_title", suite->title);
    json_object_set_new(json, "suite_hash", json_of_hash(suite->hash));
    set_text(json, "suite_text", suite->text ? suite->text : "");
    json_object_set_new(json, "sections", sections);
}

/* The facts about the run itself. manifest_write sets how it ended. */
static json_t *run_json(const struct run *run) {
    json_t *json = json_pack("{si ss so so ss ss ss ss ss so}", "manifest_version", MANIFEST_VERSION, "run", run->name,
                             "suite", json_of_text(run->suite.name), "host", json_of_text(run->host), "start",
                             utc_now("%Y-%m-%dT%H:%M:%SZ"), "resumed", "", "end", "", "state", "", "exit_code", "",
                             "command", json_of_words(run->command));
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

/* Everything that is known of the run before it begins. manifest_write adds how it ended. */
json_t *manifest_of(const struct run *run) {
    json_t *json = run_json(run), *cells = json_array();
    foreach (cell, run->plan.cells)
        json_array_append_new(cells, cell_json(cell));
    set_sources(json, run->root);
    set_suite(json, &run->suite, &run->plan);
    json_t *more =
        json_pack("{so so sI so s{so} so so so so so}", "build", build_json(run->build), "machine", machine_read(),
                  "memory_limit_bytes", (json_int_t)process_memory_limit, "topology", machine_topology(), "clock",
                  "read_overhead_ns", json_of_real(clock_overhead()), "counters", machine_counters(), "samples",
                  schema_json(SAMPLES_VERSION, SAMPLES_COLUMNS), "histograms",
                  schema_json(HISTOGRAMS_VERSION, HISTOGRAMS_COLUMNS), "deques", deques_json(run), "cells", cells);
    json_object_update(json, more);
    return json;
}

/* Writes the manifest into the run's folder. state: "running", "finished", "interrupted", "failed". exit_code below 0:
 * not known yet. Returns NULL, or why it cannot. */
const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code) {
    const char *path = path_join(folder, "manifest.json");
    set_text(manifest, "end", exit_code >= 0 ? utc_now("%Y-%m-%dT%H:%M:%SZ") : "");
    set_text(manifest, "state", state);
    json_object_set_new(manifest, "exit_code", exit_code >= 0 ? json_integer(exit_code) : json_null());
    const char *text = json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    const int unwritten = file_replace(path, formatted("%s\n", text));
    return unwritten ? formatted("cannot write %.300s: %s", path, strerror(unwritten)) : NULL;
}

/* --- reading one */

/* Reads the manifest of a run's folder; the other, a text of its top level. NULL: there is none. */
json_t *manifest_read(const char *folder) { return json_load_file(path_join(folder, "manifest.json"), 0, NULL); }

const char *manifest_text(const json_t *manifest, const char *name) {
    return json_string_value(json_object_get(manifest, name));
}

/* A fact of a manifest, such as machine.cpu. */
static const char *fact_of(const json_t *manifest, const char *part, const char *name) {
    const char *fact = json_string_value(json_object_get(json_object_get(manifest, part), name));
    return fact ? fact : UNKNOWN;
}

/* Refuses a run of another machine, kernel or build (NULL: any build will do), or of another version. */
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
    foreach (condition, conditions) {
        const struct words words = split_words(*condition, ":."); /* "processor:machine.cpu" */
        const char *was = fact_of(before, words.at[1], words.at[2]), *is = fact_of(now, words.at[1], words.at[2]);
        if (!same(was, is))
            refuse(2, "it was measured with another %s: \"%.100s\", here it is \"%.100s\"; --anyway mixes them",
                   words.at[0], was, is);
    }
}

/* Does this plan contain the cell? */
static bool is_planned(const struct plan *plan, const json_t *cell) {
    const uint64_t subject =
        plan_subject(manifest_text(cell, "workload"), manifest_text(cell, "deque"), manifest_text(cell, "params"));
    foreach (one, plan->cells)
        if (one->subject == subject)
            return true;
    return false;
}

/* Takes over the start, and the cells that are not in this plan, from the manifest in the run's folder. */
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
