/* doctor.h: what is wrong with this machine for measuring, why that matters, and the command that mends it. */
#ifndef STEALBENCH_DOCTOR_H
#define STEALBENCH_DOCTOR_H

#include "harness/driver/record/machine.h"
#include <stdio.h>

enum doctor_verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_UNKNOWN };

/* Who else used the processors while the doctor looked. */
struct activity {
    double stolen;     /* share of the processors' time that the host took, 0 to 1; below 0: unknown */
    double working;    /* share of it in which somebody ran, short-lived processes included; below 0: unknown */
    const char *busy;  /* names of the busy processes, "" when none is */
    double interrupts; /* of devices, a second, on processors that we may use; below 0: unknown */
    const char *interrupts_busiest; /* of those since boot the one with the most */
    const char *kernel_threads;     /* those that ran there for a noticeable time, "" when none did */
    const char *distances;          /* between processors that we may use, now: doctor_tell_distances; "": none known */
};

/* "10 ns (4 pairs), 51 ns (24 pairs)": distances that agree together, by their median. Sorts them. */
const char *doctor_tell_distances(double *distances, size_t count);

/* Prints one finding after the other; returns how many are warnings. counters: machine_hardware_counters(),
 * papi: counters_papi(). */
unsigned doctor_report(FILE *, const struct machine *, const struct activity *, const char *counters, const char *papi);

/* The verb: looks at this machine and prints. Always 0: a warning is no failure. */
int doctor(void);

#endif
