/* fences.h: how asymmetric fences (queues/deque.h) are had here, for whoever knows no deque. */
#ifndef STEALBENCH_FENCES_H
#define STEALBENCH_FENCES_H

/* "membarrier", or "pair": two full fences. Any thread; asks the kernel. */
const char *describe_fences(void);

#endif
