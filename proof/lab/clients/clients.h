/* clients.h: the small programs that a deque has to survive under any schedule (the rows of proof/scenarios.h), and
 * functions to prepare one of them once and run it under many schedules. */
#ifndef STEALBENCH_LAB_CLIENTS_H
#define STEALBENCH_LAB_CLIENTS_H

#include "proof/lab/engine/schedule.h"
#include <stdbool.h>
#include <stddef.h>

struct client {
    const char *name, *summary;
    bool on_request;       /* for the model checker: run only if named */
    bool (*applies)(void); /* does the client apply to this deque? */
    void (*set_up)(void);  /* runs in the main thread, alone */
    unsigned threads;
    void (*body[LAB_THREADS])(void); /* the owner first */
    unsigned reaches; /* enum scene_event: what some schedule must bring about. A client that never reaches it checks
                         nothing. */
};

extern const struct client clients[];
extern const size_t client_count;

/* Runs the client's set-up and keeps the result. Returns false if it failed; machine.fault says why. */
bool run_prepare(const struct client *);

/* Runs the client that was prepared last, from its set-up, and checks what is left. Returns the worst fault, or one of
 * kind FAULT_NONE; valid until the next run. */
const struct fault *run_once(struct schedule *);

/* About how many accesses a run makes. */
uint64_t run_length(void);

/* The fault in words, %1 and %2 replaced by file and line. */
void run_fault_text(const struct fault *, char *text, size_t size);

/* Processor time of this process, in seconds. Only for time limits of searches: they find as much on a busy machine. */
double run_clock(void);

#endif
