/* run.h: a client prepared once, then run under one schedule after the other. */
#ifndef STEALBENCH_LAB_RUN_H
#define STEALBENCH_LAB_RUN_H

#include "proof/lab/clients/clients.h"
#include "proof/lab/engine/schedule.h"

/* Makes the client's set-up and keeps it. false: it failed, and machine.fault says why. */
bool run_prepare(const struct client *);

/* One run of the client that was prepared last, from its set-up, and the check of what is left. Returns the worst
 * fault, or one of kind FAULT_NONE; valid until the next run. */
const struct fault *run_once(struct schedule *);

/* About how many accesses a run makes. */
uint64_t run_length(void);

/* The fault in words, %1 and %2 replaced by file and line. */
void run_fault_text(const struct fault *, char *text, size_t size);

/* Seconds since some moment; for limits of searches only. */
double run_clock(void);

#endif
