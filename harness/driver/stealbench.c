/* stealbench.c: main of the driver. It finds the deques below its own folder and hands each verb to its function. */
#include "harness/driver/record/machine.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter memory_parameter = PARAMETER_INTEGER("memory_limit", 0, 1 << 24, 1ull << 60, "bytes", "");

/* What a process may hold: what was asked for, or what leaves the system an eighth. */
static int limit_memory(const struct command_line *line) {
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value limit = {.integer = machine_memory("") / 8 * 7};
    if (line->memory_limit && !parameter_read(&memory_parameter, line->memory_limit, &limit, spelling, message)) {
        fprintf(stderr, "stealbench %s: %s\n", line->verb->name, message);
        return 2;
    }
    process_limit_memory(limit.integer);
    return 0;
}

/* An executable that was built for another processor dies of its first unknown instruction. 0; 3, said. */
static int must_fit_processor(const char *build) {
    json_t *facts = json_load_file(path_join(build, "build.json"), 0, NULL);
    const char *wanted = json_string_value(json_object_get(facts, "instructions"));
    const char *lacking = wanted ? machine_lacks(wanted, "") : "";
    if (!*lacking)
        return 0;
    fprintf(stderr,
            "stealbench: %s is for another processor, this one lacks %s: build here, or for both "
            "(export OPTIMISE='-O3 -march=x86-64-v2')\n",
            build, lacking);
    return 3;
}

/* What would run a deque's executable. */
static bool starts_deques(const struct verb *verb) {
    return verb->measures || verb->carry_out == carry_out_check || verb->carry_out == carry_out_lab ||
           verb->carry_out == carry_out_list;
}

static int obey(const struct job *job) {
    char message[MESSAGE_SIZE];
    if (job->line->help) {
        command_line_help(job->line->verb, stdout);
        return 0;
    }
    if (names_check(job->line, job->root, message) != 0) {
        fprintf(stderr, "stealbench %s: %s\n", job->line->verb->name, message);
        return 2;
    }
    if (!job->whole && starts_deques(job->line->verb) && must_fit_processor(job->build) != 0)
        return 3;
    const int result = limit_memory(job->line);
    return result ? result : carry_out(job);
}

/* --whole before the verb: as run.sh calls it. */
int main(int count, char **arguments) {
    struct command_line line;
    char message[MESSAGE_SIZE];
    const bool whole = count > 1 && strcmp(arguments[1], "--whole") == 0;
    if (whole) {
        arguments[1] = arguments[0];
        arguments++;
        count--;
    }
    const char *const *words = (const char *const *)arguments;
    int result = command_line_parse(&line, count, words, whole ? "quick" : NULL, message);
    if (result) {
        fprintf(stderr, "%s\n", message);
        return result;
    }
    setenv("STEALBENCH_VERB", line.verb->name, 1); /* for what modules of Python say */
    unsetenv("STEALBENCH_FROM"); /* the words' paths are found; what is started from here gives its own */
    const char *build = own_folder();
    if (!build) {
        fputs("stealbench: /proc is not mounted, so it cannot find its build folder\n", stderr);
        return 3;
    }
    result = obey(&(struct job){
        .line = &line, .build = build, .root = dirname(duplicate(build)), .arguments = words, .whole = whole});
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0) {
        fputs("stealbench: standard output cannot be written\n", stderr);
        result = 4;
    }
    return result;
}
