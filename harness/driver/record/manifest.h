/* manifest.h: manifest.json of a run: what was measured, with what, on which machine, and how it ended.
 *
 * Written whole at the start and again at the end, each time beside and then renamed. Plots find by the cells' tags
 * which figure shows which cell. Rows of samples.csv whose cell is not in the manifest were superseded (measured with
 * another build) and are not to be used.
 */
#ifndef STEALBENCH_MANIFEST_H
#define STEALBENCH_MANIFEST_H

#include "harness/driver/record/machine.h"
#include "harness/driver/record/run.h"
#include "harness/measuring/clock/clock.h"
#include <jansson.h>
#include <stdbool.h>

struct manifest {
    const struct run *run;
    struct machine machine;
    struct topology topology;
    struct clock_facts clock;
    const char *counters;
    const char *commit, *git; /* commit: "" when unknown; git: "clean", "dirty", or why unknown */
    const char *start, *resumed;
    json_t *carried; /* cells of a resumed run that this plan does not hold, unchanged */
};

/* Reads the facts about machine, sources and clock, and notes the time. */
struct manifest manifest_of(const struct run *);

/* The manifest of a run's folder, to be released by json_decref, or NULL: there is none, or it is no JSON. */
json_t *manifest_read(const char *folder);

/* A text of its top level, or NULL. */
const char *manifest_text(const json_t *, const char *name);

/* Refused: the run in folder was measured on another machine or kernel than this, or not with this build (NULL: with
 * any); or its manifest, which is to be rewritten, is of another version. */
void manifest_check(const char *folder, const char *build);

/* Takes over from the manifest in the run's folder, if there is one, its start and the cells that this plan does not
 * measure. */
void manifest_take_up(struct manifest *);

/* state: "running", "finished", "interrupted", "failed". exit_code below 0: not known yet. NULL, or why it cannot. */
const char *manifest_write(const struct manifest *, const char *state, int exit_code);

#endif
