/* measure_test.c: every repetition arrives, by each method, and failures come through; an absence is seen. The work is
 * counted, not timed: nothing here asserts a speed. */
#include "harness/measuring/measure.h"
#include "tests/unit.h"
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
    while (gbench()->next(loop)) {
        gbench()->pause(loop);
        counted->prepared++;
        gbench()->resume(loop);
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

/* How it ends with that method, and with 4 repetitions if well. */
static int measured_by(const char *method, struct counted *counted) {
    const int code = measured_work(method, counted, 1 << 20, spin);
    assert_true(code != 0 || measured.repetitions == 4);
    for (unsigned i = 0; i < measured.repetitions && code == 0; i++)
        assert_false(measured.seconds[i] <= 0); /* a busy machine may leave no undisturbed window: NAN */
    return code;
}

TEST(every_portion_is_prepared_run_and_verified) {
    static const char *const methods[] = {"corrected", "google"};
    for (size_t i = 0; i < 2; i++) {
        struct counted right = {0}, wrong = {.wrong = true};
        assert_int_equal(measured_by(methods[i], &right), 0);
        assert_true(right.ran > 0 && right.prepared == right.ran && right.verified == right.ran);
        assert_int_equal(measured_by(methods[i], &wrong), 1);
    }
    assert_int_equal(measured_by("corrected", &(struct counted){.fail_after = 3}), 3);
}

TEST(published_prepares_before_each_operation) {
    struct counted counted = {0};
    assert_int_equal(measured_by("published", &counted), 0);
    assert_int_equal(counted.prepared, counted.ran + 1); /* and once before all */
}

static void always_away(void *context, size_t portions) {
    struct counted *counted = context;
    for (const uint64_t start = clock_nanoseconds(); clock_nanoseconds() - start < 40000;)
        ;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    counted->ran += portions;
}

TEST(without_an_undisturbed_window_there_is_no_value) {
    struct counted counted = {0};
    assert_int_equal(measured_work("corrected", &counted, 1, always_away), 0);
    assert_int_equal(measured.repetitions, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(isnan(measured.seconds[i]));
}
