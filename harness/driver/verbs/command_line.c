#include "harness/driver/verbs/command_line.h"
#include "harness/driver/plan/catalogue.h"
#include <argp.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_MAX 96
#define KEY_FIRST 1024 /* of options without a letter; below it are the letters */

/* The verb's options as argp's help has them, and what each is of the table's. */
struct spelling {
    struct argp_option options[OPTIONS_MAX];
    const struct verb_option *meant[OPTIONS_MAX]; /* NULL: a title, help, or a suite's option */
    const struct option_group *groups[OPTIONS_MAX];
    size_t count;
};

static void spell(struct spelling *spelling, const struct verb_option *meant, const struct option_group *group,
                  struct argp_option option) {
    const size_t i = spelling->count++;
    if (i + 1 >= OPTIONS_MAX)
        abort(); /* the table outgrew it */
    spelling->meant[i] = meant;
    spelling->groups[i] = group;
    spelling->options[i] = option;
    spelling->options[i].key = option.doc && !option.name ? 0 : option.key ? option.key : KEY_FIRST + (int)i;
}

char *option_of_parameter(const struct parameter *parameter) {
    char *name = duplicate(parameter->name);
    for (char *at = name; (at = strchr(at, '_'));)
        *at = '-';
    return name;
}

static void spell_verb(struct spelling *spelling, const struct verb *verb) {
    *spelling = (struct spelling){.count = 0};
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++) {
        spell(spelling, NULL, NULL, (struct argp_option){.doc = verb->groups[i]->title});
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++) {
            const bool may = option->value && *option->value == '?';
            spell(spelling, option, verb->groups[i],
                  (struct argp_option){.name = option->name,
                                       .key = option->letter,
                                       .arg = option->value + may,
                                       .flags = may ? OPTION_ARG_OPTIONAL : 0,
                                       .doc = option->help});
        }
    }
    if (verb->measures)
        spell(spelling, NULL, NULL, (struct argp_option){.doc = "How often, and how long:"});
    for (const struct parameter *one = suite_option_parameters; one->name && verb->measures; one++)
        spell(spelling, NULL, NULL,
              (struct argp_option){.name = option_of_parameter(one),
                                   .arg = one->choices && *one->choices ? one->choices : "N",
                                   .doc = formatted("%s%s%s", one->unit, *one->unit ? " " : "", one->help)});
    spell(spelling, NULL, NULL, (struct argp_option){.name = "help", .key = 'h', .doc = "this text", .group = -1});
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    struct spelling spelling;
    const char *with;    /* an option that others go with, where it is given */
    const char *without; /* one of those */
    const char *missing; /* what the latter goes with */
    char *message;
};

static int say(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int say(struct reading *reading, const char *format, ...) {
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(reading->message, 2, "stealbench %s: %.480s", reading->line->verb->name, text);
}

/* say_unknown with the verb before it. */
static int say_no_such(struct reading *reading, const char *what, const char *word, const struct words *names) {
    char text[MESSAGE_SIZE];
    say_unknown(what, word, names, text);
    return say(reading, "%s", text);
}

/* Adds name=value to one of the two lists. */
static int add_assignment(struct reading *reading, struct suite_line *line, const char *name, const char *value) {
    char why[MESSAGE_SIZE];
    return suite_line_add(line, formatted("%s=%s", name, value), why) ? say(reading, "%s", why) : 0;
}

/* invocations, precision and the like: their ranges are known here. */
static int take_override(struct reading *reading, const char *name, const char *value) {
    struct suite_options ignored = {0};
    char why[MESSAGE_SIZE], *number = duplicate(value);
    if (suite_set_option(&ignored, name, value, why))
        return say(reading, "%s", why);
    if (ends_with(number, "%")) /* 2% is 2, for behind a % the values of a line have digits */
        number[strlen(number) - 1] = '\0';
    return add_assignment(reading, &reading->line->overrides, name, number);
}

static int say_unknown_option(struct reading *reading, const char *name) {
    struct words names = {0};
    for (size_t i = 0; i < reading->spelling.count; i++)
        if (reading->spelling.options[i].name)
            words_add(&names, reading->spelling.options[i].name);
    return say_no_such(reading, formatted("option of %s", reading->line->verb->name), name, &names);
}

/* The option of this name, or with a name NULL of this letter. */
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

/* A path to a file or folder as it is seen from here: run.sh and what `make install` made say where it was given
 * (STEALBENCH_FROM). kind: what the option's value is called. */
static const char *path_from_here(const char *kind, const char *value) {
    char here[PATH_MAX];
    const char *from = getenv("STEALBENCH_FROM");
    if (!value || !from || !kind || (strcmp(kind, "FILE") != 0 && strcmp(kind, "FOLDER") != 0) || *value == '/' ||
        strcmp(value, "-") == 0 || (getcwd(here, sizeof here) && strcmp(here, from) == 0))
        return value;
    return path_join(from, value);
}

/* Keeps what the option is for. */
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

/* "--name", "--name=value" or "--name value", with - or _ in the name; of a verb that has a workload also a parameter.
 * Moves *at behind it. */
static int take_dashed(struct reading *reading, const char *const *arguments, int count, int *at) {
    struct command_line *line = reading->line;
    char *value = duplicate(arguments[*at] + 2), *word = strsep(&value, "=");
    char name[NAME_SIZE] = "", parameter[NAME_SIZE] = "";
    if (!*word || strlen(word) >= sizeof name)
        return say(reading, "%.60s: no such option", arguments[*at]);
    for (size_t i = 0; word[i]; i++) {
        name[i] = word[i] == '_' ? '-' : word[i];
        parameter[i] = word[i] == '-' ? '_' : word[i];
    }
    const struct argp_option *option = find_option(&reading->spelling, name, 0);
    const bool wanted = !option || needs_value(option), deques = strcmp(name, "deque") == 0;
    if (!option && line->verb->named != WORDS_WORKLOAD)
        return say_unknown_option(reading, name);
    if (option && !option->arg && value)
        return say(reading, "--%s takes no value", name);
    if (wanted && !value && *at + 1 < count && !begins_with(arguments[*at + 1], "--"))
        value = duplicate(arguments[++*at]);
    if ((wanted && !value) || (value && !*value))
        return say(reading, "--%s wants a value", option ? name : parameter);
    const char *there = path_from_here(option ? option->arg : NULL, value);
    give(reading, formatted("--%s%s%s", option ? name : parameter, value ? "=" : "", value ? there : ""), true);
    if (option && parameter_find(suite_option_parameters, parameter))
        return take_override(reading, parameter, value);
    if (!option || deques || strcmp(name, "only") == 0)
        return line->verb->measures || deques ? add_assignment(reading, &line->values, parameter, value) : 0;
    apply(reading, option, there);
    return 0;
}

/* "-p" or "-pVALUE", and the value where it is a word of its own. Moves *at behind it. */
static int take_letter(struct reading *reading, const char *const *arguments, int count, int *at) {
    const char *word = arguments[*at], *value = word[2] ? word + 2 : NULL;
    const struct argp_option *option = find_option(&reading->spelling, NULL, word[1]);
    give(reading, word, true);
    if (option && needs_value(option) && !value && *at + 1 < count) {
        value = path_from_here(option->arg, arguments[++*at]);
        give(reading, value, true);
    }
    if (!option || (needs_value(option) ? !value : value != NULL))
        return say(reading, "no such option: %.60s; `stealbench help %s` tells what there is", word,
                   reading->line->verb->name);
    apply(reading, option, value);
    return 0;
}

/* A word; one with a slash in it that is there is seen from where the caller is. */
static void take_word(struct reading *reading, const char *word) {
    const char *path = strchr(word, '/') ? path_from_here("FILE", word) : word;
    word = access(path, F_OK) == 0 ? path : word;
    give(reading, word, false);
    words_add(&reading->line->words, word);
}

static int read_words(struct reading *reading, int count, const char *const *arguments, int at) {
    int result = 0;
    for (; at < count && result == 0; at++) {
        const char *word = arguments[at];
        if (strcmp(word, "--") == 0)
            give(reading, word, false);
        else if (begins_with(word, "--"))
            result = take_dashed(reading, arguments, count, &at);
        else if (*word == '-' && word[1])
            result = take_letter(reading, arguments, count, &at);
        else
            take_word(reading, word);
    }
    if (result == 0 && reading->without && !reading->with && !reading->line->help)
        return say(reading, "--%s goes with --%s", reading->without, reading->missing);
    return result;
}

/* As many as the verb takes, and the first among its choices. */
static int check_words(struct reading *reading) {
    static const char *const wants[] = {[WORDS_WORKLOAD] = "one workload; stealbench list workloads names them",
                                        [WORDS_SUITE] = "one suite; stealbench list suites names them",
                                        [WORDS_RUNS] = "a run: a folder, or its name below results/",
                                        [WORDS_DEQUES] = "deques",
                                        [WORDS_FREE] = NULL,
                                        [WORDS_CHOICE] = NULL};
    const struct command_line *line = reading->line;
    const struct verb *verb = line->verb;
    if (line->help)
        return 0;
    if (verb->most == 0 && line->words.count > 0)
        return say(reading, "this verb takes no words: %.60s", line->words.at[0]);
    if (line->words.count < verb->least || line->words.count > verb->most) {
        const char *what = wants[verb->named] ? wants[verb->named] : verb->choices ? verb->choices : verb->arguments;
        return say(reading, "%s wants %s%s", verb->name, verb->choices ? "one of " : "", what);
    }
    if (line->topology && !line->dry_run)
        return say(reading, "--topology describes another machine, so it needs --dry-run");
    if (!verb->choices || line->words.count == 0 || line->gate || choice_index(verb->choices, line->words.at[0]) >= 0)
        return 0;
    const struct words choices = split_words(verb->choices, "|");
    return say_no_such(reading, "thing to do", line->words.at[0], &choices);
}

/* Which word of the command line is the verb; 0: none, and the usual one is meant; -1: none, with a message. */
static int find_verb(struct command_line *line, int count, const char *const *arguments, const char *usual,
                     char *message) {
    const char *word = count > 1 ? arguments[1] : NULL;
    char text[MESSAGE_SIZE];
    if (word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
        word = "help";
    else if (word && strcmp(word, "--version") == 0)
        word = "version";
    if (!word || *word == '-') {
        line->verb = usual ? verb_find(usual) : NULL;
        return usual ? 0 : fail(message, -1, "stealbench: a verb is missing; stealbench help names them");
    }
    line->verb = verb_find(word);
    if (line->verb)
        return 1;
    const struct words names = verb_names();
    say_unknown("verb", word, &names, text);
    return fail(message, -1, "stealbench: %.400s", text);
}

int command_line_parse(struct command_line *line, int count, const char *const *arguments, const char *usual,
                       char *message) {
    static struct reading reading;
    *line = (struct command_line){0};
    const int verb = find_verb(line, count, arguments, usual, message);
    if (verb < 0)
        return 2;
    reading = (struct reading){.line = line, .message = message};
    spell_verb(&reading.spelling, line->verb);
    const int result = read_words(&reading, count, arguments, verb + 1);
    return result ? result : check_words(&reading);
}

/* argp sorts, aligns and breaks the lines. */
void command_line_help(const struct verb *verb, FILE *file) {
    struct spelling spelling;
    struct text about = {0};
    spell_verb(&spelling, verb);
    text_format(&about, "%c%s.%s%s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->text ? " " : "",
                verb->text ? verb->text : "");
    if (verb->former)
        text_format(&about, " Its other name: %s.", verb->former);
    if (verb->now)
        text_format(&about, " A name of before: now it is `%s`.", verb->now);
    const struct argp argp = {
        .options = spelling.options, .args_doc = verb->arguments ? verb->arguments : "", .doc = about.data};
    argp_help(&argp, file, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG,
              formatted("stealbench %s", verb->name));
}
