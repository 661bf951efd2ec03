/* suite.h: a suite's text, read into sections and lines; nothing here knows which deques or workloads exist.
 *
 *   # a comment, to the end of the line
 *   title Quick: the bulk paper's figures in a few minutes
 *   invocations 5                     fresh processes a cell
 *   precision 2%                      instead: as many as make its interval so narrow, 6 to `invocations`
 *   repetitions 3                     measurements a process
 *   minimum_time 0.02                 seconds a measurement lasts at least
 *   timeout 60                        seconds after which a process is killed
 *   layouts 8                         of the code, of which each process of the pool has one (docs/measuring.md)
 *   threads_beyond clipped            more threads than processors: as many as these instead
 *   work 70                           processor seconds of a repetition, shared by its threads (for --topology)
 *   optional onetbb,taskflow          deques that need not be there: named by a line and absent, they are left out,
 *                                     and those that are wrong without --unsound
 *
 *   [fig6] Latency of push by batch size
 *   push deque=array,chase_lev batch=1,128,512 push=single
 *   counted memory=owner
 *
 *   from paper fig6,5.2 threads=2 invocations=6
 *
 * Before the first [tag], `from` takes sections of another suite of the same folder as they stand there (5.2 is also
 * every tag that begins with 5.2-), with these options and with these values in each of their lines. Behind a [tag] it
 * takes their lines alone into that section.
 *
 * `counted` makes a second section of this one, fig6-counted: the same cells with counters=hardware, and with these
 * values in each line. It has 6 invocations at most and 4 repetitions at least, in which groups of events take turns.
 *
 * Of a section that `from` takes there is a counted one, too; of its lines alone there is none.
 *
 * A [tag] opens a section, which may set the options for itself. Every other line names a workload and lists
 * values for its parameters; a line means every combination of its values. What is not named is at its default, and a
 * line without deque= means all. In a value % and two hexadecimal digits are a byte: %2C a comma, %20 a space, %23 a #,
 * %25 a % itself.
 */
#ifndef STEALBENCH_SUITE_H
#define STEALBENCH_SUITE_H

#include "harness/driver/util/util.h"
#include "harness/measuring/cell/parameters.h"
#include <stdbool.h>
#include <stdint.h>

/* How often and how long; the same in a suite, in a section and on the command line. */
struct suite_options {
    unsigned invocations, repetitions;
    bool invocations_given;       /* and not the default */
    double minimum_time, timeout; /* seconds */
    double precision;             /* percent: half of the interval's width by the median; 0: all invocations are made */
    bool clipped;                 /* more threads than processors: as many as these instead */
    unsigned layouts;             /* of the code, that cells which have no variants of it are measured in, at most */
    double work;                  /* processor seconds of a repetition, shared by the threads: for the forecast alone */
};

/* One parameter and its values, in the order given, as they are meant: no longer escaped. */
struct suite_key {
    char name[NAME_SIZE];
    struct words values;
};

struct suite_line {
    unsigned number; /* line in the file */
    const char *workload;
    struct suite_key *keys;
    size_t key_count;
};

struct suite_section {
    const char *tag, *title;
    struct suite_options options;
    struct suite_line *lines;
    size_t line_count;
    struct suite_line *counted; /* what its counted section has in each line; NULL: there is none */
};

#define SECTIONS_MAX 64

struct suite {
    const char *name;          /* "quick" */
    const char *path;          /* where it was read, for messages; "" when made from a command line */
    const char *title;         /* "" when it has none */
    const char *text;          /* and, behind it, that of each suite that it takes sections from */
    uint64_t hash;             /* of the text */
    struct suite_key optional; /* deques, for the whole suite */
    struct suite_section *sections;
    size_t section_count;
    const char *taken_from; /* the line of another suite that takes sections from this one; NULL: none */
    bool tagged;            /* a [tag] of its own was there: what follows is of that section */
};

/* How many invocations at most, where a precision is asked for and no number was given. */
#define PRECISION_INVOCATIONS 60

/* The options as parameters, with their ranges and defaults: a table. */
extern const struct parameter suite_option_parameters[];
struct suite_options suite_default_options(void);

/* Sets the option of that name. A wrong value is refused with its range. */
void suite_set_option(struct suite_options *, const char *name, const char *value);

/* Reads the text given. What is no suite is refused with the path and line. */
struct suite suite_parse(const char *name, const char *path, const char *text);
struct suite suite_read(const char *name, const char *path);

/* Does --only=asked, or a line `from`, mean the section of this tag? 5.2 means 5.2, 5.2-fig3 and the like. */
bool suite_tag_meant(const char *asked, const char *tag);

/* Does the suite go on without this deque where it is absent? */
bool suite_is_optional(const struct suite *, const char *deque);

/* The key of that name, or NULL. Adds "name=a,b"; no name, no value, an empty value, or one given twice is refused. */
const struct suite_key *suite_line_key(const struct suite_line *, const char *name);
void suite_line_add(struct suite_line *, const char *assignment);

struct suite_section *suite_add_section(struct suite *, const char *tag, const char *title,
                                        const struct suite_options *);
struct suite_line *suite_add_line(struct suite_section *, const char *workload, unsigned number);

#endif
