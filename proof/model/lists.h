/* lists.h: programs around an intrusive deque: lists that go in and come out, and popped links that are used again.
 * Part of clients.c, with -DLISTS.
 *
 * Besides the rules of clients.c: a stolen list has the count it says, ends at its last, and runs from newest to
 * oldest; a later steal takes younger items than an earlier one; and at the end the sizes are what went in less what
 * came out.
 *
 * -DITEMS is how many items there are at the start, -DPERCENT what thieves take of a list, -DLIMIT how many they take
 * as a batch.
 */
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef PERCENT
#define PERCENT 50
#endif
#ifndef LIMIT
#define LIMIT 1
#endif

/* The owner's operations. */

/* Linked by the caller as a user would, the newest first. */
UNUSED void push_a_list(size_t n) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    for (size_t item = items_of_main + n; item > items_of_main; item--) {
        deque_list_append(&list, fill_in(item, 0));
        pushed[item]++, inside[0]++;
    }
    items_of_main += n;
    deque_push_list(&deques[0], &list);
    assert(list.count == 0);
}

/* Pops one item; 0: there was none. */
static size_t popped(void) { return pop_one(0, 0) == DEQUE_OK ? hands[0].items[hands[0].count - 1] : 0; }

static bool may_use_again(void) {
    if (!deque_reusable(&deques[0], deque_retire(&deques[0])))
        return false;
    return used_again = true;
}

/* Pops some, and pushes two of them on a deque if it may, in their old order. On the same deque a thief that stands on
 * the newer one finds the same link behind it, and another tail. */
static void push_two_again(unsigned which) {
    if (ITEMS > 3)
        popped();
    size_t newer = popped(), older = popped();
    if (which == 0)
        popped();
    if (!may_use_again())
        return;
    if (older)
        push_item(which, older);
    if (newer)
        push_item(which, newer);
    if (which == 0)
        popped();
}

/* Deque 1 holds items, so that a wrong cut there takes something away from it. */
UNUSED void start_elsewhere(void) {
    make_deque_from(1, 0, 0);
    for (size_t item = ITEMS + 1; item <= ITEMS + 2; item++)
        push_item(1, item);
}

UNUSED void push_freeable(void) {
    freeable = malloc(sizeof *freeable);
    push_one(0, 0);
}

UNUSED void pop_and_free(void) {
    if (popped() == FREEABLE && may_use_again()) {
        free(freeable);
        freeable = NULL;
    }
}

/* The thieves' operations. */

/* The items that this thief got from here on are younger than those before; oldest first. */
static void expect_younger(struct hand *hand, size_t from) {
    for (; from < hand->count; from++) {
        assert(hand->items[from] >= hand->past);
        hand->past = hand->items[from] + 1;
    }
}

UNUSED void steal_list_once(unsigned me) {
    struct deque_list list;
    enum deque_result result = told(&hands[me], deque_steal_list(&deques[0], NULL, PERCENT, &list));
    struct deque_link *last = list.last, *link = NULL;
    size_t past = hands[me].past, younger = ITEMS_MAX + 1;
    assert((result == DEQUE_OK) == (list.count > 0));
    if (list.count > 1)
        hands[me].several = true;
    while (list.count > 0) {
        link = deque_list_take(&list);
        size_t item = keep(&hands[me], link);
        assert(item < younger && item >= past);
        younger = item;
        if (item >= hands[me].past)
            hands[me].past = item + 1;
    }
    assert(result != DEQUE_OK || (link == last && list.first == NULL));
}

UNUSED void steal_once(unsigned me) {
    size_t before = hands[me].count;
    steal_one(me, 0);
    expect_younger(&hands[me], before);
}

UNUSED void steal_batch_once(unsigned me) {
    size_t before = hands[me].count;
    steal_some(me, PERCENT, LIMIT);
    expect_younger(&hands[me], before);
}

UNUSED void in_another_thread(void *(*body)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
}

/* The programs. */

#undef push
#undef steal
#undef steal_batch
#define push(n) REPEAT(n, push_one_that_fits())
#define push_list(n) push_a_list(n)
#define steal(n) REPEAT(n, steal_once(me))
#define steal_list(n) REPEAT(n, steal_list_once(me))
#define steal_batch(n) REPEAT(n, steal_batch_once(me))
#define begin() make_deque_from(0, 0, 0)

#define PROGRAM(name, set_up, owner, thief) SCENARIO_MODEL(name, begin(); set_up, owner, thief, (void)0)
#define TWO_AT_ONCE(name, set_up, owner, thief)                                                                        \
    SECOND_MODEL(name, thief)                                                                                          \
    SCENARIO_MODEL(name, begin(); set_up, owner, thief, (start(2, name##_second), running++))

/* The formatter takes the statements of a row for one expression. */
/* clang-format off */
PROGRAM(cut_at_pop, push_list(ITEMS), pop(ITEMS), steal_list(1))
PROGRAM(publish, nothing(), push_list(2); push(1); pop(1), steal_list(2))
PROGRAM(twice, push_list(4), pop(1); push(1); pop(2), steal_list(2))
/* The owner empties the deque and fills it again. */
PROGRAM(refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(2))
THREAD(turns_afterwards, 1, steal_list(1))
PROGRAM(turns, push_list(3), pop(3); push_list(2); pop(1), steal_list(1); in_another_thread(turns_afterwards))
TWO_AT_ONCE(both_refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(1))
TWO_AT_ONCE(both, push(3), pop(1); push(1), steal_list(1))
PROGRAM(single, push_list(ITEMS), pop(ITEMS), steal(2))
PROGRAM(batch, push_list(2), push_a_batch(2); pop(1); push(1), steal_batch(2))
PROGRAM(reuse_here, push_list(ITEMS), push_two_again(0), steal_list(2))
TWO_AT_ONCE(both_reuse, push_list(ITEMS), push_two_again(0), steal_list(1))
PROGRAM(reuse_elsewhere, start_elsewhere(); push_list(ITEMS), push_two_again(1), steal_list(2))
PROGRAM(free, push(1); push_freeable(), pop_and_free(), steal_list(2))
/* clang-format on */
