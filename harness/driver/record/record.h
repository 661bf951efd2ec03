/* record.h: the records of a run: its machine, what a process printed, its rows, the run's folder, its manifest. */
#pragma once

#include "harness/driver/plan/plan.h"
#include "harness/driver/util/format.h"
#include "harness/measuring/clock.h"

/* --- machine.c: reads from /proc and /sys the facts about the machine that decide what a measurement is worth. A fact
 * that cannot be read is "unknown", never a guess. Before every path stands the environment's STEALBENCH_SYSTEM_ROOT,
 * where tests put a machine of their own. */

#define UNKNOWN "unknown"

/* The facts as texts, by their names in manifest.json. The control group's limits of processors and memory
 * are numbers. */
json_t *machine_read(void);

/* Which of these instruction sets ("avx2 bmi2", as Linux names them) the processors lack; "": none, or not known. */
const char *machine_lacks(const char *wanted);

/* Watches for so many seconds how many processors are busy, or taken by the host. Below 0: unknown. */
double machine_processors_busy(double seconds);

/* How often cores and packages were slowed down for heat or power since boot; NAN: the kernel does not tell. */
double machine_throttled(void);

/* Bytes of memory that this machine and its control group allow a process; 0: unknown. */
uint64_t machine_memory(void);

/* Whether the kernel ("hardware") and PAPI count for this process: "available", or the reason why not; and the kernel's
 * perf_event_paranoid. */
json_t *machine_counters(void);

/* The machine as hwloc sees it, by the names in manifest.json: numbers of packages and the like, bytes of the data or
 * unified caches. 0: hwloc does not tell. "kinds" is a text (kinds_text). */
json_t *machine_topology(void);

/* hwloc reads some twenty files for each processor, and visits it: with 128 of them longer than a short measurement. So
 * the driver asks once, and the processes that it starts read what it has found. */
void machine_share_topology(void);

/* --- output.c: reads once what a cell's process printed (harness/README.md) */

#define DISTANCES_MAX 1024 /* with more repetitions, the last probe stands for the rest */

/* A sample, or a bucket of a histogram. */
enum sample_field { WORD, ROLE, REPETITION, METRIC, VALUE, UNIT, STATUS, FLAGS, OUTPUT_FIELDS };
struct output_line {
    bool is_sample;
    const char *field[OUTPUT_FIELDS]; /* for a histogram: ROLE, REPETITION, METRIC, lower, upper, count, unit */
};

struct output {
    const char *placement, *memory; /* "" if the process did not say */
    /* Distances between the threads, in ns, before the first repetition and after each; NAN: not known. None for a cell
     * of one thread. */
    double distances[DISTANCES_MAX];
    size_t distance_count;
    LIST(struct output_line) lines;
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

/* Did the threads' processors move? *before and *after are then the two probes that disagree. */
bool output_moved(const struct output *, double *before, double *after);

/* --- invocation.c: turns one process of a cell into rows of samples.csv and histograms.csv */

/* The metric whose row ends an invocation; its status when the deque's checks came to no verdict, and when the process
 * refused its input. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"
#define STATUS_REFUSED "refused"

/* Appends the rows of both files. For a process that failed, only what it cost and how it ended; *why says that in
 * words (else NULL). host: the machine's name. Returns "ok", "denied" (this machine cannot do it), "refused", "crashed"
 * or "timeout". */
const char *invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                            unsigned invocation, const char *host, const struct process *, const struct output *,
                            const char **why);

/* Appends the rows of a cell whose deque is unproven. A resumed run measures the cell again. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

/* --- results.c: a run's folder with samples.csv and histograms.csv.
 *
 * The rows of an invocation are written at once and synced, histograms.csv first; the last has the metric
 * invocation_time. Resuming a run cuts off what follows the last such row, and all histograms of other invocations. So
 * whatever stops the driver, only the running invocation is lost. */

/* An invocation that is complete in samples.csv. */
struct finished_invocation {
    uint64_t cell, subject; /* id: of the cell; subject: plan_subject */
    unsigned invocation;
    bool ok;        /* it neither crashed nor timed out, and its input was not refused */
    bool refused;   /* a bad input: it stays bad */
    bool busy;      /* no repetition found a quiet moment */
    bool denied;    /* this machine cannot do it */
    double value;   /* the median, over repetitions, of the first metric that results/metrics.csv marks as a value,
                     * without   those during which the processors moved; NAN: there is none */
    double seconds; /* 0: not known */
};

struct finished {
    struct finished_invocation *at;
    size_t count;
};

struct run_file {
    int descriptor; /* -1: closed. The descriptor of samples.csv is locked against a second driver */
    off_t length;   /* length of the complete part */
    const char *name, *heading;
    unsigned version;
};

struct results {
    char *folder;
    struct run_file samples, histograms; /* histograms: closed until there is a row */
};
extern const struct results results_closed;

/* Adds the invocations of a text of samples.csv, of which `whole` bytes are its heading, and changes it. Returns how
 * many bytes are complete; the driver was stopped while it wrote the rest. Refuses what is no row. */
size_t samples_scan(char *text, size_t whole, struct finished *);

/* Makes parent/name with an empty samples.csv. Refuses a name that is taken. */
struct results results_create(const char *parent, const char *name);

/* Opens a run that exists, and cuts off what is incomplete. Refuses if another driver writes there. */
struct results results_resume(const char *folder, struct finished *);

/* Appends the rows of an invocation. Returns NULL, or why it cannot; both files then end as before. */
const char *results_append(struct results *, const struct text *rows, const struct text *histograms);

/* --- a part of a run:
 *
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        what the first did not finish, for example because its node failed
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node (--repeat)
 *
 * So each file has one writer, even if a node goes on that was thought dead, and no lock is needed, on NFS and Lustre
 * too. harness.cluster.merge makes one run of the parts. */

/* The folder of an attempt that has a manifest, or NULL. */
char *parts_any_attempt(const char *run, unsigned parts);

/* Makes a folder for the next attempt. Reads what earlier attempts, and a merged run, have finished. */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *);

/* --- one run: what is measured, by which program, and where the results go. */

struct run_outcome {
    size_t measured, kept, denied, skipped; /* invocations */
    size_t imprecise;                       /* cells with a wider interval than asked for */
    size_t unproven;                        /* cells */
    size_t anew;                            /* cells measured again because the build changed */
    size_t failed_cells;
    size_t refused_cells; /* failed cells whose input was refused */
    bool interrupted;
    bool refused;          /* of one workload: an input was refused */
    const char *unwritten; /* why results could not be written, or NULL */
};

struct run {
    const char *name, *parent, *folder; /* of the run's folder; the folder of runs; both */
    const char *host;                   /* this machine's name, for every row */
    const char *part;                   /* "3/12" if the run is measured in parts, else NULL */
    unsigned repeat;                    /* which repeat of the part this is, on another node */
    json_t *split;                      /* of a part: all cells of the run, each with its part (parts.c) */
    const char *build, *root;           /* build: the build folder; root: the source tree */
    struct words command;               /* the command line */
    struct suite suite;
    struct catalogue catalogue;
    struct plan plan;
    struct results results;
    struct finished finished; /* invocations of earlier, in results that are continued */
    bool continued;
    bool quiet, of_suite; /* of_suite: else of one workload, which ends and keeps nothing if its input is refused (2) */
    double within;        /* seconds that measuring may take; 0: any */
    struct run_outcome outcome;

    /* Of the verb that measures (measure.c). */
    const struct job *job;
    const struct command_line *line; /* of the run, which may differ from the job's */
    unsigned part_number, part_count;
    bool fresh; /* we made the run's folder, and nothing is measured yet */
    json_t *manifest;
};

/* --- manifest.c: manifest.json of a run: what was measured, with what, on which machine, and how it ended. It is
 * written at the start and again at the end. Rows of samples.csv whose cell is not in it are of another build. */

/* Everything that is known of the run before it begins. manifest_write adds how it ended. */
json_t *manifest_of(const struct run *);

char *utc_now(const char *format); /* strftime's */
/* Runs git and returns the first line that it prints; NULL, with why in words, when it fails. */
const char *ask_git(const char *root, const char *command, const char *what, const char **why);

/* Reads the manifest of a run's folder; the other, a text of its top level. NULL: there is none. */
json_t *manifest_read(const char *folder);
const char *manifest_text(const json_t *, const char *name);

/* Refuses a run of another machine, kernel or build (NULL: any build will do), or of another version. */
void manifest_check(const char *folder, const char *build);

/* Takes over the start, and the cells that are not in this plan, from the manifest in the run's folder. */
void manifest_take_up(json_t *manifest, const struct run *);

/* Writes the manifest into the run's folder. state: "running", "finished", "interrupted", "failed". exit_code below 0:
 * not known yet. Returns NULL, or why it cannot. */
const char *manifest_write(json_t *manifest, const char *folder, const char *state, int exit_code);
