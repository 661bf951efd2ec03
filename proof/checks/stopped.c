/* stopped.c: a signal stops one thread inside an operation. The others have to go on as the traits claim.
 *
 * In each round an owner and two thieves work at one deque. One of the three is parked in a signal handler: half of the
 * time at one of its own accesses, half of the time wherever a signal hits it. The others finish their operations; an
 * operation that does not return hangs, unless it may block. Then they try what the traits claim: the owner gets every
 * item that no thread holds, push finds room again and again, and a thief gets something. When the stopped thread has
 * gone on, every item must have come out exactly once. In some rounds 65,536 items pass meanwhile, so that 16-bit
 * counters and tags look unchanged to the stopped thread.
 *
 * The lab's stop does this access by access under our own scheduler (proof/lab/README.md). Here threads and time are
 * real, and the other threads are inside operations, too.
 */
#include "harness/measuring/clock.h"
#include "proof/checks/stopped_threads.h"
#include <stdio.h>

#define UNKNOWN SIZE_MAX
#define ANSWER_NANOSECONDS 2000000 /* how long to wait for an operation that may block */

static const char *const operation_names[OPERATIONS] = {"nothing", "push",  "pop",         "spill",
                                                        "poll",    "steal", "steal_batch", "steal_into"};
static unsigned long stops[OPERATIONS], passings;

/* The main thread: gives orders and judges. */

static void order(struct worker *worker, enum command command) {
    worker->command = command;
    atomic_fetch_add_explicit(&worker->ordered, 1, memory_order_release);
}

static bool answered(struct worker *worker) {
    return atomic_load_explicit(&worker->answered, memory_order_acquire) ==
           atomic_load_explicit(&worker->ordered, memory_order_relaxed);
}

/* Waits until a worker rests: for ever (the watchdog ends that), or only a moment if the operation may block. */
static bool answers(struct worker *worker, bool may_block) {
    uint64_t start = clock_nanoseconds();
    while (!answered(worker)) {
        if (may_block && clock_nanoseconds() - start > ANSWER_NANOSECONDS)
            return false;
        sched_yield();
    }
    return true;
}

static bool may_block(unsigned thread) {
    if (thread == OWNER)
        return traits.push_progress == DEQUE_BLOCKING || traits.pop_progress == DEQUE_BLOCKING;
    return traits.steal_progress == DEQUE_BLOCKING;
}

/* Number of items that only the deque or the stopped thread can hold. */
static size_t left_inside(void) {
    size_t got = 0;
    for (unsigned i = 0; i < THREADS; i++)
        got += workers[i].got;
    return pushed - got;
}

/* How many of these the stopped thread may hold. */
static size_t in_its_hands(void) {
    switch (workers[plan.target].stopped_inside) {
    case NOTHING:
        return 0;
    case PUSH: /* the item that it pushes is already counted */
    case POP:
    case POLL:
    case STEAL:
        return 1;
    case STEAL_BATCH:
        return BATCH_MAX;
    default:
        return UNKNOWN;
    }
}

static const char *where(void) { return operation_names[workers[plan.target].stopped_inside]; }

static void try_owner(void) {
    struct worker *owner = &workers[OWNER];
    size_t room = deque_capacity(deques[OWNER]);
    if (traits.pop_progress == DEQUE_BLOCKING)
        return;
    order(owner, POP_ALL);
    answers(owner, false);
    if (left_inside() > in_its_hands())
        gate_fail("while thread %u is stopped in %s, pop says EMPTY with %zu items inside", plan.target, where(),
                  left_inside());
    /* the items that the stopped thread holds may occupy so much room, but not more */
    if (traits.push_progress == DEQUE_BLOCKING || (traits.bound == DEQUE_FIXED && in_its_hands() >= room))
        return;
    order(owner, PUSH_AND_POP);
    answers(owner, false);
    if (owner->result == 0)
        gate_fail("while thread %u is stopped in %s, push says FULL again and again, though each item is popped",
                  plan.target, where());
}

/* A thief alone: if there are several items, it gets one. */
static void try_thief(unsigned thief) {
    if (traits.steal_progress == DEQUE_BLOCKING || traits.thieves != DEQUE_MANY_THIEVES || in_its_hands() == UNKNOWN)
        return;
    if (plan.target != OWNER && traits.push_progress != DEQUE_BLOCKING) {
        order(&workers[OWNER], FILL);
        answers(&workers[OWNER], false);
    }
    if (left_inside() <= in_its_hands() + plan.thieves_leave)
        return;
    order(&workers[thief], STEAL_ALONE);
    answers(&workers[thief], false);
    if (workers[thief].result == 0)
        gate_fail("while thread %u is stopped in %s, a thief gets nothing of %zu items", plan.target, where(),
                  left_inside());
}

/* 65,536 items pass the stopped thread. It was alone when it stopped, so exactly that many have gone through since
 * then. An owner that may block passes as many as it can in a moment. */
static void try_passing(void) {
    order(&workers[OWNER], PASS);
    passings += answers(&workers[OWNER], may_block(OWNER));
}

/* Waits until the target has stopped: at an access, by itself, or by a signal some microseconds after it began. */
static void stop_target(void) {
    struct worker *target = &workers[plan.target];
    unsigned turns = 0;
    if (plan.accesses == 0) {
        while (!atomic_load_explicit(&target->begun, memory_order_relaxed))
            relax(&turns);
        for (volatile uint32_t i = 0; i < plan.delay; i = i + 1)
            continue;
        pthread_kill(target->thread, SIGUSR1);
    }
    while (!atomic_load_explicit(&parked, memory_order_acquire))
        relax(&turns);
    stops[target->stopped_inside]++;
}

static void let_go(void) { atomic_store_explicit(&go_on, true, memory_order_release); }

/* With one thread parked: the others come to rest and try what the traits claim. */
static void judge(void) {
    bool rests[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        rests[i] = i != plan.target && answers(&workers[i], may_block(i));
    bool all_rest = rests[OWNER] + rests[1] + rests[2] == THREADS - 1;
    for (unsigned i = 1; i < THREADS && all_rest; i++)
        if (rests[i])
            try_thief(i);
    if (rests[OWNER] && all_rest)
        try_owner();
}

/* For deques that may hand out an item more than once. Each operation of the owner beside thieves can bring an item
 * back once. Each thread may get that item twice, if a stopped thread has set a position back. So the number is
 * bounded. */
static void expect_bounded(void) {
    for (unsigned i = 0; i < THREADS; i++)
        if (workers[i].max_times > 1 + 2 * THREADS + beside_thieves)
            gate_fail("an item came out %zu times, in a round with %zu operations of the owner beside thieves",
                      workers[i].max_times, beside_thieves);
}

/* All threads rest. The main thread, now owner and thief, takes out what is left. */
static void empty_all(void) {
    deque_item item = 0;
    for (unsigned i = 0; i < THREADS; i++)
        while (pop_from(&workers[i], deques[i]))
            continue;
    for (unsigned i = 1; i < THREADS; i++)
        while (deque_steal(deques[OWNER], traits.needs_self ? deques[i] : NULL, &item) == DEQUE_OK)
            take(&workers[i], item, "steal");
    expect_bounded();
    if (left_inside() > 0)
        gate_fail("%zu of %zu items were lost, with thread %u stopped in %s", left_inside(), pushed, plan.target,
                  where());
    if (deque_size(deques[OWNER]) != 0)
        gate_fail("deque_size is %zu when all is out", deque_size(deques[OWNER]));
}

static void make_plan(uint64_t seed) {
    uint64_t state = random_start(seed, 3);
    plan.salt = random_of(seed, 4);
    plan.target = (unsigned)(random_below(&state, THREADS));
    plan.accesses = seed & 1 ? 1 + (uint32_t)(random_next(&state) >> 33) % (4u << (random_next(&state) >> 62)) : 0;
    plan.delay = (uint32_t)(random_next(&state) >> 51);
    plan.passing = random_next(&state) >> 61 == 0 && plan.target != OWNER;
    if (plan.passing)
        plan.accesses = 1 + (uint32_t)(random_next(&state) >> 61);
    plan.config = (struct deque_config){.workers = THREADS, .first = deques[OWNER]};
    plan.config.capacity = (size_t[]){2, 4, 8, 64}[random_below(&state, 4)];
    plan.config.mode = (unsigned)(random_below(&state, mode_count()));
    plan.config.first_index = first_index(seed, 1 + random_below(&state, 40));
    plan.thieves_leave = traits.thieves_leave;
    if (traits.thieves_leave > 1) /* it has blocks, and the traits describe the default block size */
        plan.thieves_leave = plan.config.block = (size_t)1 << random_below(&state, 3);
}

static void prepare(uint64_t seed) {
    char options[64];
    for (size_t i = 0; i < pushed; i++)
        atomic_store_explicit(&times[i], 0, memory_order_relaxed);
    make_plan(seed);
    snprintf(options, sizeof options, "--seed=%llu --rounds=1", (unsigned long long)seed);
    gate_trying(options, "thread %u stopped %s, capacity %zu, block %zu, mode %u, counters from %llu%s", plan.target,
                plan.accesses ? "at an access" : "anywhere", plan.config.capacity, plan.config.block, plan.config.mode,
                (unsigned long long)plan.config.first_index, plan.passing ? ", 65,536 items pass" : "");
    pushed = beside_thieves = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        plan.config.worker = i;
        if (deque_init(deques[i], &plan.config) != 0)
            gate_fail("deque_init failed");
        workers[i].got = workers[i].max_times = 0;
        workers[i].random = random_start(plan.salt, i);
        workers[i].stopped_inside = NOTHING;
        atomic_store_explicit(&workers[i].begun, false, memory_order_relaxed);
    }
    atomic_store_explicit(&mix_is_over, false, memory_order_relaxed);
    atomic_store_explicit(&parked, false, memory_order_relaxed);
    atomic_store_explicit(&go_on, false, memory_order_relaxed);
}

static void run_round(uint64_t seed) {
    prepare(seed);
    order(&workers[OWNER], FEED);
    answers(&workers[OWNER], false);
    for (unsigned i = 0; i < THREADS; i++)
        if (!plan.passing || i == plan.target)
            order(&workers[i], MIX);
    stop_target();
    atomic_store_explicit(&mix_is_over, true, memory_order_relaxed);
    if (plan.passing)
        try_passing();
    else
        judge();
    let_go();
    for (unsigned i = 0; i < THREADS; i++)
        answers(&workers[i], false);
    empty_all();
    for (unsigned i = THREADS; i-- > 0;)
        deque_destroy(deques[i]);
    gate_step();
}

static void open_workers(void) {
    struct sigaction action = {.sa_handler = park};
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        deques[i] = new_deque();
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            gate_fail("no thread");
    }
}

static void close_workers(void) {
    for (unsigned i = 0; i < THREADS; i++) {
        order(&workers[i], QUIT);
        pthread_join(workers[i].thread, NULL);
        free(deques[i]);
    }
}

/* Takes half the time of the other checks: rounds are short, and a fault shows in many of them. */
static int stopped_run(const struct check_request *request) {
    gate_begin("stopped", traits.id, request);
    if (traits.keeps_nothing || traits.thieves == DEQUE_OWNER_ONLY)
        return gate_passed("a reference that no thief may steal from; nothing to do");
    open_workers();
    uint64_t start = clock_nanoseconds();
    for (unsigned long i = 0;
         request->rounds ? i < request->rounds
                         : i < 64 || (double)(clock_nanoseconds() - start) * 1e-9 < request->seconds / 2;
         i++)
        run_round(request->seed + i);
    close_workers();
    if (gate_steps() >= 64 && stops[STEAL] == 0)
        gate_fail("in %lu rounds no thief was ever stopped inside of a steal", gate_steps());
    return gate_passed("%lu stops: %lu in push, %lu in pop, %lu in steals, %lu outside; %lu times 65,536 items passed",
                       gate_steps(), stops[PUSH], stops[POP] + stops[SPILL] + stops[POLL],
                       stops[STEAL] + stops[STEAL_BATCH] + stops[STEAL_INTO], stops[NOTHING], passings);
}

static const struct check stopped = {
    .name = "stopped",
    .summary = "one thread stopped by a signal inside of an operation; the others go on as claimed, no item is lost",
    .in_stamp = false,
    .run = stopped_run,
};
REGISTER_CHECK(stopped);
