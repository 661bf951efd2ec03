#include "harness/driver/verbs/verbs.h"
#include <argp.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_MAX 96
#define KEY_FIRST 1024 /* first key of options without a letter; smaller keys are letters */

/* The verb's options in argp's form, and the entry of our table behind each. */
struct spelling {
    struct argp_option options[OPTIONS_MAX];
    const struct verb_option *meant[OPTIONS_MAX]; /* NULL: a title, help, or an option of suites */
    const struct option_group *groups[OPTIONS_MAX];
    size_t count;
};

static void spell(struct spelling *spelling, const struct verb_option *meant, const struct option_group *group,
                  struct argp_option option) {
    const size_t i = spelling->count++;
    if (i + 1 >= OPTIONS_MAX)
        abort(); /* enlarge OPTIONS_MAX */
    spelling->meant[i] = meant;
    spelling->groups[i] = group;
    spelling->options[i] = option;
    spelling->options[i].key = option.doc && !option.name ? 0 : option.key ? option.key : KEY_FIRST + (int)i;
}

static char *option_of_parameter(const struct parameter *parameter) {
    char *name = duplicate(parameter->name);
    for (char *at = name; (at = strchr(at, '_'));)
        *at = '-';
    return name;
}

static void spell_group(struct spelling *spelling, const struct option_group *group) {
    spell(spelling, NULL, NULL, (struct argp_option){.doc = group->title});
    for (const struct verb_option *option = group->options; option->name; option++) {
        const bool may = option->value && *option->value == '?';
        spell(spelling, option, group,
              (struct argp_option){.name = option->name,
                                   .key = option->letter,
                                   .arg = option->value + may,
                                   .flags = may ? OPTION_ARG_OPTIONAL : 0,
                                   .doc = option->help});
    }
}

static void spell_suite_options(struct spelling *spelling) {
    spell(spelling, NULL, NULL, (struct argp_option){.doc = "How often, and how long:"});
    for (const struct parameter *one = suite_option_parameters; one->name; one++)
        spell(spelling, NULL, NULL,
              (struct argp_option){.name = option_of_parameter(one),
                                   .arg = one->choices && *one->choices ? one->choices : "N",
                                   .doc = formatted("%s%s%s", one->unit, *one->unit ? " " : "", one->help)});
}

/* What most need comes first: what is measured, how often, the run. */
static void spell_verb(struct spelling *spelling, const struct verb *verb) {
    *spelling = (struct spelling){.count = 0};
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++) {
        spell_group(spelling, verb->groups[i]);
        if (i == 0 && verb->measures)
            spell_suite_options(spelling);
    }
    spell(spelling, NULL, NULL, (struct argp_option){.name = "help", .key = 'h', .doc = "this text", .group = -1});
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    struct spelling spelling;
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
    for (size_t i = 0; i < reading->spelling.count; i++)
        if (reading->spelling.options[i].name)
            words_add(&names, reading->spelling.options[i].name);
    refuse_unknown(formatted("option of %s", reading->line->verb->name), name, &names);
}

/* The option of this name or, if name is NULL, of this letter. */
static const struct argp_option *find_option(const struct spelling *spelling, const char *name, int letter) {
    for (size_t i = 0; i < spelling->count; i++) {
        const struct argp_option *option = &spelling->options[i];
        if (option->name && (name ? strcmp(option->name, name) == 0 : option->key == letter))
            return option;
    }
    return NULL;
}

static bool needs_value(const struct argp_option *option) {
    return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Makes a path absolute. Paths are relative to the user's folder, which run.sh and the installed program pass in
 * STEALBENCH_FROM. kind: the name of the option's value. */
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
static void apply(struct reading *reading, const struct argp_option *option, const char *value) {
    const size_t i = (size_t)(option - reading->spelling.options);
    const struct verb_option *meant = reading->spelling.meant[i];
    reading->line->help |= option->key == 'h';
    if (!meant)
        return;
    const char *with = reading->spelling.groups[i]->with;
    if (with && strcmp(with, meant->name) == 0) {
        reading->with = with;
    } else if (with) {
        reading->without = meant->name;
        reading->missing = with;
    }
    if (meant->flag != NOWHERE)
        *(bool *)((char *)reading->line + meant->flag) = true;
    if (meant->text != NOWHERE && value)
        *(const char **)((char *)reading->line + meant->text) = value;
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
    const struct argp_option *option = find_option(&reading->spelling, name, 0);
    const bool wanted = !option || needs_value(option), deques = strcmp(name, "deque") == 0;
    if (!option && verb_words(line->verb).named != WORDS_WORKLOAD)
        refuse_option(reading, name);
    if (option && !option->arg && value)
        refuse(2, "--%s takes no value", name);
    if (wanted && !value && *at + 1 < count && !begins_with(arguments[*at + 1], "--"))
        value = duplicate(arguments[++*at]);
    if ((wanted && !value) || (value && !*value))
        refuse(2, "--%s needs a value", option ? name : parameter);
    const char *there = paths_from_here(option ? option->arg : NULL, value);
    give(reading, formatted("--%s%s%s", option ? name : parameter, value ? "=" : "", value ? there : ""), true);
    if (option && parameter_find(suite_option_parameters, parameter))
        take_override(reading, parameter, value);
    else if (option && !deques && strcmp(name, "only") != 0)
        apply(reading, option, there);
    else if (line->verb->measures || deques)
        suite_line_add(&line->values, formatted("%s=%s", parameter, value));
}

/* Takes "-p" or "-pVALUE", or "-p VALUE". Moves *at to the last word taken. */
static void take_letter(struct reading *reading, const char *const *arguments, int count, int *at) {
    const char *word = arguments[*at], *value = word[2] ? word + 2 : NULL;
    const struct argp_option *option = find_option(&reading->spelling, NULL, word[1]);
    give(reading, word, true);
    if (option && needs_value(option) && !value && *at + 1 < count) {
        value = path_from_here(option->arg, arguments[++*at]);
        give(reading, value, true);
    }
    if (!option || (needs_value(option) ? !value : value != NULL))
        refuse(2, "no such option: %.60s; `stealbench help %s` tells what there is", word, reading->line->verb->name);
    apply(reading, option, value);
}

/* Takes a word; one with a slash may be a path. Names may also be joined by commas. */
static void take_word(struct reading *reading, const char *word) {
    const enum named named = verb_words(reading->line->verb).named;
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
    const struct verb_words words = verb_words(verb);
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

struct command_line command_line_parse(int count, const char *const *arguments, const char *usual) {
    static struct reading reading;
    const char *word = count > 1 ? arguments[1] : "-";
    const char *verb = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ? "help"
                       : strcmp(word, "--version") == 0                       ? "version"
                       : *word == '-'                                         ? usual
                                                                              : word;
    if (!verb)
        refuse(2, "a verb is missing; stealbench help names them");
    struct command_line line = {.verb = verb_find(verb)};
    if (!line.verb)
        refuse_verb(verb);
    refusal_verb = line.verb->name;
    reading = (struct reading){.line = &line};
    spell_verb(&reading.spelling, line.verb);
    read_words(&reading, count, arguments, verb == usual ? 1 : 2);
    if (!line.help)
        check_words(&line);
    return line;
}

bool has_option(const struct command_line *line, const char *name) {
    for (size_t i = 0; i < line->options.count; i++)
        if (begins_with(line->options.at[i], name))
            return true;
    return false;
}

void add_options(struct words *words, const struct command_line *line, const char *leave_out) {
    for (size_t i = 0; i < line->options.count; i++)
        if (!leave_out || !begins_with(line->options.at[i], leave_out))
            words_add(words, line->options.at[i]);
}

/* argp sorts, aligns and wraps the lines. */
void command_line_help(const struct verb *verb, FILE *file) {
    struct spelling spelling;
    struct text about = {0};
    spell_verb(&spelling, verb);
    text_format(&about, "%c%s.%s%s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->text ? " " : "",
                verb->text ? verb->text : "");
    const struct argp argp = {
        .options = spelling.options, .args_doc = verb->arguments ? verb->arguments : "", .doc = about.data};
    argp_help(&argp, file, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG,
              formatted("stealbench %s", verb->name));
}
