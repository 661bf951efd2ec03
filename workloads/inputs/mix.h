/* mix.h: 64 bits made of 64 bits, so that neighbours have nothing in common (the finalizer of SplitMix64; Steele, Lea,
 * Flood: OOPSLA 2014). For inputs that are computed from a number and a seed. A bijection: different in, different out.
 */
#ifndef STEALBENCH_MIX_H
#define STEALBENCH_MIX_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
