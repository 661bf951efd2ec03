/* Heavy fences are shared, and rest in between (queues/parts/fences.h); and how many there were is reported. */
#include <stdint.h>

static uint64_t fake_now = 1; /* ns */
static unsigned run_anew;     /* fences */
#define DEQUE_CLOCK() (fake_now)
#define DEQUE_FENCE_LIGHT() ((void)0)
#define DEQUE_FENCE_HEAVY(asymmetric) ((void)(asymmetric), run_anew++, fake_now += 1000)
#define DEQUE_FENCES_ASYMMETRIC() true
#include "queues/deque.h"
#include "queues/parts/fences.h"

#include "tests/unit.h"
#include <stdio.h>

static void anew(void) {
    atomic_init(&deque_fences.state, 0);
    atomic_init(&deque_fences.rest, 0);
    run_anew = 0;
    fake_now += 1000000;
}

static bool passed(uint64_t ticket) { return deque_fence_passed(true, ticket, 0); }

TEST(one_fence_serves_all_who_asked_before) {
    anew();
    uint64_t first = deque_fence_ask(true), second = deque_fence_ask(true);
    assert_true(passed(first));
    assert_true(passed(second));
    assert_int_equal(run_anew, 1);
}

TEST(who_asks_while_one_is_under_way_waits_for_the_next) {
    anew();
    atomic_store(&deque_fences.state, 1); /* another thread runs one */
    uint64_t ticket = deque_fence_ask(true);
    assert_false(passed(ticket));
    atomic_store(&deque_fences.state, 2);
    assert_true(passed(ticket)); /* runs it */
    assert_int_equal(run_anew, 1);
}

/* Never more than one fence in (1 + DEQUE_FENCE_REST) times as long as one takes, however many thieves ask. */
TEST(a_fence_is_followed_by_a_rest) {
    anew();
    const uint64_t begin = fake_now, period = 1000 * (1 + DEQUE_FENCE_REST);
    for (unsigned asked = 0; asked < 100000; asked++, fake_now++) {
        uint64_t tickets[] = {deque_fence_ask(true), deque_fence_ask(true), deque_fence_ask(true)};
        for (unsigned i = 0; i < 3; i++)
            (void)passed(tickets[i]);
        assert_true(run_anew <= 1 + (fake_now - begin) / period);
    }
    assert_true(run_anew >= (fake_now - begin) / period - 1);
}

TEST(nobody_waits_for_a_thread_that_has_stopped) {
    anew();
    atomic_store(&deque_fences.state, 1); /* for good */
    deque_fence_heavy(true);
    assert_int_equal(run_anew, 1);
}
