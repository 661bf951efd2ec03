#include "harness/driver/verbs/lab.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/json.h"
#include "harness/driver/util/process.h"
#include "harness/driver/util/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lab's program writes straight to our standard output: a trace is long, and wanted while it comes. What becomes
 * JSON is collected. */
static int run_deque(const struct command_line *line, const struct catalogue_deque *deque, struct text *table) {
    struct words words = {0};
    words_add(&words, deque->parts[0].executable);
    words_add(&words, line->words.at[0]);
    for (size_t i = 0; i < line->options.count; i++)
        words_add(&words, strcmp(line->options.at[i], "--json") == 0 ? "--csv" : line->options.at[i]);
    if (line->words.count != 2 && strcmp(line->words.at[0], "explore") == 0)
        printf("== %s\n", deque->id);
    const size_t before = table->length;
    const int result = line->wants_json ? process_read(words.at, table) : process_here(words.at);
    if (before > 0 && before < table->length) { /* of several tables one heading */
        const size_t heading = strcspn(table->data + before, "\n") + 1;
        memmove(table->data + before, table->data + before + heading, table->length - before - heading + 1);
        text_cut(table, table->length - heading);
    }
    words_free(&words);
    return result;
}

/* The deques named, or every sound one. */
static int run_all(const struct command_line *line, const struct catalogue *catalogue, char *message) {
    const struct catalogue_deque *deque;
    struct text table = {0};
    int worst = 0;
    for (size_t i = 1; i < line->words.count; i++) {
        int result = catalogue_must_find(catalogue, line->words.at[i], false, &deque, message);
        if (result)
            return result;
    }
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        deque = &catalogue->deques[i];
        bool wanted = line->words.count == 1 && deque->sound && !deque->reference;
        for (size_t j = 1; j < line->words.count; j++)
            wanted |= strcmp(line->words.at[j], deque->id) == 0;
        int result = wanted ? run_deque(line, deque, &table) : 0;
        worst = result > worst ? result : worst;
    }
    if (line->wants_json)
        json_of_csv(stdout, text_string(&table));
    text_free(&table);
    *message = '\0';
    return worst;
}

int laboratory(const struct command_line *line, const char *build) {
    char message[MESSAGE_SIZE];
    struct catalogue catalogue = {0};
    int result = catalogue_open(&catalogue, build, "lab", message);
    if (result == 0)
        result = run_all(line, &catalogue, message);
    if (result && *message)
        fprintf(stderr, "stealbench lab: %s\n", message);
    catalogue_close(&catalogue);
    return result;
}
