/* measure_test.c: batches are sized by the clock's rule, every repetition arrives, and failures come through. The
 * work is counted, not timed: nothing here asserts a speed. */
#include "harness/measuring/items.h"
#include "harness/measuring/measure.h"
#include "tests/unit.h"
#include <errno.h>
#include <math.h>
#include <time.h>

struct counted {
    size_t prepared, ran, verified; /* portions */
    size_t fail_after;              /* prepares until one fails; 0: never */
    bool wrong;
};

static bool prepare(void *context, size_t portions) {
    struct counted *counted = context;
    counted->prepared += portions;
    return counted->fail_after == 0 || --counted->fail_after > 0;
}

static void spin(void *context, size_t portions) {
    struct counted *counted = context;
    for (size_t i = 0; i < portions; i++)
        for (volatile int j = 0; j < 100; j++)
            ;
    counted->ran += portions;
}

static bool verify(void *context, size_t portions) {
    struct counted *counted = context;
    counted->verified += portions;
    return !counted->wrong;
}

static void published(void *context, struct gbench_loop *loop) {
    struct counted *counted = context;
    while (gbench_next(loop)) {
        gbench_pause(loop);
        counted->prepared++;
        gbench_resume(loop);
        counted->ran++;
    }
}

static struct measured measured;

static int measured_work(const char *method, struct counted *counted, size_t max, void (*work)(void *, size_t)) {
    static const struct parameter parameter = PARAMETER_CHOICE("method", "corrected", "corrected|published|google", "");
    static struct settings settings;
    char message[MESSAGE_SIZE];
    assert_true(settings_set(&settings, &parameter, method, message));
    struct cell cell = {.settings = &settings, .repetitions = 4, .minimum_time = 0.001, .seed = 1};
    struct measurement measurement = {.cell = &cell,
                                      .context = counted,
                                      .prepare = prepare,
                                      .run = work,
                                      .verify = verify,
                                      .portions_max = max,
                                      .role = "owner",
                                      .published_loop = published};
    return measure(&measurement, &measured);
}

static int measured_by(const char *method, struct counted *counted, size_t max) {
    return measured_work(method, counted, max, spin);
}

TEST(every_portion_is_prepared_run_and_verified) {
    struct counted counted = {0};
    assert_int_equal(measured_by("corrected", &counted, 1 << 20), 0);
    assert_int_equal(measured.repetitions, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(measured.seconds[i] > 0);
    assert_int_equal(counted.prepared, counted.ran);
    assert_int_equal(counted.verified, counted.ran);
}

TEST(a_failed_preparation_ends_it) {
    struct counted counted = {.fail_after = 3};
    assert_int_equal(measured_by("corrected", &counted, 1 << 20), 3);
}

TEST(a_wrong_answer_ends_it) {
    struct counted counted = {.wrong = true};
    assert_int_equal(measured_by("corrected", &counted, 1 << 20), 1);
}

TEST(published_prepares_before_each_operation) {
    struct counted counted = {0};
    assert_int_equal(measured_by("published", &counted, 1 << 20), 0);
    assert_int_equal(measured.repetitions, 4);
    assert_int_equal(counted.prepared, counted.ran + 1); /* and once before all */
}

TEST(google_benchmark_gets_whole_windows) {
    struct counted counted = {0};
    assert_int_equal(measured_by("google", &counted, 1 << 20), 0);
    assert_int_equal(measured.repetitions, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(measured.seconds[i] > 0);
    assert_int_equal(counted.prepared, counted.ran);
    assert_int_equal(counted.verified, counted.ran);
    counted = (struct counted){.wrong = true};
    assert_int_equal(measured_by("google", &counted, 1 << 20), 1);
}

TEST(items_are_distinct_and_aligned) {
    struct items items;
    assert_int_equal(items_create(&items, 1000, 24, true, 7), 0);
    bool moved = false;
    for (size_t i = 0; i < 1000; i++) {
        size_t offset = (size_t)((char *)items.at[i] - (char *)items.memory);
        assert_int_equal(offset % 24, 0);
        assert_true(offset / 24 < 1000);
        char *seen = items.at[i];
        assert_int_equal(*seen, 0);
        *seen = 1;
        moved |= offset / 24 != i;
    }
    assert_true(moved);
    items_destroy(&items);
    assert_int_equal(items_create(&items, 0, 64, false, 1), EINVAL);
    assert_int_equal(items_create(&items, 10, 8, false, 1), EINVAL);
    assert_int_equal(items_create(&items, 10, 17, false, 1), EINVAL);
    assert_int_equal(items_create(&items, SIZE_MAX / 8, 64, false, 1), EINVAL);
}

TEST(a_node_has_room_for_the_link_and_whole_words) {
    assert_int_equal(items_node_bytes(64, 16), 64);
    assert_int_equal(items_node_bytes(17, 0), 24);
    assert_int_equal(items_node_bytes(64, 72), 72); /* the listing's node */
    assert_int_equal(items_node_bytes(100, 72), 104);
}

/* Every variant equally often, each round in an order of its own, and the same for every deque. */
TEST(variants_are_drawn_in_balance) {
    for (unsigned count = 1; count <= CELL_VARIANTS; count++) {
        unsigned moved = 0;
        for (unsigned round = 0; round < 50; round++) {
            unsigned drawn = 0;
            for (unsigned i = 0; i < count; i++) {
                unsigned variant = variant_drawn(1, round * count + i, count);
                assert_true(variant < count);
                assert_false(drawn & (1u << variant));
                drawn |= 1u << variant;
                moved += variant != variant_drawn(1, i, count);
                assert_int_equal(variant, variant_drawn(1, round * count + i, count));
            }
        }
        assert_true(count < 3 || moved > 0);
    }
}

static void spin_for(double seconds) {
    uint64_t start = clock_nanoseconds();
    while ((double)(clock_nanoseconds() - start) < seconds * 1e9)
        ;
}

/* A thread that sleeps was not on its processor; one that works on may be displaced at any time, but not every time. */
TEST(an_absence_is_seen) {
    bool held = false;
    for (int i = 0; i < 1000 && !held; i++) {
        struct presence before = presence_begin();
        uint64_t start = clock_nanoseconds();
        spin_for(20e-6);
        held = presence_held(&before, clock_nanoseconds() - start);
    }
    assert_true(held);
    struct presence before = presence_begin();
    uint64_t start = clock_nanoseconds();
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    assert_false(presence_held(&before, clock_nanoseconds() - start));
}

/* Of a work that is away in two windows of three: the median of the others is given, the dropped ones are counted. */
static unsigned windows_run;
static void often_away(void *context, size_t portions) {
    struct counted *counted = context;
    spin_for(40e-6);
    if (windows_run++ % 3)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    counted->ran += portions;
}

/* Windows that were dropped are no value, even if there are no others. */
static void always_away(void *context, size_t portions) {
    windows_run = 1;
    often_away(context, portions);
}

TEST(without_an_undisturbed_window_there_is_no_value) {
    struct counted counted = {0};
    assert_int_equal(measured_work("corrected", &counted, 1, always_away), 0);
    assert_int_equal(measured.repetitions, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(isnan(measured.seconds[i]));
}

int main(void) { return unit_tests_run(NULL, NULL); }
