/* carry_out.h: verbs from the command line to their exit code.
 *
 * build/stealbench VERB carries out what needs nothing but what is built: measuring, checking, listing. With --whole
 * before the verb, as run.sh calls it, it looks for packages, builds what the verb needs, and judges and draws what was
 * measured (setup/packages.sh, setup/build.sh, Python's modules). */
#ifndef STEALBENCH_CARRY_OUT_H
#define STEALBENCH_CARRY_OUT_H

#include "harness/driver/verbs/command_line.h"

struct job {
    const struct command_line *line;
    const char *build, *root;     /* the build folder; the source tree */
    const char *const *arguments; /* the command line, ending on NULL, for the manifest */
    bool whole;
};

/* Each returns the program's exit code. */
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
int carry_out_export(const struct job *);
int carry_out_setup(const struct job *);
int carry_out_help(const struct job *);
int carry_out_version(const struct job *);

/* The verb's own, or its module. */
int carry_out(const struct job *);

#endif
