/* command_line.h: what stealbench was asked to do, taken apart and checked as far as that goes without the deques. */
#ifndef STEALBENCH_COMMAND_LINE_H
#define STEALBENCH_COMMAND_LINE_H

#include "harness/driver/plan/suite.h"
#include <stdbool.h>
#include <stddef.h>

enum verb { VERB_LIST, VERB_RUN, VERB_SUITE, VERB_CHECK, VERB_LAB, VERB_DOCTOR, VERB_HELP, VERB_VERSION };

struct command_line {
    enum verb verb;
    const char **words; /* what follows the verb and is no option: a workload, a suite, deques */
    size_t word_count;
    const char **passed_on; /* lab: the options, which the deque's lab executable reads */
    size_t passed_on_count;
    struct suite_line values;    /* run: --name=value,value for the deques and the workload's parameters.
                                    suite: deque= and only= */
    struct suite_line overrides; /* invocations, repetitions, minimum_time, timeout as given, one value each */
    const char *csv, *name, *results, *deques_in, *resume, *seconds, *memory_limit, *check, *topology;
    const char *part, *repeat, *split, *host;
    bool wants_csv, wants_resume, anyway, unsound, needs, dry_run, quiet, fail_fast, help;
};

/* 0, or 2 with a message (MESSAGE_SIZE bytes). arguments[0] is the program. Freed by command_line_free in either
 * case. */
int command_line_parse(struct command_line *, int count, const char *const *arguments, char *message);
void command_line_free(struct command_line *);

/* What --help says about a verb; VERB_HELP for the whole program. */
const char *help_text(enum verb);

#endif
