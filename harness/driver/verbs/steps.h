/* steps.h: what a verb has others do: look for packages, build, run a module of Python. From the top of the source
 * tree. */
#ifndef STEALBENCH_STEPS_H
#define STEALBENCH_STEPS_H

#include "harness/driver/util/text.h"
#include "harness/driver/verbs/carry_out.h"

/* "setup/python.sh -m MODULE", for more words to follow. */
struct words module_words(const char *module);

/* Runs these words to their end; step_free frees them then, step_read too, and keeps what was printed. */
int step(const struct words *);
int step_free(struct words *);
int step_read(struct words *, struct text *printed);

/* 0, or 3 when something is missing; nothing at all without --whole. sets: of setup/packages.sh, by blanks. */
int step_packages(const struct job *, const char *sets);
int step_originals(const struct job *);

/* The same of what make builds: these targets, or what a verb with these words needs; of run and suite the folder of
 * the run is appended to run, where that is no NULL. */
int step_build(const struct job *, const char *target);
int step_build_all(const struct job *, const struct words *targets);
int step_build_for(const struct job *, const struct words *verb, struct text *run);

#endif
