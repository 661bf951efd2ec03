/* graph_file.h: a directed acyclic graph from a text file.
 *
 *   edge list       a line an arc, "FROM TO", nodes counted from 0; further columns and lines that begin with # or %
 *                   are passed over. A line "# nodes N arcs M" before the first arc says how many there are, and is
 *                   then held to; without it the highest number decides. workloads/applications/dag/git_history.sh
 * writes such files of any git repository. Matrix Market   "%%MatrixMarket matrix coordinate ... general", square: an
 * entry in row i and column j is an arc from i to j.
 *
 * The first line decides which it is. Refused, with file and line: what is no number or out of range, a file that ends
 * too early (fewer arcs than announced, or within a line), an arc from a node to itself, a cycle.
 */
#ifndef STEALBENCH_GRAPH_FILE_H
#define STEALBENCH_GRAPH_FILE_H

#include "workloads/applications/dag/graph.h"

/* 0; EINVAL the file is not such a graph or cannot be read; ENOMEM, EMFILE, ENFILE. With a message "path:line: what is
 * wrong" (GRAPH_MESSAGE bytes) unless 0; then there is nothing to free. */
int graph_read(struct graph *, const char *path, char *message);

#endif
