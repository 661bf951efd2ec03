/* suite.h: reads a suite's text into sections and lines. Nothing here knows which deques or workloads exist.
 *
 *   # a comment, to the end of the line
 *   title Quick: the bulk paper's figures in a few minutes
 *   invocations 5                     fresh processes per cell
 *   precision 2%                      instead: until the interval is so narrow, 6 to `invocations`
 *   within 10m                        the time of a run: first six invocations of each cell, then more where intervals
 *                                     are widest (runner.c); --within replaces it
 *   repetitions 3                     measurements per process
 *   minimum_time 0.02                 least time of a measurement, in seconds
 *   timeout 60                        seconds after which a process is killed
 *   variants 8                        variants of the code to draw from; each process has one (docs/measuring.md)
 *   work 70                           processor seconds of a repetition, shared by its threads, for estimates;
 *   work 5e-7*nodes                   or seconds for each unit of a parameter
 *   optional onetbb,taskflow          deques that may be missing: a line that names one goes on without it;
 *                                     so too for wrong ones without --unsound
 *
 *   [fig6] Latency of push by batch size
 *   push deque=array,chase_lev batch=1,128,512 push=single
 *   counted memory=owner
 *
 * `counted` makes a second section of this one, fig6-counted: the same cells with counters=caches+pipeline, which is
 * a cell for each set, and with these values in each line. It has at most 6 invocations. These sections stand behind
 * the others, or before those that follow the line `rest`. Sections stand in order of worth: --within keeps the first
 * ones first. `needs 12G` leaves a section out on a machine with less memory.
 *
 * A [tag] opens a section, which may set its own options. Every other line names a workload and lists values for its
 * parameters; a line means every combination of its values. Parameters that are not named have their default, and a
 * line without deque= means all. `1,2,4,...,1024` goes on as it began: the differences grow by the same factor. For
 * threads= and thieves= `all` means one thread a processor, and a list with `all` or `...` has no more than that:
 * threads=1,2,4,...,all is 1,2 on two processors, thieves=1,3,7,... is 1. In a value, % and two hexadecimal digits are
 * a byte: %2C a comma, %20 a space, %23 a #, %25 a % itself. */
#pragma once

#include "harness/driver/util/util.h"
#include "harness/measuring/cell.h"

/* How often and how long to measure; the same options in a suite, in a section and on the command line. */
struct suite_options {
    unsigned invocations, repetitions;
    bool invocations_given;       /* false: the default */
    double minimum_time, timeout; /* seconds */
    double precision;             /* percent: half of the interval's width by the median; 0: make all invocations */
    unsigned variants;            /* of the code that invocations draw from */
    double work;                  /* processor seconds of a repetition, shared by the threads: only for estimates */
    const char *work_of;          /* the parameter by which this is multiplied, or "" */
};

/* One parameter and its values, in the order given and unescaped. */
struct suite_key {
    char name[NAME_SIZE];
    struct words values;
};

struct suite_line {
    unsigned number; /* line in the file */
    const char *workload;
    LIST(struct suite_key) keys;
};

struct suite_section {
    const char *tag, *title;
    struct suite_options options;
    LIST(struct suite_line) lines;
    struct suite_line *counted; /* values that its counted section has in each line; NULL: it has no counted section */
    uint64_t needs;             /* bytes of memory */
};

struct suite {
    const char *name;  /* "quick" */
    const char *path;  /* where it was read, for messages; "" for a command line */
    const char *title; /* "" when it has none */
    const char *text;
    const char *within;    /* "10m": the time that a run takes unless --within is given; NULL: any */
    uint64_t hash;         /* of the text */
    struct words optional; /* deques that may be missing */
    LIST(struct suite_section) sections;
    size_t counted; /* so many sections have had their counted section added */
};

/* The options as a table of parameters, with their ranges and defaults. */
extern const struct parameter suite_option_parameters[];
struct suite_options suite_default_options(void);

/* Sets the option of that name. Refuses a wrong value and says the range. */
void suite_set_option(struct suite_options *, const char *name, const char *value);

/* Refuses a text that is no suite, with the path and line. */
struct suite suite_read(const char *name, const char *path);

/* The key of that name, or NULL. Adds "name=a,b"; refuses a missing name, a missing or empty value, and a name given
 * twice. */
const struct suite_key *suite_line_key(const struct suite_line *, const char *name);
struct words suite_line_values(const struct suite_line *, const char *name); /* none if there is no such key */
void suite_line_add(struct suite_line *, const char *assignment);

/* The line with the values that it has on a machine with so many processors: `...` and `all` in numbers. */
struct suite_line suite_line_on(const struct suite_line *, unsigned processors);

struct suite_section *suite_add_section(struct suite *, const char *tag, const char *title,
                                        const struct suite_options *);
struct suite_line *suite_add_line(struct suite_section *, const char *workload, unsigned number);
