/* record.h: the records of a run: what a process printed, its rows, the run's folder, its manifest. */
#pragma once

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/machine.h"
#include "harness/driver/util/format.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/clock.h"
#include <sys/types.h>

/* --- output.c: reads once what a cell's process printed (harness/README.md) */

#define DISTANCES_MAX 1024 /* with more repetitions, the last probe stands for the rest */

/* A sample, or a bucket of a histogram. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };
struct output_line {
    bool is_sample;
    char *field[OUTPUT_FIELDS]; /* for a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *memory; /* "" if the process did not say */
    /* Distances between the threads, in ns, before the first repetition and after each; NAN: not known. None for a cell
     * of one thread. */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    struct output_line *lines;
    size_t line_count;
    const char *wrong; /* what does not follow the format, or NULL */
    char *copy;        /* the text that the fields point into */
};

void output_read(struct output *, const struct text *printed);
void output_free(struct output *);

/* Flags of rows with several threads and an empty distance. */
#define FLAG_MOVED "moved"
#define FLAG_NO_DISTANCE "no_distance"

/* The distance of a repetition: the mean of the nearest probes before and after it, or the only one of these. If there
 * is none, or they disagree, it is NAN and *flag says which; else *flag is "". */
double output_distance(const struct output *, unsigned long repetition, const char **flag);

/* Did the threads' processors move? If so, *before and *after are the two probes that disagree. */
bool output_moved(const struct output *, double *before, double *after);

/* The value of an invocation: the median, over repetitions, of the first metric that it reports of those that
 * results/metrics.csv marks as values. */
struct headline {
    char role[64], metric[96];
    double *values;
    size_t count;
};

/* headline_take takes the next value. headline_end gives the median (NAN: there is none) and empties the headline. */
void headline_take(struct headline *, const char *role, const char *metric, const char *status, const char *value);

double headline_end(struct headline *);

/* Did no repetition find a quiet moment? */
bool output_busy(const struct output *);

/* The headline of all that was printed, without repetitions during which the processors moved. */
double output_headline(const struct output *);

/* --- invocation.c: turns one process of a cell into rows of samples.csv and histograms.csv */

/* The metric whose row ends an invocation; its status when the deque's checks came to no verdict. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"

enum invocation_status {
    INVOCATION_OK,
    INVOCATION_DENIED, /* this machine cannot do it: the row has no value */
    INVOCATION_CRASHED,
    INVOCATION_TIMEOUT
};

/* Appends the rows of both files. For a process that failed, only what it cost and how it ended; *why says that in
 * words (else NULL). host: the machine's name. */
enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                                       unsigned invocation, const char *host, const struct process *,
                                       const struct output *, const char **why);

/* Appends the rows of a cell whose deque is unproven. A resumed run measures the cell again. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

/* --- results.c: a run's folder with samples.csv and histograms.csv.
 *
 * The rows of an invocation are written by one call and synced before the next invocation starts, histograms.csv first.
 * An invocation's last row in samples.csv has the metric invocation_time. Resuming a run cuts off what follows the last
 * such row, and all histograms of other invocations. So whatever stops the driver, only the running invocation is lost.
 */

/* An invocation that is complete in samples.csv. */
struct finished_invocation {
    uint64_t cell, subject; /* id: of the cell; subject: plan_subject */
    unsigned invocation;
    bool ok;        /* it neither crashed nor timed out */
    double value;   /* its headline */
    double seconds; /* 0: not known */
};

struct finished {
    struct finished_invocation *at;
    size_t count;
};

struct run_file {
    int descriptor; /* -1: closed. The descriptor of samples.csv is locked against a second driver */
    off_t length;   /* length of the complete part */
};

struct results {
    char *folder;
    struct run_file samples, histograms; /* histograms: closed until there is a row */
};
extern const struct results results_closed;

/* Makes parent/name with an empty samples.csv. Refuses a name that is taken. */
struct results results_create(const char *parent, const char *name);

/* Refuses a folder that is no run. */
void results_must_exist(const char *folder);

/* Opens a run that exists, and cuts off what is incomplete. Refuses if another driver writes there. */
struct results results_resume(const char *folder, struct finished *);

/* Appends the rows of an invocation. Returns NULL, or why it cannot; both files then end as before. */
const char *results_append(struct results *, const struct text *rows, const struct text *histograms);

void results_close(struct results *);

/* A free name: "20261120T143000Z-quick", or that with -2, -3, ... behind it. */
char *results_new_name(const char *parent, const char *suite);

/* The name of the newest run of this suite below parent, or NULL. */
const char *results_latest(const char *parent, const char *suite);

/* --- a part of a run:
 *
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        what the first did not finish, for example because its node failed
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node (--repeat)
 *
 * mkdir gives each attempt a folder of its own. So each file has one writer, even if a node goes on that was thought
 * dead. No lock is needed, so NFS and Lustre will do. harness.cluster.merge makes one run of the parts.
 */

#define REPEATS_MAX 1000

/* The folder of an attempt that has a manifest, or NULL. */
char *parts_any_attempt(const char *run, unsigned parts);

/* Makes a folder for the next attempt. Reads what earlier attempts, and the merged run if there is one, have finished.
 */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *);

/* --- one run: what is measured, by which program, and where the results go. */

struct run {
    const char *name, *parent; /* name: of the run's folder; parent: the folder of runs */
    const char *host;          /* this machine's name, for every row */
    const char *part;          /* "3/12" if the run is measured in parts, else NULL */
    unsigned repeat;           /* which repeat of the part this is, on another node */
    json_t *split;             /* of a part: all cells of the run, each with its part (parts.c) */
    const char *build, *root;  /* build: the build folder; root: the source tree */
    struct words command;      /* the command line */
    struct suite suite;
    struct catalogue catalogue;
    struct plan plan;
    const char **stamps; /* of each deque of the catalogue, in a word */
    struct results results;
    struct finished finished; /* invocations of earlier, in results that are continued */
    bool continued;
    bool refusal_ends; /* if a process refuses its input (exit code 2), end the run and keep nothing of it */
    bool quiet;
    double within;        /* seconds that measuring may take; 0: any */
    const char *topology; /* for a forecast: another machine (places_plan), or NULL */
};

/* --- manifest.c: manifest.json of a run: what was measured, with what, on which machine, and how it ended.
 *
 * It is written at the start and again at the end. The cells' tags say which figure shows them. Rows of samples.csv
 * whose cell is not in the manifest are of another build and are not to be used.
 */

/* Everything that is known of the run before it begins. manifest_write adds how it ended. */
json_t *manifest_of(const struct run *);

/* Reads the manifest of a run's folder; the other, a text of its top level. NULL: there is none. */
json_t *manifest_read(const char *folder);
const char *manifest_text(const json_t *, const char *name);

/* Refuses a run of another machine, kernel or build (NULL: any build will do), or with a manifest of another version.
 */
void manifest_check(const char *folder, const char *build);

/* Takes over the start, and the cells that are not in this plan, from the manifest in the run's folder. */
void manifest_take_up(json_t *manifest, const struct run *);

/* Writes the manifest into the run's folder. state: "running", "finished", "interrupted", "failed". exit_code below 0:
 * not known yet. Returns NULL, or why it cannot. */
const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code);
