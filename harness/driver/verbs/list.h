/* list.h: the verb list: which deques, workloads and suites there are, as a table or as CSV. */
#ifndef STEALBENCH_LISTING_H
#define STEALBENCH_LISTING_H

#include "harness/driver/plan/catalogue.h"
#include <stdbool.h>
#include <stdio.h>

void list_deques(FILE *, const struct catalogue *, bool csv);
void list_workloads(FILE *, const struct catalogue *, bool csv);

/* Every NAME.suite in folder; 0, or 3 with a message (MESSAGE_SIZE bytes) when there is none. */
int list_suites(FILE *, const char *folder, bool csv, char *message);

/* The names of the suites in folder into a list to be freed, each to be freed; returns how many. */
size_t suite_names(const char *folder, char ***names);

#endif
