/* walk.c: how fast a tree of directories is walked: directories, files and symbolic links counted.
 *
 * The four versions of Phanes's posts on walking directories: version=one_thread (part 1, depth first),
 * version=shared_queue (part 2, a thread pool over one queue), and version=pool, work stealing over this executable's
 * deque: `locked` is part 3 (a mutex), `phanes` part 4 (lock-free). All versions read a directory by the same code
 * (directory_walk.h), one task a directory; they differ in which worker reads which. tree=built also builds the tree in
 * memory, as the posts' program does; tree=counted only counts, as find | wc does.
 *
 * Every walk's counts are checked: for a generated tree they are known, in a real tree one thread counts by other code.
 */
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/threads/distance.h"
#include "harness/measuring/threads/places.h"
#include "workloads/applications/walk/directory_count.h"
#include "workloads/applications/walk/directory_input.h"
#include "workloads/applications/walk/directory_walk.h"
#include "workloads/applications/walk/memory_tree.h"
#include "workloads/applications/walk/shared_queue.h"
#include "workloads/pool/pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct parameter parameters[] = {
    PARAMETER_CHOICE(
        "version", "pool", "pool|one_thread|shared_queue",
        "pool: work stealing; one_thread, shared_queue: without this deque, as the posts' first two versions"),
    PARAMETER_CHOICE(
        "tree", "counted", "counted|built",
        "counted: entries are only counted; built: each becomes a node of a tree in memory, as in the posts"),
    PARAMETER_INTEGER("directories", 3000, 1, 1 << 24, "directories", "of a generated tree"),
    PARAMETER_INTEGER("files", 10000, 0, 1 << 26, "files", "of a generated tree"),
    PARAMETER_INTEGER("symlinks", 40, 0, 1 << 24, "links", "of a generated tree"),
    PARAMETERS_END,
};

struct walking {
    const struct cell *cell;
    struct directory_input input;
    struct directory_counted expected;
    struct walk walk;
    struct memory_node *built; /* by the last walk, or NULL */
    struct walker *walkers;
    unsigned threads, flags;
    bool changed;         /* the tree, since it was counted before the last walk */
    struct places places; /* of the versions without the pool */
    struct pool *pool;
    struct shared_queue *queue;
    struct walk_entry *stack; /* of version=one_thread */
    double processor_time;    /* seconds, of a walk without the pool */
    int code;                 /* of a run that could not go on */
};

/* --- the versions: each has a way to spawn and a way to run one walk, in seconds */

static void pool_visit(struct pool_worker *worker, struct pool_task *task) {
    struct walking *walking = pool_context(worker);
    struct walker *walker = &walking->walkers[pool_worker_number(worker)];
    walker->scheduler = worker;
    walk_visit(walker, (struct directory *)(void *)task);
    if (walker->failure)
        pool_fail(worker, 3, walker->failure);
}

static void pool_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    pool_spawn_all(walker->scheduler, tasks, count);
}

static double pool_walks(struct walking *walking, struct directory *root) {
    struct pool_task *task = &root->entry.task;
    walking->code = pool_run(walking->pool, &task, 1);
    return pool_seconds(walking->pool);
}

static struct walk_entry *entry_of(struct pool_task *task) { return (struct walk_entry *)(void *)task; }

static void stack_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct walking *walking = walker->scheduler;
    for (size_t i = count; i-- > 0;) {
        struct walk_entry *entry = entry_of(tasks[i]);
        entry->next = walking->stack;
        walking->stack = entry;
    }
}

static double one_thread_walks(struct walking *walking, struct directory *root) {
    struct walker *walker = &walking->walkers[0];
    uint64_t start = clock_nanoseconds();
    walker->scheduler = walking;
    walking->stack = &root->entry;
    while (walking->stack && !walker->failure) {
        struct walk_entry *entry = walking->stack;
        walking->stack = entry->next;
        walk_visit(walker, (struct directory *)(void *)entry);
    }
    return (double)(clock_nanoseconds() - start) * 1e-9;
}

static void queue_visit(void *context, unsigned worker, struct walk_entry *entry) {
    struct walking *walking = context;
    walk_visit(&walking->walkers[worker], (struct directory *)(void *)entry);
}

static void queue_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct walking *walking = walker->scheduler;
    for (size_t i = 1; i < count; i++)
        entry_of(tasks[i - 1])->next = entry_of(tasks[i]);
    shared_queue_add(walking->queue, entry_of(tasks[0]), entry_of(tasks[count - 1]), count);
}

static double queue_walks(struct walking *walking, struct directory *root) {
    uint64_t start = clock_nanoseconds();
    for (unsigned i = 0; i < walking->threads; i++)
        walking->walkers[i].scheduler = walking;
    shared_queue_run(walking->queue, &root->entry);
    return (double)(clock_nanoseconds() - start) * 1e-9;
}

static const struct version {
    const char *name;
    void (*spawn)(struct walker *, struct pool_task *const *, size_t);
    double (*walk)(struct walking *, struct directory *root);
} versions[] = {{"pool", pool_spawns, pool_walks},
                {"one_thread", stack_spawns, one_thread_walks},
                {"shared_queue", queue_spawns, queue_walks}};

static const struct version *version_of(const struct cell *cell) { return &versions[cell_choice(cell, "version")]; }

static bool on_pool(const struct cell *cell) { return cell_is(cell, "version", "pool"); }

/* --- one walk and its answer */

/* Processor time of a walk without the pool. */
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void costs_report(const struct walking *walking, unsigned repetition) {
    distance_report(walking->cell, &walking->places);
    cell_sample(walking->cell, "pool", repetition, "processor_time", walking->processor_time, "s", walking->flags);
}

/* Sums up what the walkers counted. Returns seconds; walking->code says whether the walk came to its end. */
static double walk_once(struct walking *walking, struct walk_counts *counts) {
    struct directory *root = walk_root(&walking->walk);
    *counts = (struct walk_counts){0};
    walking->code = root ? 0 : 3;
    if (!root)
        return 0;
    for (unsigned i = 0; i < walking->threads; i++)
        walking->walkers[i].counts = (struct walk_counts){0};
    memory_tree_free(walking->built); /* of the walk before: outside of the time measured */
    walking->built = root->node;
    const bool own = !walking->pool; /* the pool reads its workers' */
    if (own)
        walking->processor_time = -processor_seconds();
    double seconds = version_of(walking->cell)->walk(walking, root);
    if (own)
        walking->processor_time += processor_seconds();
    for (unsigned i = 0; i < walking->threads; i++) {
        walk_counts_add(counts, &walking->walkers[i].counts);
        if (walking->walkers[i].failure && walking->code == 0) {
            fprintf(stderr, "walk: %s\n", walking->walkers[i].failure);
            walking->code = 3;
        }
    }
    return seconds;
}

/* A real tree may have changed during the walk: then says so, and expects its new content from now on. 0; 1: it has not
 * changed, so the answer is wrong. */
static int check_for_change(struct walking *walking) {
    struct directory_counted now;
    int code = directory_count(walking->input.path, &now);
    if (code != 0)
        return code;
    walking->changed = now.state != walking->expected.state;
    walking->expected = now;
    fprintf(stderr, "walk: %s has %schanged meanwhile\n", walking->input.path, walking->changed ? "" : "not ");
    return walking->changed ? 0 : 1;
}

/* The tree in memory holds what was counted. */
static bool tree_is_whole(const struct walking *walking, const struct walk_counts *counts) {
    struct walk_counts held;
    if (!walking->walk.builds)
        return true;
    memory_tree_count(walking->built, &held);
    held.unreadable = counts->unreadable;
    return !walk_counts_differ(&held, counts, "walk: a wrong answer, in the tree in memory");
}

static int verify(struct walking *walking, const struct walk_counts *counts) {
    walking->changed = false;
    if (!tree_is_whole(walking, counts))
        return 1;
    if (!walk_counts_differ(counts, &walking->expected.counts,
                            walking->input.generated ? "walk: a wrong answer"
                                                     : "walk: counts differ from those of one thread"))
        return 0;
    if (!walking->input.generated)
        return check_for_change(walking);
    fprintf(stderr, "walk: if the tree itself was changed, remove it and it is made again: %s\n", walking->input.path);
    return 1;
}

static void report(const struct walking *walking, unsigned repetition, double seconds,
                   const struct walk_counts *counts) {
    const struct {
        const char *metric, *unit;
        double value;
    } samples[] = {{"run_time", "s", seconds},
                   {"entries_per_second", "entries/s", (double)walk_entries(counts) / seconds},
                   {"tree_changed", "", walking->changed}};
    static const char *const units[WALK_KINDS] = {"directories", "files", "links", "entries", "entries", "entries"};
    const struct cell *cell = walking->pool ? pool_cell(walking->pool) : walking->cell; /* with the pool's flags */
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        cell_sample(cell, "pool", repetition, samples[i].metric, samples[i].value, samples[i].unit, walking->flags);
    for (size_t i = 0; i < WALK_KINDS; i++)
        cell_sample(cell, "pool", repetition, walk_kinds[i], (double)counts->each[i], units[i], walking->flags);
    if (walking->pool)
        pool_report(walking->pool, walking->cell, repetition);
    else
        costs_report(walking, repetition);
}

/* --- set up, repeat, take down */

static int open_walkers(struct walking *walking) {
    const struct cell *cell = walking->cell;
    walking->threads = (unsigned)cell_integer(cell, "threads");
    int code = walk_open(&walking->walk, walking->input.path, WALK_HELD, WALK_BUFFER, walking->threads);
    if (code != 0)
        return code;
    walking->walk.builds = cell_is(cell, "tree", "built");
    walking->walk.spawn = version_of(cell)->spawn;
    walking->walk.visit = pool_visit;
    walking->walkers = walkers_open(&walking->walk, walking->threads);
    return walking->walkers ? 0 : 3;
}

/* Threads that are not the pool's. */
static int open_own_threads(struct walking *walking) {
    char message[MESSAGE_SIZE];
    if (places_plan(&walking->places, cell_text(walking->cell, "placement"), walking->threads, NULL, message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    int code = 0;
    if (cell_is(walking->cell, "version", "shared_queue"))
        code = shared_queue_open(&walking->queue, &walking->places, queue_visit, walking);
    else
        places_take(&walking->places, 0);
    if (code != 0)
        return code;
    places_report(&walking->places, walking->cell, "worker", "worker");
    distance_report(walking->cell, &walking->places);
    walking->flags = walking->places.oversubscribed ? SAMPLE_OVERSUBSCRIBED : 0;
    return 0;
}

static int open_threads(struct walking *walking) {
    if (!on_pool(walking->cell))
        return open_own_threads(walking);
    const struct pool_settings settings = {.context = walking};
    return pool_open(&walking->pool, walking->cell, &settings);
}

static int repeat(struct walking *walking) {
    const bool cold = cell_is(walking->cell, "cache", "cold");
    struct walk_counts counts;
    int code = 0;
    if (!cold) { /* an untimed walk warms the caches, and is checked */
        walk_once(walking, &counts);
        code = walking->code ? walking->code : verify(walking, &counts);
    }
    for (unsigned i = 0; i < walking->cell->repetitions && code == 0; i++) {
        if (cold && !file_caches_drop()) {
            cell_no_sample(walking->cell, "pool", i, "run_time", "s", "denied");
            continue;
        }
        double seconds = walk_once(walking, &counts);
        code = walking->code ? walking->code : verify(walking, &counts);
        if (code == 0)
            report(walking, i, seconds, &counts);
    }
    return code;
}

static int run(const struct cell *cell) {
    struct walking walking = {.cell = cell, .walk.root = -1};
    int code = directory_input_open(&walking.input, cell, "walk", 0);
    if (code != 0)
        return code;
    code = directory_input_counts(&walking.input, &walking.expected);
    if (code == 0)
        code = open_walkers(&walking);
    if (code == 0)
        code = open_threads(&walking);
    if (code == 0)
        code = repeat(&walking);
    pool_close(walking.pool);
    shared_queue_close(walking.queue);
    if (walking.places.topology)
        places_close(&walking.places);
    walkers_close(walking.walkers, walking.threads);
    memory_tree_free(walking.built);
    walk_close(&walking.walk);
    directory_input_close(&walking.input);
    return code;
}

static const char *unsupported(const struct cell *cell) {
    if (cell_is(cell, "version", "one_thread") && cell_integer(cell, "threads") != 1)
        return "version=one_thread has one thread";
    return on_pool(cell) ? pool_unsupported(cell) : NULL;
}

REGISTER_WORKLOAD(walk, .name = "walk", .summary = "walks a tree of directories and counts what is in it",
                  .parameters = {parameters, directory_input_parameters, pool_parameters}, .threads = "threads",
                  .unsupported = unsupported, .run = run);
