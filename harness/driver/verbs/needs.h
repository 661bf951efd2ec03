/* needs.h: what a plan needs built besides what plain make builds. */
#ifndef STEALBENCH_NEEDS_H
#define STEALBENCH_NEEDS_H

#include "harness/driver/plan/plan.h"
#include <stdio.h>

/* A line "make<tab>TARGET" for each target, once. build: the build folder as make names it, relative to the source
 * tree. */
void needs_print(FILE *, const struct plan *, const char *build);

#endif
