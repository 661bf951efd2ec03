#include "harness/driver/verbs/command_line.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/text.h"
#include <argp.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_MAX 96
#define KEY_FIRST 1024 /* of options without a letter; below it are the letters */

void words_add(struct words *words, const char *word) {
    words->at = reallocate(words->at, words->count + 2, sizeof words->at[0]);
    words->at[words->count++] = word;
    words->at[words->count] = NULL;
}

void words_add_all(struct words *words, const struct words *more) {
    for (size_t i = 0; i < more->count; i++)
        words_add(words, more->at[i]);
}

void words_free(struct words *words) {
    free(words->at);
    *words = (struct words){0};
}

/* The verb's options as argp has them: what argp reads and what its help shows. */
struct spelling {
    struct argp_option options[OPTIONS_MAX];
    const struct verb_option *meant[OPTIONS_MAX]; /* NULL: a title, help, or a suite's option */
    char names[16][NAME_SIZE];                    /* of suite_option_parameters, with - for _ */
    char help[16][160];
    size_t count;
};

static void spell(struct spelling *spelling, const struct verb_option *meant, struct argp_option option) {
    if (spelling->count + 1 >= OPTIONS_MAX)
        abort(); /* the table outgrew it */
    spelling->meant[spelling->count] = meant;
    spelling->options[spelling->count++] = option;
}

static void spell_suite_options(struct spelling *spelling) {
    size_t i = 0;
    spell(spelling, NULL, (struct argp_option){.doc = "How often, and how long:"});
    for (const struct parameter *one = suite_option_parameters; one->name; one++, i++) {
        char *name = strcpy(spelling->names[i], one->name);
        while ((name = strchr(name, '_')))
            *name = '-';
        snprintf(spelling->help[i], sizeof spelling->help[i], "%s%s%s", one->unit, *one->unit ? " " : "", one->help);
        spell(spelling, NULL,
              (struct argp_option){.name = spelling->names[i],
                                   .key = KEY_FIRST + OPTIONS_MAX + (int)i,
                                   .arg = one->choices && *one->choices ? one->choices : "N",
                                   .doc = spelling->help[i]});
    }
}

static void spell_verb(struct spelling *spelling, const struct verb *verb) {
    *spelling = (struct spelling){.count = 0};
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++) {
        spell(spelling, NULL, (struct argp_option){.doc = verb->groups[i]->title});
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++) {
            const bool may = option->value && *option->value == '?';
            spell(spelling, option,
                  (struct argp_option){.name = option->name,
                                       .key = option->letter ? option->letter : KEY_FIRST + (int)spelling->count,
                                       .arg = option->value + may,
                                       .flags = may ? OPTION_ARG_OPTIONAL : 0,
                                       .doc = option->help});
        }
    }
    if (verb->measures)
        spell_suite_options(spelling);
    spell(spelling, NULL, (struct argp_option){.name = "help", .key = 'h', .doc = "this text", .group = -1});
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    const struct spelling *spelling;
    struct words words; /* for argp: options as --name=value, parameters of a workload taken out */
    const char *with;   /* an option that goes with another */
    const char *without;
    char *message;
};

static int say(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int say(struct reading *reading, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(reading->message, MESSAGE_SIZE, "stealbench %s: ", reading->line->verb->name);
    vsnprintf(reading->message + used, MESSAGE_SIZE - (size_t)used, format, arguments);
    va_end(arguments);
    return 2;
}

/* say_unknown with the verb before it. */
static int say_no_such(struct reading *reading, const char *what, const char *word, const char *const *names,
                       size_t count) {
    char text[MESSAGE_SIZE];
    say_unknown(what, word, names, count, text);
    return say(reading, "%.480s", text);
}

static const char *keep(struct reading *reading, struct text *text) {
    words_add(&reading->line->owned, text->data);
    return text->data;
}

/* Adds name=value to one of the two lists. */
static int add_assignment(struct reading *reading, struct suite_line *line, const char *name, const char *value) {
    struct text assignment = {0};
    char why[MESSAGE_SIZE];
    text_format(&assignment, "%s=%s", name, value);
    const int result = suite_line_add(line, assignment.data, why);
    text_free(&assignment);
    return result ? say(reading, "%.480s", why) : 0;
}

/* invocations, precision and the like: their ranges are known here. */
static int take_override(struct reading *reading, const char *name, const char *value) {
    struct suite_options ignored = suite_default_options;
    char why[MESSAGE_SIZE], number[64]; /* 2% is 2, for behind a % the values of a line have digits */
    if (suite_set_option(&ignored, name, value, why))
        return say(reading, "%.480s", why);
    const size_t length = strlen(value);
    snprintf(number, sizeof number, "%.*s", (int)(value[length - 1] == '%' ? length - 1 : length), value);
    return add_assignment(reading, &reading->line->overrides, name, number);
}

static int say_unknown_option(struct reading *reading, const char *name) {
    const char *names[OPTIONS_MAX];
    char what[64];
    size_t count = 0;
    for (size_t i = 0; i < reading->spelling->count; i++)
        if (reading->spelling->options[i].name)
            names[count++] = reading->spelling->options[i].name;
    snprintf(what, sizeof what, "option of %s", reading->line->verb->name);
    return say_no_such(reading, what, name, names, count);
}

static const struct argp_option *option_named(const struct spelling *spelling, const char *name) {
    for (size_t i = 0; i < spelling->count; i++)
        if (spelling->options[i].name && strcmp(spelling->options[i].name, name) == 0)
            return &spelling->options[i];
    return NULL;
}

/* What comes before a path to a file or folder that was given where another folder was the current one: run.sh and what
 * `make install` made say which (STEALBENCH_FROM). "" when nothing has to. */
static const char *folder_of_caller(const char *kind, const char *value) {
    static char before[PATH_MAX + 1];
    char here[PATH_MAX];
    const char *from = getenv("STEALBENCH_FROM");
    if (!from || !kind || (strcmp(kind, "FILE") != 0 && strcmp(kind, "FOLDER") != 0) || *value == '/' ||
        strcmp(value, "-") == 0 || (getcwd(here, sizeof here) && strcmp(here, from) == 0))
        return "";
    snprintf(before, sizeof before, "%s/", from);
    return before;
}

/* "--name", "--name=value" or "--name value", with - or _ in the name: as one word for argp, or, of a workload's
 * parameter, which argp does not know, into the line's values. Moves *at behind it. */
static int take_dashed(struct reading *reading, const char *const *arguments, int count, int *at) {
    const char *word = arguments[*at] + 2, *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    char name[NAME_SIZE], parameter[NAME_SIZE];
    if (length == 0 || length >= sizeof name)
        return say(reading, "%.60s: no such option", arguments[*at]);
    for (size_t i = 0; i <= length; i++) {
        const char letter = i < length ? word[i] : '\0';
        name[i] = letter == '_' ? '-' : letter;
        parameter[i] = letter == '-' ? '_' : letter;
    }
    const struct argp_option *option = option_named(reading->spelling, name);
    const bool free_one = !option && reading->line->verb->named == WORDS_WORKLOAD;
    if (!option && !free_one)
        return say_unknown_option(reading, name);
    if (option && !option->arg && value)
        return say(reading, "--%s takes no value", name);
    if ((!option || (option->arg && !(option->flags & OPTION_ARG_OPTIONAL))) && !value && *at + 1 < count &&
        strncmp(arguments[*at + 1], "--", 2) != 0)
        value = arguments[++*at];
    const bool wanted = !option || value || (option->arg && !(option->flags & OPTION_ARG_OPTIONAL));
    if (wanted && (!value || !*value))
        return say(reading, "--%s wants a value", option ? name : parameter);
    struct text whole = {0};
    text_format(&whole, "--%s%s%s%s", option ? name : parameter, value ? "=" : "",
                option && value ? folder_of_caller(option->arg, value) : "", value ? value : "");
    const char *canonical = keep(reading, &whole);
    words_add(&reading->line->given, canonical);
    words_add(&reading->line->options, canonical);
    if (option && parameter_find(suite_option_parameters, parameter))
        return take_override(reading, parameter, value);
    const bool deques = strcmp(name, "deque") == 0;
    if (free_one || deques || strcmp(name, "only") == 0)
        return reading->line->verb->measures || deques
                   ? add_assignment(reading, &reading->line->values, parameter, value)
                   : 0;
    words_add(&reading->words, canonical);
    return 0;
}

/* What argp found. */
static error_t take(int key, char *value, struct argp_state *state) {
    struct reading *reading = state->input;
    char *base = (char *)reading->line;
    if (key == ARGP_KEY_ARG) {
        words_add(&reading->line->words, value);
        return 0;
    }
    if (key == 'h') {
        reading->line->help = true;
        return 0;
    }
    for (size_t i = 0; i < reading->spelling->count; i++) {
        const struct verb_option *option = reading->spelling->meant[i];
        if (!option || reading->spelling->options[i].key != key)
            continue;
        const struct option_group *group = NULL;
        verb_has(reading->line->verb, option->name, 0, &group);
        if (group && group->with && strcmp(group->with, option->name) == 0)
            reading->with = group->with;
        else if (group && group->with)
            reading->without = option->name;
        if (option->flag != NOWHERE)
            memcpy(base + option->flag, &(bool){true}, sizeof(bool));
        if (option->text != NOWHERE && value)
            memcpy(base + option->text, &value, sizeof value);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* A word with a slash in it that is there, seen from where the caller is. */
static const char *path_of_caller(struct reading *reading, const char *word) {
    const char *before = strchr(word, '/') ? folder_of_caller("FILE", word) : "";
    struct text path = {0};
    text_format(&path, "%s%s", before, word);
    if (*before && access(path.data, F_OK) == 0)
        return keep(reading, &path);
    text_free(&path);
    return word;
}

static int read_words(struct reading *reading, int count, const char *const *arguments, int at) {
    int result = 0;
    words_add(&reading->words, "stealbench");
    for (; at < count && result == 0; at++) {
        const char *word = arguments[at];
        if (strncmp(word, "--", 2) == 0 && word[2]) {
            result = take_dashed(reading, arguments, count, &at);
            continue;
        }
        if (*word != '-')
            word = path_of_caller(reading, word);
        words_add(&reading->words, word);
        words_add(&reading->line->given, word);
        if (*word == '-' && word[1]) { /* a letter, and its value where it is a word of its own */
            const struct verb_option *option = verb_has(reading->line->verb, NULL, word[1], NULL);
            words_add(&reading->line->options, word);
            if (option && option->value && !word[2] && at + 1 < count) {
                struct text value = {0};
                text_format(&value, "%s%s", folder_of_caller(option->value, arguments[at + 1]), arguments[at + 1]);
                const char *kept = keep(reading, &value);
                at++;
                words_add(&reading->words, kept);
                words_add(&reading->line->given, kept);
                words_add(&reading->line->options, kept);
            }
        }
    }
    if (result)
        return result;
    const struct argp argp = {.options = reading->spelling->options, .parser = take};
    int stopped = 0;
    if (argp_parse(&argp, (int)reading->words.count, (char **)(uintptr_t)reading->words.at,
                   ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, &stopped, reading) != 0) {
        for (size_t i = 1; i < reading->words.count; i++)
            if (reading->words.at[i][0] == '-' && reading->words.at[i][1] && reading->words.at[i][1] != '-')
                return say(reading, "no such option: %.60s; `stealbench help %s` tells what there is",
                           reading->words.at[i], reading->line->verb->name);
        return say(reading, "these options cannot be read");
    }
    if (reading->without && !reading->with && !reading->line->help) {
        const struct option_group *group = NULL;
        verb_has(reading->line->verb, reading->without, 0, &group);
        return say(reading, "--%s goes with --%s", reading->without, group->with);
    }
    return 0;
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
        return say(reading, "it takes no words: %.60s; no such verb has it", line->words.at[0]);
    if (line->words.count < verb->least || line->words.count > verb->most) {
        const char *what = wants[verb->named] ? wants[verb->named] : verb->choices ? verb->choices : verb->arguments;
        return say(reading, "%s wants %s%s", verb->name, verb->choices ? "one of " : "", what);
    }
    if (line->topology && !line->dry_run)
        return say(reading, "--topology is of another machine: it goes with --dry-run, which measures nothing");
    if (!verb->choices || line->words.count == 0 || line->gate)
        return 0;
    const char *names[8];
    char *copy = duplicate(verb->choices), *rest = NULL;
    size_t count = 0;
    for (char *one = strtok_r(copy, "|", &rest); one && count < 8; one = strtok_r(NULL, "|", &rest))
        names[count++] = one;
    const int result = choice_index(verb->choices, line->words.at[0]) >= 0
                           ? 0
                           : say_no_such(reading, "thing to do", line->words.at[0], names, count);
    free(copy);
    return result;
}

/* Which word of the command line is the verb; 0: none, and the usual one is meant. */
static int find_verb(struct command_line *line, int count, const char *const *arguments, const char *usual,
                     char *message) {
    static const struct {
        const char *word, *verb;
    } spelt[] = {{"--version", "version"}, {"--help", "help"}, {"-h", "help"}};
    const char *names[VERB_NAMES_MAX], *word = count > 1 ? arguments[1] : NULL;
    for (size_t i = 0; i < sizeof spelt / sizeof spelt[0] && word; i++)
        if (strcmp(spelt[i].word, word) == 0)
            word = spelt[i].verb;
    if (!word || *word == '-') {
        line->verb = usual ? verb_find(usual) : NULL;
        if (!usual)
            snprintf(message, MESSAGE_SIZE, "stealbench: a verb is missing; stealbench help names them");
        return usual ? 0 : -2;
    }
    line->verb = verb_find(word);
    if (line->verb)
        return 1;
    const int used = snprintf(message, MESSAGE_SIZE, "stealbench: ");
    char text[MESSAGE_SIZE];
    say_unknown("verb", word, names, verb_names(names), text);
    snprintf(message + used, MESSAGE_SIZE - (size_t)used, "%.400s", text);
    return -2;
}

int command_line_parse(struct command_line *line, int count, const char *const *arguments, const char *usual,
                       char *message) {
    struct spelling spelling;
    *line = (struct command_line){0};
    const int verb = find_verb(line, count, arguments, usual, message);
    if (verb < 0)
        return 2;
    spell_verb(&spelling, line->verb);
    struct reading reading = {.line = line, .spelling = &spelling, .message = message};
    int result = read_words(&reading, count, arguments, verb + 1);
    words_free(&reading.words);
    return result ? result : check_words(&reading);
}

void command_line_free(struct command_line *line) {
    suite_line_clear(&line->values);
    suite_line_clear(&line->overrides);
    for (size_t i = 0; i < line->owned.count; i++)
        free((char *)(uintptr_t)line->owned.at[i]);
    words_free(&line->words);
    words_free(&line->given);
    words_free(&line->options);
    words_free(&line->owned);
    *line = (struct command_line){0};
}

bool command_line_knows(const struct verb *verb, const char *name) {
    struct spelling spelling;
    spell_verb(&spelling, verb);
    return option_named(&spelling, name);
}

/* argp sorts, aligns and breaks the lines. */
void command_line_help(const struct verb *verb, FILE *file) {
    struct spelling spelling;
    struct text name = {0}, about = {0};
    spell_verb(&spelling, verb);
    text_format(&name, "stealbench %s", verb->name);
    text_format(&about, "%c%s.%s%s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->text ? " " : "",
                verb->text ? verb->text : "");
    if (verb->former)
        text_format(&about, " Its other name: %s.", verb->former);
    if (verb->now)
        text_format(&about, " A name of before: now it is `%s`.", verb->now);
    const struct argp argp = {
        .options = spelling.options, .args_doc = verb->arguments ? verb->arguments : "", .doc = about.data};
    argp_help(&argp, file, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG, name.data);
    text_free(&name);
    text_free(&about);
}
