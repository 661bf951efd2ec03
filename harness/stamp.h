/* stamp.h: a deque is timed only with a stamp for this very executable: its short checks passed on it.
 *
 * A stamp that passed is kept in build/stamps/ID with the hash of the executable, so the checks run again only when
 * the executable changed. A failure is not kept.
 */
#ifndef STEALBENCH_STAMP_H
#define STEALBENCH_STAMP_H

#include "harness/catalogue.h"

#define STAMP_SECONDS 2.0 /* for all checks of one deque */

/* STAMP_UNDECIDED: a check came to no verdict, which says nothing of the deque */
enum stamp_result { STAMP_NOT_MADE, STAMP_NOT_NEEDED, STAMP_PASSED, STAMP_FAILED, STAMP_UNDECIDED };

struct stamp {
    enum stamp_result result;
    bool kept;                 /* it was made before */
    char reason[MESSAGE_SIZE]; /* unless it passed: the check, and what it said */
};

/* Is a stamp for this executable there? Baselines need none. laboratory: the folder of the lab's executables; where it
 * has one for this deque, its short checks belong to the stamp. */
bool stamp_find(struct stamp *, const struct catalogue_deque *, const char *folder, const char *laboratory);

/* Runs the checks, and keeps a stamp that passed below folder where that can be written. */
void stamp_make(struct stamp *, const struct catalogue_deque *, const char *folder, const char *laboratory);

/* Runs one check of an executable; why (MESSAGE_SIZE bytes) says what came of it unless it passed. The gate uses it
 * too. Failed: it said so, or crashed. Undecided: it was killed from outside, for its time say, or says so
 * itself. Impossible: it cannot be made here. */
enum check_result { CHECK_PASSED, CHECK_FAILED, CHECK_UNDECIDED, CHECK_IMPOSSIBLE, CHECK_INTERRUPTED };
enum check_result check_run(const char *executable, const char *check, double seconds, double *took, char *why);

#endif
