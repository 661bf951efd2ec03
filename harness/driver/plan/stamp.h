/* stamp.h: a deque is timed only with a stamp: its short checks passed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp that passed is kept in build/stamps/ID with their hashes, so they run again only when they changed. A failure
 * is not kept.
 */
#ifndef STEALBENCH_STAMP_H
#define STEALBENCH_STAMP_H

#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/text.h"

#define STAMP_SECONDS 2.0 /* for all checks of one deque */

/* STAMP_UNDECIDED: a check came to no verdict, which says nothing of the deque */
#define STAMP_RESULTS(RESULT)                                                                                          \
    RESULT(STAMP_NOT_MADE, "not made")                                                                                 \
    RESULT(STAMP_NOT_NEEDED, "not needed")                                                                             \
    RESULT(STAMP_PASSED, "passed")                                                                                     \
    RESULT(STAMP_FAILED, "failed")                                                                                     \
    RESULT(STAMP_UNDECIDED, "no verdict")
enum stamp_result { STAMP_RESULTS(LIST_NAME) };

struct stamp {
    enum stamp_result result;
    bool kept;          /* it was made before */
    const char *reason; /* unless it passed: the check, and what it said */
};

/* Is a stamp for this deque there? Baselines need none. Where the lab has an executable for this deque, its
 * short checks belong to the stamp. */
bool stamp_find(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs the checks, and keeps a stamp that passed where it can be written. */
void stamp_make(struct stamp *, const struct catalogue_deque *, const char *build);

/* Runs one check of an executable; *why says what came of it unless it passed. Lines that say how to repeat a failure,
 * and what a sanitizer reported, are added to details unless that is NULL. Failed: it said so, or
 * crashed. Undecided: it says so itself, or was killed from outside, for its time say. Impossible: it cannot be made
 * here. */
#define CHECK_RESULTS(RESULT)                                                                                          \
    RESULT(CHECK_PASSED, "passed")                                                                                     \
    RESULT(CHECK_FAILED, "FAILED")                                                                                     \
    RESULT(CHECK_UNDECIDED, "no verdict")                                                                              \
    RESULT(CHECK_IMPOSSIBLE, "missing")                                                                                \
    RESULT(CHECK_INTERRUPTED, "stopped")
enum check_result { CHECK_RESULTS(LIST_NAME) };
enum check_result check_run(const char *executable, const char *check, double seconds, double *took, const char **why,
                            struct text *details);

#endif
