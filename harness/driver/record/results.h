/* results.h: a run's folder, its samples.csv and its histograms.csv: made once, appended to, resumed.
 *
 * The rows of one invocation are written by one call and synced before the next starts. The last has the metric
 * invocation_time; resuming a run cuts off what follows the last such row. So whatever stops the driver, at most the
 * invocation in flight is lost. Rows of histograms.csv, which is made with the first histogram, are synced before those
 * of samples.csv; resuming cuts off those whose invocation is not complete in samples.csv.
 */
#ifndef STEALBENCH_RESULTS_H
#define STEALBENCH_RESULTS_H

#include "harness/driver/record/output.h"
#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One invocation that is complete in samples.csv. */
struct finished_invocation {
    uint64_t cell, subject; /* the cell's id; plan_subject of its workload, deque and parameters */
    unsigned invocation;
    bool ok; /* it neither crashed nor timed out */
    struct judged judged;
    double seconds; /* that it took, 0 where that is not known */
};

struct finished {
    struct finished_invocation *at;
    size_t count;
};

/* One of the two files. */
struct run_file {
    int descriptor; /* -1 when closed; that of samples.csv is locked against a second driver */
    off_t length;   /* of its complete part */
};

struct results {
    char *folder;
    struct run_file samples, histograms; /* histograms: -1 until there is one */
    int copy;                            /* where --csv= wants the same rows, or -1 */
};
extern const struct results results_closed;

/* Which invocations text (a whole samples.csv) holds, and how many of its bytes are whole; the rest was being written.
 * Refused when it is no samples.csv of this version. */
struct finished samples_scan(const char *text, size_t length, size_t *whole);

/* How many bytes of text (a whole histograms.csv) belong to finished invocations; the rest was being written. Refused
 * when it is no histograms.csv of this version, or holds others before the end. */
size_t histograms_scan(const char *text, size_t length, const struct finished *);

/* Makes parent/name and an empty samples.csv in it. A name that is taken is refused; results_make returns false. */
struct results results_create(const char *parent, const char *name);
bool results_make(struct results *, const char *parent, const char *name);

/* Opens an existing run, drops what is incomplete, and says what is there. Refused when another driver writes there. */
struct results results_resume(const char *folder, struct finished *);

/* Sends every row to this descriptor as well, those that are there already first. */
void results_copy_to(struct results *, int descriptor);

/* Appends rows that make one invocation, and its histograms' rows, if any. NULL; or why it cannot, and both files then
 * end as before. */
const char *results_append(struct results *, const struct text *rows, const struct text *histograms);

void results_close(struct results *);

/* "20261120T143000Z-quick", or that with -2, -3, ... when it is taken. */
char *results_new_name(const char *parent, const char *suite);

/* The newest run below parent whose manifest names this suite, by its name; NULL when there is none. */
const char *results_latest(const char *parent, const char *suite);

#endif
