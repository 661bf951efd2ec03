/* distance.h: measures how far apart the processors of a cell's threads are: the time that a cache line takes one way.
 *
 * A host moves the processors of a virtual machine: the same two numbers may share a cache for minutes (27 ns), then
 * not (105 ns). Comparing samples across such a move compares two machines. So the distance is probed before and after
 * each repetition of several threads, and the driver stores it beside the samples.
 */
#pragma once

#include "harness/measuring/cell.h"
#include "harness/measuring/places.h"
#include <pthread.h>

#define DISTANCE_NONE (-1.0)
#define DISTANCE_SECONDS 0.002 /* s for all probes of a team together, but DISTANCE_LEAST for each */
#define DISTANCE_LEAST 0.0005
#define DISTANCE_PAIRS 8

/* Distances with a larger ratio belong to different places. Probes of one place differ by a tenth; places differ by a
 * factor of 2 (siblings 10 ns, a group of caches 27, a socket 51, another one 108).
 * Python reads the number here (harness/formats.py). */
#define DISTANCE_RATIO 1.5
bool distance_agrees(double a, double b); /* NONE agrees with NONE only */

/* Nanoseconds that a cache line takes between two processors, one way; a and b are the operating system's numbers.
 * Starts two threads that hand the line to and fro by compare-and-exchange, in short rounds. The result is the lower
 * quartile of the rounds, so a displaced thread does no harm. NONE: a and b are the same, this process may not use one
 * of them, or the two threads did not run together within 25 times the seconds. */
double distance_between(int a, int b, double seconds);

/* Starts a thread on this processor. */
bool distance_start_on(int processor, pthread_t *, void *(*run)(void *), void *argument);

/* The largest distance from the first of these processors (-1: not bound) to the others. At most DISTANCE_PAIRS of them
 * are probed, evenly chosen. Moving a single thread changes the result. NONE: fewer than two processors, a thread is
 * not bound, or a pair could not be probed. probe: distance_between, or a test's function. */
double distance_among(const int *processors, unsigned count, double (*probe)(int a, int b, double seconds));

/* Main thread, while the cell's other threads rest: call before the first repetition and after each. Probes and reports
 * (cell_distance). Does nothing for a check or a cell of one thread, which may have no places. */
void distance_report(const struct cell *, const struct places *);
