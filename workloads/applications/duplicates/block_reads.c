#include "workloads/applications/duplicates/block_reads.h"
#include <errno.h>
#include <stdlib.h>

#if defined(__has_include)
#if __has_include(<liburing.h>)
#include <liburing.h>
#define HAVE_LIBURING
#endif
#endif

#ifdef HAVE_LIBURING

/* How often in a row the kernel may defer all reads while none of ours is under way. */
#define PUT_OFF_MAX 10000

struct ring {
    struct io_uring uring;
    unsigned under_way, max; /* reads: asked for and not handed out; of those at once */
    struct block_read **waiting;
    unsigned first, waits; /* asked for and not started: waiting[first], ... in a circle, in the order asked */
    unsigned put_off;      /* deferrals in a row */
    int error;             /* it takes no more */
};

int ring_open(struct ring **opened, unsigned reads) {
    struct ring *ring = calloc(1, sizeof *ring);
    *opened = NULL;
    if (!ring)
        return ENOMEM;
    ring->waiting = calloc(reads, sizeof ring->waiting[0]);
    int error = ring->waiting ? -io_uring_queue_init(reads, &ring->uring, 0) : ENOMEM;
    if (error) {
        free(ring->waiting);
        free(ring);
        return error;
    }
    ring->max = reads;
    *opened = ring;
    return 0;
}

void ring_close(struct ring *ring) {
    if (!ring)
        return;
    io_uring_queue_exit(&ring->uring);
    free(ring->waiting);
    free(ring);
}

bool ring_ask(struct ring *ring, struct block_read *read) {
    const bool room = ring->under_way < ring->max && !ring->error;
    struct io_uring_sqe *entry = room ? io_uring_get_sqe(&ring->uring) : NULL;
    if (!entry)
        return false;
    /* an off_t in liburing before 2.0, a number without a sign since */
    io_uring_prep_read(entry, read->descriptor, read->to, read->bytes, read->offset & INT64_MAX);
    io_uring_sqe_set_data(entry, read);
    ring->waiting[(ring->first + ring->waits++) % ring->max] = read;
    ring->under_way++;
    return true;
}

/* Takes the read that has waited longest. */
static struct block_read *next_waiting(struct ring *ring) {
    struct block_read *read = ring->waiting[ring->first];
    ring->first = (ring->first + 1) % ring->max;
    ring->waits--;
    return read;
}

/* Hands waiting reads to the kernel. Deferred reads go on waiting, but not for ever. */
static void start_waiting(struct ring *ring) {
    const int result = io_uring_submit(&ring->uring);
    const unsigned left = io_uring_sq_ready(&ring->uring);
    const bool later = result >= 0 || result == -EAGAIN || result == -EBUSY || result == -EINTR;
    if (left < ring->waits)
        ring->put_off = 0;
    else if (!later)
        ring->error = -result;
    else if (ring->under_way == ring->waits && ++ring->put_off == PUT_OFF_MAX)
        ring->error = EAGAIN;
    while (ring->waits > left)
        next_waiting(ring);
}

unsigned ring_look(struct ring *ring, struct block_read **done, unsigned max) {
    struct io_uring_cqe *completion;
    unsigned count = 0;
    if (ring->waits > 0 && !ring->error)
        start_waiting(ring);
    while (ring->error && ring->waits > 0 && count < max) {
        done[count] = next_waiting(ring);
        done[count++]->result = -ECANCELED;
        ring->under_way--;
    }
    while (ring->under_way > ring->waits && count < max && io_uring_peek_cqe(&ring->uring, &completion) == 0) {
        struct block_read *read = io_uring_cqe_get_data(completion);
        read->result = completion->res;
        done[count++] = read;
        io_uring_cqe_seen(&ring->uring, completion);
        ring->under_way--;
    }
    return count;
}

int ring_error(const struct ring *ring) { return ring->error; }

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
unsigned ring_look(struct ring *ring, struct block_read **done, unsigned max) {
    (void)ring, (void)done, (void)max;
    return 0;
}
int ring_error(const struct ring *ring) {
    (void)ring;
    return ENOTSUP;
}

#endif
