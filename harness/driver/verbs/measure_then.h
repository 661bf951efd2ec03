/* measure_then.h: the one way from measuring to judging. */
#ifndef STEALBENCH_MEASURE_THEN_H
#define STEALBENCH_MEASURE_THEN_H

#include "harness/driver/verbs/carry_out.h"

enum judging {
    JUDGE_ALONE,      /* JUDGE... RUN */
    JUDGE_SUMMARIZED, /* the same when the run has its summary.csv */
    JUDGE_DRAWN,      /* the same when all of it is drawn; a figure that cannot be is no reason not to judge */
    JUDGE_AND_POINT   /* JUDGE... RUN, and how to get figures */
};

/* Measures (measure: "suite" or "run", what, options) and hands the run's folder to the judge, also where a cell
 * crashed (4) or could not be measured here (3); what else goes wrong ends it. Without --whole it measures and judges
 * nothing. Frees both. The worst exit code is the answer. */
int measure_then(const struct job *, struct words *measure, struct words *judge, enum judging how);

/* The same; run is set to the run's folder, to be freed, where there is one. */
int measure_then_named(const struct job *, struct words *measure, struct words *judge, enum judging how, char **run);

/* The same with the verb's own options behind, a name among them with this before it, for a second run of one verb. */
int measure_renamed(const struct job *, struct words *measure, const char *before, struct words *judge,
                    enum judging how);

#endif
