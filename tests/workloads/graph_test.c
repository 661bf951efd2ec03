/* graph_test.c: graphs are what they are said to be, and which are refused. */
#include "tests/unit.h"
#include "workloads/applications/dag/graph.h"
#include <errno.h>

/* By a search, breadth first. */
static void search(const struct graph *graph, struct graph_census *census) {
    unsigned char *seen = calloc(graph->nodes, 1);
    uint32_t *queue = malloc(graph->nodes * sizeof queue[0]);
    uint64_t put = 0;
    *census = (struct graph_census){0};
    assert_non_null(seen);
    assert_non_null(queue);
    for (uint64_t i = 0; i < graph->roots; i++) {
        queue[put++] = (uint32_t)i;
        seen[i] = 1;
    }
    for (uint64_t got = 0; got < put; got++) {
        uint32_t children[64];
        uint32_t node = queue[got];
        size_t count = 64;
        census->nodes++;
        census->checksum += graph_mark(node);
        for (uint64_t first = 0; count == 64; first += 64) {
            count = graph_children(graph, node, first, children, 64);
            census->arcs += count;
            for (size_t i = 0; i < count; i++) {
                if (!seen[children[i]]) {
                    seen[children[i]] = 1;
                    queue[put++] = children[i];
                }
            }
        }
    }
    free(seen);
    free(queue);
}

static void is_as_constructed(enum graph_shape shape, uint64_t nodes, uint32_t degree, uint32_t width, uint64_t seed) {
    struct graph graph;
    struct graph_census known, found;
    char message[GRAPH_MESSAGE];
    assert_int_equal(graph_generate(&graph, shape, nodes, degree, width, seed, message), 0);
    graph_by_construction(&graph, &known);
    search(&graph, &found);
    assert_int_equal(known.nodes, nodes);
    assert_int_equal(found.nodes, known.nodes);
    assert_int_equal(found.arcs, known.arcs);
    assert_true(found.checksum == known.checksum);
}

/* What the exploration is checked against holds for every shape, partly filled layers and last levels included. */
TEST(a_search_finds_what_is_known_by_construction) {
    static const uint32_t degrees[] = {2, 3, 63, 64, 65, 200};
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
        for (uint64_t nodes = 1; nodes < 300; nodes += 7) {
            is_as_constructed(GRAPH_RANDOM, nodes, degrees[i], 0, nodes);
            is_as_constructed(GRAPH_RANDOM, nodes, degrees[i], 5, nodes);
            is_as_constructed(GRAPH_TREE, nodes, degrees[i], 1, nodes);
            for (uint32_t width = 1; width <= nodes; width += 13)
                is_as_constructed(GRAPH_LAYERED, nodes, degrees[i], width, nodes);
        }
    }
    is_as_constructed(GRAPH_TREE, 100, 1, 1, 1);
    is_as_constructed(GRAPH_LAYERED, 100, 1, 1, 1);
    is_as_constructed(GRAPH_RANDOM, 100000, 4, 0, 1);
}

/* Arcs lead from lower to higher numbers, so there is no cycle; asked for in pieces they are the same. */
TEST(arcs_lead_forward_and_come_in_any_pieces) {
    static const enum graph_shape shapes[] = {GRAPH_RANDOM, GRAPH_LAYERED, GRAPH_TREE};
    char message[GRAPH_MESSAGE];
    for (int i = 0; i < 3; i++) {
        struct graph graph;
        assert_int_equal(graph_generate(&graph, shapes[i], 1000, 9, 37, 5, message), 0);
        for (uint32_t node = 0; node < 1000; node++) {
            uint32_t whole[16], part[4];
            size_t count = graph_children(&graph, node, 0, whole, 16), got = 4;
            for (size_t first = 0; got == 4; first += 4) {
                got = graph_children(&graph, node, first, part, 4);
                assert_true(first + got <= count);
                assert_memory_equal(part, whole + first, got * sizeof part[0]);
            }
            for (size_t k = 0; k < count; k++)
                assert_true(whole[k] > node && whole[k] < 1000);
        }
    }
}

TEST(arcs_of_a_narrow_graph_do_not_lead_far) {
    struct graph graph;
    char message[GRAPH_MESSAGE];
    uint32_t children[10], farthest = 0;
    assert_int_equal(graph_generate(&graph, GRAPH_RANDOM, 10000, 10, 50, 3, message), 0);
    for (uint32_t node = 6000; node < 9000; node++) { /* 2v+1 is beyond the end */
        assert_int_equal(graph_children(&graph, node, 0, children, 10), 8);
        for (int i = 0; i < 8; i++)
            farthest = children[i] - node > farthest ? children[i] - node : farthest;
    }
    assert_int_equal(farthest, 50);
}

TEST(the_seed_decides_and_nothing_else) {
    struct graph one, same, other;
    char message[GRAPH_MESSAGE];
    uint32_t a[8], b[8], c[8];
    int differ = 0;
    graph_generate(&one, GRAPH_RANDOM, 1u << 20, 8, 0, 1, message);
    graph_generate(&same, GRAPH_RANDOM, 1u << 20, 8, 0, 1, message);
    graph_generate(&other, GRAPH_RANDOM, 1u << 20, 8, 0, 2, message);
    for (uint32_t node = 0; node < 100; node++) {
        assert_int_equal(graph_children(&one, node, 0, a, 8), 8);
        graph_children(&same, node, 0, b, 8);
        graph_children(&other, node, 0, c, 8);
        assert_memory_equal(a, b, sizeof a);
        differ += memcmp(a, c, sizeof a) != 0;
    }
    assert_int_equal(differ, 100);
}

/* The numbers of the largest graph: nothing overflows at its end. */
TEST(the_largest_graph_has_its_last_arcs) {
    struct graph graph;
    char message[GRAPH_MESSAGE];
    uint32_t children[8];
    assert_int_equal(graph_generate(&graph, GRAPH_RANDOM, GRAPH_NODES_MAX, 4, 0, 1, message), 0);
    assert_int_equal(graph_children(&graph, GRAPH_NODES_MAX - 1, 0, children, 8), 0);
    assert_int_equal(graph_children(&graph, GRAPH_NODES_MAX - 2, 0, children, 8), 2);
    assert_int_equal(children[0], GRAPH_NODES_MAX - 1);
    assert_int_equal(graph_generate(&graph, GRAPH_LAYERED, GRAPH_NODES_MAX, 2, 1000, 1, message), 0);
    assert_int_equal(graph_children(&graph, GRAPH_NODES_MAX - 1, 0, children, 8), 0);
}

static void generated_refused(enum graph_shape shape, uint64_t nodes, uint32_t degree, uint32_t width,
                              const char *why) {
    struct graph graph;
    char message[GRAPH_MESSAGE] = "";
    assert_int_equal(graph_generate(&graph, shape, nodes, degree, width, 1, message), EINVAL);
    assert_non_null(strstr(message, why));
}

TEST(impossible_shapes_are_refused) {
    generated_refused(GRAPH_RANDOM, 0, 4, 1, "nodes=0");
    generated_refused(GRAPH_RANDOM, (uint64_t)GRAPH_NODES_MAX + 1, 4, 1, "4294967294");
    generated_refused(GRAPH_RANDOM, 10, 1, 1, "expected 2 to 1024");
    generated_refused(GRAPH_TREE, 10, 0, 1, "expected 1 to 1024");
    generated_refused(GRAPH_LAYERED, 10, 2, 11, "width=11");
}

int main(void) { return unit_tests_run(NULL, NULL); }
