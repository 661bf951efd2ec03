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

/* --- output.c: what a process of a cell printed (harness/README.md), read: its samples and histograms, the way between
 * its threads, and the one value by which its cell is judged to be measured precisely enough. */

/* Of more repetitions than that the last probe of the distance stands for the others. */
#define DISTANCES_MAX 1024

/* A sample, or a bucket of a histogram. Every field is letters, digits and a little more. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };
struct output_line {
    bool is_sample;
    char *field[OUTPUT_FIELDS]; /* of a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *variant, *memory; /* "" where it did not say */
    /* Between the threads, before the first repetition and after each, ns; NAN: it could not be had. None: one thread.
     */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    struct output_line *lines;
    size_t line_count;
    const char *wrong; /* NULL: all of it is as agreed */
    char *copy;        /* the fields lie in it */
};

void output_read(struct output *, const struct text *printed);
void output_free(struct output *);

/* The flags of a row whose distance is empty though it is of several threads. */
#define FLAG_MOVED "moved"
#define FLAG_NO_DISTANCE "no_distance"

/* Of a repetition: the mean of the nearest probes before and after it, or the one of them that could be had; NAN: none,
 * or they disagree: *flag says which ("" else). */
double output_distance(const struct output *, unsigned long repetition, const char **flag);

/* Did the threads' processors move meanwhile? *before and *after are then the two probes. */
bool output_moved(const struct output *, double *before, double *after);

/* What is judged of an invocation: the median over repetitions of the first time or rate that is written of a role
 * other than process. */
struct headline {
    char role[64], metric[96];
    double *values;
    size_t count;
    double distance; /* between the threads' processors at the first of them, ns; NAN: not known */
};

/* What was judged: NAN where there was none. */
struct judged {
    double value, distance;
};

/* The next value of the invocation, and the distance at which it was measured (NAN: not known). */
void headline_take(struct headline *, const char *role, const char *metric, const char *unit, const char *status,
                   const char *value, double distance);

/* The median and an empty headline again. */
struct judged headline_end(struct headline *);

/* Of all that a process printed, without repetitions during which the threads' processors moved. */
struct judged output_headline(const struct output *);

/* --- invocation.c: the results of one process of a cell, as rows of samples.csv and histograms.csv. */

/* The metric whose row ends an invocation, and its status when nothing was measured because the deque has no
 * verdict. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"

enum invocation_status {
    INVOCATION_OK,
    INVOCATION_DENIED, /* cannot be done on this machine: a row says so, without a value */
    INVOCATION_CRASHED,
    INVOCATION_TIMEOUT
};

/* Appends the rows of this process to rows, and those of histograms.csv to histograms. The values of a process that
 * failed are dropped: its rows say only what it cost and how it ended, and *why says it in words (else NULL). host: the
 * machine that it ran on, by name. */
enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                                       unsigned invocation, const char *host, const struct process *,
                                       const struct output *, const char **why);

/* Appends the rows that stand for an invocation of a cell whose deque is unproven: they have a status and no value, and
 * a resumed run does not count them. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

/* --- results.c: a run's folder, its samples.csv and its histograms.csv: made once, appended to, resumed.
 *
 * The rows of one invocation are written by one call and synced before the next starts. The last has the metric
 * invocation_time; resuming a run cuts off what follows the last such row. So whatever stops the driver, at most the
 * invocation in flight is lost. Rows of histograms.csv, which is made with the first histogram, are synced before those
 * of samples.csv; resuming cuts off those whose invocation is not complete in samples.csv.
 */

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

/* --- where a part of a run is written, and what earlier attempts at it have measured.
 *
 *   RUN/split.csv                          which part measures which cell (split.c)
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        of the next, after the node failed, say: what the first has not finished
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node, where each is measured on several
 *
 * Each attempt has a folder of its own, made by mkdir, which lets one alone through. So a file has one writer whatever
 * happens, also where a node that was thought dead goes on: no lock is needed, and NFS and Lustre do. Others' files are
 * read as far as they are whole and never touched. python3 -m harness.cluster.merge makes one run of them.
 */

#define REPEATS_MAX 1000

/* The first attempt at any part of the run that has a manifest; NULL when none has begun. */
char *parts_any_attempt(const char *run, unsigned parts);

/* Begins the next attempt: reads what the earlier ones, and the run itself if it was merged already, have finished, and
 * makes a folder for this one. */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *);

/* Writes the run's split.csv unless it is there, makes the folder for it, and reads what is there then into text: the
 * same for all that do so at once. */
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
    struct finished finished; /* what results that are continued have already */
    bool continued;
    bool refusal_ends; /* exit code 2, an input that is refused (a file, say), ends the run: nothing of it is kept */
    bool quiet;
    const char *topology; /* of a forecast: another machine (places_plan); or NULL */
};

/* --- manifest.c: manifest.json of a run: what was measured, with what, on which machine, and how it ended.
 *
 * Written whole at the start and again at the end, each time beside and then renamed. Plots find by the cells' tags
 * which figure shows which cell. Rows of samples.csv whose cell is not in the manifest were superseded (measured with
 * another build) and are not to be used.
 */

/* All that is known of the run before it begins; its end is manifest_write's. */
json_t *manifest_of(const struct run *);

/* The manifest of a run's folder, to be released by json_decref, or NULL: there is none, or it is no JSON. */
json_t *manifest_read(const char *folder);

/* A text of its top level, or NULL. */
const char *manifest_text(const json_t *, const char *name);

/* Refused: the run in folder was measured on another machine or kernel than this, or not with this build (NULL: with
 * any); or its manifest, which is to be rewritten, is of another version. */
void manifest_check(const char *folder, const char *build);

/* Takes over from the manifest in the run's folder, if there is one, its start and the cells that this plan does not
 * measure. */
void manifest_take_up(json_t *manifest, const struct run *);

/* Writes it into the run's folder. state: "running", "finished", "interrupted", "failed". exit_code below 0: not known
 * yet. NULL, or why it cannot. */
const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code);

#endif
