/* gbench.h: the part of Google Benchmark that C needs. Only gbench.cc sees its C++; it is a library of its own,
 * BUILD/gbench.so, which is opened when a cell asks for it: few do, and to compile and link it takes longer than
 * everything else here.
 *
 * method=published: one operation an iteration between PauseTiming and ResumeTiming, as in the papers. It is kept to
 * show what this charges to an operation. method=google: our windows, timed by us (UseManualTime); an iteration is one
 * operation of a window. Either runs inside a cell (run); google also as the binary that its users know (add, main).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gbench_loop;

struct gbench_case {
    unsigned repetitions;                                  /* 1 or more */
    double minimum_time;                                   /* seconds of measured time in each repetition */
    bool windows;                                          /* the loop tells how long each window took */
    void *context;                                         /* passed to loop */
    void (*loop)(void *context, struct gbench_loop *loop); /* runs the whole loop; ends early if it fails */
};

struct gbench_calls {
    /* Inside a published loop: while (next(loop)) { pause(loop); prepare; resume(loop); operate; } */
    bool (*next)(struct gbench_loop *);
    void (*pause)(struct gbench_loop *);
    void (*resume)(struct gbench_loop *);

    /* Inside a loop of windows: while (next_window(loop, operations)) window_took(loop, seconds); */
    bool (*next_window)(struct gbench_loop *, uint64_t operations);
    void (*window_took)(struct gbench_loop *, double seconds);

    /* Main thread. Fills seconds, per iteration on average, of each repetition; returns how many were measured. */
    unsigned (*run)(const struct gbench_case *, double *seconds);

    /* Main thread. Adds a benchmark: run() measures a cell by method=google, in the loop that current() then gives; it
     * returns NULL, or why it cannot. name and context stay. */
    void (*add)(const char *name, const char *(*run)(void *context), void *context);
    struct gbench_loop *(*current)(void); /* NULL: no added benchmark runs */
    /* Runs what was added as Google Benchmark's main does, by its options. false: an option is unknown. */
    bool (*main)(int count, char **arguments);
};

/* The library defines them as gbench_here. For C. Main thread opens it; NULL, and why is on stderr, if it cannot. Any
 * thread after that. */
const struct gbench_calls *gbench(void);
