/* run.h: the verbs run and suite, from the command line to a finished run folder. */
#ifndef STEALBENCH_RUN_H
#define STEALBENCH_RUN_H

#include "harness/driver/verbs/command_line.h"

/* Both return the program's exit code. build: the build folder; root: the source tree; arguments: the whole command
 * line, ending on NULL, for the manifest. */
int timing_run(const struct command_line *, const char *build, const char *root, const char *const *arguments);
int timing_suite(const struct command_line *, const char *build, const char *root, const char *const *arguments);

#endif
