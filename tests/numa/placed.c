/* placed.c: are threads and memory where they were asked to be? Run in a guest with several sockets (tests/numa.sh).
 *
 * What the harness places by hwloc is looked up without it: where a thread runs by sched_getcpu, which socket, core and
 * node a processor belongs to from /sys, and which node a page lies on by move_pages, which moves nothing when it is
 * told no node.
 *
 *   placed threads           every placement, by as many threads as it has room for on one thread a processor
 *   placed memory            memory=owner, thief, interleaved, across sockets
 *   placed pool              the pool's workers, their deques and their slots; every worker runs a task
 *   placed victims           victims=nearest: own core first, then own socket, then the others
 *   placed watch PROCESSORS NODES EXECUTABLE ARGUMENT...
 *                            runs it, and looks from outside: a thread bound to each of these processors ("0+4") was
 *                            seen there, and what it allocated lies on these nodes
 *
 * Ends on a line "placed WHAT: N looks, all as asked", or says what was not and exits with 1.
 */
/* First, for a pool's deques take their memory from the pool. */
#include "proof/checks/deque_independent/pool_check.h"

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
#define LOOKED_AT 512 /* pages */
#define THREADS_MAX 1024
#define LARGE (2 << 20) /* bytes that are no accident of the C library */

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

/* --- what the kernel says of the machine */
static long number_in(const char *format, int processor) {
    char path[128], line[32] = "";
    snprintf(path, sizeof path, format, processor);
    FILE *file = fopen(path, "r");
    bool got = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    want(got, "%s cannot be read", path);
    return strtol(line, NULL, 10);
}

static int find_node(int processor) {
    char path[128];
    for (int node = 0; node < 64; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", processor, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    want(false, "processor %d belongs to no node", processor);
    return -1;
}

/* Read once: a guest without hardware support opens some thousand files a second. */
struct facts {
    bool known;
    int socket, core, node;
};
static const struct facts *facts_of(int processor) {
    static struct facts all[THREADS_MAX];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    want(processor >= 0 && processor < THREADS_MAX, "processor %d", processor);
    struct facts *facts = &all[processor];
    pthread_mutex_lock(&lock);
    if (!facts->known)
        *facts = (struct facts){
            .known = true,
            .socket = (int)number_in("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", processor),
            .core = (int)number_in("/sys/devices/system/cpu/cpu%d/topology/core_id", processor),
            .node = find_node(processor)};
    pthread_mutex_unlock(&lock);
    return facts;
}
static int socket_of(int processor) { return facts_of(processor)->socket; }
static int core_of(int processor) { return facts_of(processor)->core; }
static int node_of(int processor) { return facts_of(processor)->node; }

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

/* --- threads */
struct visitor {
    struct places *places;
    unsigned number;
    int got, ran_on;
};

static void *visit(void *argument) {
    struct visitor *visitor = argument;
    visitor->got = places_take(visitor->places, visitor->number);
    visitor->ran_on = sched_getcpu();
    for (int i = 0; i < 50 && visitor->ran_on == visitor->got; i++) {
        usleep(1000);
        visitor->ran_on = sched_getcpu();
    }
    return NULL;
}

static unsigned distinct(const struct visitor *visitors, unsigned count, int (*what)(int)) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i && !seen; j++)
            seen = what(visitors[j].ran_on) == what(visitors[i].ran_on);
        found += !seen;
    }
    return found;
}

static int itself(int processor) { return processor; }
static int socket_and_core(int processor) { return socket_of(processor) * 65536 + core_of(processor); }

/* All at once, as in a cell. */
static void place_threads(const char *placement, unsigned threads, struct visitor *visitors) {
    static struct places places;
    static pthread_t ids[THREADS_MAX];
    char message[MESSAGE_SIZE] = "";
    int failure = places_plan(&places, placement, threads, NULL, message);
    want(failure == 0, "%s for %u threads: %s", placement, threads, message);
    for (unsigned i = 0; i < threads; i++) {
        visitors[i] = (struct visitor){.places = &places, .number = i};
        want(pthread_create(&ids[i], NULL, visit, &visitors[i]) == 0, "no thread %u", i);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        want(visitors[i].got == places.processor[i], "%s: thread %u was to be bound to %d, and is to %d", placement, i,
             places.processor[i], visitors[i].got);
        want(visitors[i].ran_on == visitors[i].got, "%s: thread %u, bound to %d, runs on %d", placement, i,
             visitors[i].got, visitors[i].ran_on);
    }
    want(distinct(visitors, threads, itself) == threads, "%s: two threads on one processor", placement);
    places_close(&places);
}

static void check_threads(void) {
    static struct visitor visitors[THREADS_MAX];
    unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), sockets, cores;
    place_threads("compact", processors, visitors);
    sockets = distinct(visitors, processors, socket_of);
    cores = distinct(visitors, processors, socket_and_core);
    want(sockets > 1, "this machine has one socket");
    want(cores < processors, "this machine has one thread a core");
    unsigned a_socket = cores / sockets, siblings = processors / cores;

    place_threads("compact", cores, visitors);
    want(distinct(visitors, cores, socket_and_core) == cores, "compact: a core was used twice while another was free");
    place_threads("compact", a_socket, visitors);
    want(distinct(visitors, a_socket, socket_of) == 1, "compact: %u threads are on more sockets than one", a_socket);
    place_threads("scatter", sockets, visitors);
    want(distinct(visitors, sockets, socket_of) == sockets, "scatter: %u threads share a socket", sockets);
    place_threads("scatter", cores, visitors);
    want(distinct(visitors, cores, socket_and_core) == cores, "scatter: a core was used twice while another was free");
    place_threads("same-core", siblings, visitors);
    want(distinct(visitors, siblings, socket_and_core) == 1, "same-core: more than one core");
    place_threads("same-socket", a_socket, visitors);
    want(distinct(visitors, a_socket, socket_of) == 1, "same-socket: more than one socket");
    want(distinct(visitors, a_socket, socket_and_core) == a_socket, "same-socket: two on a core");
    place_threads("cross-socket", 1 + a_socket, visitors);
    for (unsigned i = 1; i <= a_socket; i++)
        want(socket_of(visitors[i].ran_on) != socket_of(visitors[0].ran_on), "cross-socket: thief %u beside the owner",
             i);
}

/* --- memory */
struct allocation {
    struct places *places;
    const char *memory;
    unsigned nodes;
    int owner_node;
};

static void *allocate_bound(void *argument) {
    struct allocation *allocation = argument;
    char message[MESSAGE_SIZE] = "";
    size_t bytes = LOOKED_AT * PAGE;
    allocation->owner_node = node_of(places_take(allocation->places, 0));
    int failure = places_bind_memory(allocation->places, allocation->memory, message);
    want(failure == 0, "%s", message);
    char *block = aligned_alloc(PAGE, bytes);
    want(block != NULL, "no memory");
    memset(block, 1, bytes);
    allocation->nodes = nodes_of_pages(block, bytes);
    places_note_memory(allocation->places, block, bytes);
    free(block);
    return NULL;
}

static void check_memory(void) {
    static const char *const kinds[] = {"owner", "thief", "interleaved"};
    static const char *const far[] = {"cross-socket", "scatter", "same-socket"};
    static struct places places;
    char message[MESSAGE_SIZE] = "";
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            pthread_t thread;
            struct allocation allocation = {.places = &places, .memory = kinds[i]};
            want(places_plan(&places, far[j], 2, NULL, message) == 0, "%s", message);
            int thief = node_of(places.processor[1]);
            want(pthread_create(&thread, NULL, allocate_bound, &allocation) == 0, "no thread");
            pthread_join(thread, NULL);
            unsigned asked = i == 0 ? 1u << allocation.owner_node : i == 1 ? 1u << thief : 3u;
            want((thief == allocation.owner_node) == (j == 2), "%s: owner on node %d, thief on node %d", far[j],
                 allocation.owner_node, thief);
            want(allocation.nodes == asked, "%s, memory=%s: pages on nodes %x, asked for %x (bits)", far[j], kinds[i],
                 allocation.nodes, asked);
            want(strcmp(places.nodes, asked == 3   ? "0+1"
                                      : asked == 2 ? "1"
                                                   : "0") == 0,
                 "memory=%s: the harness says %s of pages on %x (bits)", kinds[i], places.nodes, allocation.nodes);
            places_close(&places);
        }
    }
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

static struct pool *open_pool(const char *text, struct settings *settings) {
    struct cell cell = check_cell(settings, 1, text);
    return check_open(&cell, NULL);
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
    struct pool *pool = open_pool(text, &settings);
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

/* --- whom a thief asks */
static int distance(int a, int b) { return socket_of(a) != socket_of(b) ? 2 : core_of(a) != core_of(b) ? 1 : 0; }

static void check_victims(void) {
    static struct settings settings;
    unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    char text[128];
    snprintf(text, sizeof text, "placement=compact;threads=%u;victims=nearest", processors);
    struct pool *pool = open_pool(text, &settings);
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned thief = 0; thief < processors; thief++) {
            bool asked[THREADS_MAX] = {false};
            int before = 0, self = pool->places.processor[thief];
            for (unsigned i = 0; i + 1 < processors; i++) {
                const struct pool_worker *victim = pool_victim(pool->worker[thief], i);
                want(victim && victim->number != thief && !asked[victim->number], "worker %u asks one twice, or itself",
                     thief);
                asked[victim->number] = true;
                int far = distance(self, pool->places.processor[victim->number]);
                want(far >= before, "worker %u on %d asks %d, which is nearer, after one farther away", thief, self,
                     pool->places.processor[victim->number]);
                before = far;
            }
            want(before == 2, "worker %u asked nobody on the other socket", thief);
        }
    }
    pool_close(pool);
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
    static const struct {
        const char *name;
        void (*check)(void);
    } checks[] = {
        {"threads", check_threads}, {"memory", check_memory}, {"pool", check_pool}, {"victims", check_victims}};
    const char *what = count > 1 ? arguments[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(what, "watch") == 0 && count > 4) {
        watch(arguments[2], arguments[3], arguments + 4);
        printf("placed watch: %u looks, all as asked\n", looks);
        return 0;
    }
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(what, checks[i].name) == 0 && count == 2) {
            checks[i].check();
            printf("placed %s: %u looks, all as asked\n", what, looks);
            return 0;
        }
    }
    fputs("usage: placed threads|memory|pool|victims | placed watch PROCESSORS NODES EXECUTABLE ARGUMENT...\n", stderr);
    return 2;
}
