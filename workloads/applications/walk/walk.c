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
#include "harness/measuring/clock.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/places.h"
#include "workloads/applications/walk/directory_walk.h"
#include "workloads/applications/walk/generated_tree.h"
#include "workloads/pool/pool.h"
#include <pthread.h>
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
    PARAMETER_TEXT("path", "generated",
                   "a directory; or generated: a tree with these numbers, made once in $TMPDIR or build/inputs and "
                   "kept there"),
    PARAMETER_INTEGER("directories", 3000, 1, 1 << 24, "directories", "of a generated tree"),
    PARAMETER_INTEGER("files", 10000, 0, 1 << 26, "files", "of a generated tree"),
    PARAMETER_INTEGER("symlinks", 40, 0, 1 << 24, "links", "of a generated tree"),
    PARAMETER_CACHE,
    PARAMETERS_END,
};

struct walking {
    const struct cell *cell;
    char path[PATH_MAX];
    struct directory_counted expected;
    struct walk walk;
    struct walker *walkers;
    unsigned threads, flags;
    bool changed;         /* the tree, since it was counted before the last walk */
    struct places places; /* of the versions without the pool */
    struct pool *pool;
    struct walk_entry *first, *last; /* without the pool: entries to be opened, on a stack or in a queue */
    struct shared_queue {
        pthread_mutex_t lock;
        pthread_cond_t changed; /* there is an entry, the last one has been read, or the pool closes */
        size_t unfinished;      /* entries in the queue and those being read */
        bool closing;
        unsigned started, placed; /* threads besides main; those that have taken their place */
        pthread_t threads[PLACES_MAX];
    } queue;
    /* of the last walk */
    double seconds, processor_time; /* the latter without the pool */
    struct walk_counts counts;
};

/* --- version=pool */
static void pool_visit(struct pool_worker *worker, struct pool_task *task) {
    struct walking *walking = pool_context(worker);
    walk_visit_by(worker, &walking->walkers[pool_worker_number(worker)], task);
}

static void pool_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    pool_spawn_all(walker->scheduler, tasks, count);
}

static int pool_walks(struct walking *walking, struct walk_entry *root) {
    struct pool_task *task = &root->task;
    return pool_run(walking->pool, &task, 1);
}

/* --- version=one_thread */
static void stack_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct walking *walking = walker->scheduler;
    for (size_t i = count; i-- > 0;) {
        struct walk_entry *entry = (struct walk_entry *)(void *)tasks[i];
        entry->next = walking->first;
        walking->first = entry;
    }
}

static int one_thread_walks(struct walking *walking, struct walk_entry *root) {
    for (struct walk_entry *entry = root; entry && !walking->walkers[0].failure; entry = walking->first) {
        walking->first = entry->next;
        walk_visit(&walking->walkers[0], entry);
    }
    return 0;
}

/* --- version=shared_queue: a thread pool to compare work stealing with, one queue for all, behind a mutex. Phanes's
 * second version: workers take the oldest entry under the lock, and wait on a condition variable when there is none. */

/* Holding the lock, which is let go of while an entry is read. Ends when nothing is unfinished (main) or all is over.
 */
static void queue_work(struct walking *walking, unsigned number) {
    struct shared_queue *queue = &walking->queue;
    while (number == 0 ? queue->unfinished > 0 : !queue->closing) {
        struct walk_entry *entry = walking->first;
        if (!entry) {
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        walking->first = entry->next;
        pthread_mutex_unlock(&queue->lock);
        walk_visit(&walking->walkers[number], entry);
        pthread_mutex_lock(&queue->lock);
        if (--queue->unfinished == 0)
            pthread_cond_broadcast(&queue->changed); /* main may be waiting */
    }
}

static void *queue_main(void *argument) {
    struct walking *walking = argument;
    struct shared_queue *queue = &walking->queue;
    pthread_mutex_lock(&queue->lock);
    const unsigned number = ++queue->placed;
    places_take(&walking->places, number);
    pthread_cond_broadcast(&queue->changed);
    queue_work(walking, number);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* Starts a thread for each place but main's, which is place 0. 0; 3 no thread. */
static int queue_open(struct walking *walking) {
    struct shared_queue *queue = &walking->queue;
    for (; queue->started + 1 < walking->threads; queue->started++)
        if (pthread_create(&queue->threads[queue->started], NULL, queue_main, walking) != 0)
            return 3;
    pthread_mutex_lock(&queue->lock);
    while (queue->placed < queue->started)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

static void queue_close(struct shared_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 0; i < queue->started; i++)
        pthread_join(queue->threads[i], NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
}

static void queue_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct walking *walking = walker->scheduler;
    struct shared_queue *queue = &walking->queue;
    struct walk_entry *const *entries = (struct walk_entry *const *)(const void *)tasks;
    for (size_t i = 0; i < count; i++)
        entries[i]->next = i + 1 < count ? entries[i + 1] : NULL;
    pthread_mutex_lock(&queue->lock);
    *(walking->first ? &walking->last->next : &walking->first) = entries[0];
    walking->last = entries[count - 1];
    queue->unfinished += count;
    (count > 1 ? pthread_cond_broadcast : pthread_cond_signal)(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static int queue_walks(struct walking *walking, struct walk_entry *root) {
    struct pool_task *task = &root->task;
    queue_spawns(&walking->walkers[0], &task, 1);
    pthread_mutex_lock(&walking->queue.lock);
    queue_work(walking, 0);
    pthread_mutex_unlock(&walking->queue.lock);
    return 0;
}

/* --- the versions */
static const struct version { /* in the parameter's order */
    void (*spawn)(struct walker *, struct pool_task *const *, size_t);
    int (*walk)(struct walking *, struct walk_entry *root);
} versions[] = {{pool_spawns, pool_walks}, {stack_spawns, one_thread_walks}, {queue_spawns, queue_walks}};

static const struct version *version_of(const struct cell *cell) { return &versions[cell_choice(cell, "version")]; }

/* --- one walk and its answer */

/* 0; 1: the answer is wrong. A real tree may have changed during the walk: then says so, and expects its new content
 * from now on. */
static int verify(struct walking *walking) {
    const uint64_t before = walking->expected.state;
    walking->changed = false;
    if (!walk_counts_differ(&walking->counts, &walking->expected.counts, "walk: a wrong answer"))
        return 0;
    if (cell_is(walking->cell, "path", "generated")) {
        fprintf(stderr, "walk: if the tree itself was changed, remove it and it is made again: %s\n", walking->path);
        return 1;
    }
    int code = directory_count(walking->path, &walking->expected);
    if (code != 0)
        return code;
    walking->changed = walking->expected.state != before;
    fprintf(stderr, "walk: %s has %schanged meanwhile\n", walking->path, walking->changed ? "" : "not ");
    return walking->changed ? 0 : 1;
}

/* One walk, its answer checked. */
static int walk_once(void *context) {
    struct walking *walking = context;
    struct walk_entry *root = walk_root(walking->walkers, walking->threads);
    if (!root)
        return 3;
    struct memory_node *built = root->node;
    const uint64_t start = clock_nanoseconds();
    const clock_t processor = clock();
    int code = version_of(walking->cell)->walk(walking, root);
    walking->processor_time = (double)(clock() - processor) / CLOCKS_PER_SEC;
    walking->seconds = walking->pool ? pool_seconds(walking->pool) : (double)(clock_nanoseconds() - start) * 1e-9;
    walking->counts = walk_sum(walking->walkers, walking->threads);
    struct walk_counts held = memory_tree_free(built);
    for (unsigned i = 0; i < walking->threads && code == 0; i++)
        if (walking->walkers[i].failure) {
            fprintf(stderr, "walk: %s\n", walking->walkers[i].failure);
            code = 3;
        }
    if (code != 0)
        return code;
    held.unreadable = walking->counts.unreadable;
    if (built && walk_counts_differ(&held, &walking->counts, "walk: a wrong answer, in the tree in memory"))
        return 1;
    return verify(walking);
}

static void report(const void *context, unsigned repetition) {
    const struct walking *walking = context;
    const struct walk_counts *counts = &walking->counts;
    const uint64_t entries = counts->directories + counts->files + counts->symlinks + counts->others;
    static const char *const units[WALK_KINDS] = {"directories", "files", "links", "entries", "entries", "entries"};
    const struct cell *cell = walking->pool ? pool_cell(walking->pool) : walking->cell; /* with the pool's flags */
    cell_sample(cell, "pool", repetition, "run_time", walking->seconds, "s", walking->flags);
    cell_sample(cell, "pool", repetition, "entries_per_second", (double)entries / walking->seconds, "entries/s",
                walking->flags);
    cell_sample(cell, "pool", repetition, "tree_changed", walking->changed, "", walking->flags);
    for (size_t i = 0; i < WALK_KINDS; i++)
        cell_sample(cell, "pool", repetition, walk_kinds[i], (double)counts->each[i], units[i], walking->flags);
    if (walking->pool) {
        pool_report(walking->pool, repetition);
    } else {
        distance_report(walking->cell, &walking->places);
        cell_sample(cell, "pool", repetition, "processor_time", walking->processor_time, "s", walking->flags);
    }
}

/* --- set up, repeat, take down */

/* The walkers, and their threads. */
static int open_walkers(struct walking *walking) {
    const struct cell *cell = walking->cell;
    const struct pool_settings settings = {.context = walking};
    char message[MESSAGE_SIZE];
    walking->threads = (unsigned)cell_integer(cell, "threads");
    int code = walk_open(&walking->walk, walking->path);
    if (code != 0)
        return code;
    walking->walk.builds = cell_is(cell, "tree", "built");
    walking->walk.spawn = version_of(cell)->spawn;
    walking->walk.visit = pool_visit;
    walking->walkers = walkers_new(&walking->walk, walking->threads, walking);
    if (!walking->walkers)
        return 3;
    if (cell_is(cell, "version", "pool"))
        return pool_open(&walking->pool, cell, &settings);
    if (places_plan(&walking->places, cell_text(cell, "placement"), walking->threads, NULL, message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    if (cell_is(cell, "version", "shared_queue") && queue_open(walking) != 0)
        return 3;
    places_take(&walking->places, 0);
    places_report(&walking->places, cell, "worker", "worker");
    distance_report(cell, &walking->places);
    walking->flags = walking->places.oversubscribed ? SAMPLE_OVERSUBSCRIBED : 0;
    return 0;
}

/* Finds the tree or makes it, and the right answer. */
static int open_tree(struct walking *walking) {
    const struct cell *cell = walking->cell;
    if (!cell_is(cell, "path", "generated")) {
        snprintf(walking->path, sizeof walking->path, "%s", cell_text(cell, "path"));
        return directory_count(walking->path, &walking->expected);
    }
    walking->expected.counts = (struct walk_counts){.directories = cell_integer(cell, "directories"),
                                                    .files = cell_integer(cell, "files"),
                                                    .symlinks = cell_integer(cell, "symlinks")};
    return tree_open(walking->path, cell, "walk", NULL, NULL);
}

static int run(const struct cell *cell) {
    struct walking walking = {.cell = cell,
                              .walk.root = -1,
                              .queue.lock = PTHREAD_MUTEX_INITIALIZER,
                              .queue.changed = PTHREAD_COND_INITIALIZER};
    int code = open_tree(&walking);
    if (code == 0)
        code = open_walkers(&walking);
    if (code == 0)
        code = tree_repeat(cell, walk_once, report, &walking);
    pool_close(walking.pool);
    queue_close(&walking.queue);
    if (walking.places.topology)
        places_close(&walking.places);
    free(walking.walkers);
    walk_close(&walking.walk);
    return code;
}

static const char *unsupported(const struct cell *cell) {
    if (cell_is(cell, "version", "one_thread") && cell_integer(cell, "threads") != 1)
        return "version=one_thread has one thread";
    return cell_is(cell, "version", "pool") ? pool_unsupported(cell) : NULL;
}

REGISTER_WORKLOAD(walk, .name = "walk", .summary = "walks a tree of directories and counts what is in it",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = unsupported,
                  .run = run);
