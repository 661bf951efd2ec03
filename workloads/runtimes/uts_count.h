/* uts_count.h: what a thread counted of a tree, apart from the cache lines of others. C and C++. */
#ifndef STEALBENCH_UTS_COUNT_H
#define STEALBENCH_UTS_COUNT_H

#include <stdalign.h>
#include <stdint.h>

#define UTS_THREADS_MAX 128

struct uts_count {
    alignas(128) uint64_t nodes;
    uint64_t leaves, deepest;
};

#endif
