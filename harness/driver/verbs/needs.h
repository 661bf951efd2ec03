/* needs.h: what make has to build for a verb: a line "make<tab>WORD" for each target, once. */
#ifndef STEALBENCH_NEEDS_H
#define STEALBENCH_NEEDS_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/verbs/command_line.h"
#include <stdio.h>

/* The executables that the plan's cells and stamps are run by. root: the source tree, in which make is called, with
 * the build folder below. elsewhere: the deques are executables of other folders, whose owner builds them. */
void needs_of_plan(FILE *, const struct plan *, const char *build, const char *root, bool elsewhere);

/* What `check` and `lab` need for the deques among their words, or for all. 0; 2 or 3, said. */
int needs_of_verb(FILE *, const struct command_line *, const char *build);

#endif
