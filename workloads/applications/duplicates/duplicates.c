/* duplicates.c: which files below a directory are alike, and how long it takes to find out. After fsFindDuplicate of
 * the BWoS thesis (5.3.2, figure 5.12, table 5.5).
 *
 * A task reads a directory; a task begins each regular file, which is read in blocks of 4096 bytes and hashed; files of
 * the same size and hash are then compared block by block with the first of them. What goes on after a read is a task
 * of its own, run by the worker that read or by a thief (io_tasks_stolen counts these): after 64 blocks of a file, so
 * that most files are one read, as they are a fiber each in the thesis; or after each block. The thesis reads by
 * io_uring; here the task reads by pread. compute= adds computation to each file.
 *
 * The answer (groups, files, bytes) is known, because the tree is a generated one, and checked.
 */
#include "workloads/applications/duplicates/duplicates.h"
#include "workloads/applications/task_cost.h"
#include "workloads/applications/walk/directory_walk.h"
#include "workloads/applications/walk/generated_tree.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define BLOCKS_OF_A_FILE 64 /* read at once, where a file is a task */

static const struct parameter parameters[] = {
    PARAMETER_CHOICE("task", "file", "file|block", "what one read brings: up to 64 blocks of a file, or one block"),
    PARAMETER_INTEGER("bytes", 268435456, 0, 1e15, "bytes", "size of all files of a generated tree together"),
    PARAMETER_REAL("compute", 0, 0, 1e6, "us", "computation added to each file"),
    PARAMETER_INTEGER("directories", 600, 1, 1 << 24, "directories", "of a generated tree"),
    PARAMETER_INTEGER("files", 2500, 0, 1 << 26, "files", "of a generated tree"),
    PARAMETER_INTEGER("symlinks", 0, 0, 1 << 24, "links", "of a generated tree"),
    PARAMETER_CACHE,
    PARAMETERS_END,
};

/* Files are hashed by libxxhash (XXH3, 64 bits), where its header is. Without it the workload is unsupported. */
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL /* no library to link */
#include <xxhash.h>
static const char *search_unsupported(void) { return NULL; }
#else
#define XXH3_64bits_reset(state) ((void)(state))
#define XXH3_64bits_update(state, bytes, count) ((void)(state), (void)(bytes), (void)(count))
#define XXH3_64bits_digest(state) ((void)(state), (uint64_t)0)
typedef uint64_t XXH3_state_t;
static const char *search_unsupported(void) {
    return "built without xxhash.h (Debian: libxxhash-dev), so files cannot be hashed";
}
#endif

/* A regular file, from when its directory is read to the end of the search. */
struct searched_file {
    struct walk_entry entry;
    struct searched_file *next; /* of those that the same worker read */
    struct searched_file *like; /* the first of the same size and hash, with which it is compared */
    bool is_second;             /* the two make a group */
    uint64_t size, hash;
};

/* A file that is hashed, or two that are compared. */
struct reading {
    struct pool_task task;          /* goes on after a read */
    struct searched_file *files[2]; /* the second is NULL: the first is hashed */
    int descriptors[2];
    size_t results[2]; /* bytes read, fewer than asked for at the end of the file */
    unsigned read_by;  /* the worker */
    uint64_t offset;
    XXH3_state_t hash;
    unsigned char bytes[]; /* read_bytes of each */
};

struct search_counts {
    uint64_t reads,
        stolen;     /* tasks that went on after a read; of those, run by another worker than the one that read */
    uint64_t bytes; /* of the files, hashed */
    struct duplicates_found found;
};

/* One a worker. */
struct searcher {
    alignas(128) struct searched_file *files;
    struct search_counts counts;
};

struct search {
    const struct cell *cell;
    char path[PATH_MAX];
    struct planned_files files;
    struct duplicates_found expected;
    struct walk walk;
    struct walker *walkers;
    struct searcher *searchers;
    struct pool *pool;
    unsigned threads;
    uint32_t read_bytes; /* at once */
    uint64_t iterations; /* of added work for each file */
    /* of the last search */
    double seconds;
    long voluntary, involuntary; /* context switches, of all threads */
    struct walk_counts walked;
    struct search_counts counts;
    /* directories and files not yet read; counted by all: apart from what all read */
    alignas(128) _Atomic uint64_t unfinished;
};

static struct searcher *searcher_of(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    return &search->searchers[pool_worker_number(worker)];
}

static struct walker *walker_of(struct pool_worker *worker) {
    struct search *search = pool_context(worker);
    return &search->walkers[pool_worker_number(worker)];
}

/* --- a file is read, or two are */

static struct reading *reading_new(struct pool_worker *worker, struct searched_file *first,
                                   struct searched_file *second) {
    const struct search *search = pool_context(worker);
    const size_t unit = _Alignof(struct reading);
    const size_t bytes = sizeof(struct reading) + (second ? 2 : 1) * (size_t)search->read_bytes;
    struct reading *reading = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (!reading) {
        pool_fail(worker, 3, "no memory for the search");
        return NULL;
    }
    *reading = (struct reading){.files = {first, second}, .descriptors = {-1, -1}};
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
    if (walker->failure)
        pool_fail(worker, 3, walker->failure);
    return reading->descriptors[which] >= 0;
}

static void reading_free(struct reading *reading) {
    for (int i = 0; i < 2; i++)
        if (reading->descriptors[i] >= 0)
            close(reading->descriptors[i]);
    free(reading);
}

/* Two blocks are read. true: the next are wanted. */
static bool compare_blocks(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    const size_t bytes = reading->results[0];
    const bool alike =
        bytes == reading->results[1] && memcmp(reading->bytes, reading->bytes + search->read_bytes, bytes) == 0;
    if (alike && bytes == search->read_bytes)
        return true;
    if (alike) {
        struct duplicates_found *found = &searcher_of(worker)->counts.found;
        found->groups += reading->files[1]->is_second;
        found->files++;
        found->bytes += reading->files[0]->size;
    }
    reading_free(reading);
    return false;
}

static void finished(struct pool_worker *worker);

/* A block is read. true: the next is wanted. */
static bool hash_block(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    struct searcher *searcher = searcher_of(worker);
    struct searched_file *file = reading->files[0];
    XXH3_64bits_update(&reading->hash, reading->bytes, reading->results[0]);
    file->size += reading->results[0];
    if (reading->results[0] == search->read_bytes)
        return true;
    file->hash = XXH3_64bits_digest(&reading->hash);
    task_cost_work(search->iterations);
    file->next = searcher->files;
    searcher->files = file;
    searcher->counts.bytes += file->size;
    reading_free(reading);
    finished(worker);
    return false;
}

/* Blocks are read: is more wanted? */
static bool take_blocks(struct pool_worker *worker, struct reading *reading) {
    return reading->files[1] ? compare_blocks(worker, reading) : hash_block(worker, reading);
}

static void after_read(struct pool_worker *worker, struct pool_task *task);

/* Reads, and leaves the rest to the next task. */
static void read_on(struct pool_worker *worker, struct reading *reading) {
    const struct search *search = pool_context(worker);
    for (unsigned i = 0; i < 2 && reading->files[i]; i++) {
        const ssize_t bytes = pread(reading->descriptors[i], reading->bytes + (size_t)i * search->read_bytes,
                                    search->read_bytes, (off_t)reading->offset);
        if (bytes < 0) {
            walk_refuse(reading->files[i]->entry.path, errno);
            pool_fail(worker, 3, "a file cannot be read");
            reading_free(reading);
            return;
        }
        reading->results[i] = (size_t)bytes;
    }
    reading->offset += search->read_bytes;
    reading->read_by = pool_worker_number(worker);
    reading->task.run = after_read;
    pool_spawn(worker, &reading->task);
}

static void after_read(struct pool_worker *worker, struct pool_task *task) {
    struct reading *reading = (struct reading *)(void *)task;
    struct search_counts *counts = &searcher_of(worker)->counts;
    counts->reads++;
    counts->stolen += reading->read_by != pool_worker_number(worker);
    if (take_blocks(worker, reading))
        read_on(worker, reading);
}

/* --- the second half: files of the same size and hash are compared */

static void begin_comparison(struct pool_worker *worker, struct pool_task *task) {
    struct searched_file *file = (struct searched_file *)(void *)task;
    struct reading *reading = reading_new(worker, file->like, file);
    if (!reading)
        return;
    if (open_file(worker, reading, 0) && open_file(worker, reading, 1))
        read_on(worker, reading);
    else
        reading_free(reading);
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
        if (by_size_and_hash(&files[first], &files[i]) != 0) {
            first = i;
            continue;
        }
        files[i]->like = files[first];
        files[i]->is_second = i == first + 1;
        files[i]->entry.task.run = begin_comparison;
        pool_spawn(worker, &files[i]->entry.task);
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
    struct reading *reading = reading_new(worker, file, NULL);
    if (reading && open_file(worker, reading, 0)) {
        XXH3_64bits_reset(&reading->hash);
        read_on(worker, reading);
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
    walk_visit_by(worker, walker_of(worker), task);
    finished(worker);
}

/* --- one search and its answer */

/* 0; 1: the answer is wrong. */
static int verify(const struct search *search) {
    const struct cell *cell = search->cell;
    const struct walk_counts *walked = &search->walked;
    const struct duplicates_found *found = &search->counts.found, *expected = &search->expected;
    if (walked->files == cell_integer(cell, "files") && search->counts.bytes == search->files.bytes &&
        walked->directories == cell_integer(cell, "directories") && walked->unreadable == 0 &&
        memcmp(found, expected, sizeof *found) == 0)
        return 0;
    fprintf(stderr,
            "duplicates: found %ju groups, %ju copies, %ju bytes instead of %ju, %ju, %ju, in %ju directories and %ju "
            "files of %ju bytes, %ju unreadable\n"
            "duplicates: if the tree itself was changed, remove it and it is made again: %s\n",
            found->groups, found->files, found->bytes, expected->groups, expected->files, expected->bytes,
            walked->directories, walked->files, search->counts.bytes, walked->unreadable, search->path);
    return 1;
}

/* Frees all files, and sums up what was counted. */
static struct search_counts search_end(struct search *search) {
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

static int search_once(void *context) {
    struct search *search = context;
    struct walk_entry *root = walk_root(search->walkers, search->threads);
    for (unsigned i = 0; i < search->threads; i++)
        search->searchers[i].counts = (struct search_counts){0};
    /* relaxed: the run has not begun */
    atomic_store_explicit(&search->unfinished, 1, memory_order_relaxed);
    if (!root)
        return 3;
    struct pool_task *first = &root->task;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    int code = pool_run(search->pool, &first, 1);
    getrusage(RUSAGE_SELF, &after);
    search->voluntary = after.ru_nvcsw - before.ru_nvcsw;
    search->involuntary = after.ru_nivcsw - before.ru_nivcsw;
    search->seconds = pool_seconds(search->pool);
    search->walked = walk_sum(search->walkers, search->threads);
    search->counts = search_end(search);
    return code ? code : verify(search);
}

static void report(const void *context, unsigned repetition) {
    const struct search *search = context;
    const struct cell *cell = pool_cell(search->pool);
    const struct walk_counts *walked = &search->walked;
    const struct search_counts *counts = &search->counts;
    const struct {
        const char *metric, *unit;
        double value;
    } samples[] = {{"run_time", "s", search->seconds},
                   {"bytes_per_second", "bytes/s", (double)counts->bytes / search->seconds},
                   {"directories", "directories", (double)walked->directories},
                   {"files", "files", (double)walked->files},
                   {"unreadable", "entries", (double)walked->unreadable},
                   {"vanished", "entries", (double)walked->vanished},
                   {"duplicate_groups", "groups", (double)counts->found.groups},
                   {"duplicate_files", "files", (double)counts->found.files},
                   {"duplicate_bytes", "bytes", (double)counts->found.bytes},
                   {"voluntary_context_switches", "switches", (double)search->voluntary},
                   {"involuntary_context_switches", "switches", (double)search->involuntary},
                   {"io_tasks", "tasks", (double)counts->reads},
                   {"io_tasks_stolen", "tasks", (double)counts->stolen}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        cell_sample(cell, "pool", repetition, samples[i].metric, samples[i].value, samples[i].unit, 0);
    pool_report(search->pool, repetition);
}

/* --- set up, repeat, take down */

/* The right answer, and the tree, which is made unless it is there. */
static int open_tree(struct search *search) {
    const struct cell *cell = search->cell;
    const uint64_t bytes = cell_integer(cell, "bytes"), seed = cell_integer(cell, "seed");
    char kind[40];
    if (duplicates_plan(&search->files, &search->expected, (uint32_t)cell_integer(cell, "files"), bytes, seed) != 0)
        return 3;
    snprintf(kind, sizeof kind, "duplicates-%ju-bytes", bytes);
    return tree_open(search->path, cell, kind, duplicates_write, &search->files);
}

static int search_open(struct search *search) {
    const struct cell *cell = search->cell;
    const double added = cell_real(cell, "compute");
    int code = walk_open(&search->walk, search->path);
    if (code != 0)
        return code;
    search->walk.spawn = spawn;
    search->walk.visit = visit;
    search->walk.file = begin_file;
    search->walk.file_bytes = sizeof(struct searched_file);
    search->threads = (unsigned)cell_integer(cell, "threads");
    search->iterations = added > 0 ? (uint64_t)(added * 1000 / task_cost_calibrate()) : 0;
    search->read_bytes = cell_is(cell, "task", "file") ? BLOCKS_OF_A_FILE * BLOCK_BYTES : BLOCK_BYTES;
    search->walkers = walkers_new(&search->walk, search->threads, NULL);
    search->searchers = aligned_alloc(_Alignof(struct searcher), search->threads * sizeof *search->searchers);
    if (!search->walkers || !search->searchers)
        return 3;
    memset(search->searchers, 0, search->threads * sizeof *search->searchers);
    return 0;
}

static int run(const struct cell *cell) {
    struct search search = {.cell = cell, .walk.root = -1};
    const struct pool_settings settings = {.context = &search};
    int code = open_tree(&search);
    if (code == 0)
        code = search_open(&search);
    if (code == 0)
        code = pool_open(&search.pool, cell, &settings);
    if (code == 0)
        code = tree_repeat(cell, search_once, report, &search);
    pool_close(search.pool);
    free(search.searchers);
    free(search.walkers);
    walk_close(&search.walk);
    free(search.files.of);
    return code;
}

static const char *unsupported(const struct cell *cell) {
    const char *why = search_unsupported();
    return why ? why : pool_unsupported(cell);
}

REGISTER_WORKLOAD(duplicates, .name = "duplicates", .summary = "finds duplicate files below a directory",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = unsupported,
                  .run = run);
