/* roads.h: a generated map of roads, and the shortest paths in it by one thread. Deque-independent.
 *
 * Crossings lie on a square of side * side. A street leads from each to its four neighbours, at a length from 1 to 100;
 * one street in ten is missing. Every 16th row and column is a motorway, five times as fast, without gaps. All of it is
 * computed from the seed, so the map takes no memory. Like a road map, it is nearly planar, with few arcs a node and a
 * diameter of some side * 2 arcs; the shortest path may turn back.
 */
#ifndef STEALBENCH_ROADS_H
#define STEALBENCH_ROADS_H

#include <stddef.h>
#include <stdint.h>

#define ROADS_SIDE_MAX 8192 /* then no distance comes near ROADS_FAR */
#define ROADS_FAR UINT32_MAX

struct roads {
    uint32_t side;
    uint64_t seed;
};

struct road {
    uint32_t to, length;
};

/* The roads out of a crossing; how many, at most 4. Any thread. */
unsigned roads_from(const struct roads *, uint32_t crossing, struct road out[4]);

/* Dijkstra's algorithm from crossing 0. Writes side * side distances, ROADS_FAR where no road leads. *reached: how many
 * crossings a road leads to; *farthest: the largest distance. 0 or ENOMEM. */
int roads_search(const struct roads *, uint32_t *distances, uint64_t *reached, uint32_t *farthest);

#endif
