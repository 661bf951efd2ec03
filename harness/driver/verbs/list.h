/* list.h: the verb list: which deques, workloads and suites there are, as a table, as CSV or as JSON. */
#ifndef STEALBENCH_LISTING_H
#define STEALBENCH_LISTING_H

#include "harness/driver/plan/catalogue.h"
#include <stdbool.h>
#include <stdio.h>

/* Prints what there is of deques, workloads or suites; json: the CSV as JSON. What is not built yet is named as far as
 * its source tells. 0; 2 or 3 with a message (MESSAGE_SIZE bytes). */
int list(FILE *, const char *what, const char *build, const char *root, bool csv, bool json, char *message);

/* The names of the suites in folder into a list to be freed, each to be freed; returns how many. */
size_t suite_names(const char *folder, char ***names);

#endif
