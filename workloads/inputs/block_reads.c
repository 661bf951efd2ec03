#include "workloads/inputs/block_reads.h"
#include <errno.h>
#include <stdlib.h>

#if defined(__has_include)
#if __has_include(<liburing.h>)
#include <liburing.h>
#define HAVE_LIBURING
#endif
#endif

#ifdef HAVE_LIBURING

struct ring {
    struct io_uring uring;
    unsigned under_way, most;
    bool asked; /* something has not been started */
};

int ring_open(struct ring **opened, unsigned reads) {
    struct ring *ring = calloc(1, sizeof *ring);
    *opened = NULL;
    if (!ring)
        return ENOMEM;
    int result = io_uring_queue_init(reads, &ring->uring, 0);
    if (result < 0) {
        free(ring);
        return -result;
    }
    ring->most = reads;
    *opened = ring;
    return 0;
}

void ring_close(struct ring *ring) {
    if (!ring)
        return;
    io_uring_queue_exit(&ring->uring);
    free(ring);
}

bool ring_ask(struct ring *ring, struct block_read *read) {
    struct io_uring_sqe *entry = ring->under_way < ring->most ? io_uring_get_sqe(&ring->uring) : NULL;
    if (!entry)
        return false;
    io_uring_prep_read(entry, read->descriptor, read->to, read->bytes, read->offset);
    io_uring_sqe_set_data(entry, read);
    ring->under_way++;
    ring->asked = true;
    return true;
}

unsigned ring_look(struct ring *ring, struct block_read **done, unsigned most) {
    struct io_uring_cqe *completion;
    unsigned count = 0;
    if (ring->under_way == 0)
        return 0;
    if (ring->asked) /* what the kernel has no room for now stays asked for */
        ring->asked = io_uring_submit(&ring->uring) < 0 || io_uring_sq_ready(&ring->uring) > 0;
    while (count < most && io_uring_peek_cqe(&ring->uring, &completion) == 0) {
        struct block_read *read = io_uring_cqe_get_data(completion);
        read->result = completion->res;
        done[count++] = read;
        io_uring_cqe_seen(&ring->uring, completion);
        ring->under_way--;
    }
    return count;
}

#else

int ring_open(struct ring **opened, unsigned reads) {
    (void)reads;
    *opened = NULL;
    return ENOTSUP;
}
void ring_close(struct ring *ring) { (void)ring; }
bool ring_ask(struct ring *ring, struct block_read *read) {
    (void)ring, (void)read;
    return false;
}
unsigned ring_look(struct ring *ring, struct block_read **done, unsigned most) {
    (void)ring, (void)done, (void)most;
    return 0;
}

#endif
