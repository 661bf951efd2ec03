/* plan_places.h: the places that a plan asks for, held against this machine before anything runs. For the driver. */
#ifndef STEALBENCH_PLAN_PLACES_H
#define STEALBENCH_PLAN_PLACES_H

#include "harness/driver/plan/plan.h"

#include <stdio.h>

/* Where the threads of a cell, and the memory of its deque, would be on that machine (places_plan): "0-31 memory 0"; or
 * why it has no such place, in brackets. */
void plan_place_text(const struct planned_cell *, const char *machine, char *text, size_t size);

/* A placement that is nonsense is a slip of the user, not a crash of every process asked for it: 2 with a message. One
 * that this machine does not have is too, when asked for by hand (strict); in a suite, which is written for every
 * machine, it is said and the cells that ask for it report that they were denied. 0 otherwise. machine: another than
 * this one (places_plan), or NULL. */
int plan_check_places(const struct plan *, bool strict, const char *machine, char *message);

#endif
