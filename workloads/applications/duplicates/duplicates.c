/* duplicates.c: which files below a directory are alike, and how long it takes to find out.
 *
 * After fsFindDuplicate in the BWoS thesis (5.3.2, figure 5.12, table 5.5). Tasks that go on after a read can be stolen
 * (io_tasks_stolen counts these). The thesis reads by io_uring; here the task reads by pread. compute= adds computation
 * to each file.
 *
 * The answer (groups, files, bytes) is known, because the tree is a generated one, and checked.
 */
#include "workloads/applications/duplicates/duplicates.h"
#include "workloads/applications/walk/generated_tree.h"
#include "workloads/pool/pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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

struct finding {
    const struct cell *cell;
    char path[PATH_MAX];
    struct planned_files files;
    struct duplicates_found expected;
    struct search search;
    struct pool *pool;
    double seconds;
    long voluntary, involuntary; /* context switches of the last search, by all threads */
    struct walk_counts walked;
    struct search_counts counts;
};

/* --- one search and its answer */

/* 0; 1: the answer is wrong. */
static int verify(const struct finding *finding) {
    const struct cell *cell = finding->cell;
    const struct walk_counts *walked = &finding->walked;
    const struct duplicates_found *found = &finding->counts.found, *expected = &finding->expected;
    if (walked->files == cell_integer(cell, "files") && finding->counts.bytes == finding->files.bytes &&
        walked->directories == cell_integer(cell, "directories") && walked->unreadable == 0 &&
        memcmp(found, expected, sizeof *found) == 0)
        return 0;
    fprintf(stderr,
            "duplicates: found %ju groups, %ju copies, %ju bytes instead of %ju, %ju, %ju, in %ju directories and %ju "
            "files of %ju bytes, %ju unreadable\n"
            "duplicates: if the tree itself was changed, remove it and it is made again: %s\n",
            found->groups, found->files, found->bytes, expected->groups, expected->files, expected->bytes,
            walked->directories, walked->files, finding->counts.bytes, walked->unreadable, finding->path);
    return 1;
}

static int search_once(void *context) {
    struct finding *finding = context;
    struct pool_task *first = search_start(&finding->search);
    struct rusage before, after;
    if (!first)
        return 3;
    getrusage(RUSAGE_SELF, &before);
    int code = pool_run(finding->pool, &first, 1);
    getrusage(RUSAGE_SELF, &after);
    finding->voluntary = after.ru_nvcsw - before.ru_nvcsw;
    finding->involuntary = after.ru_nivcsw - before.ru_nivcsw;
    finding->seconds = pool_seconds(finding->pool);
    finding->walked = walk_sum(finding->search.walkers, finding->search.threads);
    finding->counts = search_end(&finding->search);
    return code ? code : verify(finding);
}

static void report(const void *context, unsigned repetition) {
    const struct finding *finding = context;
    const struct cell *cell = pool_cell(finding->pool);
    const struct walk_counts *walked = &finding->walked;
    const struct search_counts *counts = &finding->counts;
    const struct {
        const char *metric, *unit;
        double value;
    } samples[] = {{"run_time", "s", finding->seconds},
                   {"bytes_per_second", "bytes/s", (double)counts->bytes / finding->seconds},
                   {"directories", "directories", (double)walked->directories},
                   {"files", "files", (double)walked->files},
                   {"unreadable", "entries", (double)walked->unreadable},
                   {"vanished", "entries", (double)walked->vanished},
                   {"duplicate_groups", "groups", (double)counts->found.groups},
                   {"duplicate_files", "files", (double)counts->found.files},
                   {"duplicate_bytes", "bytes", (double)counts->found.bytes},
                   {"voluntary_context_switches", "switches", (double)finding->voluntary},
                   {"involuntary_context_switches", "switches", (double)finding->involuntary},
                   {"io_tasks", "tasks", (double)counts->reads},
                   {"io_tasks_stolen", "tasks", (double)counts->stolen}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        cell_sample(cell, "pool", repetition, samples[i].metric, samples[i].value, samples[i].unit, 0);
    pool_report(finding->pool, repetition);
}

/* --- set up, repeat, take down */

/* The right answer, and the tree, which is made unless it is there. */
static int open_tree(struct finding *finding) {
    const struct cell *cell = finding->cell;
    const uint64_t bytes = cell_integer(cell, "bytes"), seed = cell_integer(cell, "seed");
    char kind[40];
    if (duplicates_plan(&finding->files, &finding->expected, (uint32_t)cell_integer(cell, "files"), bytes, seed) != 0)
        return 3;
    snprintf(kind, sizeof kind, "duplicates-%ju-bytes", bytes);
    return tree_open(finding->path, cell, kind, duplicates_write, &finding->files);
}

static int run(const struct cell *cell) {
    struct finding finding = {.cell = cell, .search.walk.root = -1};
    const struct pool_settings settings = {.context = &finding.search};
    int code = open_tree(&finding);
    if (code == 0)
        code = search_open(&finding.search, cell, finding.path);
    if (code == 0)
        code = pool_open(&finding.pool, cell, &settings);
    if (code == 0)
        code = tree_repeat(cell, search_once, report, &finding);
    pool_close(finding.pool);
    search_close(&finding.search);
    free(finding.files.of);
    return code;
}

static const char *unsupported(const struct cell *cell) {
    const char *why = search_unsupported();
    return why ? why : pool_unsupported(cell);
}

REGISTER_WORKLOAD(duplicates, .name = "duplicates", .summary = "finds duplicate files below a directory",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = unsupported,
                  .run = run);
