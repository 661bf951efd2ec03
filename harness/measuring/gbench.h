/* gbench.h: the part of Google Benchmark that a C workload needs for the published method: one operation per iteration
 * between PauseTiming and ResumeTiming, as in the papers. It is kept to show what this method charges to an operation.
 * Only gbench.cc sees its C++.
 */
#ifndef STEALBENCH_GBENCH_H
#define STEALBENCH_GBENCH_H

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

struct gbench_case {
    const char *name;
    unsigned repetitions;                                            /* 1 or more */
    double minimum_time;                                             /* seconds of measured time in each repetition */
    void *context;                                                   /* passed to published_loop */
    void (*published_loop)(void *context, struct gbench_loop *loop); /* runs the whole loop */
};

struct gbench_repetition {
    double seconds; /* per iteration, on average */
    uint64_t iterations;
};

/* Main thread. Fills repetitions[0 .. repetitions-1]; returns how many were measured. */
unsigned gbench_run(const struct gbench_case *, struct gbench_repetition *repetitions);

#ifdef __cplusplus
}
#endif

#endif
