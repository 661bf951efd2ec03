/* command_line.h: what stealbench was asked to do, taken apart and checked as far as that goes without the deques. */
#ifndef STEALBENCH_COMMAND_LINE_H
#define STEALBENCH_COMMAND_LINE_H

#include "harness/driver/plan/suite.h"
#include "harness/driver/verbs/table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Words that grow; they belong to somebody else. {0} has none; at ends on a NULL. */
struct words {
    const char **at;
    size_t count;
};

void words_add(struct words *, const char *word);
void words_add_all(struct words *, const struct words *);
void words_free(struct words *);

struct command_line {
    const struct verb *verb;
    struct words words;          /* what follows the verb and is no option: a workload, a suite, deques */
    struct words given;          /* all that follows it, in its order; options as --name=value */
    struct words options;        /* the options among these */
    struct words owned;          /* memory of some of them */
    struct suite_line values;    /* run: --name=value,value for the deques and the workload's parameters.
                                    suites: deque= and only= */
    struct suite_line overrides; /* invocations, repetitions, minimum_time, timeout as given, one value each */
    const char *csv, *json, *name, *results, *deques_in, *resume, *seconds, *memory_limit, *check, *topology;
    const char *part, *repeat, *split, *host, *against, *to, *output, *march;
    bool wants_csv, wants_json, wants_resume, wants_against, anyway, unsound, needs, dry_run, quiet, fail_fast, help;
    bool slurm, build_on_node, quick, missing, all, update_baseline, gate, man, completion;
};

/* 0, or 2 with a message (MESSAGE_SIZE bytes) that begins with "stealbench VERB: ". arguments[0] is the program.
 * usual: the verb where none is named, or NULL. Freed by command_line_free in either case. */
int command_line_parse(struct command_line *, int count, const char *const *arguments, const char *usual,
                       char *message);
void command_line_free(struct command_line *);

/* Does the verb know this option, spelt with - ? */
bool command_line_knows(const struct verb *, const char *name);

/* What `VERB --help` prints. */
void command_line_help(const struct verb *, FILE *);

#endif
