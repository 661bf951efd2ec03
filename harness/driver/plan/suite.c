#include "harness/driver/plan/suite.h"
#include "harness/measuring/cell.h"

enum { COUNTED_INVOCATIONS = 6 };

static const struct parameter needs = PARAMETER_INTEGER("needs", 0, 1, 1ull << 60, "bytes", "");

const struct parameter suite_option_parameters[] = {
    PARAMETER_INTEGER("invocations", 5, 1, 100000, "", ""),
    PARAMETER_INTEGER("repetitions", 3, 1, 1000, "", ""),
    PARAMETER_REAL("minimum_time", 0.02, 0.0001, 3600, "s", ""),
    PARAMETER_REAL("precision", 0, 0, 50, "%", ""),
    PARAMETER_REAL("timeout", 60, 0.1, 86400, "s", ""),
    PARAMETER_INTEGER("variants", 2, 1, CELL_VARIANTS, "", ""),
    PARAMETERS_END,
};

/* Where an option is kept: an unsigned or a double. */
static void *place_of(struct suite_options *options, const struct parameter *parameter) {
    void *const places[] = {&options->invocations, &options->repetitions, &options->minimum_time,
                            &options->precision,   &options->timeout,     &options->variants};
    return places[parameter - suite_option_parameters];
}

static void set_option(struct suite_options *options, const struct parameter *parameter, const char *text) {
    const struct value value = must_read(parameter, text);
    void *place = place_of(options, parameter);
    if (parameter->kind == KIND_INTEGER)
        *(unsigned *)place = (unsigned)value.integer;
    else
        *(double *)place = value.real;
}

struct suite_options suite_default_options(void) {
    struct suite_options options = {.work_of = ""};
    for (const struct parameter *one = suite_option_parameters; one->name; one++)
        set_option(&options, one, one->fallback);
    return options;
}

void suite_set_option(struct suite_options *options, const char *name, const char *value) {
    const struct parameter *parameter = parameter_find(suite_option_parameters, name);
    const size_t length = strlen(value);
    if (!parameter)
        refuse(2, "no such option: %.60s", name);
    if (strcmp(parameter->unit, "%") == 0 && length > 1 && value[length - 1] == '%')
        value = formatted("%.*s", (int)length - 1, value);
    set_option(options, parameter, value);
    options->invocations_given |= strcmp(name, "invocations") == 0;
}

/* Adds "a,b" to the end of the key's values. Sets of counters may be joined by + as well. */
static void add_values(struct suite_key *key, const char *values) {
    char *rest = duplicate(values);
    for (char *value; (value = strsep(&rest, strcmp(key->name, "counters") == 0 ? ",+" : ","));) {
        if (!*value)
            refuse(2, "%s= needs at least one value, and no empty one between commas", key->name);
        words_add(&key->values, value);
        if (!unescape(value))
            refuse(2, "%s=%.60s: after %% two hexadecimal digits are expected; %% itself is %%25", key->name, values);
    }
}

const struct suite_key *suite_line_key(const struct suite_line *line, const char *name) {
    for (size_t i = 0; i < line->key_count; i++)
        if (strcmp(line->keys[i].name, name) == 0)
            return &line->keys[i];
    return NULL;
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
    const size_t i = ONE_MORE(line->keys, line->key_count);
    line->keys[i] = key;
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
    const bool thieves = strcmp(key->name, "thieves") == 0;
    const uint64_t most = processors - (thieves && processors > 1);
    return thieves || strcmp(key->name, "threads") == 0 ? most : UINT64_MAX;
}

/* A list with `...`, or with `all` threads, in numbers. */
static struct words values_on(const struct suite_key *key, unsigned processors) {
    const uint64_t most = most_on(key, processors);
    struct words values = {0};
    for (size_t i = 0; i < key->values.count; i++) {
        const char *value = key->values.at[i];
        const bool all = most < UINT64_MAX && strcmp(value, "all") == 0;
        const uint64_t number = all ? most : strtoull(value, NULL, 10);
        if (strcmp(value, "...") == 0)
            add_series(&values, key, i, most);
        else if (number <= most)
            words_add_once(&values, all ? formatted("%" PRIu64, most) : value);
    }
    if (values.count == 0)
        words_add(&values, key->values.at[0]);
    return values;
}

struct suite_line suite_line_on(const struct suite_line *line, unsigned processors) {
    struct suite_line meant = *line;
    meant.keys = allocate(line->key_count, sizeof meant.keys[0]);
    for (size_t i = 0; i < line->key_count; i++) {
        const struct suite_key *key = &line->keys[i];
        meant.keys[i] = *key;
        if (words_have(&key->values, "...") || words_have(&key->values, "all"))
            meant.keys[i].values = values_on(key, processors);
    }
    return meant;
}

struct suite_section *suite_add_section(struct suite *suite, const char *tag, const char *title,
                                        const struct suite_options *options) {
    const size_t i = ONE_MORE(suite->sections, suite->section_count);
    suite->sections[i] = (struct suite_section){.tag = duplicate(tag), .title = duplicate(title), .options = *options};
    return &suite->sections[i];
}

struct suite_line *suite_add_line(struct suite_section *section, const char *workload, unsigned number) {
    const size_t i = ONE_MORE(section->lines, section->line_count);
    section->lines[i] = (struct suite_line){.number = number, .workload = duplicate(workload)};
    return &section->lines[i];
}

static char *trim(char *text) {
    text += strspn(text, " \t\r\v\f");
    for (size_t length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

bool suite_tag_meant(const char *asked, const char *tag) {
    const size_t length = strlen(asked);
    return begins_with(tag, asked) && (tag[length] == '\0' || tag[length] == '-');
}

static void add_new_section(struct suite *suite, const char *tag, const char *title,
                            const struct suite_options *options) {
    for (size_t i = 0; i < suite->section_count; i++)
        if (strcmp(suite->sections[i].tag, tag) == 0)
            refuse(2, "[%.60s] is there twice", tag);
    suite_add_section(suite, tag, title, options);
}

/* Reads "[fig6] Latency of push". Tags of chapters have points: 5.2-fig3. */
static void take_section(struct suite *suite, char *line, const struct suite_options *options) {
    char *tag = line + 1, *close = strchr(line, ']');
    if (!close)
        refuse(2, "a section's [tag] has no closing bracket");
    *close = '\0';
    if (!is_name(tag, ".") || *tag == '.')
        refuse(2, "[%.60s]: a tag has letters, digits, _ - and . only", tag);
    suite->tagged = true;
    add_new_section(suite, tag, trim(close + 1), options);
}

/* Reads "push deque=array batch=1,128". */
static void take_workload(struct suite *suite, const char *line, unsigned number) {
    const struct words words = split_words(line, " \t");
    if (!suite->tagged)
        refuse(2, "%.60s: a [tag] line comes before the first workload", words.at[0]);
    if (!is_name(words.at[0], ""))
        refuse(2, "%.60s: a line begins with a workload, an option or a [tag]", words.at[0]);
    struct suite_line *added = suite_add_line(&suite->sections[suite->section_count - 1], words.at[0], number);
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
    strcpy(suite->optional.name, "optional");
    add_values(&suite->optional, names);
}

/* Adds the line to the section, with the values of `instead` replacing its own. */
static void take_over(struct suite_section *section, const struct suite_line *line, unsigned number,
                      const struct suite_line *instead) {
    struct suite_line *added = suite_add_line(section, line->workload, number);
    for (size_t i = 0; i < line->key_count + instead->key_count; i++) {
        const struct suite_key *key = i < line->key_count ? &line->keys[i] : &instead->keys[i - line->key_count];
        if (i < line->key_count && suite_line_key(instead, key->name))
            continue;
        const size_t place = ONE_MORE(added->keys, added->key_count);
        added->keys[place] = *key;
    }
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
    for (size_t i = 0; i < words.count; i++)
        suite_line_add(section->counted, words.at[i]);
    if (!suite_line_key(section->counted, "counters"))
        suite_line_add(section->counted, "counters=caches+pipeline");
}

/* Adds the counted section that belongs to a section which has been read. */
static void add_counted_section(struct suite *suite, const struct suite_section section) {
    struct suite_options options = section.options;
    options.precision = 0;
    options.invocations = options.invocations < COUNTED_INVOCATIONS ? options.invocations : COUNTED_INVOCATIONS;
    add_new_section(suite, formatted("%s-counted", section.tag), formatted("Counted: %s", section.title), &options);
    for (size_t i = 0; i < section.line_count; i++)
        take_over(&suite->sections[suite->section_count - 1], &section.lines[i], section.lines[i].number,
                  section.counted);
}

/* Adds the counted sections that are not there yet. */
static void add_counted_sections(struct suite *suite) {
    for (size_t count = suite->section_count; suite->counted < count; suite->counted++)
        if (suite->sections[suite->counted].counted)
            add_counted_section(suite, suite->sections[suite->counted]);
    suite->counted = suite->section_count;
}

bool suite_is_optional(const struct suite *suite, const char *deque) {
    return words_have(&suite->optional.values, deque);
}

static void take_line(struct suite *suite, char *line, unsigned number, struct suite_options *options) {
    const char *rest;
    for (const struct parameter *option = suite_option_parameters; option->name; option++)
        if ((rest = after_word(line, option->name))) {
            suite_set_option(suite->tagged ? &suite->sections[suite->section_count - 1].options : options, option->name,
                             rest);
            return;
        }
    if (*line == '[')
        take_section(suite, line, options);
    else if ((rest = after_word(line, "title")))
        suite->title = rest;
    else if ((rest = after_word(line, "within")))
        suite->within = rest;
    else if ((rest = after_word(line, "optional")))
        take_optional(suite, rest);
    else if ((rest = after_word(line, "counted")) && suite->tagged)
        take_counted(&suite->sections[suite->section_count - 1], rest);
    else if (strcmp(line, "rest") == 0)
        add_counted_sections(suite);
    else if ((rest = after_word(line, "needs")) && suite->tagged)
        suite->sections[suite->section_count - 1].needs = must_read(&needs, rest).integer;
    else if ((rest = after_word(line, "work")))
        take_work(suite->tagged ? &suite->sections[suite->section_count - 1].options : options, rest);
    else
        take_workload(suite, line, number);
}

static struct suite parse(const char *name, const char *path, const char *text) {
    struct suite_options options = suite_default_options();
    char *rest = duplicate(text);
    unsigned number = 0;
    struct suite suite = {.name = duplicate(name),
                          .path = duplicate(path),
                          .title = "",
                          .text = duplicate(text),
                          .hash = hash_string(HASH_START, text)};
    for (char *line; (line = strsep(&rest, "\n"));) {
        refusal_place = formatted("%s:%u", path, ++number);
        line[strcspn(line, "#")] = '\0';
        line = trim(line);
        if (*line)
            take_line(&suite, line, number, &options);
    }
    add_counted_sections(&suite);
    refusal_place = NULL;
    if (suite.section_count == 0)
        refuse(2, "%s: there is no [tag] section, so nothing to measure", path);
    return suite;
}

struct suite suite_read(const char *name, const char *path) {
    struct text text = {0};
    const int unread = file_read(path, &text);
    if (unread)
        refuse(3, "%.300s: %s", path, strerror(unread));
    if (strlen(text_string(&text)) < text.length)
        refuse(2, "%.300s: no text file", path);
    return parse(name, path, text_string(&text));
}
