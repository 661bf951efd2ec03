#include "harness/driver/verbs/verbs.h"

struct words names_of_deques(const char *root) {
    const struct words others = words_of("deque", "upstream/upstream", NULL),
                       headers = files_below(path_join(root, "queues"), ".h");
    struct words deques = {0};
    for (size_t i = 0; i < headers.count; i++)
        if (!words_have(&others, headers.at[i]) && strncmp(headers.at[i], "parts/", 6) != 0)
            words_add(&deques, headers.at[i]);
    return deques;
}

struct words names_of_suites(const char *root) {
    return folder_names(path_join(root, "suites"), ".suite");
}

const char *title_of_suite(const char *root, const char *name) {
    struct text text = {0};
    file_read(formatted("%s/suites/%s.suite", root, name), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++)
        if (begins_with(lines.at[i], "title "))
            return lines.at[i] + 6;
    return "";
}

/* Refuses a word that is neither among the names nor in others ("a|b"). Accepts every word if there are no names. */
static void must_have(struct words names, const char *what, const char *word, const char *others) {
    if (names.count == 0 || words_have(&names, word) || choice_index(others, word) >= 0)
        return;
    const struct words more = split_words(others ? others : "", "|");
    words_add_all(&names, &more);
    refuse_unknown(what, word, &names);
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

/* Refuses a suite that is neither a name of one nor a readable file. */
const char *suite_path(const char *word, const char *root) {
    if (!strchr(word, '/') && !ends_with(word, ".suite")) {
        must_have(names_of_suites(root), "suite", word, NULL);
        return formatted("%s/suites/%s.suite", root, word);
    }
    if (access(word, R_OK) != 0)
        refuse(2, "no such suite: %.300s: no such file", word);
    return word;
}

/* Refuses a deque whose header calls itself something else: a copy whose .id was forgotten. */
static void must_call_itself(const char *id, const char *root) {
    struct text header = {0};
    if (file_read(formatted("%s/queues/%s.h", root, id), &header) != 0)
        return;
    const char *other = strstr(text_string(&header), ".id = \"");
    if (other && !strstr(other, formatted(".id = \"%s\"", id)))
        refuse(1, "queues/%s.h: its .id is \"%.*s\" and has to be \"%s\", its path below queues/", id,
               (int)strcspn(other + 7, "\""), other + 7, id);
}

void names_check(const struct command_line *line, const char *root) {
    const struct verb *verb = line->verb;
    const enum named words = verb->named;
    const struct suite_key *asked =
        value_of(line, "deques-in") || verb->other_deques ? NULL : suite_line_key(&line->values, "deque");
    const bool lab = verb->carry_out == carry_out_lab, of_deques = words == WORDS_DEQUES && !has(line, "against");
    const bool has_pool = verb->carry_out == carry_out_ci || *verb->program; /* the other one is export */
    if (words == WORDS_SUITE)
        suite_path(line->words.at[0], root);
    for (size_t i = 0; words == WORDS_RUNS && i < line->words.count; i++)
        run_named(line->words.at[i], root);
    const struct words deques = names_of_deques(root);
    for (size_t i = 0; asked && i < asked->values.count; i++) {
        must_have(deques, "deque", asked->values.at[i], DEQUE_GROUPS);
        must_call_itself(asked->values.at[i], root);
    }
    for (size_t i = lab; (of_deques || lab) && i < line->words.count; i++) {
        must_have(deques, "deque", line->words.at[i], has_pool ? "pool" : NULL);
        must_call_itself(line->words.at[i], root);
    }
}
