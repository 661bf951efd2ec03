/* names.h: what a command line may name, read from the source tree: it is checked before anything is built. */
#ifndef STEALBENCH_NAMES_H
#define STEALBENCH_NAMES_H

#include "harness/driver/verbs/command_line.h"

struct name {
    char *id, *about; /* about: a deque's title and source, a workload's summary, a suite's nothing */
};

struct names {
    struct name *at; /* by id */
    size_t count;
};

/* Deques by their headers, workloads and parameters by the C that declares them, suites by their files, runs by their
 * folders. root: the source tree; none where it is none. Freed by names_free. */
void names_of_deques(struct names *, const char *root);
void names_of_workloads(struct names *, const char *root);
void names_of_parameters(struct names *, const char *root);
void names_of_suites(struct names *, const char *root);
void names_of_runs(struct names *, const char *results);
void names_free(struct names *);

/* Does the line name what there is? 0; 2 with a message that gives the nearest. What the tree does not tell (it has no
 * sources) is not held against it. */
int names_check(const struct command_line *, const char *root, char *message);

/* 0; 2 with a message when the deque is not among them. */
int names_must_have_deque(const struct names *, const char *deque, char *message);

/* The folder of a run that is named by it, or by its name below results/; to be freed. NULL with a message. */
char *run_named(const char *word, const char *root, char *message);

#endif
