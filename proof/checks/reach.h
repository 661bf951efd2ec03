/* reach.h: one deque with very many items: held at once, growth and shrinking on the way, and the positions that it
 * comes to. What was reached is printed with the verdict. Part of conformance.c.
 */

/* More than 16 bits and than 2^17 cells: a ring that doubles comes to 2^18. Sanitizers, which are slow, see less. */
#define FAR (CHECK_SANITIZED ? 70000 : 200000)
#define STEAL_TURNS 8192 /* between two steals; an intrusive deque walks through all its items to take one */
#define ARENA ((size_t)1 << 20)

static struct {
    size_t held, grew, shrank; /* most items at once; inside when it last grew, and first gave memory back */
    bool moves, long_run;      /* do positions start where config->first_index says? Or went 2^32 items through? */
} reach;

/* A count in place of the model: serials come out in order. */
static struct {
    uint64_t oldest, newest; /* of the items inside; newest: one past it */
    bool ordered;            /* items come out by the order of pushes at both ends */
} far;

static void expect_far(const char *what, deque_item item, bool from_oldest) {
    const uint64_t due = from_oldest ? far.oldest++ : --far.newest;
    if (far.ordered)
        expect_serial(what, item, due);
}

static bool push_far(void) {
    const long made = allocations_made;
    next_serial = far.newest;
    if (deque_push(subject.deque, new_item()) != DEQUE_OK)
        return false;
    far.newest++;
    if (allocations_made != made)
        reach.grew = far.newest - far.oldest > reach.grew ? far.newest - far.oldest : reach.grew;
    check_step();
    return true;
}

/* Pops until so many are left; a few are stolen. */
static void take_far(size_t left) {
    deque_item item = 0;
    const long released = allocations_made - allocations_live;
    for (size_t turn = 0; far.newest - far.oldest > left; turn++) {
        if (turn % STEAL_TURNS == 0 && deque_steal(subject.deque, subject.self, &item) == DEQUE_OK)
            expect_far("steal", item, true);
        deque_poll(subject.deque);
        if (far.newest - far.oldest <= left)
            break;
        if (deque_pop(subject.deque, &item) != DEQUE_OK)
            check_fail("pop gave nothing with %llu items inside", (unsigned long long)(far.newest - far.oldest));
        expect_far("pop", item, traits.owner_order == DEQUE_FIFO);
        if (allocations_made - allocations_live > released && far.newest - far.oldest > reach.shrank)
            reach.shrank = far.newest - far.oldest;
        check_step();
    }
}

/* As many as it holds go in as one batch, and thieves take them as one. */
static void try_all_at_once(size_t n) {
    static deque_item items[OBJECTS];
    if (!(DEQUE_NATIVE & (DEQUE_PUSH_BATCH | DEQUE_STEAL_BATCH)) || n > OBJECTS)
        return;
    deque_pop(subject.deque, items); /* EMPTY: then all of a linear array is free */
    next_serial = far.oldest = far.newest;
    for (size_t i = 0; i < n; i++)
        items[i] = new_item();
    size_t pushed = deque_push_batch(subject.deque, items, n), took = 0;
    far.newest += pushed;
    if (pushed != n && traits.thieves_leave == 0)
        check_fail("of %zu items at once %zu went into an empty deque", n, pushed);
    if (DEQUE_HAS(DEQUE_STEAL_BATCH) &&
        deque_steal_batch(subject.deque, subject.self, 100, items, pushed, &took) == DEQUE_OK)
        expect_share(pushed, "steal_batch", 100, pushed, took);
    for (size_t i = 0; i < took; i++)
        expect_far("steal_batch", items[i], true);
    take_far(0);
}

/* A deque of fixed size is filled; another grows from nothing. Then most is taken, some comes again, and all is taken:
 * whatever grows or shrinks at a size up to here does so. */
static void try_far(unsigned mode) {
    const bool fixed = traits.bound == DEQUE_FIXED;
    struct deque_config config = {.capacity = fixed ? FAR : 2, .mode = mode, .workers = 1, .first = subject.deque};
    if (!begin("", "mode %u, %d items at once", mode, FAR))
        return;
    if (deque_init(subject.deque, &config) != 0) {
        config.capacity = 0; /* all that it can have */
        make_deque(subject.deque, &config);
    }
    const size_t capacity = deque_capacity(subject.deque), due = config.capacity ? FAR : capacity;
    trail.count = 0;
    allocation_largest = 0;
    far.oldest = far.newest = 0;
    far.ordered = traits.thieves_leave == 0 && !DEQUE_HAS(DEQUE_POLL);
    while (far.newest < OBJECTS && (fixed || far.newest < FAR) && push_far())
        continue;
    if (far.newest < due)
        check_fail("push refuses item %llu of %zu", (unsigned long long)far.newest + 1, due);
    if (deque_size(subject.deque) != far.newest)
        check_fail("deque_size is %zu with %llu items inside", deque_size(subject.deque),
                   (unsigned long long)far.newest);
    reach.held = far.newest > reach.held ? far.newest : reach.held;
    const size_t largest = allocation_largest;
    take_far(FAR / 100);
    for (size_t i = 0; i < FAR / 100 && push_far(); i++)
        continue;
    take_far(0);
    if (allocation_largest > largest)
        check_fail("it asks for %zu bytes at once, and for %zu when it held most", allocation_largest, largest);
    try_all_at_once(due);
    close_subject(&subject);
}

/* Does first_index move the positions? Then deques that are alike but for it have other contents. A deque whose memory
 * is not ours (an original) has other contents each time, and so tells nothing. */
static bool positions_move(void) {
    static unsigned char contents[sizeof(struct deque)];
    char *memory = aligned_alloc(DEQUE_LINE, 2 * ARENA), *copy = memory + ARENA;
    bool alike = true, move = false;
    for (int i = 0; memory && i < 3 && alike; i++) {
        struct deque_config config = {.capacity = 4, .workers = 1, .first = subject.deque};
        config.first_index = i == 2 ? ((uint64_t)1 << 32) - 8 : 0;
        memset(subject.deque, 0, sizeof *subject.deque);
        memset(memory, 0, ARENA);
        arena = memory;
        arena_end = memory + ARENA;
        if (deque_init(subject.deque, &config) != 0)
            continue;
        if (i == 0) {
            memcpy(contents, subject.deque, sizeof contents);
            memcpy(copy, memory, ARENA);
        }
        const bool same = memcmp(contents, subject.deque, sizeof contents) == 0 && memcmp(copy, memory, ARENA) == 0;
        alike = i == 2 || same;
        move = i == 2 && !same;
        deque_destroy(subject.deque);
    }
    arena = NULL;
    free(memory);
    return move;
}

/* Items one by one through a small deque, the first by a steal: what first_index does not move counts past 16 bits.
 * Past 32 bits, where positions cannot be moved there, takes minutes: for check --all. */
#define PAST_16_BITS 70000
#define LONG_SECONDS 60
static void try_long(void) {
    struct deque_config config = {.capacity = 4, .workers = 1, .first = subject.deque};
    reach.moves = positions_move();
    reach.long_run = !reach.moves && asked->seconds >= LONG_SECONDS;
    const uint64_t stolen = traits.thieves_leave || DEQUE_HAS(DEQUE_POLL) ? 0 : PAST_16_BITS;
    const uint64_t count = reach.long_run ? ((uint64_t)1 << 32) + 64 : 2 * PAST_16_BITS;
    if (!begin("", "%llu items through one deque", (unsigned long long)count))
        return;
    open_subject(&subject, &config);
    trail.whole = false;
    const deque_item pushed = object_item(&objects[0], 0);
    for (uint64_t i = 0; i < count; i++, check_step()) {
        deque_item item = 0, none = 0;
        bool out = deque_push(subject.deque, pushed) == DEQUE_OK;
        if (i < stolen) /* the pop that finds nothing makes room in a linear array */
            out = out && deque_steal(subject.deque, subject.self, &item) == DEQUE_OK &&
                  deque_pop(subject.deque, &none) == DEQUE_EMPTY;
        else
            out = out && deque_pop(subject.deque, &item) == DEQUE_OK;
        if (!out || item != pushed)
            check_fail("item %llu is pushed into an empty deque and does not come out", (unsigned long long)i);
    }
    close_subject(&subject);
}

static const char *reach_text(void) {
    static char text[200];
    char grew[40] = "", shrank[40] = "", beyond[80];
    if (reach.grew)
        snprintf(grew, sizeof grew, ", grew at %zu", reach.grew);
    if (reach.shrank)
        snprintf(shrank, sizeof shrank, ", shrank at %zu", reach.shrank);
    snprintf(beyond, sizeof beyond, "not looked at beyond %d items: first_index is ignored", FAR);
    snprintf(text, sizeof text, "held %zu%s%s, %s", reach.held, grew, shrank,
             reach.moves      ? "positions past 2^64"
             : reach.long_run ? "2^32 items through one"
                              : beyond);
    return text;
}
