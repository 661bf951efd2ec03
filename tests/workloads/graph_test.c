/* graph_test.c: arcs of graphs. What an exploration finds, each run of dag checks. */
#include "tests/unit.h"
#include "workloads/applications/dag/graph.h"

/* Arcs lead from lower to higher numbers, so there is no cycle; asked for in pieces they are the same, and stored. */
TEST(arcs_lead_forward_and_come_in_any_pieces) {
    struct graph graph = {.nodes = 1000, .degree = 9, .width = 37, .seed = 5}, stored = graph;
    stored.stored = malloc(1000 * 9 * sizeof *stored.stored);
    graph_store(&stored, 0, 600);
    graph_store(&stored, 600, 600);
    for (uint32_t node = 0; node < 1000; node++) {
        uint32_t whole[16], part[4];
        size_t count = graph_children(&graph, node, 0, whole, 16), got = 4;
        for (size_t first = 0; got == 4; first += 4) {
            got = graph_children(&stored, node, first, part, 4);
            assert_true(first + got <= count);
            assert_memory_equal(part, whole + first, got * sizeof part[0]);
        }
        for (size_t k = 0; k < count; k++)
            assert_true(whole[k] > node && whole[k] < 1000);
    }
    free(stored.stored);
}

TEST(arcs_of_a_narrow_graph_do_not_lead_far) {
    struct graph graph = {.nodes = 10000, .degree = 10, .width = 50, .seed = 3};
    uint32_t children[10], farthest = 0;
    for (uint32_t node = 6000; node < 9000; node++) { /* 2v+1 is beyond the end */
        assert_int_equal(graph_children(&graph, node, 0, children, 10), 8);
        for (int i = 0; i < 8; i++)
            farthest = children[i] - node > farthest ? children[i] - node : farthest;
    }
    assert_int_equal(farthest, 50);
}

/* The numbers of the largest graph: nothing overflows at its end. */
TEST(the_largest_graph_has_its_last_arcs) {
    struct graph graph = {.nodes = GRAPH_NODES_MAX, .degree = 4, .seed = 1};
    uint32_t children[8];
    assert_int_equal(graph_children(&graph, GRAPH_NODES_MAX - 1, 0, children, 8), 0);
    assert_int_equal(graph_children(&graph, GRAPH_NODES_MAX - 2, 0, children, 8), 2);
    assert_int_equal(children[0], GRAPH_NODES_MAX - 1);
}
