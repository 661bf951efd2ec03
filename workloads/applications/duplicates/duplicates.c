/* duplicates.c: which files below a directory are alike, and how long it takes to find out.
 *
 * After fsFindDuplicate in the BWoS thesis (5.3.2, figure 5.12, table 5.5): directories and files are tasks, files are
 * read in blocks of 4096 bytes and hashed, files alike in size and hash are compared block by block. io=uring makes
 * each completed read a task that can be stolen (io_tasks_stolen counts these). io=pread reads a file within its task;
 * workers fall back on it where the kernel refuses a ring. compute= adds computation to each file.
 *
 * The answer (groups, files, bytes) is checked: for a generated tree it is known, in a real tree one thread searches by
 * other code. Hard links to one file count as alike, and so do empty files.
 */
#include "harness/measuring/clock/clock.h"
#include "workloads/applications/duplicates/duplicate_count.h"
#include "workloads/applications/duplicates/duplicate_search.h"
#include "workloads/applications/walk/directory_input.h"
#include "workloads/pool/pool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const struct parameter parameters[] = {
    PARAMETER_CHOICE("io", "uring", "uring|pread",
                     "uring: asynchronous reads, each completion is a task; pread: reads within the file's task"),
    PARAMETER_CHOICE("task", "file", "file|block",
                     "with io=uring, what one read brings: up to 64 blocks of a file, or one block"),
    PARAMETER_INTEGER("bytes", 268435456, 0, 1e15, "bytes", "size of all files of a generated tree together"),
    PARAMETER_REAL("compute", 0, 0, 1e6, "us", "computation added to each file"),
    PARAMETER_INTEGER("hash_bits", 64, 0, 64, "bits",
                      "of the hash that are compared; with fewer, more files look alike and are compared in full"),
    PARAMETER_INTEGER("directories", 600, 1, 1 << 24, "directories", "of a generated tree"),
    PARAMETER_INTEGER("files", 2500, 0, 1 << 26, "files", "of a generated tree"),
    PARAMETER_INTEGER("symlinks", 0, 0, 1 << 24, "links", "of a generated tree"),
    PARAMETERS_END,
};

struct finding {
    const struct cell *cell;
    struct directory_input input;
    struct duplicates_counted expected;
    struct search search;
    struct pool *pool;
    unsigned rings; /* workers that have one */
    int ring_error; /* why the others have none */
    double seconds, hash_seconds;
    long voluntary, involuntary; /* context switches of the last search, by all threads */
    int code;                    /* of a run that had to stop */
};

/* --- one search and its answer */

static void search_once(struct finding *finding) {
    struct pool_task *first = search_start(&finding->search);
    finding->code = 3;
    if (!first)
        return;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    finding->code = pool_run(finding->pool, &first, 1);
    getrusage(RUSAGE_SELF, &after);
    finding->voluntary = after.ru_nvcsw - before.ru_nvcsw;
    finding->involuntary = after.ru_nivcsw - before.ru_nivcsw;
    finding->seconds = pool_seconds(finding->pool);
    finding->hash_seconds = (double)(finding->search.hashed_at - pool_started(finding->pool)) * 1e-9;
    search_end(&finding->search);
}

static void say_rings(const struct finding *finding) {
    const unsigned threads = finding->search.threads;
    fprintf(stderr, "duplicates: no io_uring for %u of %u workers (%s): they read by pread\n", threads - finding->rings,
            threads, strerror(finding->ring_error));
}

/* Closes rings from which the kernel took no more reads in the last search. */
static void close_failed_rings(struct finding *finding) {
    const unsigned before = finding->rings;
    for (unsigned i = 0; i < finding->search.threads; i++) {
        struct ring **ring = &finding->search.searchers[i].ring;
        if (!*ring || ring_error(*ring) == 0)
            continue;
        finding->ring_error = ring_error(*ring);
        finding->rings--;
        ring_close(*ring);
        *ring = NULL;
    }
    if (finding->rings < before)
        say_rings(finding);
}

struct sums {
    struct walk_counts walk;
    struct search_counts search;
    struct duplicates_found found;
};

static struct sums sum_up(const struct finding *finding) {
    struct sums sums = {0};
    for (unsigned i = 0; i < finding->search.threads; i++) {
        const struct searcher *searcher = &finding->search.searchers[i];
        walk_counts_add(&sums.walk, &searcher->walker.counts);
        sums.search.by_ring += searcher->counts.by_ring;
        sums.search.by_pread += searcher->counts.by_pread;
        sums.search.completions_stolen += searcher->counts.completions_stolen;
        sums.search.bytes += searcher->counts.bytes;
        sums.found.groups += searcher->found.groups;
        sums.found.files += searcher->found.files;
        sums.found.bytes += searcher->found.bytes;
    }
    return sums;
}

static bool found_differ(const struct duplicates_found *a, const struct duplicates_found *b) {
    return a->groups != b->groups || a->files != b->files || a->bytes != b->bytes;
}

static void say_wrong(const struct duplicates_found *found, const struct duplicates_found *expected) {
    fprintf(stderr,
            "duplicates: found %" PRIu64 " groups, %" PRIu64 " copies, %" PRIu64 " bytes instead of %" PRIu64
            ", %" PRIu64 ", %" PRIu64 "\n",
            found->groups, found->files, found->bytes, expected->groups, expected->files, expected->bytes);
}

/* A real tree may have changed meanwhile: then says so, and expects its new content from now on. 0; 1: it has not
 * changed, so the answer is wrong. */
static int check_for_change(struct finding *finding, const struct duplicates_found *found) {
    struct duplicates_counted now;
    say_wrong(found, &finding->expected.found);
    int code = duplicate_count(finding->input.path, &now);
    if (code != 0)
        return code;
    bool changed = now.state != finding->expected.state;
    finding->expected = now;
    fprintf(stderr, "duplicates: %s has %schanged meanwhile\n", finding->input.path, changed ? "" : "not ");
    return changed ? 0 : 1;
}

static int verify(struct finding *finding, const struct sums *sums) {
    const struct directory_plan *plan = &finding->input.plan;
    bool whole = !finding->input.generated ||
                 (sums->walk.files == plan->shape.files && sums->walk.directories == plan->shape.directories &&
                  sums->search.bytes == plan->bytes && sums->walk.unreadable == 0);
    if (whole && !found_differ(&sums->found, &finding->expected.found))
        return 0;
    if (!finding->input.generated)
        return check_for_change(finding, &sums->found);
    say_wrong(&sums->found, &finding->expected.found);
    fprintf(stderr,
            "duplicates: %" PRIu64 " directories, %" PRIu64 " files, %" PRIu64 " bytes, %" PRIu64
            " unreadable; if the tree itself was changed, remove it and it is made again: %s\n",
            sums->walk.directories, sums->walk.files, sums->search.bytes, sums->walk.unreadable, finding->input.path);
    return 1;
}

static void report(const struct finding *finding, unsigned repetition, const struct sums *sums) {
    const struct cell *cell = pool_cell(finding->pool);
    const struct {
        const char *metric, *unit;
        double value;
    } samples[] = {{"run_time", "s", finding->seconds},
                   {"hash_time", "s", finding->hash_seconds},
                   {"bytes_per_second", "bytes/s", (double)sums->search.bytes / finding->seconds},
                   {"directories", "directories", (double)sums->walk.directories},
                   {"files", "files", (double)sums->walk.files},
                   {"unreadable", "entries", (double)sums->walk.unreadable},
                   {"vanished", "entries", (double)sums->walk.vanished},
                   {"duplicate_groups", "groups", (double)sums->found.groups},
                   {"duplicate_files", "files", (double)sums->found.files},
                   {"duplicate_bytes", "bytes", (double)sums->found.bytes},
                   {"voluntary_context_switches", "switches", (double)finding->voluntary},
                   {"involuntary_context_switches", "switches", (double)finding->involuntary},
                   {"blocks_by_pread", "reads", (double)sums->search.by_pread}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        cell_sample(cell, "pool", repetition, samples[i].metric, samples[i].value, samples[i].unit, 0);
    /* A ring that was never asked for anything has not been refused yet. */
    if (finding->rings > 0 && (finding->ring_error == 0 || sums->search.by_ring > 0)) {
        cell_sample(cell, "pool", repetition, "io_tasks", (double)sums->search.by_ring, "tasks", 0);
        cell_sample(cell, "pool", repetition, "io_tasks_stolen", (double)sums->search.completions_stolen, "tasks", 0);
    } else if (cell_is(cell, "io", "uring")) {
        const char *status = finding->ring_error == ENOTSUP ? "unsupported" : "denied";
        cell_no_sample(cell, "pool", repetition, "io_tasks", "tasks", status);
        cell_no_sample(cell, "pool", repetition, "io_tasks_stolen", "tasks", status);
    }
    pool_report(finding->pool, finding->cell, repetition);
}

/* --- set up, repeat, take down */

#define CALIBRATION_ROUNDS 1000000

/* How many rounds of the added computation make a microsecond here: by the fastest of some tries. */
static double rounds_a_microsecond(void) {
    double best = 0;
    for (uint64_t i = 0; i < 5; i++) {
        uint64_t start = clock_nanoseconds();
        search_compute(CALIBRATION_ROUNDS, i);
        double rate = CALIBRATION_ROUNDS * 1e3 / (double)(clock_nanoseconds() - start + 1);
        best = rate > best ? rate : best;
    }
    return best;
}

static void open_rings(struct finding *finding) {
    struct search *search = &finding->search;
    if (!cell_is(finding->cell, "io", "uring"))
        return;
    for (unsigned i = 0; i < search->threads; i++) {
        int error = ring_open(&search->searchers[i].ring, READS_UNDER_WAY);
        if (error == 0)
            finding->rings++;
        else
            finding->ring_error = error;
    }
    if (finding->ring_error)
        say_rings(finding);
}

static int open_search(struct finding *finding) {
    const struct cell *cell = finding->cell;
    struct search *search = &finding->search;
    const uint64_t bits = cell_integer(cell, "hash_bits");
    const double compute = cell_real(cell, "compute");
    struct rlimit limit;
    search->threads = (unsigned)cell_integer(cell, "threads");
    int code = walk_open(&search->walk, finding->input.path, WALK_HELD, WALK_BUFFER, search->threads);
    if (code != 0)
        return code;
    search->walk.spawn = search_spawn;
    search->walk.visit = search_visit;
    search->walk.file = search_file;
    search->hash_mask = bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
    search->compute_rounds = compute > 0 ? (uint64_t)(compute * rounds_a_microsecond()) : 0;
    /* The walk takes at most half of the descriptors. */
    search->open_max = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (long)(limit.rlim_cur / 4) : 64;
    search->searchers = aligned_alloc(_Alignof(struct searcher), search->threads * sizeof *search->searchers);
    if (!search->searchers)
        return 3;
    memset(search->searchers, 0, search->threads * sizeof *search->searchers);
    for (unsigned i = 0; i < search->threads; i++)
        if (!walker_open(&search->searchers[i].walker, &search->walk, i))
            return 3;
    open_rings(finding);
    const bool whole = finding->rings > 0 && cell_is(cell, "task", "file");
    search->read_bytes = whole ? BLOCKS_OF_A_FILE * BLOCK_BYTES : BLOCK_BYTES;
    const struct pool_settings settings = {
        .context = search, .between = finding->rings ? search_look : NULL, .every = TASKS_A_LOOK};
    return pool_open(&finding->pool, cell, &settings);
}

static int find_expected(struct finding *finding) {
    if (!finding->input.generated)
        return duplicate_count(finding->input.path, &finding->expected);
    finding->expected.found = directory_plan_duplicates(&finding->input.plan);
    return 0;
}

static int repeat(struct finding *finding) {
    const bool cold = cell_is(finding->cell, "cache", "cold");
    /* The first search warms the caches and is not reported; with cold caches there is none. */
    unsigned warming = cold ? 0 : 1;
    for (unsigned i = 0; i < finding->cell->repetitions + warming; i++) {
        if (cold && !file_caches_drop()) {
            cell_no_sample(finding->cell, "pool", i, "run_time", "s", "denied");
            continue;
        }
        search_once(finding);
        close_failed_rings(finding);
        struct sums sums = sum_up(finding);
        int code = finding->code ? finding->code : verify(finding, &sums);
        if (code != 0)
            return code;
        if (i >= warming)
            report(finding, i - warming, &sums);
    }
    return 0;
}

static int run(const struct cell *cell) {
    struct finding finding = {.cell = cell, .search.walk.root = -1};
    int code = directory_input_open(&finding.input, cell, "duplicates", cell_integer(cell, "bytes"));
    if (code != 0)
        return code;
    code = find_expected(&finding);
    if (code == 0)
        code = open_search(&finding);
    if (code == 0)
        code = repeat(&finding);
    pool_close(finding.pool);
    for (unsigned i = 0; finding.search.searchers && i < finding.search.threads; i++) {
        ring_close(finding.search.searchers[i].ring);
        walker_close(&finding.search.searchers[i].walker);
    }
    free(finding.search.searchers);
    walk_close(&finding.search.walk);
    directory_input_close(&finding.input);
    return code;
}

static const char *unsupported(const struct cell *cell) {
    const char *why = search_unsupported();
    return why ? why : pool_unsupported(cell);
}

REGISTER_WORKLOAD(duplicates, .name = "duplicates", .summary = "finds duplicate files below a directory",
                  .parameters = {parameters, directory_input_parameters, pool_parameters}, .threads = "threads",
                  .unsupported = unsupported, .run = run);
