/* record.h: what is kept of a run: what a process printed, its rows, the run's folder, its manifest. */
#ifndef STEALBENCH_RECORD_H
#define STEALBENCH_RECORD_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/machine.h"
#include "harness/driver/util/format.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/clock/clock.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- output.c: what a process of a cell printed (harness/README.md), read once */

#define DISTANCES_MAX 1024 /* of more repetitions the last probe stands for the others */

/* A sample, or a bucket of a histogram. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };
struct output_line {
    bool is_sample;
    char *field[OUTPUT_FIELDS]; /* of a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *variant, *memory; /* "" where it did not say */
    /* Between the threads, ns, before the first repetition and after each; NAN: not known. None of one thread. */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    struct output_line *lines;
    size_t line_count;
    const char *wrong; /* NULL: all of it is as agreed */
    char *copy;        /* the fields lie in it */
};

void output_read(struct output *, const struct text *printed);
void output_free(struct output *);

/* Flags of a row of several threads whose distance is empty. */
#define FLAG_MOVED "moved"
#define FLAG_NO_DISTANCE "no_distance"

/* Of a repetition: the mean of the nearest probes before and after it, or the only one; NAN with a *flag ("" else) when
 * there is none, or they disagree. */
double output_distance(const struct output *, unsigned long repetition, const char **flag);

/* Did the processors of the threads move? *before and *after are then the two probes. */
bool output_moved(const struct output *, double *before, double *after);

/* The value by which a cell's precision is judged: an invocation's median over repetitions of the first time or rate
 * that is of a thread. */
struct headline {
    char role[64], metric[96];
    double *values;
    size_t count;
    double distance; /* of the first repetition */
};

/* NAN where there is none. */
struct judged {
    double value, distance;
};

/* Takes the next value, and gives the median and an empty headline. */
void headline_take(struct headline *, const char *role, const char *metric, const char *unit, const char *status,
                   const char *value, double distance);

struct judged headline_end(struct headline *);

/* Of all that was printed, without repetitions during which the processors moved. */
struct judged output_headline(const struct output *);

/* --- invocation.c: one process of a cell as rows of samples.csv and histograms.csv */

/* The metric whose row ends an invocation; its status when the deque's checks came to no verdict. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"

enum invocation_status {
    INVOCATION_OK,
    INVOCATION_DENIED, /* cannot be done on this machine: its row has no value */
    INVOCATION_CRASHED,
    INVOCATION_TIMEOUT
};

/* Appends the rows of both files. The rows of a process that failed say only what it cost and how it ended; *why says
 * it in words (else NULL). host: the name of the machine. */
enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                                       unsigned invocation, const char *host, const struct process *,
                                       const struct output *, const char **why);

/* The rows of a cell whose deque is unproven. A resumed run does not count them. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

/* --- results.c: a run's folder with samples.csv and histograms.csv.
 *
 * The rows of an invocation are written by one call and synced before the next starts, those of histograms.csv first.
 * The last row of samples.csv has the metric invocation_time. Resuming a run cuts off what follows the last such row,
 * and histograms of other invocations. So whatever stops the driver, only the invocation that runs is lost.
 */

/* One that is complete in samples.csv. */
struct finished_invocation {
    uint64_t cell, subject; /* the cell's id; plan_subject */
    unsigned invocation;
    bool ok; /* it neither crashed nor timed out */
    struct judged judged;
    double seconds; /* 0: not known */
};

struct finished {
    struct finished_invocation *at;
    size_t count;
};

struct run_file {
    int descriptor; /* -1: closed; that of samples.csv is locked against a second driver */
    off_t length;   /* of its complete part */
};

struct results {
    char *folder;
    struct run_file samples, histograms; /* histograms: closed until there is one */
    int copy;                            /* where --csv= wants the rows, or -1 */
};
extern const struct results results_closed;

/* Adds the invocations of a samples.csv. Returns how many of its bytes belong to them; the rest was being written.
 * Refused: it is no samples.csv of this version. */
size_t samples_scan(const char *text, size_t length, struct finished *);

/* How many bytes of a histograms.csv belong to these. Refused: the same, or others stand before the end. */
size_t histograms_scan(const char *text, size_t length, struct finished *);

/* Makes parent/name and an empty samples.csv in it. A name that is taken is refused. */
struct results results_create(const char *parent, const char *name);

/* Opens a run, and cuts off what is incomplete. Refused when another driver writes there. */
struct results results_resume(const char *folder, struct finished *);

/* Also writes every row to this descriptor, those that are there first. */
void results_copy_to(struct results *, int descriptor);

/* Appends the rows of an invocation. NULL; or why it cannot, and both files end as before. */
const char *results_append(struct results *, const struct text *rows, const struct text *histograms);

void results_close(struct results *);

/* "20261120T143000Z-quick", or that with -2, -3, ... when it is taken. */
char *results_new_name(const char *parent, const char *suite);

/* The name of the newest run of this suite below parent, or NULL. */
const char *results_latest(const char *parent, const char *suite);

/* --- a part of a run:
 *
 *   RUN/split.csv                          which part measures which cell (split.c)
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        what the first did not finish, because its node failed, say
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node (--repeat)
 *
 * mkdir gives each attempt a folder of its own, so a file has one writer, even if a node that was thought dead goes on.
 * No lock is needed, and NFS and Lustre will do. harness.cluster.merge makes one run of the parts.
 */

#define REPEATS_MAX 1000

/* An attempt that has a manifest, or NULL. */
char *parts_any_attempt(const char *run, unsigned parts);

/* Makes a folder for the next attempt, and reads what earlier ones, and the run if it was merged, have finished. */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *);

/* Writes the run's split.csv unless it is there, and reads what is there: the same for all that do so at once. */
void parts_agree(const char *run, const struct text *split, struct text *text);

/* --- one run: what is measured, by what, and where its results go. */

struct simulation;

struct run {
    const char *name, *parent;  /* its folder's name, and the folder of runs */
    const char *host;           /* this machine's name, for every row */
    const char *part;           /* "3/12": of a run that is measured in parts; else NULL */
    unsigned repeat;            /* of the part: on which of several nodes */
    uint64_t split;             /* hash of the run's split.csv */
    const char *build, *root;   /* the build folder; the source tree */
    const char *const *command; /* the command line, ending on NULL */
    struct suite suite;
    struct catalogue catalogue;
    struct plan plan;
    struct stamp *stamps;                /* one a deque of the catalogue */
    const struct simulation *simulation; /* for cells with counters=callgrind */
    struct results results;
    struct finished finished; /* earlier, in results that are continued */
    bool continued;
    bool refusal_ends; /* an input that a process refuses (exit code 2) ends the run, and nothing of it is kept */
    bool quiet;
    const char *topology; /* of a forecast: another machine (places_plan); or NULL */
};

/* --- manifest.c: manifest.json of a run: what was measured, with what, on which machine, and how it ended.
 *
 * It is written at the start and again at the end. The cells' tags say which figure shows them. Rows of samples.csv
 * whose cell is not in the manifest are of another build and are not to be used.
 */

/* All that is known of the run before it begins; its end is manifest_write's. */
json_t *manifest_of(const struct run *);

/* The manifest of a run's folder, and a text of its top level; or NULL. */
json_t *manifest_read(const char *folder);
const char *manifest_text(const json_t *, const char *name);

/* Refuses a run that was measured on another machine or kernel, or with another build than this (NULL: any will do), or
 * whose manifest is of another version. */
void manifest_check(const char *folder, const char *build);

/* Takes over, from the manifest in the run's folder, its start and the cells that are not in this plan. */
void manifest_take_up(json_t *manifest, const struct run *);

/* Writes it into the run's folder. state: "running", "finished", "interrupted", "failed". exit_code below 0: not known
 * yet. NULL, or why it cannot. */
const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code);

#endif
