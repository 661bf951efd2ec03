/* parts.h: where a part of a run is written, and what earlier attempts at it have measured.
 *
 *   RUN/split.csv                          which part measures which cell (split.h)
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        of the next, after the node failed, say: what the first has not finished
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node, where each is measured on several
 *
 * Each attempt has a folder of its own, made by mkdir, which lets one alone through. So a file has one writer whatever
 * happens, also where a node that was thought dead goes on: no lock is needed, and NFS and Lustre do. Others' files are
 * read as far as they are whole and never touched. python3 -m harness.cluster.merge makes one run of them.
 */
#ifndef STEALBENCH_PARTS_H
#define STEALBENCH_PARTS_H

#include "harness/driver/record/results.h"

#define REPEATS_MAX 1000

/* The first attempt at any part of the run that has a manifest; NULL when none has begun. */
char *parts_any_attempt(const char *run, unsigned parts);

/* Begins the next attempt: reads what the earlier ones, and the run itself if it was merged already, have finished, and
 * makes a folder for this one. */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *);

/* Writes the run's split.csv unless it is there, makes the folder for it, and reads what is there then into text: the
 * same for all that do so at once. */
void parts_agree(const char *run, const struct text *split, struct text *text);

#endif
