/* places_test.c: placement on cores of two kinds (driver.py has the other machines), and really binding on this one. */
#include "harness/measuring/parameters.h"
#include "harness/measuring/places.h"
#include "tests/unit.h"
#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

static struct places places;
static char message[MESSAGE_SIZE];

static void plan(const char *placement, unsigned threads, const char *machine) {
    assert_int_equal(places_plan(&places, placement, threads, machine, message), 0);
}

/* As Linux tells of an i9-13900: eight cores of two threads (0 to 15), sixteen of one (16 to 31); and of two
 * frequencies among the first. */
#define CORE_I9                                                                                                        \
    "pack:1 [numa] core:24 pu:2(indexes=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,32,17,33,18,34,19,35,20,36,21,37,22," \
    "38,23,39,24,40,25,41,26,42,27,43,28,44,29,45,30,46,31,47)"

static void name_kinds(hwloc_topology_t topology) {
    static struct hwloc_info_s core = {"CoreType", "IntelCore"}, atom = {"CoreType", "IntelAtom"};
    static const struct {
        int from, to, efficiency;
        struct hwloc_info_s *name;
    } kinds[] = {{16, 31, 0, &atom}, {0, 11, 1, &core}, {12, 15, 2, &core}};
    for (size_t i = 0; i < 3; i++) {
        hwloc_bitmap_t some = hwloc_bitmap_alloc();
        hwloc_bitmap_set_range(some, (unsigned)kinds[i].from, kinds[i].to);
        assert_int_equal(hwloc_cpukinds_register(topology, some, kinds[i].efficiency, 1, kinds[i].name, 0), 0);
        hwloc_bitmap_free(some);
    }
}

/* A file that lstopo could have written of its processors 0 to 31. */
static const char *written(void) {
    static char path[64];
    hwloc_topology_t topology;
    hwloc_bitmap_t some = hwloc_bitmap_alloc();
    snprintf(path, sizeof path, "/tmp/places-test-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, CORE_I9), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    hwloc_bitmap_set_range(some, 0, 31);
    assert_int_equal(hwloc_topology_restrict(topology, some, 0), 0);
    hwloc_bitmap_free(some);
    name_kinds(topology);
    assert_int_equal(hwloc_topology_export_xml(topology, path, 0), 0);
    hwloc_topology_destroy(topology);
    return path;
}

TEST(threads_of_a_cell_are_on_cores_of_one_kind) {
    static const struct {
        const char *placement;
        unsigned threads;
        const char *listed;
        bool oversubscribed;
    } due[] = {{"compact", 9, "0,2,4,6,8,10,12,14,1", false},
               {"compact", 17, "0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15,0", true},
               {"siblings", 4, "0-3", false},
               {"scatter", 2, "0,8", false},
               {"same-socket", 3, "0,2,4", false},
               {"mixed", 10, "0,2,4,6,8,10,12,14,16-17", false},
               {"16+17", 2, "16-17", false}};
    const char *path = written();
    struct places_facts facts;
    char text[512];
    assert_true(places_find_facts(path, &facts, message));
    assert_string_equal(facts.kinds, "IntelCore 0-15, IntelAtom 16-31");
    assert_string_equal(facts.hardware, "1 socket, 24 cores, 32 processors (0-31)");
    assert_int_equal(facts.processors, 16);
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        plan(due[i].placement, due[i].threads, path);
        places_list(&places, text, sizeof text);
        assert_string_equal(text, due[i].listed);
        assert_int_equal(places.oversubscribed, due[i].oversubscribed);
        places_close(&places);
    }
    unlink(path);
}

/* The last test: it leaves this process on one processor. */
TEST(binding_is_real) {
    char text[64], expected[64];
    plan("none", 2, NULL);
    assert_true(places_take(&places, 0) == -1 && places_take(&places, 1) == -1);
    places_text(&places, "owner", "thief", text, sizeof text);
    assert_string_equal(text, "owner:any;thief:any");
    places_close(&places);
    plan("compact", 1, NULL);
    int got = places_take(&places, 0);
    assert_int_equal(got, places.processor[0]);
    assert_int_equal(sched_getcpu(), got);
    snprintf(expected, sizeof expected, "owner:%d", got);
    places_text(&places, "owner", NULL, text, sizeof text);
    assert_string_equal(text, expected);
    places_close(&places);
}
