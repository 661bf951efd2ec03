#include "harness/driver/verbs/verbs.h"

struct known_options {
    struct verb_option *at; /* with the titles of groups */
    size_t count;
};

/* In the order of the verb's help. */
static struct known_options known_options_of(const struct verb *verb) {
    struct known_options known = {0};
    for (size_t i = 0; i < verb->groups.count; i++)
        for (size_t j = 0; option_number(j).name; j++)
            if (strcmp(option_number(j).group, verb->groups.at[i]) == 0) {
                const size_t place = ONE_MORE(known.at, known.count);
                known.at[place] = option_number(j);
            }
    return known;
}

const char *value_of(const struct command_line *line, const char *option) {
    const char *found = NULL;
    for (size_t i = 0; i < line->options.count; i++) {
        const char *word = line->options.at[i] + 2, *rest = word + strlen(option);
        if (begins_with(word, option) && *rest == '=')
            found = rest + 1;
    }
    return found;
}

bool has(const struct command_line *line, const char *option) {
    return value_of(line, option) || words_have(&line->options, formatted("--%s", option));
}

struct command_line with(const struct command_line *line, const char *option) {
    struct command_line more = *line;
    more.options = (struct words){0};
    words_add_all(&more.options, &line->options);
    words_add(&more.options, option);
    return more;
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    struct known_options known;
    const char *dependent, *needed; /* an option that needs another one, and that; or NULL */
};

/* Takes invocations, precision and the like: their ranges are known here. */
static void take_override(struct reading *reading, const char *name, const char *value) {
    struct suite_options ignored = {0};
    char *number = duplicate(value);
    suite_set_option(&ignored, name, value);
    if (ends_with(number, "%")) /* read 2% as 2, because % escapes digits in a line's values */
        number[strlen(number) - 1] = '\0';
    suite_line_add(&reading->line->overrides, formatted("%s=%s", name, number));
}

/* The option of this name or, if name is "", of this letter; or NULL. */
static const struct verb_option *find_option(const struct known_options *known, const char *name, char letter) {
    for (size_t i = 0; i < known->count; i++)
        if (*known->at[i].name && (*name ? strcmp(known->at[i].name, name) == 0 : known->at[i].letter == letter))
            return &known->at[i];
    return NULL;
}

static bool needs_value(const struct verb_option *option) { return *option->value && *option->value != '?'; }

/* Makes a path absolute. Paths are relative to the user's folder, which run.sh passes in STEALBENCH_FROM. kind: the
 * name of the option's value. */
static const char *path_from_here(const char *kind, const char *value) {
    char here[PATH_MAX];
    const char *from = getenv("STEALBENCH_FROM");
    if (!value || !from || (strcmp(kind, "FILE") != 0 && strcmp(kind, "FOLDER") != 0) || *value == '/' ||
        strcmp(value, "-") == 0 || (getcwd(here, sizeof here) && strcmp(here, from) == 0))
        return value;
    return path_join(from, value);
}

/* The same of several folders, "FOLDER:FOLDER". */
static const char *paths_from_here(const char *kind, const char *value) {
    if (!value || strcmp(kind, "FOLDER:...") != 0)
        return path_from_here(kind, value);
    const struct words folders = split_words(value, ":");
    const char *all = "";
    for (size_t i = 0; i < folders.count; i++)
        all = formatted("%s%s%s", all, i ? ":" : "", path_from_here("FOLDER", folders.at[i]));
    return all;
}

static void give(struct reading *reading, const char *word, bool is_option) {
    words_add(&reading->line->given, word);
    if (is_option)
        words_add(&reading->line->options, word);
}

/* Takes the option of this name, NULL: a parameter of the workload, with its value or the next word as value. Moves *at
 * to the last word taken. */
static void take_option(struct reading *reading, const struct verb_option *option, const char *parameter,
                        const char *value, const char *const *arguments, int count, int *at) {
    struct command_line *line = reading->line;
    const bool wanted = !option || needs_value(option);
    const char *name = option ? option->name : parameter;
    if (option && !*option->value && value)
        refuse(2, "--%s takes no value", name);
    if (wanted && !value && *at + 1 < count && !begins_with(arguments[*at + 1], "--"))
        value = duplicate(arguments[++*at]);
    if ((wanted && !value) || (value && !*value))
        refuse(2, "--%s needs a value", name);
    const char *there = option ? paths_from_here(option->value + (*option->value == '?'), value) : value;
    give(reading, formatted("--%s%s%s", name, value ? "=" : "", value ? there : ""), true);
    line->help |= strcmp(name, "help") == 0;
    for (size_t i = 0; option && i < reading->known.count; i++) {
        const struct verb_option *title = &reading->known.at[i];
        if (!*title->name && *title->value && strcmp(title->group, option->group) == 0 &&
            strcmp(title->value, name) != 0) {
            reading->dependent = name;
            reading->needed = title->value;
        }
    }
    if (option && parameter_find(suite_option_parameters, parameter))
        take_override(reading, parameter, value);
    else if (!option || strcmp(name, "deque") == 0 || strcmp(name, "only") == 0)
        suite_line_add(&line->values, formatted("%s=%s", parameter, value));
}

/* Takes "--name", "--name=value" or "--name value", with - or _ in the name; for a workload also a parameter. */
static void take_dashed(struct reading *reading, const char *const *arguments, int count, int *at) {
    char *value = duplicate(arguments[*at] + 2), *word = strsep(&value, "=");
    char name[NAME_SIZE] = "", parameter[NAME_SIZE] = "";
    if (!*word || strlen(word) >= sizeof name)
        refuse(2, "%.60s: no such option", arguments[*at]);
    for (size_t i = 0; word[i]; i++) {
        name[i] = word[i] == '_' ? '-' : word[i];
        parameter[i] = word[i] == '-' ? '_' : word[i];
    }
    const struct verb_option *option = find_option(&reading->known, name, 0);
    struct words names = {0};
    for (size_t i = 0; i < reading->known.count; i++)
        if (*reading->known.at[i].name)
            words_add(&names, reading->known.at[i].name);
    if (!option && reading->line->verb->named != WORDS_WORKLOAD)
        refuse_unknown(formatted("option of %s", refusal_verb), name, &names);
    take_option(reading, option, parameter, value, arguments, count, at);
}

/* Takes "-p" or "-pVALUE", or "-p VALUE". */
static void take_letter(struct reading *reading, const char *const *arguments, int count, int *at) {
    const char *word = arguments[*at];
    const struct verb_option *option = find_option(&reading->known, "", word[1]);
    if (!option || (!needs_value(option) && word[2]))
        refuse(2, "no such option: %.60s; `stealbench help %s` tells what there is", word, refusal_verb);
    take_option(reading, option, option->name, word[2] ? word + 2 : NULL, arguments, count, at);
}

/* Takes a word; one with a slash may be a path. Names may also be joined by commas. */
static void take_word(struct reading *reading, const char *word) {
    const enum named named = reading->line->verb->named;
    const char *path = strpbrk(word, "/.") ? path_from_here("FILE", word) : word;
    const bool is_list = named == WORDS_DEQUES || named == WORDS_CHOICE;
    const struct words words = is_list ? split_words(word, ",") : words_of(access(path, F_OK) == 0 ? path : word, NULL);
    for (size_t i = 0; i < words.count; i++) {
        give(reading, words.at[i], false);
        words_add(&reading->line->words, words.at[i]);
    }
}

static void read_words(struct reading *reading, int count, const char *const *arguments, int at) {
    for (; at < count; at++) {
        const char *word = arguments[at];
        if (strcmp(word, "--") == 0 || (reading->line->verb->passes_on && reading->line->words.count > 0))
            give(reading, word, false);
        else if (begins_with(word, "--"))
            take_dashed(reading, arguments, count, &at);
        else if (*word == '-' && word[1])
            take_letter(reading, arguments, count, &at);
        else
            take_word(reading, word);
    }
    if (reading->dependent && !has(reading->line, reading->needed) && !reading->line->help)
        refuse(2, "--%s goes with --%s", reading->dependent, reading->needed);
}

/* Checks the number of words, and that the first is among the verb's choices. */
static void check_words(const struct command_line *line) {
    static const char *const wants[] = {[WORDS_WORKLOAD] = "one workload; stealbench list workloads names them",
                                        [WORDS_SUITE] = "one suite; stealbench list suites names them",
                                        [WORDS_RUNS] = "a run: a folder, or its name below results/",
                                        [WORDS_DEQUES] = "deques",
                                        [WORDS_FREE] = NULL,
                                        [WORDS_CHOICE] = NULL};
    const struct verb *verb = line->verb;
    if (verb->most == 0 && line->words.count > 0)
        refuse(2, "this verb takes no words: %.60s", line->words.at[0]);
    if (line->words.count < verb->least || line->words.count > verb->most) {
        const char *what = wants[verb->named] ? wants[verb->named] : verb->choices ? verb->choices : verb->arguments;
        refuse(2, "it needs %s%s", verb->choices ? "one of " : "", what);
    }
    if (has(line, "topology") && !has(line, "dry-run"))
        refuse(2, "--topology describes another machine, so it needs --dry-run");
    if (!verb->choices || line->words.count == 0 || has(line, "ci") ||
        choice_index(verb->choices, line->words.at[0]) >= 0)
        return;
    const struct words choices = split_words(verb->choices, "|");
    refuse_unknown("thing to do", line->words.at[0], &choices);
}

struct command_line command_line_parse(int count, const char *const *arguments, const char *usual,
                                       const struct words *suites) {
    static struct reading reading;
    const char *word = count > 1 ? arguments[1] : "-";
    const char *verb = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ? "help" : *word == '-' ? usual : word;
    if (!verb)
        refuse(2, "a verb is missing; stealbench help names them");
    struct command_line line = {.verb = verb_find(verb, suites)};
    refusal_verb = verb;
    reading = (struct reading){.line = &line, .known = known_options_of(line.verb)};
    if (line.verb->named == WORDS_SUITE && strcmp(verb, line.verb->name) != 0)
        take_word(&reading, verb);
    read_words(&reading, count, arguments, verb == usual ? 1 : 2);
    if (!line.help)
        check_words(&line);
    return line;
}

/* Prints words from this column on, in lines of at most 79. at: how many characters the line has already. */
static void print_words(size_t at, size_t column, const char *text, FILE *file) {
    const struct words words = split_words(text, " ");
    for (size_t i = 0; i < words.count; i++) {
        if (at > column && at + 1 + strlen(words.at[i]) > 79) {
            fputc('\n', file);
            at = 0;
        }
        const size_t gap = at < column ? column - at : at > column;
        at += (size_t)fprintf(file, "%*s%s", (int)gap, "", words.at[i]);
    }
    fputc('\n', file);
}

static void print_option(const struct verb_option *option, FILE *file) {
    const bool may = *option->value == '?';
    const char *letter = option->letter ? formatted("-%c,", option->letter) : "";
    const char *value = !*option->value ? ""
                        : may           ? formatted("[=%s]", option->value + 1)
                                        : formatted("=%s", option->value);
    size_t at = (size_t)fprintf(file, "  %3s --%s%s", letter, option->name, value);
    if (at > 27) {
        fputc('\n', file);
        at = 0;
    }
    print_words(at, 29, option->help, file);
}

void command_line_help(const struct verb *verb, FILE *file) {
    const struct known_options known = known_options_of(verb);
    fprintf(file, "Usage: stealbench %s [OPTION...] %s\n", verb->name, verb->arguments);
    print_words(0, 0, formatted("%c%s. %s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->more),
                file);
    for (size_t i = 0; i < known.count; i++)
        if (*known.at[i].name)
            print_option(&known.at[i], file);
        else
            fprintf(file, "\n%s\n", known.at[i].help);
}
