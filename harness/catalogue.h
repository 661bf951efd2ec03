/* catalogue.h: the deques there are, found by looking into a build folder and asking each executable (--describe). */
#ifndef STEALBENCH_CATALOGUE_H
#define STEALBENCH_CATALOGUE_H

#include "harness/description.h"
#include <stdint.h>

struct catalogue_deque {
    char *id;         /* path below the folder: "chase_lev", "as_published/lf_queue" */
    char *executable; /* its path */
    uint64_t content; /* hash of the executable's bytes */
    char *items4;     /* the executable of the same deque with items of 4 bytes, or NULL */
    uint64_t items4_content;
    struct description description;
    bool sound, baseline;
};

/* An executable that does not describe itself, or one that is not there, and why. */
struct catalogue_broken {
    char *id, *why;
};

/* In a folder of executables: what is known but cannot be built on this machine, a line each: name, tab, why. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    struct catalogue_deque *deques; /* baselines first, then sound ones, then the others; by id within these */
    size_t deque_count;
    struct catalogue_broken *broken;
    size_t broken_count;
    struct catalogue_broken *absent; /* by id, as the folders' NOT_BUILT_FILEs have them */
    size_t absent_count;
};

/* Reads every executable below folder, however deep. 0, or 3 with a message (MESSAGE_SIZE bytes) when there is none. */
int catalogue_open(struct catalogue *, const char *folder, char *message);
void catalogue_close(struct catalogue *);

/* Looks into folder for the deques' executables with items of 4 bytes. One that is not there is no error. */
void catalogue_find_items4(struct catalogue *, const char *folder);

/* NULL when there is none of that id. */
const struct catalogue_deque *catalogue_find(const struct catalogue *, const char *id);

/* Why a known deque is not built here; NULL when nothing is said of it. */
const char *catalogue_absent(const struct catalogue *, const char *id);

/* The first deque that has this workload, or NULL. Workloads are compiled into every deque alike. */
const struct catalogue_deque *catalogue_with_workload(const struct catalogue *, const char *workload);

/* 0, or 2 or 3 with a message: no such deque (and the nearest name), or one that is broken or not built. groups: the
 * caller also takes all, sound, baseline and unsound, so that one of these may have been meant. */
int catalogue_must_find(const struct catalogue *, const char *id, bool groups, const struct catalogue_deque **,
                        char *message);

/* 0, or 2 with a message that gives the nearest name. */
int catalogue_must_have_workload(const struct catalogue *, const char *workload, char *message);

/* Into message: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
void say_unknown(const char *what, const char *word, const char *const *names, size_t count, char *message);

#endif
