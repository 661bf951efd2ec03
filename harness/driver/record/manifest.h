/* manifest.h: manifest.json of a run: what was measured, with what, on which machine, and how it ended.
 *
 * Written whole at the start and again at the end, each time beside and then renamed. Plots find by the cells' tags
 * which figure shows which cell. Rows of samples.csv whose cell is not in the manifest were superseded (measured with
 * another build) and are not to be used.
 */
#ifndef STEALBENCH_MANIFEST_H
#define STEALBENCH_MANIFEST_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/plan/stamp.h"
#include "harness/driver/record/machine.h"
#include "harness/measuring/clock/clock.h"
#include <jansson.h>
#include <stdbool.h>

struct manifest {
    const struct suite *suite;
    const struct plan *plan;
    const struct catalogue *catalogue;
    const struct stamp *stamps; /* one a deque of the catalogue */
    const char *run;            /* its name */
    const char *host;           /* this machine's */
    const char *part;           /* "3/12": of a run that is measured in parts; else NULL */
    unsigned repeat;            /* of the part: on which of several nodes */
    uint64_t split;             /* hash of the run's split.csv */
    const char *build, *root;   /* the build folder; the source tree */
    uint64_t memory_limit;      /* bytes that a process may hold; 0: no limit */
    const char *const *command; /* ends on NULL */
    struct machine machine;
    struct topology topology;
    struct clock_facts clock;
    const char *counters;
    const char *commit, *git; /* commit: "" when unknown; git: "clean", "dirty", or why unknown */
    const char *start, *resumed;
    json_t *carried; /* cells of a resumed run that this plan does not hold, unchanged */
};

/* Reads the facts about machine, sources and clock, and notes the time. */
void manifest_gather(struct manifest *);

/* The manifest of a run's folder, to be released by json_decref, or NULL: there is none, or it is no JSON. */
json_t *manifest_read(const char *folder);

/* A text of its top level, or NULL. */
const char *manifest_text(const json_t *, const char *name);

/* Was the run in folder measured on this machine, kernel and build? 0; 2 with a message (MESSAGE_SIZE bytes) that says
 * what differs; anyway: only a manifest of another version is refused, for it would be rewritten. */
int manifest_check(const char *folder, const char *build, bool anyway, char *message);

/* Takes over from the manifest in folder, if there is one, its start and the cells that this plan does not measure. */
void manifest_take_up(struct manifest *, const char *folder);

/* state: "running", "finished", "interrupted", "failed". exit_code below 0: not known yet. 0, or 4 with a message. */
int manifest_write(const struct manifest *, const char *folder, const char *state, int exit_code, char *message);

#endif
