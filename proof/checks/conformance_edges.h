/* conformance_edges.h: the rarer uses of a deque: defaults, settings out of range, small blocks, memory in the long
 * run, the spilling of a full ring, a state shared by several workers. Part of conformance.c, whose model it uses. */

/* Opens the subject with these settings of struct deque_config; says so if something fails. */
#define OPEN(settings, ...)                                                                                            \
    do {                                                                                                               \
        struct deque_config config = {.workers = 1, .first = subject.deque, __VA_ARGS__};                              \
        gate_trying("", "%s", settings);                                                                               \
        open_subject(&subject, &config);                                                                               \
    } while (0)

static void empty_and_close(void) {
    empty_by_pop(&subject);
    close_subject(&subject);
}

/* The smallest capacity that a deque may have by default: what a first user puts in without having set anything. */
#define DEFAULT_LEAST 128

static void try_defaults(void) {
    OPEN("no capacity given", .capacity = 0);
    if (subject.capacity && subject.capacity < DEFAULT_LEAST)
        gate_fail("by default it has room for %zu items, and at least %d are expected", subject.capacity,
                  DEFAULT_LEAST);
    for (size_t i = 0; i < DEFAULT_LEAST; i++)
        if (push(&subject) != DEQUE_OK)
            gate_fail("push refuses item %zu in a deque left to its defaults", i + 1);
    empty_and_close();
}

/* Runs before all other steals. A deque whose traits do not say needs_self crashes here if it looks at self. */
static void try_without_self(void) {
    if (traits.needs_self)
        return;
    OPEN("a thief without a deque of its own: self is NULL, since the traits do not say needs_self", .capacity = 4);
    push(&subject);
    push(&subject);
    steal_batch(&subject, 100, 1);
    steal(&subject);
    empty_and_close();
}

/* A caller that sets nothing at all: every field is 0 or NULL, which stands for a default. */
static void try_nothing_set(void) {
    struct deque_config config = {0};
    gate_trying("", "no setting given");
    open_subject(&subject, &config);
    for (int i = 0; i < 3; i++)
        push_batch(&subject, 5);
    steal_batch(&subject, 0, BATCH_MAX);
    steal(&subject);
    empty_and_close();
}

/* More items than 16 bits can count. Thieves that have to ask do so in between. */
#define MANY 140000

static void try_many(void) {
    struct deque_config config = {.capacity = MANY, .workers = 1, .first = subject.deque};
    size_t out = 0;
    deque_item item = 0;
    if (DEQUE_HAS(DEQUE_LISTS)) /* an object can be in it only once, and there are not that many */
        return;
    gate_trying("", "%d items", MANY);
    if (deque_init(subject.deque, &config) != 0)
        return;
    for (size_t i = 0; i < MANY; i++, gate_step())
        if (deque_push(subject.deque, new_item()) != DEQUE_OK)
            gate_fail("push of item %zu of %d was refused", i + 1, MANY);
    for (int i = 0; i < 6; i++) {
        out += deque_steal(subject.deque, subject.self, &item) == DEQUE_OK;
        deque_poll(subject.deque);
    }
    for (bool more = true; more; gate_step()) {
        bool stolen = deque_steal(subject.deque, subject.self, &item) == DEQUE_OK;
        bool popped = deque_pop(subject.deque, &item) == DEQUE_OK;
        out += stolen + popped;
        more = stolen || popped;
    }
    if (out != MANY || deque_size(subject.deque) != 0)
        gate_fail("of %d items %zu came out, and deque_size is %zu", MANY, out, deque_size(subject.deque));
    close_subject(&subject);
}

/* A deque that grows may begin large. */
static void try_large(void) {
    if (traits.bound != DEQUE_GROWABLE)
        return;
    OPEN("capacity 2^21", .capacity = (size_t)1 << 21);
    for (int i = 0; i < 3; i++)
        push(&subject);
    steal(&subject);
    empty_and_close();
}

static void expect_no_more_than(long made) {
    if (allocations_made != made)
        gate_fail("it goes on allocating: %ld times while the same was done again and again", allocations_made - made);
}

/* A deque that never holds more than a few items stops allocating after a while. A deque of fixed size allocates
 * nothing at all, since no thread is stopped here. */
static void try_memory_in_the_long_run(void) {
    long made = 0;
    OPEN("capacity 1, a few items at a time, for long", .capacity = 1);
    for (int i = 0; i < 4000; i++) {
        if (i == (traits.bound == DEQUE_FIXED ? 0 : 400))
            made = allocations_made;
        for (int j = 0; j < 4; j++)
            push(&subject);
        pop(&subject);
        pop(&subject);
        push(&subject);
        steal(&subject);
        empty_by_pop(&subject);
    }
    expect_no_more_than(made);
    close_subject(&subject);
}

/* Pushes and steals one by one, so that the next item lies that many places further on. */
static void move_on(struct subject *empty, size_t count) {
    for (; count > 0; count--) {
        push(empty);
        if (steal(empty) != DEQUE_OK)
            empty_by_pop(empty);
    }
}

/* The same for two deques of which one steals into the other, at ever other places of their blocks or rings. */
static void try_memory_while_items_move(size_t block_of_other) {
    long made = 0;
    gate_trying("", "capacity 16, items that one steals into its own deque of blocks of %zu, for long", block_of_other);
    open_pair((struct deque_config){.capacity = 16, .block = 4}, block_of_other, 0);
    for (size_t i = 0; i < 2000; i++) {
        if (i == 400)
            made = allocations_made;
        move_on(&subject, i / 3 % 4);
        if (!traits.needs_self) /* nobody can steal from the other then */
            move_on(&other, i / 12 % 4);
        steal_into(&subject, &other, at_most_room(&subject, 5 + i % 11), i % 3);
    }
    expect_no_more_than(made);
    close_pair();
}

/* Both are new, and each begins at its own place of a block or ring. */
static void try_moving_from_anywhere(void) {
    for (size_t i = 0; i < 16; i++) {
        gate_trying("", "steal_into from place %zu of a block of 4 to place %zu of another", i % 4, i / 4);
        open_pair((struct deque_config){.capacity = 16, .block = 4, .first_index = i % 4}, 4, i / 4);
        steal_into(&subject, &other, at_most_room(&subject, 14), 0);
        steal_into(&subject, &other, at_most_room(&subject, 15), 0);
        close_pair();
    }
}

/* The thief's own deque would grow, and there is no memory: what does not fit stays where it was. */
static void try_moving_without_memory(void) {
    for (long left = 0; left < 6; left++) {
        gate_trying("", "steal_into with memory for %ld allocations", left);
        open_pair((struct deque_config){.capacity = 4, .block = 2}, 2, 0);
        allocations_of_steal_into = left;
        for (size_t i = 0; i < 40; i++)
            steal_into(&subject, &other, at_most_room(&subject, i), i % 3);
        allocations_of_steal_into = -1;
        close_pair();
    }
}

static void try_moving(void) {
    if (!steal_into_can_be_followed())
        return;
    try_memory_while_items_move(4);
    try_memory_while_items_move(2);
    try_moving_from_anywhere();
    try_moving_without_memory();
}

/* A thief that is told EMPTY by a deque with items in it has asked for them: after the owner's poll it gets some. */
static void try_polling(void) {
    bool asked = false, several = false;
    if (!DEQUE_HAS(DEQUE_POLL))
        return;
    OPEN("a thief that asks, and a poll", .capacity = 16);
    steal(&subject); /* asks before there is anything */
    for (int i = 0; i < 8; i++)
        push(&subject);
    while (model_size(&subject) > 1) {
        enum deque_result result = steal(&subject);
        deque_poll(subject.deque);
        asked = asked || result == DEQUE_EMPTY;
        if (result == DEQUE_EMPTY && steal(&subject) != DEQUE_OK)
            gate_fail("a thief asks, the owner polls, and there is nothing for the thief");
        several = several || (result == DEQUE_EMPTY && steal(&subject) == DEQUE_OK);
        if (result == DEQUE_LOST)
            pop(&subject);
    }
    if (asked && several == traits.one_a_request)
        gate_fail("a thief asks, the owner polls, and thieves have %s: the traits say otherwise",
                  several ? "several items" : "one item");
    empty_and_close();
}

static void try_modes_out_of_range(void) {
    struct deque_config config = {.capacity = 4, .workers = 1, .first = subject.deque, .mode = mode_count()};
    if (!traits.mode)
        return;
    gate_trying("", "mode %u, which there is not", config.mode);
    int error = deque_init(subject.deque, &config);
    if (error != EINVAL)
        gate_fail("deque_init gave %d for mode %u, of %u modes", error, config.mode, mode_count());
}

/* With blocks of one item thieves leave one item at most, whether the owner has popped or not. */
static void try_small_blocks(void) {
    for (int pops = 0; pops < 2; pops++) {
        OPEN("blocks of one item", .capacity = 64, .block = 1);
        fill(&subject);
        if (pops)
            pop(&subject);
        while (steal(&subject) == DEQUE_OK)
            continue;
        if (model_size(&subject) > 1)
            gate_fail("with blocks of one item thieves leave %zu", model_size(&subject));
        empty_and_close();
    }
}

/* A deque made for fewer items than a block has still needs a second block, or thieves would never get any. */
static void try_few_blocks(void) {
    OPEN("capacity 1, blocks of 4 items", .capacity = 1, .block = 4);
    fill(&subject);
    if (steal(&subject) != DEQUE_OK)
        gate_fail("thieves get none of %zu items", model_size(&subject));
    empty_and_close();
}

static void expect_refill(size_t first, size_t fewer, const char *by) {
    fill(&subject);
    if (model_size(&subject) + fewer < first)
        gate_fail("it held %zu items, then, emptied by %s, %zu", first, by, model_size(&subject));
}

/* Room comes back a block at a time. What was filled once can be filled again, except for the owner's block and the
 * next. A batch goes in whole if there is room. */
static void try_refill(size_t block) {
    OPEN("filled again, in blocks of 1 to 8 items", .capacity = 64, .block = block);
    push_batch(&subject, 3 * block + 1);
    if (model_size(&subject) != 3 * block + 1)
        gate_fail("of a batch of %zu items %zu went into an empty deque", 3 * block + 1, model_size(&subject));
    fill(&subject);
    size_t first = model_size(&subject);
    while (steal(&subject) == DEQUE_OK)
        continue;
    expect_refill(first, 2 * block, "thieves");
    for (size_t i = 0; i < 5; i++) {
        for (size_t left = block + i; left > 0; left--)
            pop(&subject);
        expect_refill(first, block, "its owner");
        if (i & 1)
            empty_by_pop(&subject);
    }
    empty_and_close();
}

static void try_blocks(void) {
    if (traits.thieves_leave < 2)
        return;
    try_small_blocks();
    try_few_blocks();
    for (size_t block = 1; block < 9; block *= 2)
        try_refill(block);
}

/* Both workers share one state, so items outlive the worker that pushed them. */
static void try_shared(void) {
    struct deque_config config = {.capacity = 4, .workers = 2, .first = subject.deque};
    deque_item item = 0;
    if (!traits.shared)
        return;
    gate_trying("", "two workers that share one state");
    open_subject(&subject, &config);
    config.worker = 1;
    if (deque_init(other.deque, &config) != 0)
        gate_fail("deque_init of worker 1 failed");
    deque_item pushed = new_item();
    if (deque_push(other.deque, pushed) != DEQUE_OK || deque_size(subject.deque) != 1)
        gate_fail("worker 0 does not have what worker 1 pushed");
    deque_destroy(other.deque);
    if (deque_pop(subject.deque, &item) != DEQUE_OK || item != pushed)
        gate_fail("worker 0 does not get what worker 1 pushed, who has gone since");
    close_subject(&subject);
}

#if DEQUE_NATIVE & DEQUE_LISTS

/* A list of which something was taken can be appended to. */
static void try_list_in_use(void) {
    struct deque_list list;
    gate_trying("", "a list that is taken from and appended to");
    new_list(&list, 3);
    deque_list_take(&list);
    deque_item oldest = new_item();
    deque_list_append(&list, oldest);
    if (list.count != 3 || list.last != (void *)oldest)
        gate_fail("deque_list_append to a list taken from left count or last wrong");
    for (int i = 0; i < 2; i++)
        deque_list_take(&list);
    if (deque_list_take(&list) != oldest || list.count != 0)
        gate_fail("what was appended last to a list is not its oldest");
}

#else
static void try_list_in_use(void) {}
#endif

#ifdef DEQUE_SPILL

static void try_spill(size_t capacity, uint64_t first_index) {
    struct deque_config config = {
        .capacity = capacity, .first_index = first_index, .workers = 1, .first = subject.deque};
    gate_trying("", "spilling, capacity %zu, counters from %llu", capacity, (unsigned long long)first_index);
    open_subject(&subject, &config);
    size_t half = subject.capacity - subject.capacity / 2;
    for (size_t turn = 0; turn < 2 * subject.capacity; turn++) {
        if (spill(&subject, BATCH_MAX) != 0)
            gate_fail("a ring that was not full gave something back");
        for (size_t i = 0; i < turn % subject.capacity; i++) { /* full at another place of the ring each time */
            push(&subject);
            steal(&subject);
        }
        fill(&subject);
        if (spill(&subject, half - 1) != 0)
            gate_fail("a spill had room for %zu items, of which half the ring is more", half - 1);
        if (spill(&subject, half) != half)
            gate_fail("a full ring of %zu did not give %zu back", subject.capacity, half);
        fill(&subject);
        spill(&subject, BATCH_MAX);
        empty_by_pop(&subject);
    }
    close_subject(&subject);
}

static void try_spills(void) {
    static const size_t sizes[] = {1, 2, 4, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        try_spill(sizes[i], 0);
        try_spill(sizes[i], UINT32_MAX - 1);
        try_spill(sizes[i], UINT64_MAX - 1);
    }
}

#else
static void try_spills(void) {}
#endif

static void try_edges(void) {
    try_defaults();
    try_nothing_set();
    try_many();
    try_large();
    try_memory_in_the_long_run();
    try_moving();
    try_polling();
    try_modes_out_of_range();
    try_blocks();
    try_shared();
    try_spills();
    try_list_in_use();
}
