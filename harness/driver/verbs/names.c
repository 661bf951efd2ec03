#include "harness/driver/verbs/verbs.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps them sorted. */
static void add(struct names *names, const char *id, const char *about) {
    if (!id || !about || words_have(&names->ids, id))
        return;
    words_add(&names->ids, id);
    words_add(&names->abouts, about);
    for (size_t i = names->ids.count; --i > 0 && strcmp(names->ids.at[i - 1], id) > 0;) {
        names->ids.at[i] = names->ids.at[i - 1];
        names->abouts.at[i] = names->abouts.at[i - 1];
        names->ids.at[i - 1] = id;
        names->abouts.at[i - 1] = about;
    }
}

/* The text behind `what`, such as .title = ", up to the next quote; or NULL. */
static char *quoted(const char *text, const char *what) {
    const char *found = strstr(text, what), *end = found ? strchr(found + strlen(what), '"') : NULL;
    return end ? strndup(found + strlen(what), (size_t)(end - found) - strlen(what)) : NULL;
}

typedef void looker(struct names *, const char *path, const char *text);

/* Calls look for every file below root/folder whose name ends so. */
static void look_through(struct names *names, const char *root, const char *folder, const char *end, looker *look) {
    const char *top = path_join(root, folder);
    const struct words files = files_below(top, end);
    for (size_t i = 0; i < files.count; i++) {
        struct text text = {0};
        if (file_read(path_join(top, files.at[i]), &text) == 0)
            look(names, files.at[i], text_string(&text));
        text_free(&text);
    }
}

static void look_for_deque(struct names *names, const char *path, const char *text) {
    const char *title = quoted(text, ".title = \""), *source = quoted(text, ".source = \"");
    if (strcmp(path, "deque.h") != 0 && strcmp(path, "ring.h") != 0 && strcmp(path, "upstream/upstream.h") != 0)
        add(names, formatted("%.*s", (int)(strlen(path) - strlen(".h")), path),
            title && source ? formatted("%s. %s", title, source) : "");
}

static void look_for_workload(struct names *names, const char *path, const char *text) {
    (void)path;
    if (strstr(text, "REGISTER_WORKLOAD("))
        add(names, quoted(text, ".name = \""), quoted(text, ".summary = \""));
}

/* PARAMETER_INTEGER("batch", ... of any kind */
static void look_for_parameters(struct names *names, const char *path, const char *text) {
    (void)path;
    for (const char *at = text; (at = strstr(at, "PARAMETER_"));) {
        while (isupper((unsigned char)*at) || *at == '_')
            at++;
        if (*at == '(')
            at += 1 + strspn(at + 1, " \n");
        if (*at == '"')
            add(names, quoted(at, "\""), "");
    }
}

static void look_for_mode(struct names *names, const char *path, const char *text) {
    (void)path;
    add(names, quoted(text, ".mode = \""), "");
}

struct names names_of_deques(const char *root) {
    struct names names = {0};
    look_through(&names, root, "queues", ".h", look_for_deque);
    return names;
}

struct names names_of_workloads(const char *root) {
    struct names names = {0};
    look_through(&names, root, "workloads", ".c", look_for_workload);
    return names;
}

struct names names_of_parameters(const char *root) {
    static const char *const folders[] = {"workloads", "harness/measuring"};
    struct names names = {0};
    for (size_t i = 0; i < 2; i++) {
        look_through(&names, root, folders[i], ".c", look_for_parameters);
        look_through(&names, root, folders[i], ".h", look_for_parameters);
    }
    look_through(&names, root, "queues", ".h", look_for_mode);
    return names;
}

struct words names_of_suites(const char *root) {
    struct words names = folder_names(path_join(root, "suites"), ".suite");
    for (size_t i = 0; i < names.count; i++)
        names.at[i] = formatted("%.*s", (int)(strlen(names.at[i]) - strlen(".suite")), names.at[i]);
    words_sort(&names);
    return names;
}

/* Refused: it is neither among them nor in others ("a|b"). Where there are none, nothing is held against it. */
static void must_have(struct words names, const char *what, const char *word, const char *others) {
    if (names.count == 0 || words_have(&names, word) || choice_index(others, word) >= 0)
        return;
    const struct words more = split_words(others ? others : "", "|");
    words_add_all(&names, &more);
    refuse_unknown(what, word, &names);
}

static void check_deque_names(const struct command_line *line, const char *root) {
    const struct verb *verb = line->verb;
    const struct suite_key *asked =
        line->deques_in || verb->other_deques ? NULL : suite_line_key(&line->values, "deque");
    const bool lab = strcmp(verb->name, "lab") == 0,
               named = verb_words(verb).named == WORDS_DEQUES && !line->wants_against;
    const bool has_pool = strcmp(verb->name, "ci") == 0 || strcmp(verb->name, "export") == 0;
    if (!asked && !named && !lab)
        return;
    const struct words deques = names_of_deques(root).ids;
    for (size_t i = 0; asked && i < asked->values.count; i++)
        must_have(deques, "deque", asked->values.at[i], "all|sound|reference|unsound");
    for (size_t i = lab; (named || lab) && i < line->words.count; i++)
        must_have(deques, "deque", line->words.at[i], has_pool ? "pool" : NULL);
}

static void check_workload(const struct command_line *line, const char *root) {
    const char *workload = line->words.at[0];
    must_have(names_of_workloads(root).ids, "workload", workload, NULL);
    const struct words parameters = names_of_parameters(root).ids;
    for (size_t i = 0; i < line->values.key_count; i++)
        must_have(parameters, formatted("parameter of %.60s", workload), line->values.keys[i].name, "deque");
}

static void check_suite(const char *word, const char *root) {
    if (!strchr(word, '/') && !ends_with(word, ".suite"))
        must_have(names_of_suites(root), "suite", word, NULL);
    else if (access(word, R_OK) != 0)
        refuse(2, "no such suite: %.300s: no such file", word);
}

void names_must_have_deque(const char *root, const char *deque) {
    must_have(names_of_deques(root).ids, "deque", deque, NULL);
}

const char *run_named(const char *word, const char *root) {
    const char *results = path_join(root, "results");
    const char *const places[] = {word, path_join("results", word), path_join(results, word)};
    struct stat status;
    for (size_t i = 0; i < 3 && *word; i++)
        if (stat(places[i], &status) == 0 && S_ISDIR(status.st_mode))
            return places[i];
    const struct words folders = folder_names(results, "");
    struct words runs = {0};
    for (size_t i = 0; i < folders.count; i++)
        if (access(formatted("%s/%s/manifest.json", results, folders.at[i]), F_OK) == 0)
            words_add(&runs, folders.at[i]);
    must_have(runs, "run", word, NULL);
    refuse(2, "no such run: %.60s; there is none in %.300s", word, results);
}

void names_check(const struct command_line *line, const char *root) {
    const enum named words = verb_words(line->verb).named;
    if (words == WORDS_WORKLOAD)
        check_workload(line, root);
    else if (words == WORDS_SUITE)
        check_suite(line->words.at[0], root);
    for (size_t i = 0; words == WORDS_RUNS && i < line->words.count; i++)
        run_named(line->words.at[i], root);
    check_deque_names(line, root);
}
