#include "harness/driver/verbs/verbs.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An option of a verb; NULL for the group of --help. */
struct known_option {
    const struct verb_option *option;
    const struct option_group *group;
};

static const struct verb_option help_option = {"help", NULL, "this text", 'h', NOWHERE, NOWHERE};

struct known_options {
    struct known_option *at;
    size_t count;
};

/* In the order of the verb's help. */
static struct known_options options_of(const struct verb *verb) {
    struct known_options known = {0};
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++)
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++) {
            const size_t place = ONE_MORE(known.at, known.count);
            known.at[place] = (struct known_option){option, verb->groups[i]};
        }
    const size_t last = ONE_MORE(known.at, known.count);
    known.at[last] = (struct known_option){&help_option, NULL};
    return known;
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    struct known_options known;
    const char *with;    /* the option that others need, if it is given */
    const char *without; /* an option that needs another one, if it is given */
    const char *missing; /* the option that the latter needs */
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

static _Noreturn void refuse_option(struct reading *reading, const char *name) {
    struct words names = {0};
    for (size_t i = 0; i < reading->known.count; i++)
        words_add(&names, reading->known.at[i].option->name);
    refuse_unknown(formatted("option of %s", refusal_verb), name, &names);
}

/* The number of the option of this name or, if name is NULL, of this letter; NOWHERE: there is none. */
static size_t find_option(const struct known_options *known, const char *name, char letter) {
    for (size_t i = 0; i < known->count; i++)
        if (name ? strcmp(known->at[i].option->name, name) == 0 : known->at[i].option->letter == letter)
            return i;
    return NOWHERE;
}

static bool needs_value(const struct verb_option *option) { return option->value && *option->value != '?'; }

/* Makes a path absolute. Paths are relative to the user's folder, which run.sh passes in STEALBENCH_FROM. kind: the
 * name of the option's value. */
static const char *path_from_here(const char *kind, const char *value) {
    char here[PATH_MAX];
    const char *from = getenv("STEALBENCH_FROM");
    if (!value || !from || !kind || (strcmp(kind, "FILE") != 0 && strcmp(kind, "FOLDER") != 0) || *value == '/' ||
        strcmp(value, "-") == 0 || (getcwd(here, sizeof here) && strcmp(here, from) == 0))
        return value;
    return path_join(from, value);
}

/* The same of several folders, "FOLDER:FOLDER". */
static const char *paths_from_here(const char *kind, const char *value) {
    if (!value || !kind || strcmp(kind, "FOLDER:...") != 0)
        return path_from_here(kind, value);
    const struct words folders = split_words(value, ":");
    const char *all = "";
    for (size_t i = 0; i < folders.count; i++)
        all = formatted("%s%s%s", all, i ? ":" : "", path_from_here("FOLDER", folders.at[i]));
    return all;
}

/* Stores the option's value in its place. */
static void apply(struct reading *reading, size_t i, const char *value) {
    const struct verb_option *option = reading->known.at[i].option;
    const char *with = reading->known.at[i].group ? reading->known.at[i].group->with : NULL;
    reading->line->help |= option == &help_option;
    if (with && strcmp(with, option->name) == 0) {
        reading->with = with;
    } else if (with) {
        reading->without = option->name;
        reading->missing = with;
    }
    if (option->flag != NOWHERE)
        *(bool *)((char *)reading->line + option->flag) = true;
    if (option->text != NOWHERE && value)
        *(const char **)((char *)reading->line + option->text) = value;
}

static void give(struct reading *reading, const char *word, bool is_option) {
    words_add(&reading->line->given, word);
    if (is_option)
        words_add(&reading->line->options, word);
}

/* Takes "--name", "--name=value" or "--name value", with - or _ in the name; for a workload also a parameter. Moves *at
 * to the last word taken. */
static void take_dashed(struct reading *reading, const char *const *arguments, int count, int *at) {
    struct command_line *line = reading->line;
    char *value = duplicate(arguments[*at] + 2), *word = strsep(&value, "=");
    char name[NAME_SIZE] = "", parameter[NAME_SIZE] = "";
    if (!*word || strlen(word) >= sizeof name)
        refuse(2, "%.60s: no such option", arguments[*at]);
    for (size_t i = 0; word[i]; i++) {
        name[i] = word[i] == '_' ? '-' : word[i];
        parameter[i] = word[i] == '-' ? '_' : word[i];
    }
    const size_t i = find_option(&reading->known, name, 0);
    const struct verb_option *option = i == NOWHERE ? NULL : reading->known.at[i].option;
    const bool wanted = !option || needs_value(option), deques = strcmp(name, "deque") == 0;
    if (!option && line->verb->words.named != WORDS_WORKLOAD)
        refuse_option(reading, name);
    if (option && !option->value && value)
        refuse(2, "--%s takes no value", name);
    if (wanted && !value && *at + 1 < count && !begins_with(arguments[*at + 1], "--"))
        value = duplicate(arguments[++*at]);
    if ((wanted && !value) || (value && !*value))
        refuse(2, "--%s needs a value", option ? name : parameter);
    const char *there = option && option->value ? paths_from_here(option->value + !wanted, value) : value;
    give(reading, formatted("--%s%s%s", option ? name : parameter, value ? "=" : "", value ? there : ""), true);
    if (option)
        apply(reading, i, there);
    if (option && parameter_find(suite_option_parameters, parameter))
        take_override(reading, parameter, value);
    else if (!option || deques || strcmp(name, "only") == 0)
        suite_line_add(&line->values, formatted("%s=%s", parameter, value));
}

/* Takes "-p" or "-pVALUE", or "-p VALUE". Moves *at to the last word taken. */
static void take_letter(struct reading *reading, const char *const *arguments, int count, int *at) {
    const char *word = arguments[*at], *value = word[2] ? word + 2 : NULL;
    const size_t i = find_option(&reading->known, NULL, word[1]);
    const struct verb_option *option = i == NOWHERE ? NULL : reading->known.at[i].option;
    give(reading, word, true);
    if (option && needs_value(option) && !value && *at + 1 < count) {
        value = path_from_here(option->value, arguments[++*at]);
        give(reading, value, true);
    }
    if (!option || (needs_value(option) ? !value : value != NULL))
        refuse(2, "no such option: %.60s; `stealbench help %s` tells what there is", word, refusal_verb);
    apply(reading, i, value);
}

/* Takes a word; one with a slash may be a path. Names may also be joined by commas. */
static void take_word(struct reading *reading, const char *word) {
    const enum named named = reading->line->verb->words.named;
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
        if (reading->line->verb->passes_on && reading->line->words.count > 0)
            give(reading, word, false);
        else if (strcmp(word, "--") == 0)
            give(reading, word, false);
        else if (begins_with(word, "--"))
            take_dashed(reading, arguments, count, &at);
        else if (*word == '-' && word[1])
            take_letter(reading, arguments, count, &at);
        else
            take_word(reading, word);
    }
    if (reading->without && !reading->with && !reading->line->help)
        refuse(2, "--%s goes with --%s", reading->without, reading->missing);
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
    const struct verb_words words = verb->words;
    if (words.most == 0 && line->words.count > 0)
        refuse(2, "this verb takes no words: %.60s", line->words.at[0]);
    if (line->words.count < words.least || line->words.count > words.most) {
        const char *what = wants[words.named] ? wants[words.named] : words.choices ? words.choices : verb->arguments;
        refuse(2, "it needs %s%s", words.choices ? "one of " : "", what);
    }
    if (line->topology && !line->dry_run)
        refuse(2, "--topology describes another machine, so it needs --dry-run");
    if (!words.choices || line->words.count == 0 || line->ci || choice_index(words.choices, line->words.at[0]) >= 0)
        return;
    const struct words choices = split_words(words.choices, "|");
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
    reading = (struct reading){.line = &line, .known = options_of(line.verb)};
    if (line.verb->words.named == WORDS_SUITE && strcmp(verb, line.verb->name) != 0)
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
    const bool may = option->value && *option->value == '?';
    const char *letter = option->letter ? formatted("-%c,", option->letter) : "";
    const char *value = !option->value ? ""
                        : may          ? formatted("[=%s]", option->value + 1)
                                       : formatted("=%s", option->value);
    size_t at = (size_t)fprintf(file, "  %3s --%s%s", letter, option->name, value);
    if (at > 27) {
        fputc('\n', file);
        at = 0;
    }
    print_words(at, 29, option->help, file);
}

void command_line_help(const struct verb *verb, FILE *file) {
    const struct known_options known = options_of(verb);
    fprintf(file, "Usage: stealbench %s [OPTION...] %s\n", verb->name, verb->arguments ? verb->arguments : "");
    print_words(
        0, 0,
        formatted("%c%s. %s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->text ? verb->text : ""),
        file);
    for (size_t i = 0; i < known.count; i++) {
        const struct option_group *group = known.at[i].group;
        if (i == 0 || group != known.at[i - 1].group)
            fprintf(file, "\n%s\n", group ? group->title : "Help:");
        print_option(known.at[i].option, file);
    }
}
