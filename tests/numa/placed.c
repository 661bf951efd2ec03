/* placed.c: are threads and memory where they were asked to be? Run in a guest with several sockets (tests/numa.sh).
 *
 * The harness places by hwloc. This asks the kernel instead: where a thread runs (sched_getcpu, /proc), which node a
 * processor belongs to (/sys), and which node a page lies on (move_pages, which moves nothing when it is told no
 * node). Which processors a placement chooses, and whom a thief asks first, is tested on made-up machines by
 * places_test.c and pool_victims_test.c.
 *
 *   placed pool              every worker of a pool runs on its processor; its deque and slots lie where asked
 *   placed watch PROCESSORS NODES EXECUTABLE ARGUMENT...
 *                            runs it, and looks from outside: a thread bound to each of these processors ("0+4") was
 *                            seen there, and what it allocated lies on these nodes
 *
 * Ends on a line "placed WHAT: N looks, all as asked", or says what was not and exits with 1.
 */
/* First, for a pool's deques take their memory from the pool. */
#include "proof/checks/pool_check.h"

#include "harness/measuring/deque_under_test.h"
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define LOOKED_AT 512   /* pages */
#define LARGE (2 << 20) /* bytes: larger than the C library's own mappings */

static _Atomic unsigned looks;

__attribute__((format(printf, 2, 3))) static void want(bool is_so, const char *format, ...) {
    va_list arguments;
    looks++;
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

/* --- the pool */
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
        unsigned slots = nodes_of_pages((const void *)worker->deque->slots,
                                        (worker->deque->mask + 1) * sizeof *worker->deque->slots);
        unsigned asked = interleaved ? 3u : 1u << node_of(pool->places.processor[i]);
        want(slots == asked, "worker %u: slots on nodes %x, asked for %x (bits)", i, slots, asked);
        if (interleaved)
            continue;
        unsigned self = nodes_of_pages(worker, sizeof *worker + pool_deque.deque_bytes);
        want(self == asked, "worker %u and its deque are on nodes %x, asked for %x (bits)", i, self, asked);
    }
}

static void check_pool_at(const char *text, unsigned threads) {
    static struct settings settings;
    struct cell cell = check_cell(&settings, 1, text);
    struct pool *pool = check_open(&cell, NULL);
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
static void check_pool(void) {
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
}

/* --- from outside */
/* Threads of this process that are bound to one processor and on it: bits of these. 0 when one is bound and elsewhere,
 * as it is for a moment between the two. */
static uint64_t threads_of(pid_t child) {
    char path[300], line[512];
    uint64_t seen = 0;
    bool displaced = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)child);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        int runs_on = -1, bound_to = -1;
        char end = 0;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", (int)child, entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "Cpus_allowed_list: %d%c", &bound_to, &end) >= 1 && end != '\n')
                bound_to = -1;
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)child, entry->d_name);
        file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file) && strrchr(line, ')')) {
            const char *at = strrchr(line, ')') + 2; /* field 3; the processor is field 39 */
            for (int field = 3; at && field < 39; field++)
                at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
            runs_on = at ? atoi(at) : -1;
        }
        if (file)
            fclose(file);
        if (bound_to < 0 || runs_on < 0)
            continue; /* not placed yet, or gone */
        displaced |= runs_on != bound_to;
        seen |= UINT64_C(1) << bound_to;
    }
    if (tasks)
        closedir(tasks);
    return displaced ? 0 : seen;
}

/* Bits of the nodes on which a mapping of at least LARGE that this process wrote lies. */
static unsigned nodes_of_process(pid_t child) {
    char path[64], line[1024];
    unsigned nodes = 0;
    snprintf(path, sizeof path, "/proc/%d/numa_maps", (int)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long pages[64] = {0}, all = 0;
        if (strstr(line, "file=") || strstr(line, "stack"))
            continue;
        for (const char *at = line; (at = strstr(at, " N")); at++) {
            unsigned node;
            unsigned long count;
            if (sscanf(at, " N%u=%lu", &node, &count) == 2 && node < 64)
                all += pages[node] += count;
        }
        for (unsigned node = 0; node < 64 && all >= LARGE / PAGE; node++)
            if (pages[node] > all / 16) /* a few pages are the C library's */
                nodes |= 1u << node;
    }
    if (file)
        fclose(file);
    return nodes;
}

static uint64_t bits_of(const char *list) {
    uint64_t bits = 0;
    for (const char *at = list; at && *at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL)
        bits |= UINT64_C(1) << strtoul(at, NULL, 10);
    return bits;
}

static void watch(const char *processors, const char *nodes, char **command) {
    pid_t child = fork();
    int status = 0;
    const uint64_t asked = bits_of(processors);
    unsigned right = 0, wrong = 0, lies_on = 0;
    want(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) {
        execv(command[0], command);
        _exit(127);
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        /* before its threads are there hwloc goes round the processors, one thread bound to each in turn */
        uint64_t threads = threads_of(child);
        right += threads == asked;
        wrong += threads != asked && __builtin_popcountll(threads) > 1;
        unsigned now = nodes_of_process(child);
        if (now)
            lies_on = now; /* before it is bound, memory that it has may lie elsewhere */
        usleep(20000);
    }
    looks += right;
    want(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with status %x", command[0], (unsigned)status);
    want(right >= 3 && wrong == 0, "threads were seen at %s %u times, elsewhere %u times", processors, right, wrong);
    want(lies_on == bits_of(nodes), "memory was seen on nodes %x, asked for %x (bits)", lies_on,
         (unsigned)bits_of(nodes));
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(what, "watch") == 0 && count > 4) {
        watch(arguments[2], arguments[3], arguments + 4);
    } else if (strcmp(what, "pool") == 0 && count == 2) {
        check_pool();
    } else {
        fputs("usage: placed pool | placed watch PROCESSORS NODES EXECUTABLE ARGUMENT...\n", stderr);
        return 2;
    }
    printf("placed %s: %u looks, all as asked\n", what, looks);
    return 0;
}
