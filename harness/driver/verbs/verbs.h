/* verbs.h: from the command line to the program's exit code.
 *
 * build/stealbench VERB uses what is built: it measures, checks, lists. With --whole before the verb, as run.sh calls
 * it, it also looks for packages, builds what the verb needs, and judges and draws what was measured
 * (setup/packages.sh, setup/configure.py, modules of Python). */
#pragma once

#include "harness/driver/execute/execute.h"

/* --- table.c: the verbs and their options, rows of verbs.csv and options.csv, from which help and the check of the
 * command line are made. Each ends with a row whose name is NULL. */

struct verb_option {
    const char *group;
    const char *letter; /* -x; "": none */
    const char *name;   /* with - between its words; "" begins a group: help is its title, and value an option without
                         * which the group's are refused, or "" */
    const char *value;  /* its value's name; "?RUN": an optional RUN; "": it takes no value */
    const char *help;
};
extern const struct verb_option *const all_options;

struct verb {
    const char *group, *name, *arguments, *summary;
    /* What its words name: free, deques, runs, a suite, a workload, or else the choices of the first word, "a|b". A
     * wrong name is refused before anything is built. */
    const char *words;
    const char *least, *most; /* words */
    const char *options;      /* groups of options */
    const char *packages;     /* sets of setup/packages.sh, or "" */
    const char *program;      /* unless it is one of VERBS_IN_C: gets the words, a run's folder in place of its name */
    const char *notes; /* other_deques: its --deque may name deques outside queues/; starts_deques: it runs executables,
                        * which have to be built for this processor; passes_on: the words and options after its first
                        * word belong to another program */
    const char *more;  /* help behind the summary, or "" */
};
extern const struct verb *const all_verbs;

bool verb_is(const struct verb *, const char *note);
bool verb_has_choices(const struct verb *);

/* The verb of that name; for the name of a suite, suite. Refuses any other word, and suggests the nearest. */
const struct verb *verb_find(const char *name, struct words suite_names);

/* --- command_line.c: reads the command line and checks what can be checked without the deques */

struct command_line {
    const struct verb *verb;
    struct words words;       /* words after the verb, without options: a workload, a suite, deques */
    struct words given;       /* everything after the verb, with options as --name=value */
    struct words options;     /* the options among these */
    struct suite_line values; /* for run: deque= and the workload's parameters; for suites: deque= and only= */
    bool help;
    bool only_build; /* no option: build what the line needs, and measure nothing */
};

/* arguments[0] is the program. usual: the verb where there is none, or NULL. suites: names that mean `suite NAME`. */
struct command_line command_line_parse(int count, const char *const *arguments, const char *usual, struct words suites);

/* Is the option given? Its value, if it has one; else NULL. */
bool has(const struct command_line *, const char *option);
const char *value_of(const struct command_line *, const char *option);

/* Its number, or the fallback. Refuses a wrong one. */
struct value number_of(const struct command_line *, const struct parameter *option);

struct command_line with(const struct command_line *, const char *option); /* one more, "--name=value" */
void command_line_help(const struct verb *);                               /* prints what `VERB --help` shows */

struct job {
    const struct command_line *line;
    const char *build, *root;     /* the build folder; the source tree */
    const char *const *arguments; /* the command line for the manifest, ending with NULL */
    bool whole;                   /* --whole */
};

/* Each returns the program's exit code. */
#define VERBS_IN_C(VERB)                                                                                               \
    VERB(suite)                                                                                                        \
    VERB(run)                                                                                                          \
    VERB(compare) VERB(merge) VERB(check) VERB(lab) VERB(ci) VERB(trust) VERB(list) VERB(doctor) VERB(extras) VERB(help)
#define DECLARE_VERB(name) int carry_out_##name(const struct job *);
VERBS_IN_C(DECLARE_VERB)

/* --- programs.c: runs other programs at the top of the source tree (call) */

struct words module_words(const char *module); /* "setup/python.sh -m MODULE" */

/* These do nothing without --whole. If they fail, they end the driver with the program's exit code. sets: of
 * setup/packages.sh; targets: of the build. */
void need_packages(const struct job *, const char *sets);
void need_build(const struct job *, struct words targets);

/* The target for these deques; for all if there are none. */
struct words targets_with(const char *target, struct words ids);

/* Renews the descriptions of these deques and workloads, if a source of descriptions has changed. NULL: of all. */
void need_descriptions(const struct job *, const struct words *deques, const struct words *workloads);

/* --- measure.c: the verbs run and suite, and how others measure */

/* Measures the suite that is the line's word, for the verb run the workload. *folder: the run's folder; "" if there is
 * none, or only a part of it. */
int measure_line(const struct job *, const struct command_line *, const char **folder);

/* The same. With --whole, hands the run's folder to the judge, unless that has no words, even if a cell crashed (4) or
 * could not be measured here (3). Returns the worst exit code. Unless run is NULL, *run is the run's folder. */
int measure_then(const struct job *, const struct command_line *, struct words judge, const char **run);

void name_run(struct run *);            /* chooses the run to make or to resume */
void tell_plan(struct run *);           /* dry_run.c: prints every cell, its places and its expected time */
double length_read(const char *text);   /* parts.c: the seconds of "30m", "2h" or "90s"; 0: it is none */
void tell_division(const struct run *); /* for --split: a line per part: its number, seconds, cells and invocations */
void choose_part(struct run *);         /* for --part: keeps the cells of this part */

/* --- names.c: the names that a command line may use: a deque is a header in queues/, a suite a file in suites/.
 * Workloads and parameters are known from descriptions (catalogue.h). */

struct words names_of_deques(const char *root);
struct words names_of_suites(const char *root);

/* Refuse an unknown name and suggest the nearest. In a tree without sources every deque is accepted. */
void names_check(const struct command_line *, const char *root);
void names_must_have_deque(const char *id, const char *root, const char *others); /* "a|b": or one of these */

/* The file of a suite, and the folder of a run, given by path or by name. */
const char *suite_path(const char *word, const char *root);
const char *run_named(const char *word, const char *root);
const char *run_found(const char *word, const char *root); /* the same, or NULL */
