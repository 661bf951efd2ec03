#include "harness/driver/verbs/verbs.h"
#include <regex.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds what the pattern's group matches, in files below root/folder whose names end so. */
static void find_all(struct words *names, const char *root, const char *folder, const char *end, const char *pattern) {
    const char *top = path_join(root, folder);
    const struct words files = files_below(top, end);
    regmatch_t match[2];
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
        return;
    for (size_t i = 0; i < files.count; i++) {
        struct text text = {0};
        file_read(path_join(top, files.at[i]), &text);
        for (const char *at = text_string(&text); regexec(&regex, at, 2, match, 0) == 0; at += match[0].rm_eo) {
            const char *name = formatted("%.*s", (int)(match[1].rm_eo - match[1].rm_so), at + match[1].rm_so);
            if (!words_have(names, name))
                words_add(names, name);
        }
        text_free(&text);
    }
    regfree(&regex);
    words_sort(names);
}

/* Each without its ending. */
static struct words without_ending(struct words names, const char *ending) {
    for (size_t i = 0; i < names.count; i++)
        names.at[i] = formatted("%.*s", (int)(strlen(names.at[i]) - strlen(ending)), names.at[i]);
    words_sort(&names);
    return names;
}

struct words names_of_deques(const char *root) {
    const struct words others = words_of("deque.h", "upstream/upstream.h", NULL),
                       headers = files_below(path_join(root, "queues"), ".h");
    struct words deques = {0};
    for (size_t i = 0; i < headers.count; i++)
        if (!words_have(&others, headers.at[i]) && strncmp(headers.at[i], "parts/", 6) != 0)
            words_add(&deques, headers.at[i]);
    return without_ending(deques, ".h");
}

struct words names_of_workloads(const char *root) {
    struct words names = {0};
    find_all(&names, root, "workloads", ".c",
             "REGISTER_WORKLOAD\\([[:space:]]*[a-z_]+,[[:space:]]+\\.name = \"([^\"]+)\"");
    return names;
}

struct words names_of_parameters(const char *root) {
    static const char parameter[] = "PARAMETER_[A-Z_]+\\([[:space:]]*\"([^\"]+)\"";
    struct words names = {0};
    find_all(&names, root, "workloads", "", parameter);
    find_all(&names, root, "harness/measuring", "", parameter);
    find_all(&names, root, "queues", ".h", "\\.mode = \"([^\"]+)\"");
    return names;
}

struct words names_of_suites(const char *root) {
    return without_ending(folder_names(path_join(root, "suites"), ".suite"), ".suite");
}

/* Refuses a word that is neither among the names nor in others ("a|b"). Accepts every word if there are no names. */
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
    const struct words deques = names_of_deques(root);
    for (size_t i = 0; asked && i < asked->values.count; i++)
        must_have(deques, "deque", asked->values.at[i], DEQUE_GROUPS);
    for (size_t i = lab; (named || lab) && i < line->words.count; i++)
        must_have(deques, "deque", line->words.at[i], has_pool ? "pool" : NULL);
}

static void check_workload(const struct command_line *line, const char *root) {
    const char *workload = line->words.at[0];
    must_have(names_of_workloads(root), "workload", workload, NULL);
    const struct words parameters = names_of_parameters(root);
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
    must_have(names_of_deques(root), "deque", deque, NULL);
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
