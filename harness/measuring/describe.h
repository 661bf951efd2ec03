/* describe.h: what a deque's executable prints for --describe. The driver has no other source of facts about a deque,
 * its workloads and its checks. Tab-separated lines, documented in harness/README.md. */
#pragma once

#include "harness/measuring/cell.h"
#include "queues/deque.h"
#include <stddef.h>

#define DESCRIBE_VERSION 2

/* The tables that REGISTER_WORKLOAD and REGISTER_CHECK filled in this executable. */
struct registered {
    const struct workload *const *workloads;
    size_t workload_count;
    const struct check *const *checks;
    size_t check_count;
};
struct registered registered_here(void);

/* A table of the parameters that every workload has. */
extern const struct parameter common_parameters[];

/* The deque's own mode as a parameter. Returns false if it has none. */
bool describe_mode(const struct deque_traits *, struct parameter *mode);

/* An executable's deque. */
struct deque_here {
    struct deque_traits traits;
    const char *id; /* variants of one header, built to measure the suite itself, have their own names */
    size_t item_bytes;
};
extern const struct deque_here deque_here; /* deque_under_test.h */

void describe(const struct deque_here *, const struct registered *);

/* What a program over another runtime calls itself; a deque's executable has no such function. */
const char *runtime_title(void) __attribute__((weak));
