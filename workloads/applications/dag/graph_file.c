#include "workloads/applications/dag/graph.h"
#include "workloads/applications/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct arc {
    uint32_t from, to;
};

struct reading {
    struct lines lines;
    bool matrix;    /* Matrix Market: counted from 1 */
    bool announced; /* the file says how many nodes and arcs it has */
    uint64_t nodes, arcs_announced;
    struct arc *arcs;
    uint64_t count, room;
};

static int out_of_memory(struct reading *reading) {
    snprintf(reading->lines.message, LINES_MESSAGE, "%s: no memory for a graph of this size", reading->lines.path);
    return reading->lines.failure = ENOMEM;
}

static bool add_arc(struct reading *reading, uint64_t from, uint64_t to) {
    if (reading->count == reading->room) {
        uint64_t room = reading->room ? 2 * reading->room : 4096;
        struct arc *arcs = realloc(reading->arcs, room * sizeof arcs[0]);
        if (!arcs) {
            out_of_memory(reading);
            return false;
        }
        reading->arcs = arcs;
        reading->room = room;
    }
    reading->arcs[reading->count++] = (struct arc){(uint32_t)from, (uint32_t)to};
    return true;
}

/* "# nodes N arcs M" */
static void look_for_announcement(struct reading *reading) {
    unsigned long long nodes, arcs;
    int end = 0;
    if (reading->count == 0 && sscanf(reading->lines.line, "# nodes %llu arcs %llu%n", &nodes, &arcs, &end) == 2 &&
        nothing_here(reading->lines.line + end)) {
        reading->announced = true;
        reading->nodes = nodes;
        reading->arcs_announced = arcs;
    }
}

static int check_announcement(struct reading *reading) {
    if (reading->nodes < 1 || reading->nodes > GRAPH_NODES_MAX)
        return lines_wrong(&reading->lines, "%llu nodes are announced: expected 1 to %u",
                           (unsigned long long)reading->nodes, GRAPH_NODES_MAX);
    return 0;
}

/* The numbers of the current line as the file counts them; sets the message if there are none. */
static bool ends_of_arc(struct reading *reading, uint64_t *from, uint64_t *to) {
    const uint64_t first = reading->matrix ? 1 : 0;
    const uint64_t max = reading->announced ? reading->nodes - 1 + first : GRAPH_NODES_MAX - 1;
    const char *at = reading->lines.line;
    uint64_t end[2];
    for (int i = 0; i < 2; i++) {
        if (!number_here(&at, UINT64_MAX, &end[i])) {
            lines_wrong(&reading->lines, "expected \"FROM TO\", two numbers; this is \"%.60s\"", reading->lines.line);
            return false;
        }
        if (end[i] < first || end[i] > max) {
            lines_wrong(&reading->lines, "node %llu is out of range: expected %llu to %llu", (unsigned long long)end[i],
                        (unsigned long long)first, (unsigned long long)max);
            return false;
        }
    }
    if (end[0] == end[1]) {
        lines_wrong(&reading->lines, "an arc from node %llu to itself: the graph must have no cycle",
                    (unsigned long long)end[0]);
        return false;
    }
    *from = end[0] - first;
    *to = end[1] - first;
    return true;
}

static bool passed_over(const char *line) { return *line == '#' || *line == '%' || nothing_here(line); }

/* Every arc from the current line on. */
static int read_arcs(struct reading *reading, bool current) {
    struct lines *lines = &reading->lines;
    for (bool there = current || lines_next(lines); there; there = lines_next(lines)) {
        uint64_t from, to;
        if (!reading->matrix && *lines->line == '#') {
            bool before = reading->announced;
            look_for_announcement(reading);
            if (!before && reading->announced && check_announcement(reading) != 0)
                break;
        }
        if (passed_over(lines->line))
            continue;
        if (!ends_of_arc(reading, &from, &to) || !add_arc(reading, from, to))
            break;
        if (!lines->ended && !reading->announced)
            return lines_wrong(lines,
                               "the file ends within this line: was it cut off? (Add a line end if it is whole)");
        if (reading->announced && reading->count > reading->arcs_announced)
            return lines_wrong(lines, "more arcs than the %llu announced", (unsigned long long)reading->arcs_announced);
        if (!reading->announced && from >= reading->nodes)
            reading->nodes = from + 1;
        if (!reading->announced && to >= reading->nodes)
            reading->nodes = to + 1;
    }
    if (lines->failure)
        return lines->failure;
    if (reading->announced && reading->count < reading->arcs_announced)
        return lines_wrong(lines, "the file ends after %llu of %llu arcs: was it cut off?",
                           (unsigned long long)reading->count, (unsigned long long)reading->arcs_announced);
    return 0;
}

/* The head of a Matrix Market file, its first line being the current one. */
static int read_matrix_head(struct reading *reading) {
    struct lines *lines = &reading->lines;
    char object[32], format[32], field[32], symmetry[32];
    uint64_t rows, columns, entries;
    reading->matrix = true;
    if (sscanf(lines->line, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field, symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0 || strcasecmp(format, "coordinate") != 0)
        return lines_wrong(lines, "expected \"%%%%MatrixMarket matrix coordinate FIELD general\"");
    if (strcasecmp(symmetry, "general") != 0)
        return lines_wrong(lines, "a %s matrix stands for arcs in both directions, which are cycles; expected general",
                           symmetry);
    while (lines_next(lines) && passed_over(lines->line))
        ;
    if (lines->failure)
        return lines->failure;
    const char *at = lines->line;
    if (!number_here(&at, UINT64_MAX, &rows) || !number_here(&at, UINT64_MAX, &columns) ||
        !number_here(&at, UINT64_MAX, &entries) || !nothing_here(at))
        return lines_wrong(lines, "expected \"ROWS COLUMNS ENTRIES\"");
    if (rows != columns)
        return lines_wrong(lines, "%llu rows and %llu columns: expected a square matrix", (unsigned long long)rows,
                           (unsigned long long)columns);
    reading->announced = true;
    reading->nodes = rows;
    reading->arcs_announced = entries;
    return check_announcement(reading);
}

static int read_text(struct reading *reading) {
    struct lines *lines = &reading->lines;
    if (!lines_next(lines)) {
        lines->number = 1;
        return lines->failure ? lines->failure : lines_wrong(lines, "the file is empty");
    }
    bool matrix = strncasecmp(lines->line, "%%MatrixMarket", 14) == 0;
    int failure = matrix ? read_matrix_head(reading) : 0;
    if (failure == 0)
        failure = read_arcs(reading, !matrix);
    if (failure == 0 && reading->nodes == 0)
        failure = lines_wrong(lines, "the file holds no arc");
    return failure;
}

/* Makes compressed rows from arcs in any order. */
static int make_rows(struct graph *graph, struct reading *reading) {
    graph->rows = calloc(graph->nodes + 2, sizeof graph->rows[0]);
    graph->heads = malloc((reading->count + 1) * sizeof graph->heads[0]);
    if (!graph->rows || !graph->heads)
        return out_of_memory(reading);
    /* rows[v + 2] counts the arcs of v; summed up, rows[v + 1] is where they begin and moves on as they are put */
    for (uint64_t i = 0; i < reading->count; i++)
        graph->rows[reading->arcs[i].from + 2]++;
    for (uint64_t v = 2; v <= graph->nodes + 1; v++)
        graph->rows[v] += graph->rows[v - 1];
    for (uint64_t i = 0; i < reading->count; i++)
        graph->heads[graph->rows[reading->arcs[i].from + 1]++] = reading->arcs[i].to;
    graph->arcs = reading->count;
    free(reading->arcs);
    reading->arcs = NULL;
    return 0;
}

/* The line of the arc between two nodes, as the file counts them; 0 when it cannot be read again. */
static uint64_t line_of_arc(const struct reading *reading, uint64_t from, uint64_t to) {
    struct lines lines;
    char message[LINES_MESSAGE];
    uint64_t found = 0;
    bool head = reading->matrix; /* the line with the sizes comes before the arcs */
    if (lines_open(&lines, reading->lines.path, message) != 0)
        return 0;
    while (found == 0 && lines_next(&lines)) {
        const char *at = lines.line;
        uint64_t here[2];
        if (passed_over(lines.line))
            continue;
        if (!head && number_here(&at, UINT64_MAX, &here[0]) && number_here(&at, UINT64_MAX, &here[1]) &&
            here[0] == from && here[1] == to)
            found = lines.number;
        head = false;
    }
    lines_close(&lines);
    return found;
}

/* Names an arc of a cycle. Every node with entering arcs left has one from another such node, so going back as many
 * steps as there are nodes ends on a cycle. before: room for a number a node. */
static int say_cycle(const struct graph *graph, struct reading *reading, const uint32_t *entering, uint32_t *before) {
    const uint64_t first = reading->matrix ? 1 : 0;
    uint32_t on = 0;
    for (uint64_t v = 0; v < graph->nodes; v++) {
        for (uint64_t i = graph->rows[v]; entering[v] > 0 && i < graph->rows[v + 1]; i++)
            before[graph->heads[i]] = (uint32_t)v;
        if (entering[v] > 0)
            on = (uint32_t)v;
    }
    for (uint64_t step = 0; step < graph->nodes; step++)
        on = before[on];
    reading->lines.number = line_of_arc(reading, before[on] + first, on + first);
    return lines_wrong(&reading->lines, "the arc from %llu to %llu closes a cycle: the graph must have none",
                       (unsigned long long)(before[on] + first), (unsigned long long)(on + first));
}

/* The roots and the longest path: removes nodes without entering arcs, with their arcs, again and again. What is left
 * then lies on a cycle or behind one. */
static int find_roots(struct graph *graph, struct reading *reading) {
    uint32_t *entering = calloc(graph->nodes, sizeof entering[0]);
    uint32_t *queue = malloc(graph->nodes * sizeof queue[0]);
    uint32_t *depth = calloc(graph->nodes, sizeof depth[0]);
    uint64_t put = 0, got = 0;
    int failure = entering && queue && depth ? 0 : out_of_memory(reading);
    for (uint64_t i = 0; failure == 0 && i < graph->arcs; i++)
        entering[graph->heads[i]]++;
    for (uint64_t v = 0; failure == 0 && v < graph->nodes; v++)
        if (entering[v] == 0)
            queue[put++] = (uint32_t)v;
    graph->roots = put;
    for (; failure == 0 && got < put; got++) {
        uint32_t node = queue[got];
        if (depth[node] > graph->depth)
            graph->depth = depth[node];
        for (uint64_t i = graph->rows[node]; i < graph->rows[node + 1]; i++) {
            uint32_t child = graph->heads[i];
            if (depth[child] <= depth[node])
                depth[child] = depth[node] + 1;
            if (--entering[child] == 0)
                queue[put++] = child;
        }
    }
    if (failure == 0 && put < graph->nodes)
        failure = say_cycle(graph, reading, entering, depth);
    graph->root_ids = failure == 0 ? malloc((graph->roots + 1) * sizeof graph->root_ids[0]) : NULL;
    if (failure == 0 && !graph->root_ids)
        failure = out_of_memory(reading);
    if (failure == 0)
        memcpy(graph->root_ids, queue, graph->roots * sizeof queue[0]);
    free(entering);
    free(queue);
    free(depth);
    return failure;
}

int graph_read(struct graph *graph, const char *path, char *message) {
    struct reading reading = {0};
    *graph = (struct graph){.shape = GRAPH_FROM_FILE};
    int failure = lines_open(&reading.lines, path, message);
    if (failure == 0)
        failure = read_text(&reading);
    graph->nodes = reading.nodes;
    if (failure == 0)
        failure = make_rows(graph, &reading);
    if (failure == 0)
        failure = find_roots(graph, &reading);
    free(reading.arcs);
    lines_close(&reading.lines);
    if (failure != 0)
        graph_free(graph);
    return failure;
}
