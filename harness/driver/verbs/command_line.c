/* command_line.c: reads the command line and checks what can be checked without the deques. */
#pragma once

#include "harness/driver/plan/suite.c"
#include "harness/driver/verbs/table.c"

struct command_line {
    const struct verb *verb;
    struct words words;       /* words after the verb, without options: a workload, a suite, deques */
    struct words given;       /* everything after the verb, with options as --name=value */
    struct words options;     /* the options among these */
    struct suite_line values; /* for run: deque= and the workload's parameters; for suites: deque= and only= */
    bool help;
    bool only_build; /* no option: build what the line needs, and measure nothing */
};

/* What a verb gets. Its function, carry_out_VERB, returns the program's exit code. */
struct job {
    const struct command_line *line;
    const char *build, *root;     /* the build folder; the source tree */
    const char *const *arguments; /* the command line for the manifest, ending with NULL */
    bool whole;                   /* --whole */
};

static bool offers(const struct verb *verb, const struct verb_option *option) {
    return same(option->group, "help") || words_have(split_words(verb->options, " "), option->group);
}

const char *value_of(const struct command_line *line, const char *option) {
    const char *found = NULL;
    foreach (given, line->options) {
        const char *word = *given + 2, *rest = word + strlen(option);
        if (begins_with(word, option) && *rest == '=')
            found = rest + 1;
    }
    return found;
}

/* Is the option given? Its value, if it has one; else NULL. */
bool has(const struct command_line *line, const char *option) {
    return value_of(line, option) || words_have(line->options, formatted("--%s", option));
}

/* Its number, or the fallback. Refuses a wrong one. */
struct value number_of(const struct command_line *line, const struct parameter *option) {
    const char *value = value_of(line, option->name);
    return must_read(option, value ? value : option->fallback);
}

/* The line with one more, "--name=value". */
struct command_line with(const struct command_line *line, const char *option) {
    struct command_line more = *line;
    more.options = (struct words){0};
    words_add_all(&more.options, line->options);
    words_add(&more.options, option);
    return more;
}

/* A command line being read. */
struct reading {
    struct command_line *line;
    const char *const *arguments;
    int count, at;                  /* arguments; the one that is read */
    const char *dependent, *needed; /* an option that needs another one, and that; or NULL */
};

/* The option of this name or, if name is "", of this letter; or NULL. */
static const struct verb_option *find_option(const struct verb *verb, const char *name, char letter) {
    for (const struct verb_option *one = all_options; one->name; one++)
        if (*one->name && (*name ? same(one->name, name) : *one->letter == letter) && offers(verb, one))
            return one;
    return NULL;
}

static bool needs_value(const struct verb_option *option) { return *option->value && *option->value != '?'; }

/* Makes a path absolute; so too several, "FOLDER:FOLDER". Paths are relative to the user's folder, which run.sh passes
 * in STEALBENCH_FROM. kind: the name of the option's value. */
static const char *path_from_here(const char *kind, const char *value) {
    char here[PATH_MAX];
    const char *from = getenv("STEALBENCH_FROM");
    const int place = choice_index("FILE|FOLDER|FOLDER:...", kind);
    if (!value || !from || place < 0 || (getcwd(here, sizeof here) && same(here, from)))
        return value;
    const struct words paths = place == 2 ? split_words(value, ":") : words_of(value, NULL);
    foreach (path, paths)
        if (**path != '/' && !same(*path, "-"))
            *path = path_join(from, *path);
    return joined(paths, ":");
}

static void give(struct reading *reading, const char *word, bool is_option) {
    words_add(&reading->line->given, word);
    if (is_option)
        words_add(&reading->line->options, word);
}

/* Takes the option of this name, NULL: a parameter of the workload, with its value or the next word as value. */
static void take_option(struct reading *reading, const struct verb_option *option, const char *parameter,
                        const char *value) {
    struct command_line *line = reading->line;
    const bool wanted = !option || needs_value(option);
    const char *name = option ? option->name : parameter;
    if (option && !*option->value && value)
        refuse(2, "--%s takes no value", name);
    if (wanted && !value && reading->at + 1 < reading->count && !begins_with(reading->arguments[reading->at + 1], "--"))
        value = reading->arguments[++reading->at];
    if ((wanted && !value) || (value && !*value))
        refuse(2, "--%s needs a value", name);
    if (option && parameter_find(suite_option_parameters, parameter)) { /* their ranges are known here */
        if (has(line, name))
            refuse(2, "%s is given twice", parameter);
        suite_set_option(&(struct suite_options){0}, parameter, value);
    } else if (!option || same(name, "deque") || same(name, "only"))
        suite_line_add(&line->values, formatted("%s=%s", parameter, value));
    const char *there = option ? path_from_here(option->value + (*option->value == '?'), value) : value;
    give(reading, formatted("--%s%s%s", name, value ? "=" : "", value ? there : ""), true);
    line->help |= same(name, "help");
    for (const struct verb_option *title = all_options; option && title->name; title++)
        if (!*title->name && *title->value && same(title->group, option->group) && !same(title->value, name)) {
            reading->dependent = name;
            reading->needed = title->value;
        }
}

/* Takes "--name", "--name=value" or "--name value", with - or _ in the name; for a workload also a parameter. */
static void take_dashed(struct reading *reading, const char *word) {
    char *value = duplicate(word + 2), *name = strsep(&value, "="), *parameter = duplicate(name);
    const struct verb *verb = reading->line->verb;
    struct words names = {0};
    if (!*name || strlen(name) >= NAME_SIZE)
        refuse(2, "%.60s: no such option", word);
    for (size_t i = 0; name[i]; i++) {
        parameter[i] = name[i] == '-' ? '_' : name[i];
        name[i] = name[i] == '_' ? '-' : name[i];
    }
    for (const struct verb_option *one = all_options; one->name; one++)
        if (*one->name && offers(verb, one))
            words_add(&names, one->name);
    const struct verb_option *option = find_option(verb, name, 0);
    if (!option && !same(verb->words, "workload"))
        refuse_unknown(formatted("option of %s", refusal_verb), name, names);
    take_option(reading, option, parameter, value);
}

/* Takes "-p" or "-pVALUE", or "-p VALUE". */
static void take_letter(struct reading *reading, const char *word) {
    const struct verb_option *option = find_option(reading->line->verb, "", word[1]);
    if (!option || (!needs_value(option) && word[2]))
        refuse(2, "no such option: %.60s; `stealbench help %s` tells what there is", word, refusal_verb);
    take_option(reading, option, option->name, word[2] ? word + 2 : NULL);
}

/* Takes a word; one with a slash may be a path. Names may also be joined by commas. */
static void take_word(struct reading *reading, const char *word) {
    const struct verb *verb = reading->line->verb;
    const char *path = strpbrk(word, "/.") ? path_from_here("FILE", word) : word;
    const bool is_list = same(verb->words, "deques") || verb_has_choices(verb);
    const struct words words = is_list ? split_words(word, ",") : words_of(access(path, F_OK) == 0 ? path : word, NULL);
    foreach (one, words) {
        give(reading, *one, false);
        words_add(&reading->line->words, *one);
    }
}

static void read_words(struct reading *reading) {
    for (; reading->at < reading->count; reading->at++) {
        const char *word = reading->arguments[reading->at];
        if (same(word, "--") || (verb_is(reading->line->verb, "passes_on") && reading->line->words.count > 0))
            give(reading, word, false);
        else if (begins_with(word, "--"))
            take_dashed(reading, word);
        else if (*word == '-' && word[1])
            take_letter(reading, word);
        else
            take_word(reading, word);
    }
    if (reading->dependent && !has(reading->line, reading->needed) && !reading->line->help)
        refuse(2, "--%s goes with --%s", reading->dependent, reading->needed);
}

/* Checks the number of words, and that the first is among the verb's choices. */
static void check_words(const struct command_line *line) {
    const struct verb *verb = line->verb;
    const struct words choices = split_words(verb_has_choices(verb) ? verb->words : "", "|");
    const size_t least = strtoul(verb->least, NULL, 10), most = strtoul(verb->most, NULL, 10);
    if (most == 0 && line->words.count > 0)
        refuse(2, "this verb takes no words: %.60s", line->words.at[0]);
    if (line->words.count < least || line->words.count > most)
        refuse(2, "it needs %s",
               same(verb->words, "workload") ? "one workload; stealbench list workloads names them"
               : same(verb->words, "suite")  ? "one suite; stealbench list suites names them"
               : same(verb->words, "runs")   ? "a run: a folder, or its name below results/"
               : same(verb->words, "deques") ? "deques"
               : choices.count > 0           ? formatted("one of %s", verb->words)
                                             : verb->arguments);
    if (has(line, "topology") && !has(line, "dry-run"))
        refuse(2, "--topology describes another machine, so it needs --dry-run");
    if (choices.count > 0 && line->words.count > 0 && !has(line, "ci") && !words_have(choices, line->words.at[0]))
        refuse_unknown("thing to do", line->words.at[0], choices);
}

/* arguments[0] is the program. usual: the verb where there is none, or NULL. suites: names that mean `suite NAME`. */
struct command_line command_line_parse(int count, const char *const *arguments, const char *usual,
                                       struct words suites) {
    const char *word = count > 1 ? arguments[1] : "-";
    const char *verb = same(word, "--help") || same(word, "-h") ? "help" : *word == '-' ? usual : word;
    if (!verb)
        refuse(2, "a verb is missing; stealbench help names them");
    struct command_line line = {.verb = verb_find(verb, suites)};
    struct reading reading = {&line, arguments, count, verb == usual ? 1 : 2, NULL, NULL};
    refusal_verb = verb;
    if (!same(verb, line.verb->name))
        take_word(&reading, verb);
    read_words(&reading);
    if (!line.help)
        check_words(&line);
    return line;
}
