/* block_reads.h: reads that go on while their worker does other work: an io_uring for each worker.
 *
 * Only block_reads.c uses liburing. Built without its header, or where the kernel refuses a ring (in containers often),
 * ring_open fails and the caller reads by pread. A kernel may also grant a ring and then start none of its reads: such
 * a ring hands its reads back and takes no more.
 */
#ifndef STEALBENCH_BLOCK_READS_H
#define STEALBENCH_BLOCK_READS_H

#include "workloads/pool/pool.h"

/* One read. Begins with the task that goes on when it is done. */
struct block_read {
    struct pool_task task;
    int descriptor;
    int result; /* bytes read, 0 at the end of the file, or -errno; -ECANCELED: not started, to be read otherwise */
    uint32_t bytes;
    unsigned asked_by; /* the worker whose ring it went through */
    uint64_t offset;
    unsigned char *to;
};

struct ring;

/* Main. reads: that may be under way at once. 0; ENOTSUP built without liburing, else why the kernel refuses. */
int ring_open(struct ring **, unsigned reads);
void ring_close(struct ring *); /* NULL is fine */

/* The ring's worker. Asks for a read; it starts with the next ring_look. false: too many are under way, or the ring
 * takes no more. */
bool ring_ask(struct ring *, struct block_read *);

/* The ring's worker. Starts the requested reads, and returns finished ones, up to max; how many. Does not wait. */
unsigned ring_look(struct ring *, struct block_read **done, unsigned max);

/* The ring's worker, or main when nobody works. Why it takes no more (errno), or 0. */
int ring_error(const struct ring *);

#endif
