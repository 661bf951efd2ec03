/* parallel_for.c: a loop in parallel on an exported pool: halves are forked until a piece is small enough.
 *
 *   ./run.sh export pool --deque=chase_lev --prefix=my > my_pool.h
 *   cc -std=gnu11 -O2 -D_GNU_SOURCE -pthread parallel_for.c -o parallel_for && ./parallel_for [N [THREADS]]
 */
#define MY_IMPLEMENTATION
#include "my_pool.h"
#include <inttypes.h>
#include <stdio.h>

struct range {
    struct my_fork fork;
    size_t first, end, grain;
    void (*body)(size_t first, size_t end, void *context);
    void *context;
};

static void split(struct my_worker *worker, struct range *range);

static void run_half(struct my_worker *worker, struct my_fork *fork) { split(worker, (struct range *)(void *)fork); }

static void split(struct my_worker *worker, struct range *range) {
    if (range->end - range->first <= range->grain) {
        range->body(range->first, range->end, range->context);
        return;
    }
    struct range left = *range, right = *range;
    left.end = right.first = range->first + (range->end - range->first) / 2;
    my_fork(worker, &right.fork, run_half);
    split(worker, &left);
    my_join(worker, &right.fork);
}

struct loop {
    struct my_task task;
    struct range range;
};

static void run_loop(struct my_worker *worker, struct my_task *task) {
    split(worker, &((struct loop *)(void *)task)->range);
}

/* body is called for pieces of first to end - 1, each once, grain indices or fewer at a time. 0, or why the pool
 * failed. */
static int parallel_for(struct my *pool, size_t first, size_t end, size_t grain,
                        void (*body)(size_t first, size_t end, void *context), void *context) {
    struct loop loop = {.task = {run_loop},
                        .range = {.first = first, .end = end, .grain = grain, .body = body, .context = context}};
    struct my_task *task = &loop.task;
    return my_run(pool, &task, 1);
}

static void square(size_t first, size_t end, void *context) {
    uint64_t *squares = context;
    for (size_t i = first; i < end; i++)
        squares[i] = (uint64_t)i * i;
}

int main(int count, char **words) {
    struct my *pool;
    struct my_options options = MY_DEFAULTS;
    size_t n = count > 1 ? (size_t)atoll(words[1]) : 1000000;
    uint64_t *squares = malloc(n * sizeof *squares), sum = 0;
    options.threads = count > 2 ? (unsigned)atoi(words[2]) : 0;
    if (!squares || my_start(&pool, &options, NULL) != 0 || parallel_for(pool, 0, n, 1024, square, squares) != 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        sum += squares[i];
    printf("the sum of %zu squares = %" PRIu64 " on %u threads in %.4f s\n", n, sum, my_threads(pool),
           my_seconds(pool));
    my_close(pool);
    free(squares);
    return 0;
}
