/* suite.c: reads a suite's text into sections and lines. Nothing here knows which deques or workloads exist.
 *
 *   # a comment, to the end of the line
 *   title Quick: the bulk paper's figures in a few minutes
 *   invocations 5                     fresh processes per cell
 *   precision 2%                      instead: until the interval is so narrow, 6 to `invocations`
 *   within 10m                        the time of a run: first six invocations of each cell, then more where intervals
 *                                     are widest (runner.c); --within replaces it
 *   repetitions 3                     measurements per process
 *   minimum_time 0.02                 least time of a measurement, in seconds
 *   timeout 60                        seconds after which a process is killed
 *   variants 8                        variants of the code to draw from; each process has one (docs/measuring.md)
 *   work 70                           processor seconds of a repetition, shared by its threads, for estimates;
 *   work 5e-7*nodes                   or seconds for each unit of a parameter
 *   optional onetbb,taskflow          deques that may be missing: a line that names one goes on without it;
 *                                     so too for wrong ones without --unsound
 *
 *   [fig6] Latency of push by batch size
 *   push deque=array,chase_lev batch=1,128,512 push=single
 *   counted memory=owner
 *
 * `counted` makes a second section of this one, fig6-counted: the same cells with counters=caches+pipeline, which is
 * a cell for each set, and with these values in each line. It has at most 6 invocations. These sections stand behind
 * the others, or before those that follow the line `rest`. Sections stand in order of worth: --within keeps the first
 * ones first. `needs 12G` leaves a section out on a machine with less memory.
 *
 * A [tag] opens a section, which may set its own options. Every other line names a workload and lists values for its
 * parameters; a line means every combination of its values. Parameters that are not named have their default, and a
 * line without deque= means all. `1,2,4,...,1024` goes on as it began: the differences grow by the same factor. For
 * threads= and thieves= `all` means one thread a processor, and a list with `all` or `...` has no more than that:
 * threads=1,2,4,...,all is 1,2 on two processors, thieves=1,3,7,... is 1. In a value, % and two hexadecimal digits are
 * a byte: %2C a comma, %20 a space, %23 a #, %25 a % itself. */
#pragma once

#include "harness/driver/util/files.c"
#include "harness/driver/util/refuse.c"
#include "harness/measuring/cell.h"

/* How often and how long to measure; the same options in a suite, in a section and on the command line. */
struct suite_options {
    unsigned invocations, repetitions;
    bool invocations_given;       /* false: the default */
    double minimum_time, timeout; /* seconds */
    double precision;             /* percent: half of the interval's width by the median; 0: make all invocations */
    unsigned variants;            /* of the code that invocations draw from */
    double work;                  /* processor seconds of a repetition, shared by the threads: only for estimates */
    const char *work_of;          /* the parameter by which this is multiplied, or "" */
};

/* One parameter and its values, in the order given and unescaped. */
struct suite_key {
    char name[NAME_SIZE];
    struct words values;
};

struct suite_line {
    unsigned number; /* line in the file */
    const char *workload;
    LIST(struct suite_key) keys;
};

struct suite_section {
    const char *tag, *title;
    struct suite_options options;
    LIST(struct suite_line) lines;
    struct suite_line *counted; /* values that its counted section has in each line; NULL: it has no counted section */
    uint64_t needs;             /* bytes of memory */
};

struct suite {
    const char *name;  /* "quick" */
    const char *path;  /* where it was read, for messages; "" for a command line */
    const char *title; /* "" when it has none */
    const char *text;
    const char *within;    /* "10m": the time that a run takes unless --within is given; NULL: any */
    uint64_t hash;         /* of the text */
    struct words optional; /* deques that may be missing */
    LIST(struct suite_section) sections;
    size_t counted; /* so many sections have had their counted section added */
};

enum { COUNTED_INVOCATIONS = 6 };

static const struct parameter needs = PARAMETER_INTEGER("needs", 0, 1, 1ull << 60, "bytes", "");

/* The options as a table of parameters, with their ranges and defaults. */
const struct parameter suite_option_parameters[] = {
    PARAMETER_INTEGER("invocations", 5, 1, 100000, "", ""),
    PARAMETER_INTEGER("repetitions", 3, 1, 1000, "", ""),
    PARAMETER_REAL("minimum_time", 0.02, 0.0001, 3600, "s", ""),
    PARAMETER_REAL("precision", 0, 0, 50, "%", ""),
    PARAMETER_REAL("timeout", 60, 0.1, 86400, "s", ""),
    PARAMETER_INTEGER("variants", 2, 1, CELL_VARIANTS, "", ""),
    PARAMETERS_END,
};

static void set_option(struct suite_options *options, const struct parameter *parameter, const char *text) {
    const struct value value = must_read(parameter, text);
    unsigned *const whole[] = {&options->invocations, &options->repetitions, NULL, NULL, NULL, &options->variants};
    double *const real[] = {NULL, NULL, &options->minimum_time, &options->precision, &options->timeout};
    if (parameter->kind == KIND_INTEGER)
        *whole[parameter - suite_option_parameters] = (unsigned)value.integer;
    else
        *real[parameter - suite_option_parameters] = value.real;
}

struct suite_options suite_default_options(void) {
    struct suite_options options = {.work_of = ""};
    for (const struct parameter *one = suite_option_parameters; one->name; one++)
        set_option(&options, one, one->fallback);
    return options;
}

/* Sets the option of that name. Refuses a wrong value and says the range. */
void suite_set_option(struct suite_options *options, const char *name, const char *value) {
    const struct parameter *parameter = parameter_find(suite_option_parameters, name);
    const size_t length = strlen(value);
    if (!parameter)
        refuse(2, "no such option: %.60s", name);
    if (same(parameter->unit, "%") && length > 1 && value[length - 1] == '%')
        value = formatted("%.*s", (int)length - 1, value);
    set_option(options, parameter, value);
    options->invocations_given |= same(name, "invocations");
}

/* Adds "a,b" to the end of the key's values. Sets of counters may be joined by + as well. */
static void add_values(struct suite_key *key, const char *values) {
    char *rest = duplicate(values);
    for (char *value; (value = strsep(&rest, same(key->name, "counters") ? ",+" : ","));) {
        if (!*value)
            refuse(2, "%s= needs at least one value, and no empty one between commas", key->name);
        words_add(&key->values, value);
        if (!unescape(value))
            refuse(2, "%s=%.60s: after %% two hexadecimal digits are expected; %% itself is %%25", key->name, values);
    }
}

/* The key of that name, or NULL. Adds "name=a,b"; refuses a missing name, a missing or empty value, and a name given
 * twice. */
const struct suite_key *suite_line_key(const struct suite_line *line, const char *name) {
    foreach (key, line->keys)
        if (same(key->name, name))
            return key;
    return NULL;
}

struct words suite_line_values(const struct suite_line *line, const char *name) {
    const struct suite_key *key = suite_line_key(line, name);
    return key ? key->values : (struct words){0};
}

void suite_line_add(struct suite_line *line, const char *assignment) {
    struct suite_key key = {0};
    const char *equals = strchr(assignment, '=');
    const size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (length == 0 || length >= sizeof key.name)
        refuse(2, "%.60s: expected name=value or name=value,value", assignment);
    memcpy(key.name, assignment, length);
    if (suite_line_key(line, key.name))
        refuse(2, "%s is given twice", key.name);
    add_values(&key, equals + 1);
    *ONE_MORE(line->keys) = key;
}

/* Adds the numbers that `...` stands for: as the three before it go on, up to the one behind it, but at most `most`. */
static void add_series(struct words *values, const struct suite_key *key, size_t dots, uint64_t most) {
    const char *behind = dots + 1 < key->values.count ? key->values.at[dots + 1] : "";
    const uint64_t given = strtoull(behind, NULL, 10), end = given > 0 && given <= most ? given : most + 1;
    uint64_t last[3] = {0};
    for (size_t i = 0; i < 3 && dots >= 3; i++)
        last[i] = strtoull(key->values.at[dots - 3 + i], NULL, 10);
    const uint64_t before = last[1] - last[0], after = last[2] - last[1];
    if (last[0] >= last[1] || last[1] >= last[2] || after % before != 0 || (given == 0 && most == UINT64_MAX))
        refuse(2,
               "%s=: expected three numbers before `...` and the last behind it, such as 1,2,4,...,64 or "
               "10,20,30,...,100",
               key->name);
    for (uint64_t step = after / before * after, next = last[2] + step; next < end; next += step) {
        words_add(values, formatted("%" PRIu64, next));
        step *= after / before;
    }
}

/* The most threads or thieves that a list may name, beside the owner if they are thieves; of other parameters any. */
static uint64_t most_on(const struct suite_key *key, unsigned processors) {
    const bool thieves = same(key->name, "thieves");
    const uint64_t most = processors - (thieves && processors > 1);
    return thieves || same(key->name, "threads") ? most : UINT64_MAX;
}

/* A list with `...`, or with `all` threads, in numbers. */
static struct words values_on(const struct suite_key *key, unsigned processors) {
    const uint64_t most = most_on(key, processors);
    struct words values = {0};
    foreach (at, key->values) {
        const char *value = *at;
        const bool all = most < UINT64_MAX && same(value, "all");
        const uint64_t number = all ? most : strtoull(value, NULL, 10);
        if (same(value, "..."))
            add_series(&values, key, (size_t)(at - key->values.at), most);
        else if (number <= most)
            words_add_once(&values, all ? formatted("%" PRIu64, most) : value);
    }
    if (values.count == 0)
        words_add(&values, key->values.at[0]);
    return values;
}

/* The line with the values that it has on a machine with so many processors: `...` and `all` in numbers. */
struct suite_line suite_line_on(const struct suite_line *line, unsigned processors) {
    struct suite_line meant = {.number = line->number, .workload = line->workload};
    foreach (key, line->keys) {
        struct suite_key *one = ONE_MORE(meant.keys);
        *one = *key;
        if (words_have(key->values, "...") || words_have(key->values, "all"))
            one->values = values_on(key, processors);
    }
    return meant;
}

struct suite_section *suite_add_section(struct suite *suite, const char *tag, const char *title,
                                        const struct suite_options *options) {
    foreach (section, suite->sections)
        if (same(section->tag, tag))
            refuse(2, "[%.60s] is there twice", tag);
    struct suite_section *section = ONE_MORE(suite->sections);
    *section = (struct suite_section){.tag = duplicate(tag), .title = duplicate(title), .options = *options};
    return section;
}

struct suite_line *suite_add_line(struct suite_section *section, const char *workload, unsigned number) {
    struct suite_line *line = ONE_MORE(section->lines);
    *line = (struct suite_line){.number = number, .workload = duplicate(workload)};
    return line;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r\v\f");
    for (size_t length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

/* Reads "[fig6] Latency of push". Tags of chapters have points: 5.2-fig3. */
static void take_section(struct suite *suite, char *line, const struct suite_options *options) {
    char *tag = line + 1, *close = strchr(line, ']');
    if (!close)
        refuse(2, "a section's [tag] has no closing bracket");
    *close = '\0';
    if (!is_name(tag, ".") || *tag == '.')
        refuse(2, "[%.60s]: a tag has letters, digits, _ - and . only", tag);
    suite_add_section(suite, tag, trim(close + 1), options);
}

/* Reads "push deque=array batch=1,128". */
static void take_workload(struct suite *suite, const char *line, unsigned number) {
    const struct words words = split_words(line, " \t");
    if (!suite->sections.count)
        refuse(2, "%.60s: a [tag] line comes before the first workload", words.at[0]);
    if (!is_name(words.at[0], ""))
        refuse(2, "%.60s: a line begins with a workload, an option or a [tag]", words.at[0]);
    struct suite_line *added = suite_add_line(&suite->sections.at[suite->sections.count - 1], words.at[0], number);
    for (size_t i = 1; i < words.count; i++)
        suite_line_add(added, words.at[i]);
}

/* The rest of the line behind this word, or NULL if the line does not begin with the word. */
static const char *after_word(const char *line, const char *word) {
    const char *after = line + strlen(word);
    if (!begins_with(line, word) || (*after && !isspace((unsigned char)*after)))
        return NULL;
    return trim(duplicate(after));
}

/* Reads "optional onetbb,taskflow". */
static void take_optional(struct suite *suite, const char *names) {
    if (strpbrk(names, " \t"))
        refuse(2, "optional %.60s: expected names joined by commas", names);
    words_add_all(&suite->optional, split_words(names, ","));
    if (suite->optional.count == 0)
        refuse(2, "optional= needs at least one value");
}

/* Reads "work 70" or "work 5e-7*nodes". */
static void take_work(struct suite_options *options, const char *text) {
    char *end;
    options->work = strtod(text, &end);
    options->work_of = *end == '*' ? duplicate(end + 1) : "";
    if (end == text || !(options->work >= 0) || (*end && *end != '*') || (*end && !is_name(end + 1, "")))
        refuse(2, "work %.60s: expected seconds, or seconds*PARAMETER", text);
}

/* Reads "counted placement=compact,scatter". */
static void take_counted(struct suite_section *section, const char *line) {
    const struct words words = split_words(line, " \t");
    if (section->counted)
        refuse(2, "counted appears twice in this section");
    section->counted = allocate(1, sizeof *section->counted);
    foreach (word, words)
        suite_line_add(section->counted, *word);
    if (!suite_line_key(section->counted, "counters"))
        suite_line_add(section->counted, "counters=caches+pipeline");
}

/* Adds the line to the section, with the values of `instead` replacing its own. */
static void take_over(struct suite_section *section, const struct suite_line *line, const struct suite_line *instead) {
    struct suite_line *added = suite_add_line(section, line->workload, line->number);
    foreach (key, line->keys)
        if (!suite_line_key(instead, key->name))
            *ONE_MORE(added->keys) = *key;
    foreach (key, instead->keys)
        *ONE_MORE(added->keys) = *key;
}

/* Adds the counted sections that are not there yet. */
static void add_counted_sections(struct suite *suite) {
    for (size_t count = suite->sections.count; suite->counted < count; suite->counted++) {
        const struct suite_section of = suite->sections.at[suite->counted];
        struct suite_options options = of.options;
        options.precision = 0;
        options.invocations = options.invocations < COUNTED_INVOCATIONS ? options.invocations : COUNTED_INVOCATIONS;
        struct suite_section *section = of.counted ? suite_add_section(suite, formatted("%s-counted", of.tag),
                                                                       formatted("Counted: %s", of.title), &options)
                                                   : NULL;
        for (size_t i = 0; section && i < of.lines.count; i++)
            take_over(section, &of.lines.at[i], of.counted);
    }
    suite->counted = suite->sections.count;
}

static void take_line(struct suite *suite, char *line, unsigned number, struct suite_options *of_suite) {
    struct suite_section *section = suite->sections.count ? &suite->sections.at[suite->sections.count - 1] : NULL;
    struct suite_options *options = section ? &section->options : of_suite;
    const char *rest;
    for (const struct parameter *option = suite_option_parameters; option->name; option++)
        if ((rest = after_word(line, option->name))) {
            suite_set_option(options, option->name, rest);
            return;
        }
    if (*line == '[')
        take_section(suite, line, of_suite);
    else if ((rest = after_word(line, "title")))
        suite->title = rest;
    else if ((rest = after_word(line, "within")))
        suite->within = rest;
    else if ((rest = after_word(line, "optional")))
        take_optional(suite, rest);
    else if ((rest = after_word(line, "counted")) && section)
        take_counted(section, rest);
    else if (same(line, "rest"))
        add_counted_sections(suite);
    else if ((rest = after_word(line, "needs")) && section)
        section->needs = must_read(&needs, rest).integer;
    else if ((rest = after_word(line, "work")))
        take_work(options, rest);
    else
        take_workload(suite, line, number);
}

/* Refuses a text that is no suite, with the path and line. */
struct suite suite_read(const char *name, const char *path) {
    struct suite_options options = suite_default_options();
    struct text text = {0};
    unsigned number = 0;
    const int unread = file_read(path, &text);
    if (unread)
        refuse(3, "%.300s: %s", path, strerror(unread));
    if (strlen(text_string(&text)) < text.length)
        refuse(2, "%.300s: no text file", path);
    struct suite suite = {.name = name, .path = path, .title = "", .text = text_string(&text)};
    suite.hash = hash_string(HASH_START, suite.text);
    char *rest = duplicate(suite.text);
    for (char *line; (line = strsep(&rest, "\n"));) {
        refusal_place = formatted("%s:%u", path, ++number);
        line[strcspn(line, "#")] = '\0';
        line = trim(line);
        if (*line)
            take_line(&suite, line, number, &options);
    }
    add_counted_sections(&suite);
    refusal_place = NULL;
    if (suite.sections.count == 0)
        refuse(2, "%s: there is no [tag] section, so nothing to measure", path);
    return suite;
}
