/* manual.h: help, the man page and bash's completion, made of the table of verbs. */
#ifndef STEALBENCH_MANUAL_H
#define STEALBENCH_MANUAL_H

#include <stdio.h>

#define STEALBENCH_VERSION "0.1.0"

void help_print(FILE *);
void manual_print(FILE *);
/* root: the source tree, whose deques, workloads, parameters and suites are completed. */
void completion_print(FILE *, const char *root);

#endif
