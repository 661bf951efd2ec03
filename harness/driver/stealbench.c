/* stealbench.c: main of the driver. It finds the deques below its own folder and hands each verb to its file. */
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/record/invocation.h"
#include "harness/driver/record/machine.h"
#include "harness/driver/record/manifest.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/driver/verbs/check.h"
#include "harness/driver/verbs/command_line.h"
#include "harness/driver/verbs/doctor.h"
#include "harness/driver/verbs/lab.h"
#include "harness/driver/verbs/list.h"
#include "harness/driver/verbs/run.h"
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEALBENCH_VERSION "0.1.0"

static const struct parameter seconds_parameter = PARAMETER_REAL("seconds", 1, 0.01, 3600, "s", "");

static const struct parameter memory_parameter = PARAMETER_INTEGER("memory_limit", 0, 1 << 24, 1ull << 60, "bytes", "");

/* What a process may hold: what was asked for, or what leaves the system an eighth. */
static int limit_memory(const struct command_line *line) {
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value limit;
    if (!line->memory_limit) {
        process_limit_memory(machine_memory("") / 8 * 7);
        return 0;
    }
    if (!parameter_read(&memory_parameter, line->memory_limit, &limit, spelling, message)) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 2;
    }
    process_limit_memory(limit.integer);
    return 0;
}

static int list(const struct command_line *line, const char *build, const char *root) {
    static const char *const things[] = {"deques", "workloads", "suites"};
    char message[MESSAGE_SIZE];
    struct catalogue catalogue = {0};
    const char *what = line->words[0];
    int result = 0;
    if (strcmp(what, "suites") == 0) {
        char *folder = path_join(root, "suites");
        result = list_suites(stdout, folder, line->wants_csv, message);
        free(folder);
    } else if (strcmp(what, "deques") == 0 || strcmp(what, "workloads") == 0) {
        result = catalogue_open(&catalogue, build, DEQUE_FOLDERS, message);
        if (result == 0 && *what == 'd')
            list_deques(stdout, &catalogue, line->wants_csv);
        else if (result == 0)
            list_workloads(stdout, &catalogue, line->wants_csv);
    } else {
        say_unknown("thing to list", what, things, sizeof things / sizeof things[0], message);
        result = 2;
    }
    if (result)
        fprintf(stderr, "stealbench list: %s\n", message);
    catalogue_close(&catalogue);
    return result;
}

static int check(const struct command_line *line, const char *build) {
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value seconds = {.real = GATE_SECONDS};
    if (line->seconds && !parameter_read(&seconds_parameter, line->seconds, &seconds, spelling, message)) {
        fprintf(stderr, "stealbench check: %s\n", message);
        return 2;
    }
    catch_interrupts();
    return gate(build, &(struct gate_request){.ids = line->words,
                                              .count = line->word_count,
                                              .check = line->check,
                                              .seconds = seconds.real,
                                              .fail_fast = line->fail_fast});
}

static int help(const struct command_line *line) {
    fputs(help_text(line->verb), stdout);
    return 0;
}

/* An executable that was built for another processor dies of its first unknown instruction. 0; 3, said. */
static int must_fit_processor(const char *build) {
    static const char label[] = "\"instructions\": \"";
    struct text text = {0};
    char lacking[256], *path = path_join(build, "build.json");
    char *wanted = file_read(path, &text) == 0 ? strstr(text_string(&text), label) : NULL;
    bool lacks = false;
    if (wanted) {
        wanted += sizeof label - 1;
        wanted[strcspn(wanted, "\"")] = '\0';
        lacks = machine_lacks(wanted, "", lacking, sizeof lacking);
    }
    if (lacks)
        fprintf(stderr,
                "stealbench: %s is for another processor, this one lacks %s: build here, or for both "
                "(export OPTIMISE='-O3 -march=x86-64-v2')\n",
                build, lacking);
    free(path);
    text_free(&text);
    return lacks ? 3 : 0;
}

static int obey(const struct command_line *line, const char *build, const char *root, const char *const *arguments) {
    const bool starts = line->verb == VERB_LIST || line->verb == VERB_RUN || line->verb == VERB_SUITE ||
                        line->verb == VERB_CHECK || line->verb == VERB_LAB;
    if (line->help)
        return help(line);
    if (starts && must_fit_processor(build) != 0)
        return 3;
    switch (line->verb) {
    case VERB_LIST:
        return list(line, build, root);
    case VERB_RUN:
        return timing_run(line, build, root, arguments);
    case VERB_SUITE:
        return timing_suite(line, build, root, arguments);
    case VERB_CHECK:
        return check(line, build);
    case VERB_LAB:
        return laboratory(line, build);
    case VERB_DOCTOR:
        return doctor();
    case VERB_HELP:
        return help(line);
    case VERB_VERSION:
        break;
    }
    printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
           SAMPLES_VERSION);
    return 0;
}

int main(int count, char **arguments) {
    struct command_line line;
    char message[MESSAGE_SIZE];
    const char *const *words = (const char *const *)arguments;
    int result = command_line_parse(&line, count, words, message);
    if (result) {
        fprintf(stderr, "stealbench: %s\nstealbench --help tells what there is\n", message);
        command_line_free(&line);
        return result;
    }
    char *build = own_folder();
    if (!build) {
        fputs("stealbench: /proc is not mounted, so it cannot find its build folder\n", stderr);
        command_line_free(&line);
        return 3;
    }
    char *above = duplicate(build);
    result = limit_memory(&line);
    if (result == 0)
        result = obey(&line, build, dirname(above), words);
    if (fflush(stdout) != 0 && result == 0) {
        fputs("stealbench: standard output cannot be written\n", stderr);
        result = 4;
    }
    free(above);
    free(build);
    command_line_free(&line);
    return result;
}
