#include "harness/driver/record/record.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/median.h"
#include "harness/measuring/parameters.h"

static bool is_number(const char *text) {
    char *end;
    const double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value) && !isspace((unsigned char)*text);
}

static bool is_count(const char *text) { return *text && strspn(text, "0123456789") == strlen(text); }

static bool makes_sense(char *const *field, bool is_sample) {
    for (size_t i = 1; i < OUTPUT_FIELDS; i++)
        for (const char *at = field[i]; *at; at++)
            if (!isalnum((unsigned char)*at) && !strchr("_-+/%.:", *at))
                return false;
    if (!*field[ROLE] || !is_count(field[REPETITION]) || !*field[METRIC])
        return false;
    if (is_sample && strcmp(field[STATUS], "ok") != 0)
        return !*field[VALUE] && choice_index("unsupported|denied|busy|timeout|crashed", field[STATUS]) >= 0;
    if (is_sample)
        return is_number(field[VALUE]);
    const char *lower = field[4], *upper = field[5], *count = field[6];
    return is_number(lower) && is_number(upper) && strtod(lower, NULL) < strtod(upper, NULL) && is_count(count) &&
           strtoull(count, NULL, 10) > 0;
}

/* If the line begins with the word and a tab, what follows, else NULL. */
static const char *after(const char *line, const char *word) {
    const size_t length = strlen(word);
    return begins_with(line, word) && line[length] == '\t' ? line + length + 1 : NULL;
}

/* Takes a line that may be printed only once: the first one is kept. */
static bool take_once(const char *line, const char *word, bool is_number, const char **kept) {
    const char *said = after(line, word);
    if (!said || (is_number && !is_count(said)))
        return false;
    *kept = **kept ? *kept : said;
    return true;
}

static bool take_distance(struct output *output, const char *line) {
    const char *said = after(line, "distance");
    const bool is_positive = said && is_number(said) && strtod(said, NULL) > 0;
    if (said && output->distance_count < DISTANCES_MAX)
        output->distances[output->distance_count++] = is_positive ? strtod(said, NULL) : (double)NAN;
    return said && (!*said || is_positive);
}

static bool take_printed(struct output *output, char *line) {
    struct output_line one = {.is_sample = after(line, "sample")};
    if ((!one.is_sample && !after(line, "histogram")) ||
        split_fields(line, "\t", one.field, OUTPUT_FIELDS) != OUTPUT_FIELDS || !makes_sense(one.field, one.is_sample))
        return false;
    const size_t i = ONE_MORE(output->lines, output->line_count);
    output->lines[i] = one;
    return true;
}

void output_read(struct output *output, const struct text *printed) {
    char *rest = NULL;
    *output = (struct output){.placement = "", .memory = "", .copy = duplicate(text_string(printed))};
    if (strlen(output->copy) < printed->length)
        output->wrong = "printed bytes that are no text";
    for (char *line = strtok_r(output->copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char begins[64];
        snprintf(begins, sizeof begins, "%s", line);
        if (!take_once(line, "placement", false, &output->placement) &&
            !take_once(line, "memory", true, &output->memory) && !take_distance(output, line) &&
            !take_printed(output, line) && !output->wrong)
            output->wrong = formatted("printed a line that is no sample: %s", begins);
    }
}

void output_free(struct output *output) {
    free(output->lines);
    free(output->copy);
}

/* The nearest probes before and after a repetition that gave a distance. NAN: there is none on that side. */
static void find_around(const struct output *output, unsigned long repetition, double *before, double *after_it) {
    const unsigned long last = output->distance_count - 1, place = repetition < last ? repetition : last;
    *before = *after_it = (double)NAN;
    for (unsigned long i = place + 1; i-- > 0 && isnan(*before);)
        *before = output->distances[i];
    for (unsigned long i = place + (place < last); i <= last && isnan(*after_it); i++)
        *after_it = output->distances[i];
}

double output_distance(const struct output *output, unsigned long repetition, const char **flag) {
    double before, after_it;
    *flag = "";
    if (output->distance_count == 0)
        return (double)NAN;
    find_around(output, repetition, &before, &after_it);
    if (isnan(before) && isnan(after_it))
        *flag = FLAG_NO_DISTANCE;
    if (isnan(before) || isnan(after_it))
        return isnan(before) ? after_it : before;
    if (distance_agrees(before, after_it))
        return (before + after_it) / 2;
    *flag = FLAG_MOVED;
    return (double)NAN;
}

bool output_moved(const struct output *output, double *before, double *after_it) {
    for (unsigned long i = 0; i + 1 < output->distance_count; i++) {
        find_around(output, i, before, after_it);
        if (!isnan(*before) && !isnan(*after_it) && !distance_agrees(*before, *after_it))
            return true;
    }
    return false;
}

/* The file is C's and a spreadsheet's alike: its texts are in quotation marks, and a comma ends each line. */
enum { NAME_OF_METRIC = 0, MARK_OF_VALUE = 5, COLUMNS_OF_METRICS = 8 };
static const char *const metrics[] = {
#include "results/metrics.csv"
};

static bool is_value(const char *metric) {
    for (size_t row = 0; row < sizeof metrics / sizeof *metrics; row += COLUMNS_OF_METRICS)
        if (*metrics[row + MARK_OF_VALUE] && strcmp(metrics[row + NAME_OF_METRIC], metric) == 0)
            return true;
    return false;
}

void headline_take(struct headline *headline, const char *role, const char *metric, const char *status,
                   const char *value) {
    if (!is_value(metric))
        return;
    if (!*headline->metric) {
        snprintf(headline->role, sizeof headline->role, "%s", role);
        snprintf(headline->metric, sizeof headline->metric, "%s", metric);
    }
    if (strcmp(role, headline->role) != 0 || strcmp(metric, headline->metric) != 0 || strcmp(status, "ok") != 0)
        return;
    const size_t i = ONE_MORE(headline->values, headline->count);
    headline->values[i] = strtod(value, NULL);
}

double headline_end(struct headline *headline) {
    const double value = headline->count > 0 ? median(headline->values, headline->count) : (double)NAN;
    free(headline->values);
    *headline = (struct headline){0};
    return value;
}

bool output_busy(const struct output *output) {
    bool busy = false;
    for (size_t i = 0; i < output->line_count; i++) {
        char *const *field = output->lines[i].field;
        if (!output->lines[i].is_sample || !is_value(field[METRIC]))
            continue;
        if (strcmp(field[STATUS], "ok") == 0)
            return false;
        busy |= strcmp(field[STATUS], "busy") == 0;
    }
    return busy;
}

double output_headline(const struct output *output) {
    struct headline headline = {0};
    for (size_t i = 0; i < output->line_count; i++) {
        char *const *field = output->lines[i].field;
        const char *flag;
        output_distance(output, strtoul(field[REPETITION], NULL, 10), &flag);
        if (output->lines[i].is_sample && strcmp(flag, FLAG_MOVED) != 0)
            headline_take(&headline, field[ROLE], field[METRIC], field[STATUS], field[VALUE]);
    }
    return headline_end(&headline);
}
