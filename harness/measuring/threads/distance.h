/* distance.h: how far apart the processors of a cell's threads are, as the time that a cache line takes one way.
 *
 * A host moves the processors of a virtual machine: the same two numbers may share a cache for minutes (27 ns), then
 * not (105 ns). Comparing samples across such a move compares two machines. So the distance is probed before and after
 * each repetition of several threads, and the driver stores it beside the samples.
 */
#ifndef STEALBENCH_DISTANCE_H
#define STEALBENCH_DISTANCE_H

#include "harness/measuring/cell/cell.h"
#include "harness/measuring/threads/places.h"

#define DISTANCE_NONE (-1.0)
#define DISTANCE_SECONDS 0.002 /* that the probes of a team take together, but DISTANCE_LEAST each */
#define DISTANCE_LEAST 0.0005
#define DISTANCE_PAIRS 8

/* Two distances whose ratio is larger are of two places. Probes of one place differ by a tenth; places differ by a
 * factor of 2 (siblings 10 ns, a group of caches 27, a socket 51, another one 108). plots/statistics/distances.py has
 * the same number. */
#define DISTANCE_RATIO 1.5
bool distance_agrees(double a, double b); /* NONE agrees with NONE only */

/* Nanoseconds for one way of a cache line between two processors, by the operating system's numbers. Two threads of its
 * own hand the line to and fro by compare-and-exchange in short rounds; the lower quartile of the rounds counts, so a
 * displaced thread does no harm. NONE: one processor, or one that this process may not use, or the two threads were
 * never there together within 25 times the seconds. */
double distance_between(int a, int b, double seconds);

/* The largest distance from the first of these processors (-1: not bound) to the others, of which at most
 * DISTANCE_PAIRS are probed, evenly chosen. A single thread that is moved away changes it. NONE: fewer than two
 * processors, a thread is not bound, or a pair could not be probed. probe: distance_between, or a test's. */
double distance_among(const int *processors, unsigned count, double (*probe)(int a, int b, double seconds));

/* Main thread, while the cell's other threads rest: before the first repetition and after each. Probes and reports
 * (cell_distance); does nothing for a cell of one thread or a check. */
void distance_report(const struct cell *, const struct places *);

#endif
