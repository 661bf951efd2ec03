/* verbs.h: from the command line to the program's exit code.
 *
 * build/stealbench VERB uses what is built: it measures, checks, lists. With --whole before the verb, as run.sh calls
 * it, it also looks for packages, builds what the verb needs, and judges and draws what was measured
 * (setup/packages.sh, setup/configure.py, modules of Python). */
#ifndef STEALBENCH_VERBS_H
#define STEALBENCH_VERBS_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/machine.h"
#include "harness/driver/util/process.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- table.c: the verbs. Help and the check of the command line are made from this table. */

struct command_line;
struct job;

#define NOWHERE ((size_t)-1)

struct verb_option {
    const char *name;  /* with - between its words */
    const char *value; /* its value's name; "?RUN": an optional RUN; NULL: it takes no value */
    const char *help;
    char letter;       /* -x; 0: none */
    size_t flag, text; /* offset in struct command_line; NOWHERE: the option is only passed on */
};

/* Options that several verbs share. with: an option without which the others are refused, or NULL. */
struct option_group {
    const char *title, *with;
    const struct verb_option *options; /* ends with a name NULL */
};

/* What a verb's words name. A wrong name is refused before anything is built. */
enum named { WORDS_FREE, WORDS_DEQUES, WORDS_RUNS, WORDS_CHOICE, WORDS_SUITE, WORDS_WORKLOAD };
struct verb_words {
    enum named named;
    const char *choices; /* "a|b": choices of the first word, or NULL */
    size_t least, most;
};

#define GROUPS_MAX 6

/* Sets of setup/packages.sh that most measuring verbs need. */
#define MEASURING "build pages -- optional"

struct verb {
    const char *group, *name, *summary, *arguments; /* summary: one line; arguments: as help shows them, or NULL */
    const char *text;                               /* more help, or NULL */
    struct verb_words words;
    const struct option_group *groups[GROUPS_MAX];
    const char *packages; /* sets of setup/packages.sh, or NULL */
    int (*carry_out)(const struct job *);
    const char *program; /* if carry_out is NULL: gets the words, a run's folder in place of its name */
    bool other_deques;   /* its --deque may name deques outside queues/ */
    bool starts_deques;  /* it runs their executables, which have to be built for this processor */
    bool passes_on;      /* the words and options after its first word belong to another program */
};

/* In the order of help; ends with a name NULL. */
extern const struct verb verbs[];

/* The verb of that name; for the name of a suite, suite. Refuses any other word, and suggests the nearest. */
const struct verb *verb_find(const char *name, const struct words *suite_names);

/* --- command_line.c: reads the command line and checks what can be checked without the deques */

struct command_line {
    const struct verb *verb;
    struct words words;          /* words after the verb, without options: a workload, a suite, deques */
    struct words given;          /* everything after the verb, with options as --name=value */
    struct words options;        /* the options among these */
    struct suite_line values;    /* for run: deque= and the workload's parameters; for suites: deque= and only= */
    struct suite_line overrides; /* invocations, repetitions, minimum_time, timeout: one value each */
    const char *name, *results, *deques_in, *resume, *seconds, *memory_limit, *check, *topology, *within;
    const char *part, *repeat, *split, *march, *from;
    bool csv, wants_resume, against, anyway, unsound, dry_run, quiet, help;
    bool slurm, missing, all, ci, json, table;
    bool only_build; /* no option: build what the line needs, and measure nothing */
};

/* arguments[0] is the program. usual: the verb where there is none, or NULL. suites: names that stand for `suite NAME`.
 */
struct command_line command_line_parse(int count, const char *const *arguments, const char *usual,
                                       const struct words *suites);

/* Prints what `VERB --help` shows. */
void command_line_help(const struct verb *, FILE *);

#define STEALBENCH_VERSION "0.1.0"

struct job {
    const struct command_line *line;
    const char *build, *root;     /* the build folder; the source tree */
    const char *const *arguments; /* the command line for the manifest, ending with NULL */
    bool whole;                   /* --whole */
};

/* Each returns the program's exit code. */
int carry_out_suite(const struct job *);
int carry_out_run(const struct job *);
int carry_out_compare(const struct job *);
int carry_out_extras(const struct job *);
int carry_out_merge(const struct job *);
int carry_out_check(const struct job *);
int carry_out_lab(const struct job *);
int carry_out_ci(const struct job *);
int carry_out_trust(const struct job *);
int carry_out_list(const struct job *);
int carry_out_doctor(const struct job *);
int carry_out_help(const struct job *);

/* The checks that deques and the lab have, for --check. */
#define CHECK_NAMES "conformance, stress, preempt, pool, explore, stop"

/* --- programs.c: runs other programs at the top of the source tree (process.h: call) and returns their exit codes */

struct words module_words(const char *module); /* "setup/python.sh -m MODULE" */

/* These do nothing without --whole. sets: of setup/packages.sh; targets: of the build. */
int call_packages(const struct job *, const char *sets);
int call_build(const struct job *, struct words targets);

/* The target for these deques; for all if there are none. */
struct words targets_with(const char *target, const struct words *ids);

/* Renews the descriptions of these deques, or of all, if a source of descriptions has changed. */
int call_describe(const struct job *, const struct words *ids);

/* --- measure.c: the verbs run and suite, and how others measure */

/* Measures the suite that is the line's word, for the verb run the workload. *folder: the run's folder; "" if there is
 * none, or only a part of it. */
int measure_line(const struct job *, const struct command_line *, const char **folder);

/* The same. With --whole, hands the run's folder to the judge, unless that has no words, even if a cell crashed (4) or
 * could not be measured here (3). Returns the worst exit code. Unless run is NULL, *run is the run's folder. */
int measure_then(const struct job *, const struct command_line *, struct words judge, const char **run);

/* --- names.c: the names that a command line may use: a deque is a header in queues/, a suite a file in suites/.
 * Workloads and parameters are known from descriptions (catalogue.h). */

struct words names_of_deques(const char *root);
struct words names_of_suites(const char *root);

/* What its file says behind `title`, or "". */
const char *title_of_suite(const char *root, const char *name);

/* Refuse an unknown name and suggest the nearest. In a tree without sources every deque is accepted. */
void names_check(const struct command_line *, const char *root);
void names_must_have_deque(const char *root, const char *deque);

/* The file of a suite, and the folder of a run, given by path or by name. */
const char *suite_path(const char *word, const char *root);
const char *run_named(const char *word, const char *root);

#endif
