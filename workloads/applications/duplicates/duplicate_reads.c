#include "workloads/applications/duplicates/duplicate_search.h"
#include <errno.h>
#include <unistd.h>

struct searcher *search_worker(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    return &search->searchers[pool_worker_number(worker)];
}

struct search *search_of(struct searcher *searcher) {
    return (struct search *)(void *)((char *)searcher->walker.walk - offsetof(struct search, walk));
}

void search_out_of_memory(struct pool_worker *worker) { pool_fail(worker, 3, "no memory for the search"); }

bool search_look(struct pool_worker *worker, void *context) {
    struct search *search = context;
    struct searcher *searcher = &search->searchers[pool_worker_number(worker)];
    struct block_read *done[READS_UNDER_WAY];
    unsigned count = searcher->ring ? ring_look(searcher->ring, done, READS_UNDER_WAY) : 0;
    for (unsigned i = 0; i < count; i++) {
        const int result = done[i]->result;
        if (result == -ECANCELED || result == -EAGAIN || result == -EINTR) { /* nothing is wrong with the file */
            searcher->counts.by_ring--;
            search_read_now(searcher, done[i]);
        }
        pool_spawn(worker, &done[i]->task);
        pool_release(worker);
    }
    return count > 0;
}

bool search_ask(struct pool_worker *worker, struct block_read *read) {
    struct searcher *searcher = search_worker(worker);
    if (!searcher->ring)
        return false;
    read->asked_by = pool_worker_number(worker);
    if (!ring_ask(searcher->ring, read)) {
        search_look(worker, search_of(searcher)); /* reads from the page cache are done as soon as they start */
        if (!ring_ask(searcher->ring, read))
            return false;
    }
    pool_hold(worker);
    searcher->counts.by_ring++;
    return true;
}

void search_read_now(struct searcher *searcher, struct block_read *read) {
    ssize_t bytes;
    do
        bytes = pread(read->descriptor, read->to, read->bytes, (off_t)read->offset);
    while (bytes < 0 && errno == EINTR);
    read->result = bytes < 0 ? -errno : (int)bytes;
    searcher->counts.by_pread++;
}

void search_count_stolen(struct pool_worker *worker, const struct block_read *read) {
    if (read->asked_by != pool_worker_number(worker))
        search_worker(worker)->counts.completions_stolen++;
}
