/* fib.c: the cost of a fork and a join. Fibonacci numbers by their definition, a fork for one of the two calls, and
 * nothing else to do: what oneTBB, Cilk, Lace and others are compared by.
 *
 * Compiled once for each deque, which is inlined.
 */
#include "workloads/applications/answer.h"
#include "workloads/pool/pool_inline.h"

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("n", 30, 0, 50, "", "the number wanted"),
    PARAMETER_INTEGER("cutoff", 1, 1, 50, "", "no forks up to this n; 1: a fork in every call"),
    PARAMETERS_END,
};

struct fib {
    struct pool_fork fork;
    unsigned n;
    uint64_t result;
};

static unsigned cutoff; /* written before the pool runs */

__attribute__((noinline)) static uint64_t fib_alone(unsigned n) {
    return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2);
}

static uint64_t fib_forks(struct pool_worker *worker, unsigned n);

static inline uint64_t fib(struct pool_worker *worker, unsigned n) { return n < 2 ? n : fib_forks(worker, n); }

static void fib_child(struct pool_worker *worker, struct pool_fork *fork) {
    struct fib *self = (struct fib *)(void *)fork;
    self->result = fib(worker, self->n);
}

__attribute__((noinline, cold)) static uint64_t fib_refused(struct pool_worker *worker, unsigned n) {
    return fib(worker, n - 1) + fib(worker, n - 2);
}

__attribute__((noinline, cold)) static uint64_t fib_plainly(struct pool_worker *worker, unsigned n) {
    struct fib child;
    child.n = n - 1;
    if (n <= cutoff)
        return fib_alone(n);
    if (!pool_fork_inline(worker, &child.fork, fib_child))
        return fib_refused(worker, n);
    uint64_t sum = fib(worker, n - 2);
    return sum + (pool_join_inline(worker, &child.fork) ? fib(worker, n - 1) : child.result);
}

/* A fork for fib(n - 1), a call for fib(n - 2). The forked child that nobody has stolen is the loop's next round, where
 * it would be called last: what compilers make of such a call by themselves where the child does not lie in the frame
 * (as in Lace).
 */
__attribute__((noinline)) static uint64_t fib_forks(struct pool_worker *worker, unsigned n) {
    struct fib child;
    uint64_t sum = 0, place;
    if (__builtin_expect(!pool_frame(worker, &child.fork, &place), 0))
        return fib_plainly(worker, n);
    pool_fork_ready(&child.fork, fib_child);
    while (n > cutoff) {
        child.n = n - 1;
        if (__builtin_expect(!pool_fork_placed(worker, &child.fork, place), 0))
            return sum + fib_refused(worker, n);
        sum += fib(worker, n - 2);
        if (!pool_join_placed(worker, &child.fork, place))
            return sum + child.result;
        n = child.n;
    }
    return sum + (n < 2 ? n : fib_alone(n));
}

static uint64_t compute(struct pool_worker *worker, void *context) { return fib(worker, *(const unsigned *)context); }

static int run(const struct cell *cell) {
    unsigned n = (unsigned)cell_integer(cell, "n");
    uint64_t number[52] = {0, 1};
    for (unsigned i = 2; i < 52; i++)
        number[i] = number[i - 1] + number[i - 2];
    cutoff = (unsigned)cell_integer(cell, "cutoff");
    struct answer answer = {compute, &n, number[n], 2 * (double)number[n + 1] - 1};
    return answer_measure(cell, &answer);
}

REGISTER_WORKLOAD(fib, .name = "fib", .summary = "the cost of a fork: Fibonacci numbers, one task a call",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
