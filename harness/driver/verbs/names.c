/* names.c: the names that a command line may use: a deque is a header in queues/, a suite a file in suites/.
 * Workloads and parameters are known from descriptions (description.c). */
#pragma once

#include "harness/driver/record/manifest.c"
#include "harness/driver/verbs/command_line.c"

struct words names_of_deques(const char *root) {
    const struct words headers = files_below(path_join(root, "queues"), ".h");
    struct words deques = {0};
    foreach (name, headers)
        if (!same(*name, "deque") && !same(*name, "upstream/upstream") && !begins_with(*name, "parts/"))
            words_add(&deques, *name);
    return deques;
}

struct words names_of_suites(const char *root) {
    return folder_names(path_join(root, "suites"), ".suite");
}

/* Refuses a word that is neither among the names nor in others ("a|b"). Accepts every word if there are no names. */
static void must_have(struct words names, const char *what, const char *word, const char *others) {
    if (names.count == 0 || words_have(names, word) || choice_index(others, word) >= 0)
        return;
    words_add_all(&names, split_words(others, "|"));
    refuse_unknown(what, word, names);
}

/* The folder of a run, given by path or by name; NULL: there is none. */
const char *run_found(const char *word, const char *root) {
    const char *const places[] = {word, path_join("results", word), formatted("%s/results/%s", root, word)};
    struct stat status;
    for (size_t i = 0; i < 3 && *word; i++)
        if (stat(places[i], &status) == 0 && S_ISDIR(status.st_mode))
            return places[i];
    return NULL;
}

const char *run_named(const char *word, const char *root) {
    const char *results = path_join(root, "results"), *found = run_found(word, root);
    if (found)
        return found;
    const struct words folders = folder_names(results, "");
    struct words runs = {0};
    foreach (folder, folders)
        if (access(formatted("%s/%s/manifest.json", results, *folder), F_OK) == 0)
            words_add(&runs, *folder);
    must_have(runs, "run", word, "");
    refuse(2, "no such run: %.60s; there is none in %.300s", word, results);
}

/* The file of a suite, given by path or by name. Refuses what is neither. */
const char *suite_path(const char *word, const char *root) {
    if (!strchr(word, '/') && !ends_with(word, ".suite")) {
        must_have(names_of_suites(root), "suite", word, "");
        return formatted("%s/suites/%s.suite", root, word);
    }
    if (access(word, R_OK) != 0)
        refuse(2, "no such suite: %.300s: no such file", word);
    return word;
}

/* Refuses what is neither a deque nor among the others ("a|b"); also a deque whose header calls itself something else:
 * a copy whose .id was forgotten. */
void names_must_have_deque(const char *id, const char *root, const char *others) {
    must_have(names_of_deques(root), "deque", id, others);
    const char *other = strstr(file_text(formatted("%s/queues/%s.h", root, id)), ".id = \"");
    if (other && !strstr(other, formatted(".id = \"%s\"", id)))
        refuse(1, "queues/%s.h: its .id is \"%.*s\" and has to be \"%s\", its path below queues/", id,
               (int)strcspn(other + 7, "\""), other + 7, id);
}

/* Refuse an unknown name and suggest the nearest. In a tree without sources every deque is accepted. */
void names_check(const struct command_line *line, const char *root) {
    const struct verb *verb = line->verb;
    const struct words asked = suite_line_values(&line->values, "deque");
    const bool other_deques = value_of(line, "deques-in") || verb_is(verb, "other_deques");
    const bool lab = same(verb->name, "lab"), has_pool = same(verb->name, "ci") || same(verb->name, "export");
    const bool of_deques = lab || (same(verb->words, "deques") && !has(line, "against"));
    if (same(verb->words, "suite"))
        suite_path(line->words.at[0], root);
    for (size_t i = 0; same(verb->words, "runs") && i < line->words.count; i++)
        run_named(line->words.at[i], root);
    for (size_t i = 0; !other_deques && i < asked.count; i++)
        names_must_have_deque(asked.at[i], root, DEQUE_GROUPS);
    for (size_t i = lab; of_deques && i < line->words.count; i++)
        names_must_have_deque(line->words.at[i], root, has_pool ? "pool" : "");
}

/* A free name: "20261120T143000Z-quick", or that with -2, -3, ... behind it. */
static char *new_name(const char *parent, const char *suite) {
    const char *stamp = utc_now("%Y%m%dT%H%M%SZ");
    struct stat status;
    char *name = formatted("%s-%s", stamp, suite);
    for (unsigned i = 2; lstat(path_join(parent, name), &status) == 0; i++)
        name = formatted("%s-%s-%u", stamp, suite, i);
    return name;
}

/* The newest run of this suite below parent, or NULL. */
static const char *latest_run(const char *parent, const char *suite) {
    const char *latest = NULL, *latest_start = "";
    const struct words names = folder_names(parent, "");
    foreach (name, names) {
        json_t *manifest = manifest_read(path_join(parent, *name));
        const char *of = manifest_text(manifest, "suite"), *start = manifest_text(manifest, "start");
        if (of && start && same(of, suite) && strcmp(start, latest_start) >= 0) {
            latest = *name;
            latest_start = duplicate(start);
        }
        json_decref(manifest);
    }
    return latest;
}

/* Chooses the run to make or to resume. */
void name_run(struct run *run) {
    const struct command_line *line = run->line;
    if (run->name)
        return;
    run->parent = value_of(line, "results") ? value_of(line, "results") : path_join(run->root, "results");
    run->name = value_of(line, "resume") ? value_of(line, "resume")
                : value_of(line, "name") ? value_of(line, "name")
                : has(line, "resume")    ? latest_run(run->parent, run->suite.name)
                                         : new_name(run->parent, run->suite.name);
    if (!run->name)
        refuse(2, "there is no run of %.60s in %.300s to resume", run->suite.name, run->parent);
    run->folder = path_join(run->parent, run->name);
}
