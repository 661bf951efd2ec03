#include "harness/driver/verbs/verbs.h"

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

bool has(const struct command_line *line, const char *option) {
    return value_of(line, option) || words_have(line->options, formatted("--%s", option));
}

struct value number_of(const struct command_line *line, const struct parameter *option) {
    const char *value = value_of(line, option->name);
    return must_read(option, value ? value : option->fallback);
}

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

/* Prints words from this column on, in lines of at most 79. at: how many characters the line has already. */
static void print_words(size_t at, size_t column, const char *text) {
    const struct words words = split_words(text, " ");
    foreach (word, words) {
        if (at > column && at + 1 + strlen(*word) > 79) {
            putchar('\n');
            at = 0;
        }
        const size_t gap = at < column ? column - at : at > column;
        at += (size_t)printf("%*s%s", (int)gap, "", *word);
    }
    putchar('\n');
}

static void print_option(const struct verb_option *option) {
    const char *letter = *option->letter ? formatted("-%s,", option->letter) : "";
    const char *value = *option->value == '?' ? formatted("[=%s]", option->value + 1)
                        : *option->value      ? formatted("=%s", option->value)
                                              : "";
    size_t at = (size_t)printf("  %3s --%s%s", letter, option->name, value);
    if (at > 27) {
        putchar('\n');
        at = 0;
    }
    print_words(at, 29, option->help);
}

void command_line_help(const struct verb *verb) {
    printf("Usage: stealbench %s [OPTION...] %s\n", verb->name, verb->arguments);
    print_words(0, 0, formatted("%c%s. %s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->more));
    for (const struct verb_option *option = all_options; option->name; option++)
        if (!offers(verb, option))
            continue;
        else if (*option->name)
            print_option(option);
        else
            printf("\n%s\n", option->help);
}

/* What its file says behind `title`, or "". */
static const char *title_of(const char *suite, const char *root) {
    struct text text = {0};
    file_read(formatted("%s/suites/%s.suite", root, suite), &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++)
        if (begins_with(lines.at[i], "title "))
            return lines.at[i] + 6;
    return "";
}

/* The suites, without those that have the name of a verb. */
static void print_suites(const char *root, struct words suites) {
    foreach (suite, suites)
        if (same(verb_find(*suite, suites)->words, "suite"))
            printf("    %-15s %s\n", *suite, title_of(*suite, root));
}

static void help_print(const char *root, struct words suites) {
    const char *group = "";
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", stdout);
    for (const struct verb *verb = all_verbs; verb->name; verb++) {
        if (!same(group, verb->group))
            printf("\n%s\n", verb->group);
        group = verb->group;
        printf("  %-17s %s\n", verb->name, verb->summary);
        if (same(verb->words, "suite"))
            print_suites(root, suites);
    }
    fputs(
        "\n`help VERB` or `VERB --help` has its options. Exit: 0 fine; 1 a check failed, or something is slower;\n"
        "2 usage, or an unknown name; 3 something is missing, or there is no verdict; 4 a cell crashed or timed out,\n"
        "or results could not be written; 130 interrupted.\n",
        stdout);
}

int carry_out_help(const struct job *job) {
    const struct words suites = names_of_suites(job->root);
    if (job->line->words.count)
        command_line_help(verb_find(job->line->words.at[0], suites));
    else
        help_print(job->root, suites);
    return 0;
}
