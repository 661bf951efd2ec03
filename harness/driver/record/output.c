/* output.c: reads once what a cell's process printed (harness/README.md). */
#pragma once

#include "harness/driver/util/text.c"
#include "harness/measuring/distance.h"
#include <regex.h>

#define DISTANCES_MAX 1024 /* with more repetitions, the last probe stands for the rest */

/* A sample, or a bucket of a histogram. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };

struct output_line {
    bool is_sample;
    const char *field[OUTPUT_FIELDS]; /* for a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *memory; /* "" if the process did not say */
    /* Distances between the threads, in ns, before the first repetition and after each; NAN: not known. None for a cell
     * of one thread. */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    LIST(struct output_line) lines;
    const char *wrong; /* what does not follow the format, or NULL */
    char *copy;        /* the text that the fields point into */
};

/* Flags of rows with several threads and an empty distance. */
#define FLAG_MOVED "moved"

#define FLAG_NO_DISTANCE "no_distance"

/* The lines that a process may print, as regular expressions. */
#define FIELD "[[:alnum:]_+/%.:-]"
#define NUMBER "[-+]?[0-9.]+(e[-+]?[0-9]+)?"
enum form { PLACEMENT, MEMORY, DISTANCE, SAMPLE, HISTOGRAM, NO_FORM };
static const char *const forms[NO_FORM] = {
    [PLACEMENT] = "^placement\t",
    [MEMORY] = "^memory\t[0-9]+$",
    [DISTANCE] = "^distance\t([0-9.]*[1-9][0-9.]*)?$",
    [SAMPLE] = "^sample\t" FIELD "+\t[0-9]+\t" FIELD "+\t(" NUMBER "\t" FIELD "*\tok|\t" FIELD
               "*\t(unsupported|denied|busy|timeout|crashed))\t" FIELD "*$",
    [HISTOGRAM] = "^histogram\t" FIELD "+\t[0-9]+\t" FIELD "+\t" NUMBER "\t" NUMBER "\t0*[1-9][0-9]*\t" FIELD "*$",
};

static enum form form_of(const char *line) {
    static regex_t compiled[NO_FORM];
    static bool ready;
    enum form form = PLACEMENT;
    for (size_t i = 0; i < NO_FORM && !ready; i++)
        regcomp(&compiled[i], forms[i], REG_EXTENDED | REG_NOSUB);
    ready = true;
    while (form < NO_FORM && regexec(&compiled[form], line, 0, NULL, 0) != 0)
        form++;
    return form;
}

static void take_printed(struct output *output, char *line) {
    const enum form form = form_of(line);
    const char *said = strchr(line, '\t');
    char begins[64];
    snprintf(begins, sizeof begins, "%s", line);
    struct output_line one = {.is_sample = form == SAMPLE};
    if (form == SAMPLE || form == HISTOGRAM)
        split_fields(line, "\t", (char **)(uintptr_t)one.field, OUTPUT_FIELDS);
    const bool makes_sense =
        form == HISTOGRAM ? strtod(one.field[4], NULL) < strtod(one.field[5], NULL) : form != NO_FORM;
    if (!makes_sense && !output->wrong)
        output->wrong = formatted("printed a line that is no sample: %s", begins);
    if (form == PLACEMENT && !*output->placement)
        output->placement = said + 1;
    if (form == MEMORY && !*output->memory)
        output->memory = said + 1;
    if (form == DISTANCE && output->distance_count < DISTANCES_MAX)
        output->distances[output->distance_count++] = said[1] ? strtod(said, NULL) : (double)NAN;
    if (form == SAMPLE || form == HISTOGRAM)
        *ONE_MORE(output->lines) = one;
}

void output_read(struct output *output, const struct text *printed) {
    char *rest = NULL;
    *output = (struct output){.placement = "", .memory = "", .copy = duplicate(text_string(printed))};
    if (strlen(output->copy) < printed->length)
        output->wrong = "printed bytes that are no text";
    for (char *line = strtok_r(output->copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        take_printed(output, line);
}

void output_free(struct output *output) {
    free(output->lines.at);
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

/* The distance of a repetition: the mean of the nearest probes before and after it, or the only one of these. If there
 * is none, or they disagree, it is NAN and *flag says which; else *flag is "". */
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

/* Did the threads' processors move? *before and *after are then the two probes that disagree. */
bool output_moved(const struct output *output, double *before, double *after_it) {
    for (unsigned long i = 0; i + 1 < output->distance_count; i++) {
        find_around(output, i, before, after_it);
        if (!isnan(*before) && !isnan(*after_it) && !distance_agrees(*before, *after_it))
            return true;
    }
    return false;
}
