/* gbench.h: the part of Google Benchmark that C needs. Only gbench.cc sees its C++.
 *
 * method=published: one operation an iteration between PauseTiming and ResumeTiming, as in the papers. It is kept to
 * show what this charges to an operation. method=google: our windows, timed by us (UseManualTime); an iteration is one
 * operation of a window. Either runs inside a cell (gbench_run); google also as the binary that its users know
 * (gbench_register, gbench_main).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gbench_loop;

/* Inside a published loop: while (gbench_next(loop)) { gbench_pause(loop); prepare; gbench_resume(loop); operate; } */
bool gbench_next(struct gbench_loop *);
void gbench_pause(struct gbench_loop *);
void gbench_resume(struct gbench_loop *);

/* Inside a loop of windows: while (gbench_next_window(loop, operations)) gbench_window_took(loop, seconds); */
bool gbench_next_window(struct gbench_loop *, uint64_t operations);
void gbench_window_took(struct gbench_loop *, double seconds);

struct gbench_case {
    unsigned repetitions;                                  /* 1 or more */
    double minimum_time;                                   /* seconds of measured time in each repetition */
    bool windows;                                          /* the loop tells how long each window took */
    void *context;                                         /* passed to loop */
    void (*loop)(void *context, struct gbench_loop *loop); /* runs the whole loop; ends early if it fails */
};

/* Main thread. Fills seconds, per iteration on average, of each repetition; returns how many were measured. */
unsigned gbench_run(const struct gbench_case *, double *seconds);

/* Main thread. Registers a benchmark: run() measures a cell by method=google, in the loop that gbench_current() then
 * gives; it returns NULL, or why it cannot. name and context stay. */
void gbench_register(const char *name, const char *(*run)(void *context), void *context);
struct gbench_loop *gbench_current(void); /* NULL: no registered benchmark runs */
/* Runs what is registered as Google Benchmark's main does, by its options. false: an option is unknown. */
bool gbench_main(int count, char **arguments);

#ifdef __cplusplus
}
#endif
