/* random.h: the suite's only generator and only mixer. The same seed gives the same numbers on every machine. Not for
 * cryptography. */
#pragma once

#include <stdint.h>

/* Mixes 64 bits so that neighbouring numbers have nothing in common (the finalizer of SplitMix64; Steele, Lea, Flood:
 * OOPSLA 2014). A bijection: different inputs give different outputs. */
static inline uint64_t mix64(uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Number n of a seed: for draws in any order, and to derive seeds from a seed. */
static inline uint64_t random_of(uint64_t seed, uint64_t n) { return mix64(mix64(seed) ^ n); }

/* Starts a generator, xorshift64* (Vigna 2016), whose state is one word. Each n gives a different generator of the same
 * seed. */
static inline uint64_t random_start(uint64_t seed, uint64_t n) { return random_of(seed, n) | 1; }
uint64_t random_next(uint64_t *state);
/* A number from 0 to below - 1. Uses the high bits, which are better. */
static inline uint64_t random_below(uint64_t *state, uint64_t below) { return (random_next(state) >> 20) % below; }
