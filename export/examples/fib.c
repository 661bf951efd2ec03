/* fib.c: fork and join on an exported pool. Fibonacci numbers by their definition, a fork for one of the two calls.
 *
 *   ./run.sh export pool --deque=lace --prefix=my > my_pool.h
 *   cc -std=gnu11 -O2 -D_GNU_SOURCE -pthread fib.c -o fib && ./fib [N [THREADS]]
 */
#define MY_IMPLEMENTATION
#include "my_pool.h"
#include <inttypes.h>
#include <stdio.h>

struct fib {
    struct my_fork fork; /* first: the pool hands it back as this */
    unsigned n;
    uint64_t result;
};

static uint64_t fib(struct my_worker *worker, unsigned n);

static void fib_child(struct my_worker *worker, struct my_fork *fork) {
    struct fib *self = (struct fib *)(void *)fork;
    self->result = fib(worker, self->n);
}

/* With plain forks: where the stack is deep. */
static uint64_t fib_plainly(struct my_worker *worker, unsigned n) {
    struct fib child = {.n = n - 1};
    if (!my_fork_inline(worker, &child.fork, fib_child)) /* no room: run it now, and do not join it */
        return fib(worker, n - 1) + fib(worker, n - 2);
    uint64_t other = fib(worker, n - 2);
    if (my_join_inline(worker, &child.fork)) /* nobody has begun it: it is ours to run */
        child.result = fib(worker, child.n);
    return child.result + other;
}

/* With forks by place, the cheapest; a child that nobody has begun is the loop's next round. */
static uint64_t fib(struct my_worker *worker, unsigned n) {
    struct fib child;
    uint64_t sum = 0, place;
    if (n < 2)
        return n;
    if (!my_frame(worker, &child.fork, &place))
        return fib_plainly(worker, n);
    for (my_fork_ready(&child.fork, fib_child); n >= 2; n--) {
        child.n = n - 1;
        if (!my_fork_placed(worker, &child.fork, place))
            return sum + fib(worker, n - 1) + fib(worker, n - 2);
        sum += fib(worker, n - 2);
        if (!my_join_placed(worker, &child.fork, place))
            return sum + child.result;
    }
    return sum + n;
}

struct whole {
    struct my_task task;
    unsigned n;
    uint64_t result;
};

static void run_whole(struct my_worker *worker, struct my_task *task) {
    struct whole *whole = (struct whole *)(void *)task;
    whole->result = fib(worker, whole->n);
}

int main(int count, char **words) {
    struct my *pool;
    struct my_options options = MY_DEFAULTS;
    struct whole whole = {{run_whole}, count > 1 ? (unsigned)atoi(words[1]) : 27, 0};
    struct my_task *task = &whole.task;
    options.threads = count > 2 ? (unsigned)atoi(words[2]) : 0;
    if (my_start(&pool, &options, NULL) != 0 || my_run(pool, &task, 1) != 0)
        return 1;
    printf("fib(%u) = %" PRIu64 " on %u threads in %.4f s\n", whole.n, whole.result, my_threads(pool),
           my_seconds(pool));
    my_close(pool);
    return 0;
}
