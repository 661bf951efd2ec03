/* graph_test.c: generated graphs are what they are said to be; graphs from files, and what is refused of them. */
#include "tests/workloads/input_file.h"
#include "workloads/applications/dag/graph.h"
#include <errno.h>

static void is_as_constructed(enum graph_shape shape, uint64_t nodes, uint32_t degree, uint32_t width, uint64_t seed) {
    struct graph graph;
    struct graph_census known, found;
    char message[GRAPH_MESSAGE];
    assert_int_equal(graph_generate(&graph, shape, nodes, degree, width, seed, message), 0);
    graph_by_construction(&graph, &known);
    assert_int_equal(graph_search(&graph, &found), 0);
    assert_int_equal(known.nodes, nodes);
    assert_int_equal(found.nodes, known.nodes);
    assert_int_equal(found.arcs, known.arcs);
    assert_true(found.checksum == known.checksum);
    graph_free(&graph);
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

/* --- files */

static void reads(const char *text, struct graph *graph) {
    char message[GRAPH_MESSAGE] = "";
    write_file(text);
    if (graph_read(graph, path, message) != 0)
        fail_msg("%s", message);
}

/* Refused with "path:line: ... why". */
static void bytes_refused(const char *text, size_t length, unsigned line, const char *why) {
    struct graph graph;
    char message[GRAPH_MESSAGE] = "";
    write_bytes(text, length);
    assert_int_equal(graph_read(&graph, path, message), EINVAL);
    demand_message(message, line, why);
    assert_null(graph.rows);
    assert_null(graph.heads);
    assert_null(graph.root_ids);
}

static void refused(const char *text, unsigned line, const char *why) { bytes_refused(text, strlen(text), line, why); }

TEST(an_edge_list_is_read) {
    struct graph graph;
    struct graph_census found;
    uint32_t children[4];
    reads("# a comment\n0 1\n0\t2 17.5\n\n% another\n3 2\r\n2 4\n2 1\n", &graph);
    assert_int_equal(graph.nodes, 5);
    assert_int_equal(graph.arcs, 5);
    assert_int_equal(graph.roots, 2);
    assert_int_equal(graph_root(&graph, 0), 0);
    assert_int_equal(graph_root(&graph, 1), 3);
    assert_int_equal(graph.depth, 2);
    assert_int_equal(graph_children(&graph, 2, 0, children, 4), 2);
    assert_int_equal(children[0], 4);
    assert_int_equal(children[1], 1);
    assert_int_equal(graph_children(&graph, 2, 1, children, 4), 1);
    assert_int_equal(graph_children(&graph, 2, 2, children, 4), 0);
    assert_int_equal(graph_search(&graph, &found), 0);
    assert_int_equal(found.nodes, 5);
    assert_int_equal(found.arcs, 5);
    graph_free(&graph);
}

TEST(an_announcement_is_held_to) {
    struct graph graph;
    reads("# nodes 4 arcs 2\n0 1\n1 2", &graph);
    assert_int_equal(graph.nodes, 4);
    assert_int_equal(graph.roots, 2);
    graph_free(&graph);
    reads("# nodes 3 arcs 0\n", &graph);
    assert_int_equal(graph.roots, 3);
    graph_free(&graph);
    refused("# nodes 4 arcs 3\n0 1\n1 2\n", 3, "after 2 of 3 arcs: was it cut off?");
    refused("# nodes 4 arcs 1\n0 1\n1 2\n", 3, "more arcs than the 1 announced");
    refused("# nodes 4 arcs 1\n0 4\n", 2, "node 4 is out of range: expected 0 to 3");
    refused("# nodes 0 arcs 0\n", 1, "0 nodes are announced");
    refused("# nodes 5000000000 arcs 1\n0 1\n", 1, "expected 1 to 4294967294");
}

TEST(a_matrix_is_read) {
    struct graph graph;
    uint32_t child;
    reads("%%MatrixMarket matrix coordinate real general\n% comment\n3 3 2\n1 3 0.5\n3 2 1e9\n", &graph);
    assert_int_equal(graph.nodes, 3);
    assert_int_equal(graph.arcs, 2);
    assert_int_equal(graph.roots, 1);
    assert_int_equal(graph_children(&graph, 0, 0, &child, 1), 1);
    assert_int_equal(child, 2);
    graph_free(&graph);
}

TEST(wrong_matrices_are_refused) {
    refused("%%MatrixMarket matrix array real general\n2 2\n", 1, "coordinate");
    refused("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", 1, "symmetric");
    refused("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 1\n", 2, "2 rows and 3 columns");
    refused("%%MatrixMarket matrix coordinate pattern general\n2 2\n", 2, "ROWS COLUMNS ENTRIES");
    refused("%%MatrixMarket matrix coordinate pattern general\n", 1, "ROWS COLUMNS ENTRIES");
    refused("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", 3, "after 1 of 2 arcs");
    refused("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n0 2\n", 3,
            "node 0 is out of range: expected 1 to 3");
    refused("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 4\n", 3,
            "node 4 is out of range: expected 1 to 3");
    refused("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n2 2\n", 3, "from node 2 to itself");
    refused("%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n", 4,
            "the arc from 2 to 3 closes a cycle");
}

TEST(wrong_lists_are_refused) {
    refused("", 1, "the file is empty");
    refused("# nothing\n", 1, "holds no arc");
    refused("0 1\n1\n", 2, "two numbers");
    refused("0 1\n1 x\n", 2, "\"1 x\"");
    refused("0 1\n1 2x\n", 2, "\"1 2x\"");
    refused("0 1\n1 -2\n", 2, "\"1 -2\"");
    refused("0 1\n1 99999999999999999999999\n", 2, "two numbers");
    refused("0 1\n1 4294967294\n", 2, "out of range: expected 0 to 4294967293");
    refused("0 1\n7 7\n", 2, "from node 7 to itself");
    refused("0 1\n1 2", 2, "was it cut off?");
    bytes_refused("0 1\n1 \0002\n", 8, 2, "zero byte");
}

/* The line named is that of an arc of the cycle, not of one that leads there or away. */
TEST(cycles_are_refused_with_a_line_of_theirs) {
    struct graph graph;
    char message[GRAPH_MESSAGE];
    unsigned line, from, to;
    refused("0 1\n1 0\n", 1, "the arc from 0 to 1 closes a cycle");
    const char *text = "# before\n0 1\n1 2\n2 3\n3 4\n4 2\n4 5\n5 6\n";
    write_file(text);
    assert_int_equal(graph_read(&graph, path, message), EINVAL);
    assert_int_equal(sscanf(message + strlen(path), ":%u: the arc from %u to %u closes", &line, &from, &to), 3);
    assert_true((from == 2 && to == 3 && line == 4) || (from == 3 && to == 4 && line == 5) ||
                (from == 4 && to == 2 && line == 6));
}

TEST(what_is_no_file_is_refused) {
    struct graph graph;
    char message[GRAPH_MESSAGE];
    assert_int_equal(graph_read(&graph, "/nowhere/graph.txt", message), EINVAL);
    assert_string_equal(message, "/nowhere/graph.txt: No such file or directory");
    assert_int_equal(graph_read(&graph, "/tmp", message), EINVAL);
    assert_string_equal(message, "/tmp: is a folder, not a file");
}

int main(void) { return unit_tests_run(have_path, drop_path); }
