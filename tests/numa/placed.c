/* placed.c: are the workers of a pool and their memory where they were asked to be? Run in a guest with several sockets
 * (tests/numa.sh).
 *
 * The harness places by hwloc. This asks the kernel instead: where a thread runs (sched_getcpu), which node a processor
 * belongs to (/sys), and which node a page lies on (move_pages, which moves nothing when it is told no node). Which
 * processors a placement chooses, and whom a thief asks first, is tested on made-up machines by places_test.c and
 * pool_victims_test.c.
 */
/* First, for a pool's deques take their memory from the pool. */
#include "proof/checks/pool_check.h"

#include "harness/measuring/deque_under_test.h"
#include "workloads/pool/pool_inline.h"
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define LOOKED_AT 512 /* pages */

__attribute__((format(printf, 2, 3))) static void want(bool is_so, const char *format, ...) {
    va_list arguments;
    if (is_so)
        return;
    va_start(arguments, format);
    fputs("placed: not as asked: ", stdout);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    exit(1);
}

/* The node that the kernel says a processor belongs to. */
static int node_of(int processor) {
    char path[128];
    for (int node = 0; node < 64; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", processor, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    want(false, "processor %d belongs to no node", processor);
    return -1;
}

/* The nodes of these pages, as bits; every page must have been touched. */
static unsigned nodes_of_pages(const void *address, size_t bytes) {
    void *pages[LOOKED_AT];
    int status[LOOKED_AT];
    uintptr_t first = (uintptr_t)address / PAGE, last = ((uintptr_t)address + bytes - 1) / PAGE;
    unsigned nodes = 0, count = 0;
    for (uintptr_t page = first; page <= last && count < LOOKED_AT; page++)
        pages[count++] = (void *)(page * PAGE);
    long failure = syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, status, 0);
    want(failure == 0, "move_pages: %s", strerror(errno));
    for (unsigned i = 0; i < count; i++) {
        want(status[i] >= 0, "page %u of %u: %s", i, count, strerror(-status[i]));
        nodes |= 1u << status[i];
    }
    return nodes;
}

struct meeting {
    struct pool_task task;
    _Atomic unsigned *met;
    unsigned all;
    int *ran_on; /* by worker */
};

/* Ends when every worker is in one, so that each has one. */
static void meet(struct pool_worker *worker, struct pool_task *task) {
    struct meeting *meeting = (struct meeting *)(void *)task;
    meeting->ran_on[pool_worker_number(worker)] = sched_getcpu();
    atomic_fetch_add_explicit(meeting->met, 1, memory_order_acq_rel);
    /* acquire: pairs with the release above, of every other */
    while (atomic_load_explicit(meeting->met, memory_order_acquire) < meeting->all)
        sched_yield();
}

static void check_pool_memory(const struct pool *pool) {
    bool interleaved = cell_is(&pool->cell, "memory", "interleaved");
    for (unsigned i = 0; i < pool->threads; i++) {
        const struct pool_worker *worker = pool->worker[i];
        const struct deque *deque = pool_deque_of(worker);
        unsigned slots = nodes_of_pages((const void *)deque->slots, (deque->mask + 1) * sizeof *deque->slots);
        unsigned asked = interleaved ? 3u : 1u << node_of(pool->places.processor[i]);
        want(slots == asked, "worker %u: slots on nodes %x, asked for %x (bits)", i, slots, asked);
        if (interleaved)
            continue;
        unsigned self = nodes_of_pages(worker, sizeof *worker + pool_deque.deque_bytes);
        want(self == asked, "worker %u and its deque are on nodes %x, asked for %x (bits)", i, self, asked);
    }
}

static void check_pool_at(const char *text, unsigned threads) {
    struct pool *pool = check_pool_open(1, text, NULL);
    struct meeting *meetings = calloc(threads, sizeof *meetings);
    struct pool_task **tasks = calloc(threads, sizeof *tasks);
    int *ran_on = calloc(threads, sizeof *ran_on);
    _Atomic unsigned met = 0;
    want(meetings && tasks && ran_on, "no memory");
    for (unsigned i = 0; i < threads; i++) {
        meetings[i] = (struct meeting){{meet}, &met, threads, ran_on};
        tasks[i] = &meetings[i].task;
    }
    want(pool_run(pool, tasks, threads) == 0, "the run failed");
    for (unsigned i = 0; i < threads; i++)
        want(ran_on[i] == pool->places.processor[i], "%s: worker %u, asked for on %d, runs on %d", text, i,
             pool->places.processor[i], ran_on[i]);
    check_pool_memory(pool);
    pool_close(pool);
    free(meetings);
    free(tasks);
    free(ran_on);
}

/* Each in a process of its own, as cells are: what an earlier pool gave back lies where its workers were. */
int main(void) {
    static const char *const placements[] = {"compact", "scatter", "cross-socket"};
    unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t i = 0; i < 6; i++) {
        unsigned threads = i % 3 == 2 ? 1 + processors / 2 : processors;
        char text[160];
        int status = 0;
        /* slots of more than a page, so that workers do not share one */
        snprintf(text, sizeof text, "placement=%s;threads=%u;room=16384;victims=nearest;memory=%s", placements[i % 3],
                 threads, i < 3 ? "owner" : "interleaved");
        pid_t child = fork();
        want(child >= 0, "fork: %s", strerror(errno));
        if (child == 0) {
            check_pool_at(text, threads);
            exit(0);
        }
        waitpid(child, &status, 0);
        want(status == 0, "%s", text);
    }
    puts("placed: every worker and its memory where asked");
    return 0;
}
