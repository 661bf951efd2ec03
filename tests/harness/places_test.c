/* places_test.c: placement on machines that are not here (hwloc's synthetic ones), and really binding on this one. */
#include "harness/parameters.h"
#include "harness/places.h"
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Two Xeon 8358: 32 cores of two threads each; Linux numbers all first threads, then all second ones. */
#define BLOCK_NUMBERED "package:2 core:32 pu:2(indexes=2*64:64*1)"
/* Two sockets whose processors are numbered in turn: even on the first, odd on the second. */
#define TURN_NUMBERED "package:2 core:4 pu:1(indexes=0,2,4,6,1,3,5,7)"

static struct places places;
static char message[MESSAGE_SIZE];

static void plan(const char *placement, unsigned threads, const char *machine) {
    assert_int_equal(places_plan(&places, placement, threads, machine, message), 0);
}

static void compact_takes_cores_before_siblings(void **state) {
    (void)state;
    plan("compact", 128, BLOCK_NUMBERED);
    for (int i = 0; i < 128; i++)
        assert_int_equal(places.processor[i], i);
    assert_false(places.oversubscribed);
    places_close(&places);
}

static void compact_stays_on_one_socket(void **state) {
    static const int expected[] = {0, 2, 4, 6, 1, 3, 5, 7};
    (void)state;
    plan("compact", 8, TURN_NUMBERED);
    for (int i = 0; i < 8; i++)
        assert_int_equal(places.processor[i], expected[i]);
    places_close(&places);
}

static void scatter_takes_sockets_in_turn(void **state) {
    (void)state;
    plan("scatter", 2, BLOCK_NUMBERED);
    assert_int_equal(places.processor[0], 0);
    assert_int_equal(places.processor[1], 32);
    places_close(&places);
}

static void more_threads_than_processors_is_said(void **state) {
    (void)state;
    plan("compact", 9, TURN_NUMBERED);
    assert_true(places.oversubscribed);
    assert_int_equal(places.processor[8], places.processor[0]);
    places_close(&places);
}

static void a_list_is_taken_in_order(void **state) {
    (void)state;
    plan("5+0", 2, TURN_NUMBERED);
    assert_int_equal(places.processor[0], 5);
    assert_int_equal(places.processor[1], 0);
    places_close(&places);
}

static void an_impossible_request_says_what_there_is(void **state) {
    static const char *const wrong[] = {"8", "0+9", "0+", "+0", "0++1", "compactt", "-1", "0-3"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(places_plan(&places, wrong[i], 2, TURN_NUMBERED, message), EINVAL);
        assert_non_null(strstr(message, "this process may use 0-7"));
    }
    assert_int_equal(places_plan(&places, "compact", 0, TURN_NUMBERED, message), EINVAL);
    assert_int_equal(places_plan(&places, "compact", PLACES_MOST + 1, TURN_NUMBERED, message), EINVAL);
}

static void binding_is_real(void **state) {
    char text[64], expected[64];
    (void)state;
    plan("compact", 1, NULL);
    int got = places_take(&places, 0);
    assert_int_equal(got, places.processor[0]);
    assert_int_equal(sched_getcpu(), got);
    snprintf(expected, sizeof expected, "owner:%d", got);
    places_text(&places, (const char *const[]){"owner"}, text, sizeof text);
    assert_string_equal(text, expected);
    places_close(&places);
}

static void none_binds_nothing(void **state) {
    char text[64];
    (void)state;
    plan("none", 2, NULL);
    assert_int_equal(places_take(&places, 0), -1);
    assert_int_equal(places_take(&places, 1), -1);
    places_text(&places, (const char *const[]){"owner", "thief"}, text, sizeof text);
    assert_string_equal(text, "owner:any;thief:any");
    places_close(&places);
}

int main(void) {
    /* binding_is_real last: it leaves this process on one processor */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_takes_cores_before_siblings),
        cmocka_unit_test(compact_stays_on_one_socket),
        cmocka_unit_test(scatter_takes_sockets_in_turn),
        cmocka_unit_test(more_threads_than_processors_is_said),
        cmocka_unit_test(a_list_is_taken_in_order),
        cmocka_unit_test(an_impossible_request_says_what_there_is),
        cmocka_unit_test(none_binds_nothing),
        cmocka_unit_test(binding_is_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
