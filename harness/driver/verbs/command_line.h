/* command_line.h: what stealbench was asked to do, taken apart and checked as far as that goes without the deques. */
#ifndef STEALBENCH_COMMAND_LINE_H
#define STEALBENCH_COMMAND_LINE_H

#include "harness/driver/plan/suite.h"
#include "harness/driver/verbs/table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct command_line {
    const struct verb *verb;
    struct words words;          /* what follows the verb and is no option: a workload, a suite, deques */
    struct words given;          /* all that follows it, in its order; options as --name=value */
    struct words options;        /* the options among these */
    struct suite_line values;    /* run: --name=value,value for the deques and the workload's parameters.
                                    suites: deque= and only= */
    struct suite_line overrides; /* invocations, repetitions, minimum_time, timeout as given, one value each */
    const char *csv, *json, *name, *results, *deques_in, *resume, *seconds, *memory_limit, *check, *topology;
    const char *part, *repeat, *split, *host, *against, *to, *output, *march;
    bool wants_csv, wants_json, wants_resume, wants_against, anyway, unsound, needs, dry_run, quiet, fail_fast, help;
    bool slurm, build_on_node, quick, missing, all, update_baseline, gate, man, completion;
};

/* arguments[0] is the program. usual: the verb where none is named, or NULL. What is wrong is refused. */
struct command_line command_line_parse(int count, const char *const *arguments, const char *usual);

/* A suite's option as the command line has it: minimum-time. */
char *option_of_parameter(const struct parameter *);

/* What `VERB --help` prints. */
void command_line_help(const struct verb *, FILE *);

#endif
