/* describe.h: what build/deques/NAME --describe prints, in one place: the driver's only source of facts about a deque,
 * its workloads and its checks. Tab-separated lines, documented in harness/README.md. */
#ifndef STEALBENCH_DESCRIBE_H
#define STEALBENCH_DESCRIBE_H

#include "harness/cell.h"
#include "queues/deque.h"
#include <stddef.h>

#define DESCRIBE_VERSION 1

/* The tables that REGISTER_WORKLOAD and REGISTER_CHECK filled in this executable. */
struct registered {
    const struct workload *const *workloads;
    size_t workload_count;
    const struct check *const *checks;
    size_t check_count;
};

/* Parameters that every workload has. */
extern const struct parameter common_parameters[];
extern const size_t common_parameter_count;

/* The deque's own mode as a parameter. false when it has none. */
bool describe_mode(const struct deque_traits *, struct parameter *mode);

void describe(const struct deque_traits *, size_t item_bytes, const struct registered *);

#endif
