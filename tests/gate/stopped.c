/* stopped.c: one thread is stopped by a signal inside of an operation, and the others have to go on as the traits
 * claim.
 *
 * A round: an owner and two thieves are at work at one deque; one of the three is parked in a signal handler, half of
 * the time at an access of its own, counted out beforehand, half of the time wherever another thread's signal hits it.
 * While it stands, the others come to rest (an operation that does not return is a hang, unless it may block) and then
 * try what is claimed not to block: the owner gets all that is in nobody's hands, push finds room again and again, a
 * thief gets something. When the stopped thread has gone on, every item must have come out exactly once. In some rounds
 * 65,536 items pass meanwhile, so that counters and tags of 16 bits are the same again for the thread that slept.
 *
 * The lab's stop does it access by access under our own scheduler (lab/README.md); here are real threads, of which the
 * others are themselves in the middle of something, and real time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What this thread is doing in the deque. Volatile: the signal handler reads it. */
enum operation { NOTHING, PUSH, POP, SPILL, POLL, STEAL, STEAL_BATCH, STEAL_INTO, OPERATIONS };
static _Thread_local volatile enum operation inside;
static _Thread_local uint32_t accesses_left; /* before this thread stops itself; 0: it does not */

static void stop_myself(void);
#define before_access() ((void)(inside && accesses_left && --accesses_left == 0 ? stop_myself() : (void)0))
#include "tests/gate/each_access.h"

#include "harness/clock.h"
#include "harness/deque_under_test.h"
#include "harness/items.h"
#include "tests/gate/objects.h"
#include <sched.h>
#include <stdio.h>
#include <time.h>

#define THREADS 3
#define OWNER 0
#define PASSING 65536 /* items that pass a sleeping thread: counters of 16 bits come round */
#define MIXED 1024    /* items that are pushed in the mixed phase at most */
#define SERIALS (PASSING + MIXED + 1024)
#define BATCH_MOST 8
#define UNKNOWN SIZE_MAX
#define PARK_NANOSECONDS 20000
#define ANSWER_NANOSECONDS 2000000 /* how long an operation that may block is waited for */

static const struct deque_traits traits = DEQUE_TRAITS;
static const char *const operation_names[OPERATIONS] = {"nothing", "push",  "pop",         "spill",
                                                        "poll",    "steal", "steal_batch", "steal_into"};

enum command { MIX, POP_ALL, PUSH_AND_POP, FILL, STEAL_ALONE, PASS, QUIT };

struct worker {
    alignas(DEQUE_LINE) pthread_t thread;
    unsigned number;
    uint64_t random;
    size_t got; /* different items that came out here; read by the main thread when this one rests or is parked */
    enum operation stopped_inside;
    size_t result;                                /* of the last command */
    alignas(DEQUE_LINE) _Atomic unsigned ordered; /* commands given */
    enum command command;
    _Atomic unsigned answered; /* commands carried out */
    _Atomic bool begun;        /* is in the mixed phase */
};

static struct {
    struct deque_config config;
    unsigned target;      /* who is stopped */
    uint32_t accesses;    /* after so many; 0: a signal from the main thread does it */
    uint32_t delay;       /* before that signal, in turns of a loop */
    bool passing;         /* 65,536 items pass the sleeper */
    size_t thieves_leave; /* with this block size */
    uint64_t salt;
} plan;

static struct worker workers[THREADS];
static struct deque *deques[THREADS];
static struct object objects[SERIALS];
static _Atomic uint32_t times[SERIALS]; /* that an item came out */
static size_t pushed;                   /* serials handed out; the owner's */
static _Atomic bool mix_is_over, parked, go_on;
static atomic_flag turn = ATOMIC_FLAG_INIT; /* where thieves have to take turns */
static unsigned long stops[OPERATIONS], passings;

static uint64_t draw(struct worker *me, uint64_t below) { return (random_next(&me->random) >> 20) % below; }

/* The handler: stands until it may go on. Everything here may be called in one. */
static void park(int number) {
    const struct timespec moment = {0, PARK_NANOSECONDS};
    int error = errno;
    (void)number;
    workers[plan.target].stopped_inside = inside;
    /* release: pairs with the acquire in stop_target */
    RAW_STORE(&parked, true, memory_order_release);
    /* acquire: pairs with the release in let_go */
    while (!RAW_LOAD(&go_on, memory_order_acquire))
        nanosleep(&moment, NULL);
    errno = error;
}

__attribute__((noinline, cold)) static void stop_myself(void) { pthread_kill(pthread_self(), SIGUSR1); }

/* Items */

static void take(struct worker *me, deque_item item, const char *how) {
    uint64_t serial = (uint64_t)(uintptr_t)item - 1;
    struct object *object = item_object(item);
    if (ITEMS_ARE_POINTERS) {
        uintptr_t offset = (uintptr_t)object - (uintptr_t)objects;
        if (offset >= sizeof objects || offset % sizeof *object != 0)
            gate_fail("%s gave %p, which nobody pushed", how, (void *)object);
        serial = object->serial;
    }
    if (serial >= SERIALS)
        gate_fail("%s gave item %llu, which nobody pushed", how, (unsigned long long)serial);
    uint32_t before = RAW_ADD(&times[serial], 1, memory_order_relaxed);
    if (before > 0 && traits.delivery == DEQUE_ONCE)
        gate_fail("item %llu came out twice, the second time by %s of thread %u", (unsigned long long)serial, how,
                  me->number);
    if (ITEMS_ARE_POINTERS && traits.delivery == DEQUE_ONCE) {
        if (object->check != gate_mix(plan.salt, serial))
            gate_fail("%s gave an object whose contents are not those that were pushed", how);
        object->check = object_taken(serial, plan.salt);
    }
    me->got += before == 0;
}

/* Operations, each inlined once. `inside` lasts until what came out is written down: it is in this thread's hands. */

__attribute__((noinline)) static bool push_one(void) {
    if (pushed == SERIALS)
        return false;
    deque_item item = object_item(&objects[pushed], pushed, plan.salt);
    inside = PUSH;
    pushed++; /* before it is inside, so that nobody can have it and it is not counted */
    enum deque_result result = deque_push(deques[OWNER], item);
    pushed -= result != DEQUE_OK;
    inside = NOTHING;
    if (result != DEQUE_OK && (result != DEQUE_FULL || traits.bound != DEQUE_FIXED))
        gate_fail("push gave %d", (int)result);
    return result == DEQUE_OK;
}

/* From the owner's deque, or as the owner of its own by a thief that has stolen into it: then it is all one steal. */
__attribute__((noinline)) static bool pop_from(struct worker *me, struct deque *deque) {
    deque_item item = 0;
    enum operation before = inside;
    inside = before ? before : POP;
    enum deque_result result = deque_pop(deque, &item);
    if (result == DEQUE_OK)
        take(me, item, "pop");
    else if (result != DEQUE_EMPTY)
        gate_fail("pop gave %d", (int)result);
    inside = before;
    return result == DEQUE_OK;
}

static bool pop_one(struct worker *me) { return pop_from(me, deques[OWNER]); }

static void poll_once(void) {
    inside = POLL;
    deque_poll(deques[OWNER]);
    inside = NOTHING;
}

static void spill(struct worker *me) {
#ifdef DEQUE_SPILL
    deque_item items[MIXED];
    inside = SPILL;
    size_t n = DEQUE_SPILL(deques[OWNER], items, MIXED);
    for (size_t i = 0; i < n; i++)
        take(me, items[i], "spill");
    inside = NOTHING;
#else
    (void)me;
#endif
}

static struct deque *self_of(struct worker *me) { return traits.needs_self ? deques[me->number] : NULL; }

__attribute__((noinline)) static enum deque_result steal_one(struct worker *me) {
    deque_item item = 0;
    inside = STEAL;
    enum deque_result result = deque_steal(deques[OWNER], self_of(me), &item);
    if (result == DEQUE_OK)
        take(me, item, "steal");
    inside = NOTHING;
    return result;
}

#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
__attribute__((noinline)) static void steal_batch(struct worker *me) {
    deque_item items[BATCH_MOST];
    size_t n = 0;
    inside = STEAL_BATCH;
    deque_steal_batch(deques[OWNER], self_of(me), (unsigned)draw(me, 101), items, BATCH_MOST, &n);
    for (size_t i = 0; i < n; i++)
        take(me, items[i], "steal_batch");
    inside = NOTHING;
}
#else
static void steal_batch(struct worker *me) { steal_one(me); }
#endif

#if DEQUE_NATIVE & DEQUE_STEAL_INTO
__attribute__((noinline)) static void steal_into(struct worker *me) {
    deque_item first = 0;
    size_t moved;
    inside = STEAL_INTO;
    if (deque_steal_into(deques[OWNER], deques[me->number], &first, &moved) == DEQUE_OK)
        take(me, first, "steal_into");
    while (!traits.shared && pop_from(me, deques[me->number]))
        continue;
    inside = NOTHING;
}
#else
static void steal_into(struct worker *me) { steal_one(me); }
#endif

/* What the threads do */

static bool over(void) { return atomic_load_explicit(&mix_is_over, memory_order_relaxed); }

static void mix_of_owner(struct worker *me) {
    while (!over()) {
        poll_once();
        for (uint64_t n = draw(me, 6); n > 0 && pushed < MIXED; n--)
            if (!push_one() && draw(me, 2))
                spill(me);
        for (uint64_t n = draw(me, 6); n > 0 && pop_one(me); n--)
            continue;
        if (pushed == MIXED)
            sched_yield();
    }
}

static void mix_of_thief(struct worker *me) {
    bool turns = traits.thieves == DEQUE_ONE_THIEF;
    while (!over()) {
        uint64_t choice = draw(me, 4);
        if (turns && atomic_flag_test_and_set_explicit(&turn, memory_order_acquire)) {
            sched_yield();
            continue;
        }
        if (choice == 0)
            steal_batch(me);
        else if (choice == 1)
            steal_into(me);
        else if (steal_one(me) != DEQUE_OK && draw(me, 16) == 0)
            sched_yield();
        if (turns) {
            atomic_flag_clear_explicit(&turn, memory_order_release);
            sched_yield(); /* the other thief's turn */
        }
    }
}

static void mix(struct worker *me) {
    accesses_left = me->number == plan.target ? plan.accesses : 0;
    atomic_store_explicit(&me->begun, true, memory_order_relaxed);
    if (me->number == OWNER)
        mix_of_owner(me);
    else
        mix_of_thief(me);
    accesses_left = 0;
}

/* Until it is empty, and a little longer: a lost last item is EMPTY too. Returns how many came out. */
static size_t pop_all(struct worker *me) {
    size_t popped = 0;
    for (int empty = 0; empty < 4;) {
        if (pop_one(me))
            popped++;
        else
            empty++;
        poll_once();
    }
    return popped;
}

/* Pushes and takes out again until any ring has gone round twice. Once in a while it may be full, always it may not.
 * Returns 1 when all went well. */
static size_t push_and_pop(struct worker *me) {
    size_t capacity = deque_capacity(deques[OWNER]), rounds = 2 * (capacity ? capacity : 8) + 2;
    for (size_t i = 0; i < rounds; i++) {
        bool accepted = false;
        for (int tries = 0; tries < 4 && !accepted; tries++) {
            accepted = push_one();
            pop_one(me);
        }
        if (!accepted)
            return 0;
    }
    return 1;
}

static size_t fill(void) {
    size_t wanted = plan.thieves_leave + BATCH_MOST + 4, n = 0;
    while (n < wanted && push_one())
        n++;
    return n;
}

static size_t steal_alone(struct worker *me) {
    for (int tries = 0; tries < 64; tries++)
        if (steal_one(me) == DEQUE_OK)
            return 1;
    return 0;
}

/* Empties it, and lets pass what makes 65,536 with that; then a few are inside again. */
static size_t pass(struct worker *me) {
    for (size_t left = PASSING - pop_all(me) % PASSING; left > 0; left--) {
        push_one();
        pop_one(me);
    }
    for (uint64_t n = draw(me, 4); n > 0; n--)
        push_one();
    return 1;
}

static size_t carry_out(struct worker *me) {
    switch (me->command) {
    case MIX:
        mix(me);
        return 0;
    case POP_ALL:
        return pop_all(me);
    case PUSH_AND_POP:
        return push_and_pop(me);
    case FILL:
        return fill();
    case STEAL_ALONE:
        return steal_alone(me);
    case PASS:
        return pass(me);
    default:
        return 0;
    }
}

static void relax(unsigned *turns) {
    if (++*turns > 50)
        sched_yield();
}

static void *work(void *argument) {
    struct worker *me = argument;
    for (unsigned done = 0;; done++) {
        unsigned turns = 0;
        /* acquire: pairs with the release in order */
        while (atomic_load_explicit(&me->ordered, memory_order_acquire) == done)
            relax(&turns);
        if (me->command == QUIT)
            return NULL;
        me->result = carry_out(me);
        /* release: pairs with the acquire in answers; what was taken is written down */
        atomic_store_explicit(&me->answered, done + 1, memory_order_release);
    }
}

/* The main thread: gives orders and judges. */

static void order(struct worker *worker, enum command command) {
    worker->command = command;
    atomic_fetch_add_explicit(&worker->ordered, 1, memory_order_release);
}

static bool answered(struct worker *worker) {
    return atomic_load_explicit(&worker->answered, memory_order_acquire) ==
           atomic_load_explicit(&worker->ordered, memory_order_relaxed);
}

/* Waits until a worker rests: for ever (the watchdog looks after that), or a moment where it may block. */
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

/* Items in nobody's hands but the deque's and the stopped thread's. */
static size_t left_inside(void) {
    size_t got = 0;
    for (unsigned i = 0; i < THREADS; i++)
        got += workers[i].got;
    return pushed - got;
}

/* How many of them the stopped thread may hold. */
static size_t in_its_hands(void) {
    switch (workers[plan.target].stopped_inside) {
    case NOTHING:
        return 0;
    case PUSH: /* the item that it pushes is counted already */
    case POP:
    case POLL:
    case STEAL:
        return 1;
    case STEAL_BATCH:
        return BATCH_MOST;
    default:
        return UNKNOWN;
    }
}

static const char *where(void) { return operation_names[workers[plan.target].stopped_inside]; }

static void try_owner(void) {
    struct worker *owner = &workers[OWNER];
    if (traits.pop_progress == DEQUE_BLOCKING)
        return;
    order(owner, POP_ALL);
    answers(owner, false);
    if (left_inside() > in_its_hands())
        gate_fail("while thread %u stands in %s, pop says EMPTY with %zu items inside", plan.target, where(),
                  left_inside());
    if (traits.push_progress == DEQUE_BLOCKING)
        return;
    order(owner, PUSH_AND_POP);
    answers(owner, false);
    if (owner->result == 0)
        gate_fail("while thread %u stands in %s, push says FULL again and again, though each item is popped",
                  plan.target, where());
}

/* A thief alone: of several items that lie there it gets one. */
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
        gate_fail("while thread %u stands in %s, a thief gets nothing of %zu items", plan.target, where(),
                  left_inside());
}

/* 65,536 items pass the sleeper; where the owner may block, as many as a moment allows. */
static bool try_passing(void) {
    order(&workers[OWNER], PASS);
    bool passed = answers(&workers[OWNER], may_block(OWNER));
    passings += passed;
    return passed;
}

/* Until the target stands: it stops itself at an access, or a signal hits it some microseconds after it has begun. */
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

/* With one thread parked: the others come to rest and try what is claimed. */
static void judge(void) {
    bool rests[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        rests[i] = i != plan.target && answers(&workers[i], may_block(i));
    bool all_rest = rests[OWNER] + rests[1] + rests[2] == THREADS - 1;
    if (rests[OWNER] && plan.passing) {
        try_passing();
        return;
    }
    if (rests[OWNER] && all_rest)
        try_owner();
    for (unsigned i = 1; i < THREADS && all_rest; i++)
        if (rests[i])
            try_thief(i);
}

/* All rest: what is left comes out by the main thread, which is owner and thief now. */
static void empty_all(void) {
    deque_item item = 0;
    for (unsigned i = 0; i < THREADS; i++)
        while (pop_from(&workers[i], deques[i]))
            continue;
    for (unsigned i = 1; i < THREADS; i++)
        while (deque_steal(deques[OWNER], traits.needs_self ? deques[i] : NULL, &item) == DEQUE_OK)
            take(&workers[i], item, "steal");
    if (left_inside() > 0)
        gate_fail("%zu of %zu items were lost, with thread %u stopped in %s", left_inside(), pushed, plan.target,
                  where());
    if (deque_size(deques[OWNER]) != 0)
        gate_fail("deque_size is %zu when all is out", deque_size(deques[OWNER]));
}

static void make_plan(uint64_t seed) {
    static const uint64_t first_indices[] = {0, UINT16_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    uint64_t state = gate_mix(seed, 3) | 1;
    unsigned modes = 1;
    for (const char *value = traits.mode_values; value && *value; value++)
        modes += *value == '|';
    plan.salt = gate_mix(seed, 4);
    plan.target = (unsigned)(random_next(&state) % THREADS);
    plan.accesses = seed & 1 ? 1 + (uint32_t)(random_next(&state) >> 33) % (4u << (random_next(&state) >> 61)) : 0;
    plan.delay = (uint32_t)(random_next(&state) >> 51);
    plan.passing = random_next(&state) >> 60 == 0 && plan.target != OWNER;
    plan.config = (struct deque_config){.workers = THREADS, .first = deques[OWNER]};
    plan.config.capacity = (size_t[]){2, 4, 8, 64}[random_next(&state) % 4];
    plan.config.mode = (unsigned)(random_next(&state) % modes);
    plan.config.first_index = first_indices[seed % 5] - random_next(&state) % 40;
    plan.thieves_leave = traits.thieves_leave;
    if (traits.thieves_leave > 1) /* it is made of blocks, and the traits speak of those by default */
        plan.thieves_leave = plan.config.block = (size_t)1 << random_next(&state) % 3;
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
    pushed = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        plan.config.worker = i;
        if (deque_init(deques[i], &plan.config) != 0)
            gate_fail("deque_init failed");
        workers[i].got = 0;
        workers[i].random = gate_mix(plan.salt, i) | 1;
        workers[i].stopped_inside = NOTHING;
        atomic_store_explicit(&workers[i].begun, false, memory_order_relaxed);
    }
    atomic_store_explicit(&mix_is_over, false, memory_order_relaxed);
    atomic_store_explicit(&parked, false, memory_order_relaxed);
    atomic_store_explicit(&go_on, false, memory_order_relaxed);
}

static void run_round(uint64_t seed) {
    prepare(seed);
    for (unsigned i = 0; i < THREADS; i++)
        order(&workers[i], MIX);
    stop_target();
    atomic_store_explicit(&mix_is_over, true, memory_order_relaxed);
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
        deques[i] = aligned_alloc(DEQUE_LINE, (sizeof *deques[i] + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE);
        if (!deques[i] || pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            gate_fail("no memory, or no thread");
    }
}

static void close_workers(void) {
    for (unsigned i = 0; i < THREADS; i++) {
        order(&workers[i], QUIT);
        pthread_join(workers[i].thread, NULL);
        free(deques[i]);
    }
}

/* Half the time of the other checks: rounds are short, and what is wrong shows in many of them. */
static int stopped_run(const struct check_request *request) {
    gate_begin("stopped", traits.id, request);
    if (traits.keeps_nothing || traits.thieves == DEQUE_OWNER_ONLY)
        return gate_passed("a baseline that no thief may steal from; nothing to do");
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
