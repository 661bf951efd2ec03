#include "workloads/applications/duplicates/duplicate_search.h"
#include "harness/measuring/clock/clock.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define BLOCKS_OF_A_FILE 64 /* asked for together, where a file is a task */
#define READS_UNDER_WAY 64  /* of one worker's ring */
#define CALIBRATION_ROUNDS 1000000

/* Files are hashed by libxxhash (XXH3, 64 bits), where its header is. Without it the workload is unsupported. */
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL /* no library to link */
#include <xxhash.h>
const char *search_unsupported(void) { return NULL; }
#else
#define XXH3_64bits_reset(state) ((void)(state))
#define XXH3_64bits_update(state, bytes, count) ((void)(state), (void)(bytes), (void)(count))
#define XXH3_64bits_digest(state) ((void)(state), (uint64_t)0)
typedef uint64_t XXH3_state_t;
const char *search_unsupported(void) {
    return "built without xxhash.h (Debian: libxxhash-dev), so files cannot be hashed";
}
#endif

#if __has_include(<liburing.h>)
#include <liburing.h>
#else
struct io_uring {
    char none;
};
#endif

/* A regular file, from when its directory is read to the end of the search. */
struct searched_file {
    struct walk_entry entry;
    struct searched_file *next; /* of those that the same worker read */
    uint64_t size, hash;
};

/* A file that is hashed, or two that are compared, a block of each in turn. */
struct reading {
    struct pool_task task;          /* what goes on after a read by ring */
    struct searched_file *files[2]; /* the second is NULL: the first is hashed */
    int descriptors[2];
    int results[2]; /* bytes read, 0 at the end of the file, or -errno */
    unsigned turn;
    unsigned asked_by; /* the worker whose ring the read went through */
    bool of_second;    /* the two that make a group */
    uint64_t offset;
    XXH3_state_t hash;
    unsigned char bytes[]; /* read_bytes of each */
};

/* One a worker. */
struct searcher {
    alignas(128) struct io_uring ring;
    bool has_ring;
    unsigned under_way; /* reads: asked for, and not handed out */
    struct searched_file *files;
    struct search_counts counts;
};

static struct searcher *searcher_of(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    return &search->searchers[pool_worker_number(worker)];
}

static struct walker *walker_of(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    return &search->walkers[pool_worker_number(worker)];
}

static unsigned char *block_of(const struct search *search, struct reading *reading) {
    return reading->bytes + (size_t)reading->turn * search->read_bytes;
}

/* --- reads */

static void read_now(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    const unsigned turn = reading->turn;
    ssize_t bytes;
    do
        bytes =
            pread(reading->descriptors[turn], block_of(search, reading), search->read_bytes, (off_t)reading->offset);
    while (bytes < 0 && errno == EINTR);
    reading->results[turn] = bytes < 0 ? -errno : (int)bytes;
    searcher_of(worker)->counts.by_pread++;
}

#if __has_include(<liburing.h>)

/* 0, or why the kernel grants no ring, or starts nothing that is put into one (in containers often). */
static int ring_open(struct searcher *searcher) {
    struct io_uring_cqe *completion;
    int error = -io_uring_queue_init(READS_UNDER_WAY, &searcher->ring, 0);
    if (error != 0)
        return error;
    searcher->has_ring = true;
    io_uring_prep_nop(io_uring_get_sqe(&searcher->ring));
    int started = io_uring_submit(&searcher->ring);
    error = started < 0 ? -started : -io_uring_wait_cqe(&searcher->ring, &completion);
    if (error == 0)
        io_uring_cqe_seen(&searcher->ring, completion);
    return error;
}

static void ring_close(struct searcher *searcher) {
    if (searcher->has_ring)
        io_uring_queue_exit(&searcher->ring);
}

/* The read starts with the next look. false: too many are under way. */
static bool ring_ask(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    struct searcher *searcher = searcher_of(worker);
    if (searcher->under_way == READS_UNDER_WAY)
        return false;
    struct io_uring_sqe *entry = io_uring_get_sqe(&searcher->ring);
    if (!entry)
        return false;
    /* an off_t in liburing before 2.0, a number without a sign since */
    io_uring_prep_read(entry, reading->descriptors[reading->turn], block_of(search, reading), search->read_bytes,
                       reading->offset & INT64_MAX);
    io_uring_sqe_set_data(entry, reading);
    reading->asked_by = pool_worker_number(worker);
    searcher->under_way++;
    searcher->counts.by_ring++;
    pool_hold(worker);
    return true;
}

bool search_look(struct pool_worker *worker, void *context) {
    struct searcher *searcher = searcher_of(worker);
    struct io_uring *ring = &searcher->ring;
    struct io_uring_cqe *completion;
    bool found = false;
    (void)context;
    const int started = io_uring_sq_ready(ring) > 0 ? io_uring_submit(ring) : 0;
    if (started < 0 && started != -EAGAIN && started != -EBUSY && started != -EINTR) /* these start later */
        pool_fail(worker, 3, "io_uring starts no more reads");
    while (searcher->under_way > 0 && io_uring_peek_cqe(ring, &completion) == 0) {
        struct reading *reading = io_uring_cqe_get_data(completion);
        reading->results[reading->turn] = completion->res;
        io_uring_cqe_seen(ring, completion);
        searcher->under_way--;
        if (reading->results[reading->turn] < 0) { /* pread knows whether that is the file's fault */
            searcher->counts.by_ring--;
            read_now(worker, reading);
        }
        pool_spawn(worker, &reading->task);
        pool_release(worker);
        found = true;
    }
    return found;
}

#else

static int ring_open(struct searcher *searcher) { return searcher ? ENOTSUP : 0; }
static void ring_close(struct searcher *searcher) { (void)searcher; }
static bool ring_ask(struct pool_worker *worker, struct reading *reading) { return !worker && !reading; }
bool search_look(struct pool_worker *worker, void *context) { return !worker && !context; }

#endif

/* --- a file is read, or two are */

static struct reading *reading_new(struct pool_worker *worker, void (*run)(struct pool_worker *, struct pool_task *),
                                   struct searched_file *first, struct searched_file *second) {
    const struct search *search = pool_context(worker);
    const size_t unit = _Alignof(struct reading);
    const size_t bytes = sizeof(struct reading) + (second ? 2 : 1) * (size_t)search->read_bytes;
    struct reading *reading = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (!reading) {
        pool_fail(worker, 3, "no memory for the search");
        return NULL;
    }
    reading->task.run = run;
    reading->files[0] = first;
    reading->files[1] = second;
    reading->descriptors[0] = reading->descriptors[1] = -1;
    reading->turn = 0;
    reading->offset = 0;
    return reading;
}

/* The first time from its directory, which is kept for that. false: the file is counted as unreadable or vanished. */
static bool open_file(struct pool_worker *worker, struct reading *reading, int which) {
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
    struct search *search = pool_context(worker);
    struct walker *walker = walker_of(worker);
    const char *path = reading->files[which]->entry.path;
    reading->descriptors[which] = reading->files[1] ? openat(search->walk.root, path, flags)
                                                    : walk_entry_open(walker, &reading->files[which]->entry, flags);
    if (reading->descriptors[which] < 0)
        walk_report_error(walker, path, errno);
    else
        atomic_fetch_add_explicit(&search->open, 1, memory_order_relaxed); /* a bound that may be missed by a few */
    if (walker->failure)
        pool_fail(worker, 3, walker->failure);
    return reading->descriptors[which] >= 0;
}

static void reading_free(struct pool_worker *worker, struct reading *reading) {
    struct search *search = pool_context(worker);
    for (int i = 0; i < 2; i++)
        if (reading->descriptors[i] >= 0) {
            close(reading->descriptors[i]);
            atomic_fetch_sub_explicit(&search->open, 1, memory_order_relaxed); /* a mere count */
        }
    free(reading);
}

static void end_comparison(struct pool_worker *worker, struct reading *reading, bool alike) {
    struct duplicates_found *found = &searcher_of(worker)->counts.found;
    if (alike) {
        found->groups += reading->of_second;
        found->files++;
        found->bytes += reading->files[0]->size;
    }
    reading_free(worker, reading);
}

/* A block is read. true: the next is wanted. Of two blocks, one may be shorter than the other before the file's end
 * too. */
static bool compare_block(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    const int result = reading->results[reading->turn];
    if (result < 0) {
        walk_report_error(walker_of(worker), reading->files[reading->turn]->entry.path, -result);
        end_comparison(worker, reading, false);
        return false;
    }
    reading->turn = 1 - reading->turn;
    if (reading->turn == 1)
        return true;
    const int least = result < reading->results[0] ? result : reading->results[0];
    const bool differs = (least == 0 && result != reading->results[0]) ||
                         memcmp(reading->bytes, reading->bytes + search->read_bytes, (size_t)least) != 0;
    reading->offset += (uint64_t)least;
    if (differs || least == 0)
        end_comparison(worker, reading, !differs);
    return !differs && least > 0;
}

static void finished(struct pool_worker *worker);

/* A chain of dependent multiplications: its time depends on the rounds alone, not on caches. */
static void compute(uint64_t rounds, uint64_t from) {
    for (uint64_t i = 0; i < rounds; i++)
        from = (from ^ from >> 29) * 0xbf58476d1ce4e5b9u;
    __asm__ volatile("" : : "r"(from)); /* computed although the result is not used */
}

static void end_hashing(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    struct searcher *searcher = searcher_of(worker);
    struct searched_file *file = reading->files[0];
    if (reading->results[0] < 0) {
        walk_report_error(walker_of(worker), file->entry.path, -reading->results[0]);
        free(file);
    } else {
        file->hash = XXH3_64bits_digest(&reading->hash);
        compute(search->compute_rounds, file->hash);
        file->next = searcher->files;
        searcher->files = file;
        searcher->counts.bytes += file->size;
    }
    reading_free(worker, reading);
    finished(worker);
}

/* A block is read. true: the next is wanted. */
static bool hash_block(struct pool_worker *worker, struct reading *reading) {
    const int result = reading->results[0];
    if (result <= 0) {
        end_hashing(worker, reading);
        return false;
    }
    XXH3_64bits_update(&reading->hash, reading->bytes, (size_t)result);
    reading->offset += (uint64_t)result;
    reading->files[0]->size += (uint64_t)result;
    return true;
}

/* A block is read: is the next wanted? */
static bool take_block(struct pool_worker *worker, struct reading *reading) {
    return reading->files[1] ? compare_block(worker, reading) : hash_block(worker, reading);
}

/* Reads on, until the rest is the task of a read by ring. */
static void read_on(struct pool_worker *worker, struct reading *reading, bool by_ring) {
    do {
        /* if the ring is full: reads from the page cache are done as soon as they start */
        if (by_ring && (ring_ask(worker, reading) || (search_look(worker, NULL), ring_ask(worker, reading))))
            return;
        read_now(worker, reading);
    } while (take_block(worker, reading));
}

static void after_read(struct pool_worker *worker, struct pool_task *task) {
    struct reading *reading = (struct reading *)(void *)task;
    searcher_of(worker)->counts.completions_stolen += reading->asked_by != pool_worker_number(worker);
    if (take_block(worker, reading))
        read_on(worker, reading, true);
}

static void begin_reading(struct pool_worker *worker, struct reading *reading) {
    struct search *search = pool_context(worker);
    reading->task.run = after_read;
    read_on(worker, reading,
            search->rings && atomic_load_explicit(&search->open, memory_order_relaxed) <= search->open_max);
}

/* --- the second half: files of the same size and hash are compared */

static void begin_comparison(struct pool_worker *worker, struct pool_task *task) {
    struct reading *reading = (struct reading *)(void *)task;
    if (open_file(worker, reading, 0) && open_file(worker, reading, 1))
        begin_reading(worker, reading);
    else
        end_comparison(worker, reading, false);
}

static int by_size_and_hash(const void *left, const void *right) {
    const struct searched_file *a = *(struct searched_file *const *)left, *b = *(struct searched_file *const *)right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Every file has been hashed, and nobody else is about. */
static void compare_files(struct pool_worker *worker, struct search *search) {
    size_t count = 0, first = 0;
    search->hashed_at = clock_nanoseconds();
    for (unsigned i = 0; i < search->threads; i++)
        for (const struct searched_file *file = search->searchers[i].files; file; file = file->next)
            count++;
    struct searched_file **files = malloc((count + 1) * sizeof *files);
    if (!files) {
        pool_fail(worker, 3, "no memory for the search");
        return;
    }
    count = 0;
    for (unsigned i = 0; i < search->threads; i++)
        for (struct searched_file *file = search->searchers[i].files; file; file = file->next)
            files[count++] = file;
    qsort(files, count, sizeof *files, by_size_and_hash);
    for (size_t i = 1; i < count; i++) {
        struct reading *reading = NULL;
        if (by_size_and_hash(&files[first], &files[i]) != 0)
            first = i;
        else if ((reading = reading_new(worker, begin_comparison, files[first], files[i]))) {
            reading->of_second = i == first + 1;
            pool_spawn(worker, &reading->task);
        }
    }
    free(files);
}

/* --- the first half: directories are read, files are hashed */

static void finished(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    /* release: our results; acquire: everybody's results, if this is the last */
    if (atomic_fetch_sub_explicit(&search->unfinished, 1, memory_order_acq_rel) == 1)
        compare_files(worker, search);
}

static void begin_file(struct pool_worker *worker, struct pool_task *task) {
    struct searched_file *file = (struct searched_file *)(void *)task;
    struct reading *reading = reading_new(worker, after_read, file, NULL);
    if (reading && open_file(worker, reading, 0)) {
        XXH3_64bits_reset(&reading->hash);
        begin_reading(worker, reading);
        return;
    }
    free(reading);
    free(file);
    finished(worker);
}

static void spawn(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct search *search = pool_context(walker->scheduler);
    /* relaxed: the directory that they are in is not finished */
    atomic_fetch_add_explicit(&search->unfinished, count, memory_order_relaxed);
    pool_spawn_all(walker->scheduler, tasks, count);
}

static void visit(struct pool_worker *worker, struct pool_task *task) {
    struct walker *walker = walker_of(worker);
    walker->scheduler = worker;
    walk_visit(walker, (struct walk_entry *)(void *)task);
    if (walker->failure)
        pool_fail(worker, 3, walker->failure);
    finished(worker);
}

/* --- set up, take down */

/* How many rounds of the added computation make a microsecond here: by the fastest of some tries. */
static double rounds_a_microsecond(void) {
    double best = 0;
    for (uint64_t i = 0; i < 5; i++) {
        uint64_t start = clock_nanoseconds();
        compute(CALIBRATION_ROUNDS, i);
        double rate = CALIBRATION_ROUNDS * 1e3 / (double)(clock_nanoseconds() - start + 1);
        best = rate > best ? rate : best;
    }
    return best;
}

int search_open(struct search *search, const struct cell *cell, const char *path) {
    const double added = cell_real(cell, "compute");
    int code = walk_open(&search->walk, path);
    if (code != 0)
        return code;
    search->walk.spawn = spawn;
    search->walk.visit = visit;
    search->walk.file = begin_file;
    search->walk.file_bytes = sizeof(struct searched_file);
    search->threads = (unsigned)cell_integer(cell, "threads");
    search->compute_rounds = added > 0 ? (uint64_t)(added * rounds_a_microsecond()) : 0;
    search->open_max = sysconf(_SC_OPEN_MAX) / 4;
    search->walkers = walkers_new(&search->walk, search->threads);
    search->searchers = aligned_alloc(_Alignof(struct searcher), search->threads * sizeof *search->searchers);
    if (!search->walkers || !search->searchers)
        return 3;
    memset(search->searchers, 0, search->threads * sizeof *search->searchers);
    if (cell_is(cell, "io", "uring")) {
        for (unsigned i = 0; i < search->threads && !search->ring_error; i++)
            search->ring_error = ring_open(&search->searchers[i]);
        search->rings = !search->ring_error;
    }
    if (search->ring_error)
        fprintf(stderr, "duplicates: no io_uring (%s): workers read by pread\n", strerror(search->ring_error));
    search->read_bytes = search->rings && cell_is(cell, "task", "file") ? BLOCKS_OF_A_FILE * BLOCK_BYTES : BLOCK_BYTES;
    return 0;
}

void search_close(struct search *search) {
    for (unsigned i = 0; search->searchers && i < search->threads; i++)
        ring_close(&search->searchers[i]);
    free(search->searchers);
    free(search->walkers);
    walk_close(&search->walk);
}

struct pool_task *search_start(struct search *search) {
    struct walk_entry *root = walk_root(search->walkers, search->threads);
    for (unsigned i = 0; i < search->threads; i++)
        search->searchers[i].counts = (struct search_counts){0};
    /* relaxed: the run has not begun */
    atomic_store_explicit(&search->unfinished, 1, memory_order_relaxed);
    return root ? &root->task : NULL;
}

struct search_counts search_end(struct search *search) {
    struct search_counts sum = {0};
    for (unsigned i = 0; i < search->threads; i++) {
        struct searcher *searcher = &search->searchers[i];
        for (struct searched_file *file = searcher->files, *next; file; file = next) {
            next = file->next;
            free(file);
        }
        searcher->files = NULL;
        const uint64_t *counts = (const uint64_t *)&searcher->counts;
        for (size_t number = 0; number < sizeof sum / sizeof *counts; number++)
            ((uint64_t *)&sum)[number] += counts[number];
    }
    return sum;
}
