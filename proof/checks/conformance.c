/* conformance.c: one thread runs each operation of the contract and compares with a plain model (subject.h).
 *
 * Scripts (below) run in every mode, in small capacities, from counters near their limits; then come failing memory,
 * absurd settings, the edges of the contract (conformance_edges.h), and a large deque. Random walks follow until the
 * time is up. A failure is told again with fewer operations; after a hang the next case goes on.
 */
#include "proof/checks/script.h"
#include <errno.h>
#include <stdarg.h>

static const struct check_request *asked;

/* --- cases */

#define HANGS_MAX 1 /* a second one ends the check: each takes seconds */
static unsigned long case_number, first_case;
static unsigned hangs;

/* Begins a case and says what it is. False: an earlier process of this check has tried it. */
__attribute__((format(printf, 2, 3))) static bool begin(const char *options, const char *format, ...) {
    char what[200];
    va_list arguments;
    if (++case_number < first_case)
        return false;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    check_trying(options, "%s", what);
    return true;
}

/* The rest of the cases, in this process's place: a thread hangs in the deque for ever. */
static void go_on_behind_the_hang(void) {
    char from[64], seed[32], seconds[32], rounds[32];
    snprintf(from, sizeof from, "%lu %u", case_number + 1, hangs + 1);
    snprintf(seed, sizeof seed, "--seed=%llu", (unsigned long long)asked->seed);
    snprintf(seconds, sizeof seconds, "--seconds=%g", asked->seconds);
    snprintf(rounds, sizeof rounds, "--rounds=%lu", asked->rounds);
    setenv("CONFORMANCE_FROM", from, 1);
    execl("/proc/self/exe", program_invocation_name, "--check", "conformance", seed, seconds, rounds, (char *)NULL);
}

/* --- scripts. A colon separates what comes once from what is repeated. Each ends with an empty deque. */

enum { ROUND = 0 }; /* until as many are pushed as go round the ring three times */

static const struct script {
    const char *what, *text;
    size_t times;
} scripts[] = {
    {"an empty deque", ": pop steal take 50/4 take 100/0 batch 0", 3},
    {"full, then popped", "fill push 3 drain pop", 1},
    {"full, then stolen", "fill rob steal", 1},
    /* when the owner has begun to pop, thieves may leave no more than its current block */
    {"full, then popped and stolen", "fill pop rob", 1},
    {"positions go round", ": push steal", ROUND},
    {"positions go round under one item", "push : push steal", ROUND},
    {"positions go round under two items", "push 2 : push steal", ROUND},
    {"single items", ": push pop push 2 steal pop 2 push steal pop push 2 steal pop 2", ROUND},
    {"batches",
     ": batch 1 batch 64 take 1/1 pop take 1/128 drain batch 27 batch 64 take 10/7 pop take 100/2 drain "
     "batch 40 batch 64 take 50/128 pop take 50/7 drain pop batch 13 batch 64 take 0/0 take 0/128 pop take 0/1 drain",
     2},
    {"items written in place",
     ": reserve 7 reserve 7/6 push reserve 7/7 steal pop reserve 19/9 pop drain reserve 1 pop", 3},
#if DEQUE_NATIVE & DEQUE_LISTS
    {"lists",
     "list 0 : take_list 50 list 1 push take_list 10 list 2 take_list 100 pop take_list 30 drain "
     "list 9 push take_list 90 list 2 take_list 1 pop take_list 0 drain list 33 push take_list 50",
     3},
#endif
};

static void run_script(const struct script *script) {
    const char *again = perform_text(script->text);
    const uint64_t round = next_serial + 3 * plenty(&subject) + 3;
    for (size_t i = 0; again && (script->times == ROUND ? next_serial < round : i < script->times); i++)
        perform_text(again);
    empty_by_pop(&subject);
    pop(&subject);
}

/* Reserving can fill a deque just as push can, wherever its ring or block ends. */
static void fill_by_reserving(void) {
    for (size_t n = 1; n < 20; n += 3) {
        while (model_size(&subject) < plenty(&subject) && push_reserved(&subject, n, n) > 0)
            continue;
        steal(&subject);
        push_reserved(&subject, n, n);
        empty_by_pop(&subject);
    }
}

static void walk_step(uint64_t random, unsigned push_weight) {
    const unsigned choice = (unsigned)(random % 100), percent = (unsigned)(random >> 24) % 101;
    const size_t n = (size_t)(random >> 8) % 12, max = (size_t)(random >> 16) % 12;
    /* an unbounded deque would exceed the bounds of the model and the objects */
    const bool more = model_size(&subject) <= 600;
    if (!more)
        push_weight = 0;
    if (choice < push_weight)
        push(&subject);
    else if (choice < push_weight + push_weight / 3)
        push_batch(&subject, n);
    else if (choice < 80)
        pop(&subject);
    else if (choice < 92)
        steal(&subject);
    else
        steal_batch(&subject, percent, max);
    if (random >> 60 == 0 && more)
        push_list(&subject, n);
    if (random >> 60 == 1)
        steal_list(&subject, percent);
    if (random >> 60 == 2 && subject.capacity <= BATCH_MAX)
        spill(&subject, max * 8);
    if (random >> 60 == 3 && more)
        push_reserved(&subject, 1 + n, max);
}

/* Phases of mostly pushes and mostly takes, so that the deque is often full and often empty. */
static void walk(uint64_t seed, unsigned steps) {
    uint64_t state = seed | 1;
    for (unsigned i = 0; i < steps; i++) {
        unsigned push_weight = (unsigned)(random_next(&state) % 2 ? 55 : 15);
        for (unsigned j = 0; j < 24; j++)
            walk_step(random_next(&state), push_weight);
    }
    empty_by_pop(&subject);
}

/* --- memory that fails */

enum pushing { ONE_BY_ONE, BATCHES, RESERVED };
/* Which allocations fail: all after the first few, or a single one. */
enum lack { FROM_THERE_ON, THAT_ONE };

static void limit_memory(enum lack lack, long allocations) {
    allocations_left = lack == FROM_THERE_ON ? allocations : -1;
    allocation_to_fail = lack == THAT_ONE ? allocations : -1;
    trail.whole = false;
}

/* Restores the memory. Was an allocation refused? (Known only for a single one.) */
static bool unlimit_memory(enum lack lack) {
    bool failed = lack == THAT_ONE && allocation_to_fail < 0;
    limit_memory(lack, -1);
    return failed;
}

static void push_by(enum pushing pushing, size_t i) {
    if (pushing == BATCHES)
        push_batch(&subject, 1 + i % 7);
    else if (pushing == RESERVED)
        push_reserved(&subject, 1 + i % 7, 7);
    else
        push(&subject);
}

/* Growth fails somewhere; the deque says FULL, loses nothing, and goes on when memory is back. */
static void grow_without_memory(enum pushing pushing, enum lack lack, long allocations) {
    subject.memory_fails = true;
    limit_memory(lack, allocations);
    for (size_t i = 0; i < plenty(&subject) + 3; i++) {
        push_by(pushing, i);
        if (i % 5 == 4 && lack == FROM_THERE_ON)
            steal(&subject);
    }
    unlimit_memory(lack);
    subject.memory_fails = false;
    for (size_t i = 0; i < 5; i++)
        push(&subject);
    empty_by_pop(&subject);
}

/* Memory ends at each point in turn, of deque_init and of growth. deque_init says ENOMEM, and leaks nothing. */
static void memory_fails(struct deque_config config, enum pushing pushing, enum lack lack) {
    for (long n = 0; n < 12; n++) {
        if (!begin("", "mode %u, capacity %zu, block %zu, memory that fails %s %ld allocations", config.mode,
                   config.capacity, config.block, lack == THAT_ONE ? "once, after" : "after", n))
            continue;
        limit_memory(lack, n);
        int error = deque_init(subject.deque, &config);
        bool failed = unlimit_memory(lack);
        if (error && error != ENOMEM)
            check_fail("deque_init gave %d (%s) for lack of memory", error, strerror(error));
        if (error)
            expect_no_allocations("deque_init gave ENOMEM");
        else if (failed)
            check_fail("deque_init gave 0, though it was refused memory");
        else
            deque_destroy(subject.deque);
        if (error && lack == FROM_THERE_ON)
            continue;
        open_subject(&subject, &config);
        grow_without_memory(pushing, lack, n);
        close_subject(&subject);
    }
}

static void try_lack_of_memory(unsigned mode) {
    for (size_t capacity = 1; capacity < 5; capacity++) {
        struct deque_config config = {.capacity = capacity, .mode = mode, .workers = 1, .first = subject.deque};
        for (enum pushing pushing = ONE_BY_ONE; pushing <= RESERVED; pushing++)
            memory_fails(config, pushing, FROM_THERE_ON);
        memory_fails(config, ONE_BY_ONE, THAT_ONE);
        config.block = 1; /* many blocks, and their index grows, too */
        memory_fails(config, ONE_BY_ONE, THAT_ONE);
        memory_fails(config, ONE_BY_ONE, FROM_THERE_ON);
    }
}

#include "proof/checks/conformance_edges.h"
#include "proof/checks/reach.h"

/* --- settings */

static void try_setting(unsigned mode, size_t capacity, uint64_t first_index, uint64_t seed) {
    char options[64];
    const struct deque_config config = {
        .capacity = capacity, .mode = mode, .first_index = first_index, .workers = 1, .first = subject.deque};
    snprintf(options, sizeof options, "--seed=%llu", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        if (!begin(options, "%s: mode %u, capacity %zu, counters from %llu", scripts[i].what, mode, capacity,
                   (unsigned long long)first_index))
            continue;
        open_subject(&subject, &config);
        run_script(&scripts[i]);
        fill(&subject);
        close_subject(&subject);
    }
    if (begin(options, "at random: mode %u, capacity %zu, counters from %llu", mode, capacity,
              (unsigned long long)first_index)) {
        open_subject(&subject, &config);
        fill_by_reserving();
        walk(random_of(seed, capacity ^ first_index), 8);
        close_subject(&subject);
    }
    try_spill(&config);
    try_steal_into(&config);
}

static void try_settings(uint64_t seed) {
    static const size_t capacities[] = {1, 2, 4, 64, 3, 0};
    for (unsigned mode = 0; mode < mode_count(); mode++) {
        for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
            for (size_t j = 0; j < FIRST_INDICES; j++)
                try_setting(mode, capacities[i], first_index(j, 2), seed);
        try_lack_of_memory(mode);
        try_far(mode);
    }
}

/* Random walks over random settings, until the time or the number of rounds is used up. Walk n of seed s is walk 0 of
 * seed s + n. */
static unsigned long random_walks(uint64_t start) {
    unsigned long walks = 0;
    while (asked->rounds ? walks < asked->rounds : (double)(clock_nanoseconds() - start) * 1e-9 < asked->seconds) {
        uint64_t seed = asked->seed + walks, state = random_start(seed, 1);
        char options[64];
        struct deque_config config = {.workers = 1, .first = subject.deque};
        config.capacity = 1 + random_below(&state, 70);
        config.mode = (unsigned)(random_below(&state, mode_count()));
        config.block = traits.thieves_leave ? (size_t[]){0, 1, 2, 3, 8}[random_below(&state, 5)] : 0;
        uint64_t before = random_below(&state, 200);
        config.first_index = first_index(random_next(&state), before);
        snprintf(options, sizeof options, "--seed=%llu --rounds=1", (unsigned long long)seed);
        walks++;
        if (!begin(options, "walk, mode %u, capacity %zu, counters from %llu", config.mode, config.capacity,
                   (unsigned long long)config.first_index))
            continue;
        open_subject(&subject, &config);
        walk(random_next(&state), 20);
        close_subject(&subject);
    }
    return walks;
}

/* --- the check */

static void expect_traits(void) {
    check_trying("", "the traits");
    if (!traits.title || !*traits.title || !traits.source || !*traits.source)
        check_fail("it has no title or no source");
    if (traits.native != DEQUE_NATIVE)
        check_fail("native is %u, but DEQUE_NATIVE is %u", traits.native, (unsigned)(DEQUE_NATIVE));
    if (traits.sound == (traits.fault != NULL))
        check_fail("the traits state a fault of a sound deque, or none of an unsound one");
    if (!traits.mode != !traits.mode_values)
        check_fail("a mode needs values, and values a mode");
}

static bool try_all(unsigned long *walks) {
    const uint64_t start = clock_nanoseconds();
    open_thief();
    try_edge(&edges[0]); /* before all other steals: self is NULL */
    linear = traits.thieves_leave == 0 && front_is_lost();
    try_settings(asked->seed);
    try_edges();
    try_long();
    *walks = random_walks(start);
    if (hangs)
        return false;
    if (DEQUE_HAS(DEQUE_PUSH_AT) && !own_taken)
        check_fail("pop_own never gave an item");
    if (traits.thieves_leave && !left_to_owner_seen)
        check_fail("thieves are to leave %u items, but never did", traits.thieves_leave);
    return true;
}

static int conformance_run(const struct check_request *request) {
    const char *from = getenv("CONFORMANCE_FROM");
    unsigned long walks = 0;
    asked = request;
    if (from && sscanf(from, "%lu %u", &first_case, &hangs) != 2)
        first_case = hangs = 0;
    check_begin("conformance", traits.id, request);
    check_when_it_fails(explain, hangs < HANGS_MAX ? go_on_behind_the_hang : NULL);
    expect_traits();
    if (traits.keeps_nothing)
        return check_passed("it keeps nothing");
    subject.deque = new_deque();
    other.deque = new_deque();
    if (!try_all(&walks))
        return 1;
    if (subject.self)
        deque_destroy(subject.self);
    free(subject.self);
    free(subject.deque);
    free(other.deque);
    return check_passed("%s; %lu steps, %lu random walks%s", reach_text(), check_steps(), walks,
                        linear ? ", room at the front comes back when the owner has emptied it" : "");
}

static const struct check conformance = {
    .name = "conformance",
    .summary = "one thread, each operation against a plain model",
    .in_stamp = true,
    .run = conformance_run,
};
REGISTER_CHECK(conformance);
