/* process.h: runs a program to its end, with a time limit, and returns its output and what it used. For the driver.
 *
 * While a process runs the driver sleeps, so that it does not disturb what is measured. It wakes for the process's end,
 * for a signal, and four times a second for a look at its time, memory and output.
 */
#ifndef STEALBENCH_PROCESS_H
#define STEALBENCH_PROCESS_H

#include "harness/driver/util/util.h"
#include "harness/measuring/power/power.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

enum process_end {
    PROCESS_EXITED,      /* code: what it returned */
    PROCESS_KILLED,      /* code: the signal */
    PROCESS_TIMEOUT,     /* killed by us */
    PROCESS_TOO_LARGE,   /* killed by us: it held more memory than it may */
    PROCESS_TOO_MUCH,    /* killed by us: too much output */
    PROCESS_INTERRUPTED, /* killed by us, because we were asked to stop */
    PROCESS_NOT_STARTED  /* code: errno */
};

struct process {
    enum process_end end;
    int code;
    struct text output, errors; /* standard output; standard error */
    double seconds;             /* from start to end, wall clock */
    struct rusage usage;
    struct power_reading power_before, power_after; /* where the caller read it */
};

/* Runs arguments[0] (a path, or a name in PATH) without standard input, in a process group of its own, which dies with
 * the driver. timeout in seconds: seconds in which the process waited for a processor do not count, up to ten times the
 * limit. */
void process_run(struct process *, const char *const *arguments, double timeout);
void process_free(struct process *);

/* Runs it with our standard streams and without limits; what it prints is appended to output unless that is NULL.
 * Returns its exit code; 3, with a message, when it cannot be started; 128 + the signal that killed it. */
int process_here(const char *const *arguments, struct text *output);

/* "was killed by signal 11 (Segmentation fault)": how it ended. */
const char *process_ending(const struct process *, double timeout);

/* Bytes of memory that a process may hold; 0: no limit. If memory runs out all the same, the kernel kills the process
 * rather than the driver. */
void process_limit_memory(uint64_t bytes);
uint64_t process_memory_limit(void);

/* From here on SIGINT, SIGTERM and SIGHUP end the running process, and interrupted() is true. SIGPIPE and SIGXFSZ
 * become errors of write. */
void catch_interrupts(void);
bool interrupted(void);

/* Of a clock that only goes forward. */
double seconds_now(void);

#endif
