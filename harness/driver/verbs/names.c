#include "harness/driver/verbs/names.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/text.h"
#include "harness/driver/verbs/list.h"
#include <ctype.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare(const void *a, const void *b) {
    return strcmp(((const struct name *)a)->id, ((const struct name *)b)->id);
}

static void add(struct names *names, const char *id, size_t length, const char *about) {
    struct text text = {0};
    text_append(&text, id, length);
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->at[i].id, text.data) == 0) {
            text_free(&text);
            return;
        }
    }
    names->at = reallocate(names->at, names->count + 1, sizeof names->at[0]);
    names->at[names->count++] = (struct name){text.data, duplicate(about)};
}

static void sort(struct names *names) {
    if (names->count > 0)
        qsort(names->at, names->count, sizeof names->at[0], compare);
}

void names_free(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->at[i].id);
        free(names->at[i].about);
    }
    free(names->at);
    *names = (struct names){0};
}

/* What stands between the quotes that follow `what`, such as .title = ", into *length; NULL: it is not there. */
static const char *quoted(const char *text, const char *what, size_t *length) {
    const char *found = strstr(text, what), *end;
    if (!found)
        return NULL;
    found += strlen(what);
    end = strchr(found, '"');
    *length = end ? (size_t)(end - found) : 0;
    return end ? found : NULL;
}

typedef void looker(struct names *, const char *path, const char *text);

/* Every file below root/folder whose name ends so is looked at. */
static void look_through(struct names *names, const char *root, const char *folder, const char *end, looker *look) {
    char *top = path_join(root, folder);
    char *const places[] = {top, NULL};
    FTS *tree = fts_open(places, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; tree && (entry = fts_read(tree));) {
        struct text text = {0};
        const size_t length = strlen(entry->fts_name), ending = strlen(end);
        if (entry->fts_info == FTS_F && length > ending && strcmp(entry->fts_name + length - ending, end) == 0 &&
            file_read(entry->fts_path, &text) == 0)
            look(names, entry->fts_path + strlen(top) + 1, text_string(&text));
        text_free(&text);
    }
    if (tree)
        fts_close(tree);
    free(top);
}

static void look_for_deque(struct names *names, const char *path, const char *text) {
    struct text about = {0};
    size_t title, source;
    const char *its_title = quoted(text, ".title = \"", &title), *its_source = quoted(text, ".source = \"", &source);
    if (strcmp(path, "deque.h") == 0 || strcmp(path, "upstream/upstream.h") == 0)
        return;
    if (its_title && its_source)
        text_format(&about, "%.*s. %.*s", (int)title, its_title, (int)source, its_source);
    add(names, path, strlen(path) - strlen(".h"), text_string(&about));
    text_free(&about);
}

static void look_for_workload(struct names *names, const char *path, const char *text) {
    (void)path;
    size_t name, summary;
    const char *its_name = quoted(text, ".name = \"", &name), *its_summary = quoted(text, ".summary = \"", &summary);
    if (!strstr(text, "REGISTER_WORKLOAD(") || !its_name || !its_summary)
        return;
    char *about = strndup(its_summary, summary);
    add(names, its_name, name, about ? about : "");
    free(about);
}

/* PARAMETER_INTEGER("batch", ... of any kind */
static void look_for_parameters(struct names *names, const char *path, const char *text) {
    (void)path;
    for (const char *at = text; (at = strstr(at, "PARAMETER_"));) {
        while (isupper((unsigned char)*at) || *at == '_')
            at++;
        if (*at == '(')
            at += 1 + strspn(at + 1, " \n");
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (end)
            add(names, at + 1, (size_t)(end - at - 1), "");
    }
}

static void look_for_mode(struct names *names, const char *path, const char *text) {
    (void)path;
    size_t length;
    const char *mode = quoted(text, ".mode = \"", &length);
    if (mode)
        add(names, mode, length, "");
}

void names_of_deques(struct names *names, const char *root) {
    *names = (struct names){0};
    look_through(names, root, "queues", ".h", look_for_deque);
    sort(names);
}

void names_of_workloads(struct names *names, const char *root) {
    *names = (struct names){0};
    look_through(names, root, "workloads", ".c", look_for_workload);
    sort(names);
}

void names_of_parameters(struct names *names, const char *root) {
    *names = (struct names){0};
    look_through(names, root, "workloads", ".c", look_for_parameters);
    look_through(names, root, "workloads", ".h", look_for_parameters);
    look_through(names, root, "harness/measuring", ".c", look_for_parameters);
    look_through(names, root, "harness/measuring", ".h", look_for_parameters);
    look_through(names, root, "queues", ".h", look_for_mode);
    sort(names);
}

void names_of_suites(struct names *names, const char *root) {
    char *folder = path_join(root, "suites"), **files;
    const size_t count = suite_names(folder, &files);
    *names = (struct names){0};
    for (size_t i = 0; i < count; i++) {
        add(names, files[i], strlen(files[i]), "");
        free(files[i]);
    }
    free(files);
    free(folder);
}

static void look_for_run(struct names *names, const char *path, const char *text) {
    (void)text;
    const char *slash = strchr(path, '/');
    if (slash && !strchr(slash + 1, '/'))
        add(names, path, (size_t)(slash - path), "");
}

void names_of_runs(struct names *names, const char *results) {
    *names = (struct names){0};
    look_through(names, results, "", "manifest.json", look_for_run);
    sort(names);
}

static bool has(const struct names *names, const char *id) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i].id, id) == 0)
            return true;
    return false;
}

/* 0 when it is among them or in others ("a|b"), or when there are none to be among; 2 with a message. */
static int must_have(const struct names *names, const char *what, const char *word, const char *others, char *message) {
    if (names->count == 0 || has(names, word) || choice_index(others, word) >= 0)
        return 0;
    const char **ids = allocate(names->count + 8, sizeof ids[0]);
    size_t count = 0;
    for (; count < names->count; count++)
        ids[count] = names->at[count].id;
    char *copy = duplicate(others ? others : ""), *rest = NULL;
    for (char *one = strtok_r(copy, "|", &rest); one && count < names->count + 8; one = strtok_r(NULL, "|", &rest))
        ids[count++] = one;
    say_unknown(what, word, ids, count, message);
    free(copy);
    free(ids);
    return 2;
}

#define DEQUE_GROUPS "all|sound|reference|unsound"

static const struct suite_key *values_of(const struct command_line *line, const char *name) {
    for (size_t i = 0; i < line->values.key_count; i++)
        if (strcmp(line->values.keys[i].name, name) == 0)
            return &line->values.keys[i];
    return NULL;
}

static int check_deques(const struct command_line *line, const char *root, char *message) {
    const struct suite_key *asked = line->deques_in || line->verb->other_deques ? NULL : values_of(line, "deque");
    const bool named = line->verb->named == WORDS_DEQUES && !line->wants_against;
    const size_t from = line->verb->carry_out && line->verb->choices && strncmp(line->verb->choices, "count", 5) == 0;
    const bool has_pool = strcmp(line->verb->name, "ci") == 0 || strcmp(line->verb->name, "export") == 0;
    struct names deques;
    int result = 0;
    if (!asked && !named && !from)
        return 0;
    names_of_deques(&deques, root);
    for (size_t i = 0; asked && i < asked->value_count && result == 0; i++)
        result = must_have(&deques, "deque", asked->values[i], DEQUE_GROUPS, message);
    for (size_t i = from; (named || from) && i < line->words.count && result == 0; i++)
        result = must_have(&deques, "deque", line->words.at[i], has_pool ? "pool" : NULL, message);
    names_free(&deques);
    return result;
}

static int check_workload(const struct command_line *line, const char *root, char *message) {
    struct names workloads, parameters;
    char what[96];
    names_of_workloads(&workloads, root);
    int result = must_have(&workloads, "workload", line->words.at[0], NULL, message);
    names_free(&workloads);
    if (result)
        return result;
    names_of_parameters(&parameters, root);
    snprintf(what, sizeof what, "parameter of %.60s", line->words.at[0]);
    for (size_t i = 0; i < line->values.key_count && result == 0; i++)
        result = must_have(&parameters, what, line->values.keys[i].name, "deque", message);
    names_free(&parameters);
    return result;
}

static int check_suite(const struct command_line *line, const char *root, char *message) {
    struct names suites;
    const char *word = line->words.at[0], *dot = strrchr(word, '.');
    if (strchr(word, '/') || (dot && strcmp(dot, ".suite") == 0)) {
        if (access(word, R_OK) == 0)
            return 0;
        snprintf(message, MESSAGE_SIZE, "no such suite: %.300s: no such file", word);
        return 2;
    }
    names_of_suites(&suites, root);
    const int result = must_have(&suites, "suite", word, NULL, message);
    names_free(&suites);
    return result;
}

int names_must_have_deque(const struct names *names, const char *deque, char *message) {
    return must_have(names, "deque", deque, NULL, message);
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *run_named(const char *word, const char *root, char *message) {
    char *here = path_join("results", word), *results = path_join(root, "results"), *below = path_join(results, word);
    const char *const places[] = {word, here, below};
    char *found = NULL;
    for (size_t i = 0; i < 3 && *word && !found; i++)
        found = is_folder(places[i]) ? duplicate(places[i]) : NULL;
    if (!found) {
        struct names runs;
        names_of_runs(&runs, results);
        if (must_have(&runs, "run", word, NULL, message) == 0)
            snprintf(message, MESSAGE_SIZE, "no such run: %.60s; there is none in %.300s", word, results);
        names_free(&runs);
    }
    free(here);
    free(results);
    free(below);
    return found;
}

int names_check(const struct command_line *line, const char *root, char *message) {
    const enum named words = line->verb->named;
    int result = 0;
    if (words == WORDS_WORKLOAD)
        result = check_workload(line, root, message);
    else if (words == WORDS_SUITE)
        result = check_suite(line, root, message);
    for (size_t i = 0; words == WORDS_RUNS && i < line->words.count && result == 0; i++) {
        char *run = run_named(line->words.at[i], root, message);
        result = run ? 0 : 2;
        free(run);
    }
    return result ? result : check_deques(line, root, message);
}
