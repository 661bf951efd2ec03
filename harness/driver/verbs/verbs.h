/* verbs.h: from the command line to the program's exit code.
 *
 * build/stealbench VERB uses what is built: it measures, checks, lists. With --whole before the verb, as run.sh calls
 * it, it also looks for packages, builds what the verb needs, and judges and draws what was measured
 * (setup/packages.sh, setup/configure.py, modules of Python). */
#pragma once

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/machine.h"
#include "harness/driver/util/process.h"

/* --- table.c: the verbs and their options. Help and the check of the command line are made from verbs.csv, where each
 * verb names its groups of options, and options.csv. */

struct command_line;
struct job;

struct verb_option {
    const char *group;
    const char *name;  /* with - between its words; "" begins a group: help is its title, and value an option without
                        * which the group's are refused, or "" */
    const char *value; /* its value's name; "?RUN": an optional RUN; "": it takes no value */
    const char *help;
    char letter; /* -x; 0: none */
};

/* What a verb's words name. A wrong name is refused before anything is built. */
enum named { WORDS_FREE, WORDS_DEQUES, WORDS_RUNS, WORDS_SUITE, WORDS_WORKLOAD, WORDS_CHOICE };

struct verb {
    const char *group, *name, *summary, *arguments, *more; /* more: help behind the summary, or "" */
    enum named named;
    const char *choices;  /* "a|b": choices of the first word, or NULL */
    size_t least, most;   /* words */
    struct words groups;  /* of options */
    const char *packages; /* sets of setup/packages.sh, or "" */
    int (*carry_out)(const struct job *);
    const char *program; /* if carry_out is NULL: gets the words, a run's folder in place of its name */
    bool other_deques;   /* its --deque may name deques outside queues/ */
    bool starts_deques;  /* it runs their executables, which have to be built for this processor */
    bool passes_on;      /* the words and options after its first word belong to another program */
};

/* In the order of help; behind the last one a name or a verb that is NULL. */
struct verb_option option_number(size_t);
const struct verb *verb_number(size_t);

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
    bool help;
    bool only_build; /* no option: build what the line needs, and measure nothing */
};

/* arguments[0] is the program. usual: the verb where there is none, or NULL. suites: names that stand for `suite NAME`.
 */
struct command_line command_line_parse(int count, const char *const *arguments, const char *usual,
                                       const struct words *suites);

/* Is the option given? Its value, if it has one; else NULL. */
bool has(const struct command_line *, const char *option);
const char *value_of(const struct command_line *, const char *option);

/* The line with one more option, "--name=value". */
struct command_line with(const struct command_line *, const char *option);

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

/* Renews the descriptions of these deques and workloads, if a source of descriptions has changed. NULL: of all. */
int call_describe(const struct job *, const struct words *deques, const struct words *workloads);

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
