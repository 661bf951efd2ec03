/* distance.h: how far apart the processors of a cell's threads are, as the time that a cache line takes one way.
 *
 * A virtual machine's processors are moved by its host: the same two numbers are neighbours for minutes (27 ns), then
 * in different groups of caches (105 ns). Whoever compares across that compares two machines. So each repetition of
 * more than one thread has a probe before and after it; the driver keeps what they say beside the samples.
 */
#ifndef STEALBENCH_DISTANCE_H
#define STEALBENCH_DISTANCE_H

#include "harness/measuring/cell/cell.h"
#include "harness/measuring/threads/places.h"

#define DISTANCE_NONE (-1.0)
#define DISTANCE_SECONDS 0.002 /* that the probes of a team take together, but DISTANCE_LEAST each */
#define DISTANCE_LEAST 0.0005
#define DISTANCE_PAIRS 8

/* Two distances further apart than this are of two places. Probes of one place differ by a tenth; places differ by a
 * factor of 2 (siblings 10 ns, a group of caches 27, a socket 51, another one 108). plots/statistics/distances.py has
 * the same number. */
#define DISTANCE_RATIO 1.5
bool distance_agrees(double a, double b); /* two that are NONE agree, one of them does not */

/* Nanoseconds for one way of a line between two processors, as the operating system numbers them: two threads of its
 * own hand a line to and fro by compare-and-exchange, in short rounds, of which the lower quartile counts, so that a
 * displaced thread does not. NONE: one processor, or one that this process may not use, or they were never both there
 * within 25 times the seconds. */
double distance_between(int a, int b, double seconds);

/* Of threads on these processors (-1: not bound): the largest of the distances from the first processor to the others,
 * of at most DISTANCE_PAIRS of them, evenly chosen: one thread that is moved away moves it. NONE: fewer than two
 * processors, or a thread is not bound, or a pair could not be probed. probe: distance_between, or a test's. */
double distance_among(const int *processors, unsigned count, double (*probe)(int a, int b, double seconds));

/* Main thread, while the cell's other threads rest: before the first repetition and after each. Probes and says so
 * (cell_distance). Nothing of a cell of one thread, nor of a check. */
void distance_tell(const struct cell *, const struct places *);

#endif
