/* conformance_edges.h: the rarer uses of a deque: defaults, settings out of range, small blocks, memory in the long
 * run, two deques of which one steals from the other, the spilling of a full ring.
 * Part of conformance.c.
 */

/* --- edges of one deque: settings, words (script.h), and then a function. It ends empty. */

/* The smallest capacity that a deque may have by default: what a first user puts in without having set anything. */
#define DEFAULT_LEAST 128

static void hold_by_default(void) {
    if (subject.capacity && subject.capacity < DEFAULT_LEAST)
        check_fail("by default it has room for %zu items, and at least %d are expected", subject.capacity,
                   DEFAULT_LEAST);
    for (size_t i = 0; i < DEFAULT_LEAST; i++)
        push(&subject);
}

static void expect_no_more_than(long made) {
    if (allocations_made != made)
        check_fail("it goes on allocating: %ld times while the same was done again and again", allocations_made - made);
}

/* A deque that never holds more than a few items stops allocating after a while. A deque of fixed size allocates
 * nothing at all, since no thread is stopped here. */
static void hold_a_few_for_long(void) {
    long made = 0;
    for (int i = 0; i < 4000; i++) {
        if (i == (traits.bound == DEQUE_FIXED ? 0 : 400))
            made = allocations_made;
        perform_text("push 4 pop 2 push steal drain");
    }
    expect_no_more_than(made);
}

/* A thief that is told EMPTY by a deque with items in it has asked for them: after the owner's poll it gets some. */
static void ask_and_poll(void) {
    bool asked_once = false, several = false;
    trail.whole = false;
    while (model_size(&subject) > 1) {
        enum deque_result result = steal(&subject);
        deque_poll(subject.deque);
        asked_once = asked_once || result == DEQUE_EMPTY;
        if (result == DEQUE_EMPTY && steal(&subject) != DEQUE_OK)
            check_fail("a thief asks, the owner polls, and there is nothing for the thief");
        several = several || (result == DEQUE_EMPTY && steal(&subject) == DEQUE_OK);
        if (result == DEQUE_LOST)
            pop(&subject);
    }
    if (asked_once && several == traits.one_a_request)
        check_fail("a thief asks, the owner polls, and thieves have %s: the traits say otherwise",
                   several ? "several items" : "one item");
}

static void expect_one_left(void) {
    if (model_size(&subject) > 1)
        check_fail("with blocks of one item thieves leave %zu", model_size(&subject));
}

static void expect_loot(void) {
    if (steal(&subject) != DEQUE_OK)
        check_fail("thieves get none of %zu items", model_size(&subject));
}

static void expect_refill(size_t first, size_t fewer, const char *by) {
    fill(&subject);
    if (model_size(&subject) + fewer < first)
        check_fail("it held %zu items, then, emptied by %s, %zu", first, by, model_size(&subject));
}

/* Room comes back a block at a time. What was filled once can be filled again, except for the owner's block and the
 * next. A batch goes in whole if there is room. */
static void refill(void) {
    const size_t block = subject.config.block;
    push_batch(&subject, 3 * block + 1);
    if (model_size(&subject) != 3 * block + 1)
        check_fail("of a batch of %zu items %zu went into an empty deque", 3 * block + 1, model_size(&subject));
    fill(&subject);
    const size_t first = model_size(&subject);
    perform_text("rob");
    expect_refill(first, 2 * block, "thieves");
    for (size_t i = 0; i < 5; i++) {
        for (size_t left = block + i; left > 0; left--)
            pop(&subject);
        expect_refill(first, block, "its owner");
        if (i & 1)
            empty_by_pop(&subject);
    }
}

/* Each resizing leaves an array that a thief may still read. */
static void resize_again_and_again(void) {
    for (int i = 0; i < 40; i++) {
        for (int n = 0; n < 300; n++)
            push(&subject);
        empty_by_pop(&subject);
    }
}

/* A deque looks into no item: it is any value but 0. */
static void hold_any_value(void) {
    static const uint64_t values[] = {
        1, 2, 3, UINT64_MAX, (uint64_t)1 << 47, (uint64_t)1 << 48, UINT32_MAX, ~(uint64_t)0xffff, 0xa5a5a5a5a5a5a5a5};
    trail.whole = false;
    for (size_t i = 0; !DEQUE_HAS(DEQUE_LISTS) && i < 2 * (sizeof values / sizeof values[0]); i++) {
        const deque_item pushed = (deque_item)(uintptr_t)values[i / 2];
        deque_item item = 0;
        deque_push(subject.deque, pushed);
        if (i % 2 == 0 || deque_steal(subject.deque, subject.self, &item) != DEQUE_OK)
            deque_pop(subject.deque, &item);
        if (item != pushed)
            check_fail("%llx came out as %llx", (unsigned long long)values[i / 2], (unsigned long long)(uintptr_t)item);
    }
}

static const struct edge {
    const char *what;
    struct deque_config config;
    enum { ANY, REFUSABLE, SELFLESS, GROWING, ASKED, BLOCKS, BARE } of; /* BARE: nothing else is set either */
    const char *text;
    void (*run)(void);
} edges[] = {
    /* A deque whose traits do not say needs_self crashes here if it looks at self. */
    {"self is NULL, since the traits do not say needs_self",
     {.capacity = 4},
     SELFLESS,
     "push 2 take 100/1 steal",
     NULL},
    {"no capacity given", {.capacity = 0}, ANY, "", hold_by_default},
    {"no setting given", {.capacity = 0}, BARE, "batch 5 batch 5 batch 5 take 0/128 steal", NULL},
    {"capacity 2^21", {.capacity = (size_t)1 << 21}, REFUSABLE, "push 3 steal", NULL},
    {"a few items at a time, for long", {.capacity = 1}, ANY, "", hold_a_few_for_long},
    {"40 times 300 items", {.capacity = 1}, GROWING, "", resize_again_and_again},
    {"any item but 0", {.capacity = 4}, ANY, "", hold_any_value},
    {"a few items at a time, for long, from 2^63 on",
     {.capacity = 1, .first_index = (uint64_t)1 << 63},
     ANY,
     "",
     hold_a_few_for_long},
    {"a thief that asks, and a poll", {.capacity = 16}, ASKED, "steal push 8", ask_and_poll},
    {"blocks of one item", {.capacity = 64, .block = 1}, BLOCKS, "fill rob", expect_one_left},
    {"blocks of one item, popped", {.capacity = 64, .block = 1}, BLOCKS, "fill pop rob", expect_one_left},
    /* made for fewer items than a block has, it still needs a second block, or thieves would never get any */
    {"capacity 1, blocks of 4 items", {.capacity = 1, .block = 4}, BLOCKS, "fill", expect_loot},
    {"filled again, blocks of 1", {.capacity = 64, .block = 1}, BLOCKS, "", refill},
    {"filled again, blocks of 2", {.capacity = 64, .block = 2}, BLOCKS, "", refill},
    {"filled again, blocks of 4", {.capacity = 64, .block = 4}, BLOCKS, "", refill},
    {"filled again, blocks of 8", {.capacity = 64, .block = 8}, BLOCKS, "", refill},
};

static bool concerns(const struct edge *edge) {
    return edge->of == SELFLESS  ? !traits.needs_self
           : edge->of == GROWING ? traits.bound == DEQUE_GROWABLE
           : edge->of == ASKED   ? DEQUE_HAS(DEQUE_POLL)
                                 : edge->of != BLOCKS || traits.thieves_leave > 1;
}

static void try_edge(const struct edge *edge) {
    struct deque_config config = edge->config;
    if (edge->of != BARE) {
        config.workers = 1;
        config.first = subject.deque;
    }
    if (!concerns(edge) || !begin("", "%s", edge->what))
        return;
    if (edge->of == REFUSABLE) {
        if (deque_init(subject.deque, &config) != 0)
            return;
        deque_destroy(subject.deque);
    }
    open_subject(&subject, &config);
    perform_text(edge->text);
    if (edge->run)
        edge->run();
    empty_by_pop(&subject);
    close_subject(&subject);
}

/* --- settings that deque_init has to refuse */

/* A deque_init that goes on with sizes it never set finds small ones. */
static __attribute__((noinline)) void leave_ones_behind(void) {
    volatile size_t stack[256];
    for (size_t i = 0; i < sizeof stack / sizeof stack[0]; i++)
        stack[i] = 1;
}

/* Refuses this size, or really makes so much room. */
static __attribute__((noinline)) void try_absurd_setting(size_t size, bool block) {
    struct deque_config config = {.workers = 1, .first = subject.deque};
    *(block ? &config.block : &config.capacity) = size;
    int error = deque_init(subject.deque, &config);
    if (error && error != EINVAL && error != ENOMEM)
        check_fail("deque_init gave %d (%s)", error, strerror(error));
    if (error) {
        expect_no_allocations("deque_init refused");
        return;
    }
    close_subject(&subject);
    if (!block && traits.bound != DEQUE_LINKED)
        check_fail("deque_init says that it made room for %zu items", size);
}

static void try_absurd_settings(void) {
    static const size_t sizes[] = {
        SIZE_MAX,          SIZE_MAX - 1,    SIZE_MAX / 2 + 1,     SIZE_MAX / 2,  SIZE_MAX / 4,
        SIZE_MAX / 8 + 1,  SIZE_MAX / 8,    SIZE_MAX / 16 + 1,    SIZE_MAX / 16, SIZE_MAX / 32 + 1,
        SIZE_MAX / 32 - 1, (size_t)1 << 48, ((size_t)1 << 32) + 1};
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof sizes[0]); i++) {
        if (!begin("", "deque_init with %s %zu", i & 1 ? "block" : "capacity", sizes[i / 2]))
            continue;
        leave_ones_behind();
        try_absurd_setting(sizes[i / 2], i & 1);
    }
}

static void try_modes_out_of_range(void) {
    struct deque_config config = {.capacity = 4, .workers = 1, .first = subject.deque, .mode = mode_count()};
    if (!traits.mode || !begin("", "mode %u, which there is not", config.mode))
        return;
    int error = deque_init(subject.deque, &config);
    if (error != EINVAL)
        check_fail("deque_init gave %d for mode %u, of %u modes", error, config.mode, mode_count());
}

/* --- two deques */

static bool steal_into_can_be_followed(void) {
    if (traits.shared) /* victim and self hold the same items, so there is nothing to move */
        return false;
    /* otherwise the owner's oldest items may stay, and the model cannot tell which items moved */
    return traits.owner_order != DEQUE_FIFO || traits.thieves_leave == 0;
}

static void try_steal_into(const struct deque_config *config) {
    if (!steal_into_can_be_followed() ||
        !begin("", "steal_into, mode %u, capacity %zu, counters from %llu", config->mode, config->capacity,
               (unsigned long long)config->first_index))
        return;
    open_pair(*config, 0, config->first_index);
    for (size_t in_subject = 0; in_subject < 12; in_subject++)
        for (size_t in_other = 0; in_other < 6; in_other++)
            fill_and_steal_into(in_subject, in_other);
    fill_and_steal_into(64, 64);
    close_pair();
}

/* Pushes and steals one by one, so that the next item lies that many places further on. */
static void move_on(struct subject *empty, size_t count) {
    for (; count > 0; count--) {
        push(empty);
        if (steal(empty) != DEQUE_OK)
            empty_by_pop(empty);
    }
}

/* As hold_a_few_for_long, at ever other places of the blocks or rings of two. */
static void try_memory_while_items_move(size_t block_of_other) {
    long made = 0;
    if (!begin("", "items that one steals into its own deque of blocks of %zu, for long", block_of_other))
        return;
    open_pair((struct deque_config){.capacity = 16, .block = 4}, block_of_other, 0);
    for (size_t i = 0; i < 2000; i++) {
        if (i == 400)
            made = allocations_made;
        move_on(&subject, i / 3 % 4);
        if (!traits.needs_self) /* nobody can steal from the other then */
            move_on(&other, i / 12 % 4);
        fill_and_steal_into(5 + i % 11, i % 3);
    }
    expect_no_more_than(made);
    close_pair();
}

/* Both are new, and each begins at its own place of a block or ring. */
static void try_moving_from_anywhere(void) {
    size_t tried = 0;
    moved_at_most = 0;
    for (size_t i = 0; i < 16; i++) {
        if (!begin("", "steal_into from place %zu of a block of 4 to place %zu of another", i % 4, i / 4))
            continue;
        tried++;
        open_pair((struct deque_config){.capacity = 16, .block = 4, .first_index = i % 4}, 4, i / 4);
        fill_and_steal_into(14, 0);
        for (size_t in_other = 0; in_other <= 4; in_other++)
            fill_and_steal_into(15, in_other);
        close_pair();
    }
    if (DEQUE_HAS(DEQUE_STEAL_INTO) && tried == 16 && moved_at_most == 0)
        check_fail("steal_into never moved any of 14 or 15 items");
}

/* The thief's own deque would grow, and there is no memory: what does not fit stays where it was. */
static void try_moving_without_memory(void) {
    for (long left = 0; left < 6; left++) {
        if (!begin("", "steal_into with memory for %ld allocations", left))
            continue;
        open_pair((struct deque_config){.capacity = 4, .block = 2}, 2, 0);
        trail.whole = false;
        allocations_of_steal_into = left;
        for (size_t i = 0; i < 40; i++)
            fill_and_steal_into(i, i % 3);
        allocations_of_steal_into = -1;
        close_pair();
    }
}

#ifdef DEQUE_SPILL
/* Full at another place of the ring each time. */
static void try_spill(const struct deque_config *config) {
    if (config->capacity == 0 || config->capacity > 8 ||
        !begin("", "spilling, capacity %zu, counters from %llu", config->capacity,
               (unsigned long long)config->first_index))
        return;
    open_subject(&subject, config);
    const size_t half = subject.capacity - subject.capacity / 2;
    for (size_t turn = 0; turn < 2 * subject.capacity; turn++) {
        spill(&subject, BATCH_MAX); /* nothing, since it is not full */
        for (size_t i = 0; i < turn % subject.capacity; i++)
            perform_text("push steal");
        fill(&subject);
        spill(&subject, half - 1); /* nothing, for want of room */
        spill(&subject, half);
        perform_text("push fill spill 128 drain");
    }
    close_subject(&subject);
}
#else
static void try_spill(const struct deque_config *config) { (void)config; }
#endif

/* Does room that thieves make at the front stay lost? */
static bool front_is_lost(void) {
    struct deque_config config = {.capacity = 64, .workers = 1, .first = subject.deque};
    deque_item item;
    if (traits.bound != DEQUE_FIXED)
        return false;
    open_subject(&subject, &config);
    fill(&subject);
    trail.whole = false;
    bool lost = deque_steal(subject.deque, subject.self, &item) == DEQUE_OK &&
                deque_push(subject.deque, new_item()) == DEQUE_FULL;
    close_subject(&subject);
    return lost;
}

static void try_edges(void) {
    for (size_t i = 1; i < sizeof edges / sizeof edges[0]; i++)
        try_edge(&edges[i]);
    try_absurd_settings();
    try_modes_out_of_range();
    if (steal_into_can_be_followed()) {
        try_memory_while_items_move(4);
        try_memory_while_items_move(2);
        try_moving_from_anywhere();
        try_moving_without_memory();
    }
}
