/* verbs.h: what the verbs of table.h do, from the command line to the program's exit code.
 *
 * build/stealbench VERB carries out what needs nothing but what is built: measuring, checking, listing. With --whole
 * before the verb, as run.sh calls it, it looks for packages, builds what the verb needs, and judges and draws what was
 * measured (setup/packages.sh, setup/build.sh, Python's modules). */
#ifndef STEALBENCH_VERBS_H
#define STEALBENCH_VERBS_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- the one table of verbs: what each is called, takes and needs, and who carries it out. Help, the man page,
 * the completion and the check of the command line are made of it. */

struct command_line;
struct job;

#define NOWHERE ((size_t)-1)

struct verb_option {
    const char *name;  /* with - between its words */
    const char *value; /* what its value is called; "?RUN": RUN, which may be left out; NULL: it takes none */
    const char *help;
    char letter;       /* -x; 0: none */
    size_t flag, text; /* where in struct command_line it is kept, or NOWHERE: passed on as it is */
};

/* Options that several verbs share. with: the option that they go with, NULL: they stand alone. */
struct option_group {
    const char *title, *with;
    const struct verb_option *options; /* ends on a name NULL */
};

/* What a verb's words name, so that a wrong one is answered before anything is built. */
enum named { WORDS_FREE, WORDS_DEQUES, WORDS_RUNS, WORDS_CHOICE, WORDS_SUITE, WORDS_WORKLOAD };

#define GROUPS_MAX 4

/* What most verbs that measure need: sets of setup/packages.sh. */
#define MEASURING "build pages -- optional"

struct verb {
    const char *group, *name, *summary, *arguments; /* summary: one line; arguments: as help writes them */
    const char *former;                             /* another name that answers as this one does; NULL: none */
    const char *now;  /* a name of before, which answers: the verb that does it now, else NULL */
    const char *text; /* what help says besides; NULL: nothing */
    const struct option_group *groups[GROUPS_MAX];
    enum named named;
    const char *choices;  /* of its first word, "a|b" */
    size_t least, most;   /* words */
    const char *packages; /* sets of setup/packages.sh; NULL: none but those that the driver is built with */
    int (*carry_out)(const struct job *);
    const char *program; /* which carries it out with the words as they are, where carry_out is NULL */
    bool other_deques;   /* its --deque names what is not in queues/ */
    bool measures;       /* has the options of a suite's cells, too (suite_option_parameters) */
};

/* Ends on a name NULL; in the order of help. */
extern const struct verb verbs[];

/* By its name or a former one; NULL. */
const struct verb *verb_find(const char *name);

/* Every name that answers. */
struct words verb_names(void);

/* --- what stealbench was asked to do, taken apart and checked as far as that goes without the deques. */

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

#define STEALBENCH_VERSION "0.1.0"

struct job {
    const struct command_line *line;
    const char *build, *root;     /* the build folder; the source tree */
    const char *const *arguments; /* the command line, ending on NULL, for the manifest */
    bool whole;
};

/* --- carry_out.c: each returns the program's exit code */
int carry_out_suite(const struct job *);
int carry_out_run(const struct job *);
int carry_out_compare(const struct job *);
int carry_out_runtimes(const struct job *);
int carry_out_merge(const struct job *);
int carry_out_check(const struct job *);
int carry_out_lab(const struct job *);
int carry_out_ci(const struct job *);
int carry_out_trust(const struct job *);
int carry_out_fidelity(const struct job *);
int carry_out_report(const struct job *);
int carry_out_publish(const struct job *);
int carry_out_list(const struct job *);
int carry_out_doctor(const struct job *);
int carry_out_help(const struct job *);
int carry_out_version(const struct job *);

/* The verb's own, or its program. */
int carry_out(const struct job *);

/* --- steps.c: what a verb has others do, from the top of the source tree */

/* "setup/python.sh -m MODULE", for more words to follow. */
struct words module_words(const char *module);

/* Runs these words to their end; the exit code. */
int step(struct words);

/* 0, or 3 when something is missing; nothing at all without --whole. sets: of setup/packages.sh; targets: of make, both
 * by blanks. The last builds what a verb with these words needs; of run and suite *run is then the folder of the run
 * ("" for others), where run is no NULL. */
int step_packages(const struct job *, const char *sets);
int step_build(const struct job *, const char *targets);
int step_build_for(const struct job *, struct words verb, const char **run);

/* What becomes of a run that was measured. */
enum judging {
    JUDGE_ALONE,      /* JUDGE... RUN */
    JUDGE_SUMMARIZED, /* the same when the run has its summary.csv */
    JUDGE_DRAWN,      /* the same when all of it is drawn; a figure that cannot be is no reason not to judge */
    JUDGE_AND_POINT   /* JUDGE... RUN, and how to get figures */
};

/* Measures (measure: "suite" or "run", what, options) and hands the run's folder to the judge, also where a cell
 * crashed (4) or could not be measured here (3); what else goes wrong ends it. Without --whole it measures and judges
 * nothing. The worst exit code is the answer. *run is set to the run's folder, "" where there is none, unless run is
 * NULL. */
int measure_then(const struct job *, struct words measure, struct words judge, enum judging how, const char **run);

/* The same with the verb's own options behind, a name among them with this before it, for a second run of one verb. */
int measure_renamed(const struct job *, struct words measure, const char *before, struct words judge);

/* --- run.c: the verbs run and suite. words: the whole command line, ending on NULL, for the manifest. */
int measure_line(const struct job *, const struct command_line *, const char *const *words, bool is_run);

/* --- check.c: every check of the deques named, or of all, in the plain build and under the sanitizers. Prints a line a
 * check, below one that failed how to repeat it and a sanitizer's report, and at last "N passed, N failed". 0; 1 when a
 * check failed, or an unsound deque passed them all; 2 when there is no such deque or check; 3 when a build is missing
 * or a check came to no verdict; 130 when interrupted. seconds: that each check's random search lasts. */
#define CHECK_SECONDS 1.2 /* unless told otherwise: 20 deques in four minutes */
int check_deques(const struct command_line *, const char *build, double seconds);

/* --- lab.c: count, explore or stop for one deque after the other, by the lab's own executables (build/lab/ID, see
 * proof/lab/README.md), which print for themselves. The worst exit code: 0 fine, 1 a fault or a refuted claim, 2 usage,
 * 3 something is missing. */
int laboratory(const struct command_line *, const char *build);

/* --- list.c: the deques, workloads or suites there are, as a table, as CSV or as JSON. What is not built yet is named
 * as far as its source tells. */
void list(FILE *, const char *what, const char *build, const char *root, bool csv, bool json);

/* --- manual.c: help, the man page and bash's completion, made of the table of verbs */
void help_print(FILE *);
void manual_print(FILE *);
void completion_print(FILE *, const char *root); /* deques, workloads, parameters and suites of this source tree */

/* --- needs.c: what make has to build for a verb: a line "make<tab>WORD" for each target, once. */

/* The executables that the plan's cells and stamps are run by. elsewhere: the deques are executables of other folders,
 * whose owner builds them. */
void needs_of_plan(FILE *, const struct plan *, const char *build, const char *root, bool elsewhere);

/* What `check` and `lab` need for the deques among their words, or for all. Returns 0. */
int needs_of_verb(FILE *, const struct command_line *, const char *build);

/* --- names.c: what a command line may name, read from the source tree: it is checked before anything is built */

/* By name. about: a deque's title and source, a workload's summary; else "". */
struct names {
    struct words ids, abouts;
};
struct names names_of_deques(const char *root);
struct names names_of_workloads(const char *root);
struct names names_of_parameters(const char *root);
struct words names_of_suites(const char *root);

/* A name that is none is refused with the nearest. What the tree does not tell (it has no sources) is not held against
 * the line, or the deque. */
void names_check(const struct command_line *, const char *root);
void names_must_have_deque(const char *root, const char *deque);

/* The folder of a run that is named by it, or by its name below results/; what is none is refused. */
const char *run_named(const char *word, const char *root);

/* --- what is wrong with this machine for measuring, why that matters, and the command that mends it. */

enum doctor_verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_UNKNOWN };

/* Who else used the processors while the doctor looked. */
struct activity {
    double stolen;     /* share of the processors' time that the host took, 0 to 1; below 0: unknown */
    double working;    /* share of it in which somebody ran, short-lived processes included; below 0: unknown */
    const char *busy;  /* names of the busy processes, "" when none is */
    double interrupts; /* of devices, a second, on processors that we may use; below 0: unknown */
    const char *interrupts_busiest; /* of those since boot the one with the most */
    const char *kernel_threads;     /* those that ran there for a noticeable time, "" when none did */
    const char *distances;          /* between processors that we may use, now: doctor_tell_distances; "": none known */
};

/* "10 ns (4 pairs), 51 ns (24 pairs)": distances that agree together, by their median. Sorts them. */
const char *doctor_tell_distances(double *distances, size_t count);

/* Prints one finding after the other; returns how many are warnings. counters: machine_hardware_counters(),
 * papi: counters_papi(). */
unsigned doctor_report(FILE *, const char *root, const struct activity *, const char *counters, const char *papi);

/* The verb: looks at this machine and prints. Always 0: a warning is no failure. */
int doctor(void);

#endif
