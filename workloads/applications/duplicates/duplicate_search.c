/* duplicate_search.c: the first half of the search: directories are read, files are read and hashed. */
#include "workloads/applications/duplicates/duplicate_search.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A file while it is open. */
struct hashing {
    struct block_read read;
    struct searched_file *file;
    XXH3_state_t hash;
    unsigned char bytes[];
};

static void finished(struct pool_worker *worker, struct search *search) {
    /* release: our results; acquire: everybody's results, if this is the last */
    if (atomic_fetch_sub_explicit(&search->unfinished, 1, memory_order_acq_rel) == 1)
        search_group_files(worker, search);
}

/* A chain of dependent multiplications: its time depends on the rounds alone, not on caches. */
uint64_t search_compute(uint64_t rounds, uint64_t from) {
    for (uint64_t i = 0; i < rounds; i++)
        from = (from ^ from >> 29) * 0xbf58476d1ce4e5b9u;
    __asm__ volatile("" : : "r"(from)); /* computed although the result is not used */
    return from;
}

static void end_hashing(struct pool_worker *worker, struct hashing *hashing) {
    struct search *search = pool_context(worker);
    struct searcher *searcher = search_worker(worker);
    struct searched_file *file = hashing->file;
    if (hashing->read.result < 0) {
        walk_report_error(&searcher->walker, &file->entry, -hashing->read.result);
        walk_entry_ends(&searcher->walker, &file->entry);
        free(file);
    } else {
        file->hash = XXH3_64bits_digest(&hashing->hash);
        search_compute(search->compute_rounds, file->hash);
        file->hash &= search->hash_mask;
        file->next = searcher->files;
        searcher->files = file;
        searcher->counts.bytes += file->size;
    }
    close(hashing->read.descriptor);
    free(hashing);
    atomic_fetch_sub_explicit(&search->open, 1, memory_order_relaxed); /* a mere count */
    finished(worker, search);
}

static struct hashing *hashing_make(const struct search *search) {
    const size_t unit = _Alignof(struct hashing), bytes = sizeof(struct hashing) + search->read_bytes;
    return aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

/* A read is done. true: the next is wanted. */
static bool hash_block(struct hashing *hashing) {
    if (hashing->read.result <= 0)
        return false;
    XXH3_64bits_update(&hashing->hash, hashing->bytes, (size_t)hashing->read.result);
    hashing->read.offset += (uint64_t)hashing->read.result;
    hashing->file->size += (uint64_t)hashing->read.result;
    return true;
}

static void hash_on(struct pool_worker *worker, struct hashing *hashing, bool by_ring) {
    do {
        if (by_ring && search_ask(worker, &hashing->read))
            return;
        search_read_now(search_worker(worker), &hashing->read);
    } while (hash_block(hashing));
    end_hashing(worker, hashing);
}

static void after_read(struct pool_worker *worker, struct pool_task *task) {
    struct hashing *hashing = (struct hashing *)(void *)task;
    search_count_stolen(worker, &hashing->read);
    if (hash_block(hashing))
        hash_on(worker, hashing, true);
    else
        end_hashing(worker, hashing);
}

static void begin_file(struct pool_worker *worker, struct pool_task *task) {
    struct searched_file *file = (struct searched_file *)(void *)task;
    struct search *search = pool_context(worker);
    struct searcher *searcher = search_worker(worker);
    int descriptor = walk_entry_open(&searcher->walker, &file->entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        walk_report_error(&searcher->walker, &file->entry, errno);
    walk_entry_opened(&searcher->walker, &file->entry);
    if (searcher->walker.failure)
        pool_fail(worker, 3, searcher->walker.failure);
    struct hashing *hashing = descriptor < 0 ? NULL : hashing_make(search);
    if (!hashing) {
        if (descriptor >= 0) {
            close(descriptor);
            search_out_of_memory(worker);
        }
        walk_entry_ends(&searcher->walker, &file->entry);
        free(file);
        finished(worker, search);
        return;
    }
    hashing->read = (struct block_read){
        .task = {.run = after_read}, .descriptor = descriptor, .bytes = search->read_bytes, .to = hashing->bytes};
    hashing->file = file;
    XXH3_64bits_reset(&hashing->hash);
    /* relaxed: a bound that may be missed by a few, for which descriptors are spared */
    hash_on(worker, hashing, atomic_fetch_add_explicit(&search->open, 1, memory_order_relaxed) < search->open_max);
}

/* --- walking */

struct walk_entry *search_file(struct walker *walker, const char *name) {
    (void)walker;
    size_t length = strlen(name) + 1;
    struct searched_file *file = malloc(sizeof *file + length);
    if (!file)
        return NULL;
    *file = (struct searched_file){.entry = {.task = {.run = begin_file}, .name = file->text}};
    memcpy(file->text, name, length);
    return &file->entry;
}

void search_spawn(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct searcher *searcher = (struct searcher *)(void *)walker;
    /* relaxed: the directory that they are in is not finished */
    atomic_fetch_add_explicit(&search_of(searcher)->unfinished, count, memory_order_relaxed);
    pool_spawn_all(walker->scheduler, tasks, count);
}

void search_visit(struct pool_worker *worker, struct pool_task *task) {
    struct searcher *searcher = search_worker(worker);
    searcher->walker.scheduler = worker;
    walk_visit(&searcher->walker, (struct directory *)(void *)task);
    if (searcher->walker.failure)
        pool_fail(worker, 3, searcher->walker.failure);
    finished(worker, pool_context(worker));
}

struct pool_task *search_start(struct search *search) {
    struct directory *root = walk_root(&search->walk);
    for (unsigned i = 0; i < search->threads; i++) {
        struct searcher *searcher = &search->searchers[i];
        searcher->counts = (struct search_counts){0};
        searcher->found = (struct duplicates_found){0};
        searcher->walker.counts = (struct walk_counts){0};
    }
    /* relaxed, both: the run has not begun */
    atomic_store_explicit(&search->unfinished, 1, memory_order_relaxed);
    atomic_store_explicit(&search->open, 0, memory_order_relaxed);
    return root ? &root->entry.task : NULL;
}

void search_end(struct search *search) {
    for (unsigned i = 0; i < search->threads; i++) {
        struct searcher *searcher = &search->searchers[i];
        while (searcher->files) {
            struct searched_file *file = searcher->files;
            searcher->files = file->next;
            walk_entry_ends(&searcher->walker, &file->entry);
            free(file);
        }
    }
    free(search->candidates);
    search->candidates = NULL;
}
