/* verbs.h: what the verbs of table.h do, from the command line to the program's exit code.
 *
 * build/stealbench VERB carries out what needs nothing but what is built: measuring, checking, listing. With --whole
 * before the verb, as run.sh calls it, it looks for packages, builds what the verb needs, and judges and draws what was
 * measured (setup/packages.sh, setup/build.sh, Python's modules). */
#ifndef STEALBENCH_VERBS_H
#define STEALBENCH_VERBS_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/verbs/command_line.h"
#include <stdio.h>

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

#endif
