/* cell.h: one cell as a workload sees it, and how workloads and checks register.
 *
 * The driver starts a fresh process for each invocation of a cell: build/deques/NAME --run WORKLOAD name=value ...
 * The process finds the workload, gives it a struct cell, and the workload hands back samples. Nothing here depends on
 * the deque, so it is compiled once.
 */
#pragma once

#include "harness/measuring/parameters.h"
#include <stdint.h>

/* Qualify a sample; the flags column holds them joined by +. */
enum sample_flag {
    SAMPLE_UNSOUND = 1,       /* the deque is known to be wrong (added by the harness) */
    SAMPLE_EMULATED = 2,      /* the deque lacks this form; single operations stood in for it */
    SAMPLE_OVERSUBSCRIBED = 4 /* more threads than processors */
};

struct cell {
    const struct settings *settings; /* every parameter of the workload, complete and valid */
    unsigned invocation;             /* which fresh process this is, from 0 */
    unsigned repetitions;            /* repetitions to make in this process */
    double minimum_time;             /* seconds that a repetition measures at least */
    uint64_t seed;                   /* seed of this invocation; the driver prints it */
    unsigned flags;                  /* flags of every sample of this cell */
};

/* For workload threads: the value of a parameter of this cell. A name that the workload does not declare, or declares
 * of another kind, ends the process (exit code 2). */
uint64_t cell_integer(const struct cell *, const char *name);
unsigned cell_choice(const struct cell *, const char *name); /* the value's index among the choices */
double cell_real(const struct cell *, const char *name);
const char *cell_text(const struct cell *, const char *name);
bool cell_is(const struct cell *, const char *name, const char *value);

/* The variant of the code that an invocation runs. The draw depends only on seed and invocation, so that deques are
 * compared in the same variant. Invocations k * count to k * count + count - 1 have each variant once. */
#define CELL_VARIANTS 8 /* at most: as many as setup/compiler.py has */
unsigned variant_drawn(uint64_t seed, unsigned invocation, unsigned count);

/* Main thread of the process. Writes one value at once. role ("owner", "thief", "process"), repetition from 0, metric
 * ("push_latency"), unit ("ns"). A value that is not finite becomes "busy", with a line on standard error. */
void cell_sample(const struct cell *, const char *role, unsigned repetition, const char *metric, double value,
                 const char *unit, unsigned flags);

/* A value that could not be measured: status is "unsupported", "denied" (by this machine), "busy" (no
 * quiet moment was found), "timeout" or "crashed". */
void cell_no_sample(const struct cell *, const char *role, unsigned repetition, const char *metric, const char *unit,
                    const char *status);

/* One bucket of a metric's distribution over all repetitions of this process: `count` values from lower up to, but not
 * including, upper. Not flushed, because there are hundreds. */
void cell_histogram(const char *role, const char *metric, double lower, double upper, uint64_t count, const char *unit);

/* From now on nothing of the above and below is printed: standard output belongs to Google Benchmark. */
void cell_mute(void);

/* The placement really used, "owner:0;thief:1". Call once. */
void cell_placement(const char *placement);
/* Nanoseconds between the processors of the cell's threads (distance.h); 0 or less: not known. Call before the
 * first repetition and after each. */
void cell_distance(double nanoseconds);
/* The peak memory of this process, or of a child that it has waited for. Call once, at the end. The process reports it
 * itself: the kernel's count for a waiting parent is never less than the parent's own memory. */
void cell_peak_memory(void);

/* How this machine provides asymmetric fences (queues/parts/fences.h): "membarrier", or "pair", two full fences. Any
 * thread; asks the kernel. */
const char *describe_fences(void);

#define PARAMETER_TABLES 4
struct workload {
    const char *name;
    const char *summary;                                  /* one line */
    const struct parameter *parameters[PARAMETER_TABLES]; /* each ended by PARAMETERS_END */
    const char *threads; /* number of a cell's threads, as a sum of its settings (values_sum); NULL: one */
    /* NULL if this deque can serve these settings, else why not */
    const char *(*unsupported)(const struct cell *);
    /* returns 0, or 1 if an answer was wrong (and says on standard error what was wrong) */
    int (*run)(const struct cell *);
};

/* A check: returns 0: passed; 1: failed, with the reason on standard output; NO_VERDICT: this machine
 * allows neither. seconds bounds a random search. */
#define NO_VERDICT 5
struct check_request {
    uint64_t seed;
    double seconds;
    unsigned long rounds; /* 0: as many as fit into seconds */
};
struct check {
    const char *name;
    const char *summary;
    bool in_stamp; /* belongs to the short stamp that every timing verb makes first */
    int (*run)(const struct check_request *);
};

/* A workload or a check registers itself by one statement in its own file, which puts a pointer into a section, in link
 * order. The arguments are the workload's name as an identifier, then the members of its struct. */
#define REGISTER_WORKLOAD(id, ...)                                                                                     \
    static const struct workload workload_##id = {__VA_ARGS__};                                                        \
    __attribute__((used, section("workload_table"))) static const struct workload *const registered_##id =             \
        &workload_##id
#define REGISTER_CHECK(what)                                                                                           \
    __attribute__((used, section("check_table"))) static const struct check *const registered_##what = &(what)
