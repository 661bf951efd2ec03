/* roads_test.c: the generated map is one, and Dijkstra's answer is that of a search without a heap. */
#include "tests/unit.h"
#include "workloads/applications/paths/roads.h"
#include <stdbool.h>

static bool leads_to(const struct roads *roads, uint32_t from, uint32_t to, uint32_t length) {
    struct road out[4];
    for (unsigned i = roads_from(roads, from, out); i-- > 0;)
        if (out[i].to == to && out[i].length == length)
            return true;
    return false;
}

TEST(roads_lead_both_ways_at_a_length) {
    const struct roads roads = {.side = 40, .seed = 3};
    unsigned count = 0;
    for (uint32_t crossing = 0; crossing < 1600; crossing++) {
        struct road out[4];
        unsigned n = roads_from(&roads, crossing, out);
        assert_true(n <= 4);
        for (count += n; n-- > 0;)
            assert_true(out[n].length > 0 && out[n].to < 1600 && leads_to(&roads, out[n].to, crossing, out[n].length));
    }
    assert_true(count > 4 * 1600 * 8 / 10 && count < 4 * 1600 - 160); /* one street in ten is missing */
}

/* Bellman and Ford: shortens until nothing gets shorter. */
TEST(dijkstra_finds_the_shortest_paths) {
    const struct roads roads = {.side = 33, .seed = 7};
    uint32_t found[33 * 33], plain[33 * 33], farthest = 0, far = 0;
    uint64_t reached = 0, plainly = 0;
    assert_int_equal(roads_search(&roads, found, &reached, &farthest), 0);
    for (size_t i = 0; i < 33 * 33; i++)
        plain[i] = i == 0 ? 0 : ROADS_FAR;
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t i = 0; i < 33 * 33; i++) {
            struct road out[4];
            for (unsigned n = plain[i] == ROADS_FAR ? 0 : roads_from(&roads, i, out); n-- > 0;)
                if (plain[i] + out[n].length < plain[out[n].to]) {
                    plain[out[n].to] = plain[i] + out[n].length;
                    shorter = true;
                }
        }
    }
    for (size_t i = 0; i < 33 * 33; i++) {
        assert_int_equal(found[i], plain[i]);
        plainly += plain[i] != ROADS_FAR;
        far = plain[i] != ROADS_FAR && plain[i] > far ? plain[i] : far;
    }
    assert_int_equal(reached, plainly);
    assert_int_equal(farthest, far);
}

int main(void) { return unit_tests_run(NULL, NULL); }
