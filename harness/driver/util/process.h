/* process.h: runs a program to its end, with a time limit, and returns its output and what it used. For the driver.
 *
 * While a process runs the driver sleeps, so that it does not disturb the measurement. It wakes when the process ends,
 * for a signal, and four times a second to check the process's time, memory and output.
 */
#pragma once

#include "harness/driver/util/util.h"
#include <sys/resource.h>

enum process_end {
    PROCESS_EXITED,      /* code: what it returned */
    PROCESS_KILLED,      /* code: the signal that killed it */
    PROCESS_TIMEOUT,     /* we killed it */
    PROCESS_TOO_LARGE,   /* we killed it for holding too much memory */
    PROCESS_TOO_MUCH,    /* we killed it for too much output */
    PROCESS_INTERRUPTED, /* we killed it because we were asked to stop */
    PROCESS_NOT_STARTED  /* code: errno */
};

struct process {
    enum process_end end;
    int code;
    struct text output, errors; /* standard output; standard error */
    double seconds;             /* from start to end, wall clock */
    struct rusage usage;
    double throttled; /* how often processors were meanwhile, if the caller looks; NAN: unknown */
};

/* Runs arguments[0] (a path, or a name in PATH) without standard input, in a process group of its own, which dies with
 * the driver. timeout in seconds; time spent waiting for a processor does not count, up to ten times the limit. */
void process_run(struct process *, const char *const *arguments, double timeout);
void process_free(struct process *);

/* Runs a program with our standard streams and without limits. Returns its exit code; 3, with a message, if it cannot
 * be started; 128 + the signal that killed it. */
int call(struct words);

/* How it ended, in words: "was killed by signal 11 (Segmentation fault)". */
const char *process_ending(const struct process *, double timeout);

/* Sets how many bytes of memory a process may hold; 0: no limit. If memory runs out nevertheless, the kernel kills the
 * process rather than the driver. */
void process_limit_memory(uint64_t bytes);
uint64_t process_memory_limit(void);

/* From here on SIGINT, SIGTERM and SIGHUP end the running process, and interrupted() returns true. SIGPIPE and SIGXFSZ
 * become errors of write. */
void catch_interrupts(void);
bool interrupted(void);

/* By a clock that only goes forward. */
double seconds_now(void);
