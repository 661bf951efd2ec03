/* nqueens.h: the board, the parameters and the check of nqueens, for every runtime: one task a placement, those of a
 * row joined at its end, as our workload nqueens has it. */
#pragma once

#include "extras/runtimes/runtime.h"
#include <inttypes.h>

#define NQUEENS_MAX 17

static const struct parameter nqueens_parameters[] = {
    PARAMETER_INTEGER("n", 11, 1, NQUEENS_MAX, "queens", "number of queens, and the board's side"),
    PARAMETER_INTEGER("cutoff", 0, 0, NQUEENS_MAX, "rows", "the last rows, done without tasks"),
    PARAMETERS_END,
};

/* The fields of the next row that the queens so far attack, as bits. */
struct board {
    uint32_t columns, left, right, row;
};

/* A bit a column; from this row on there are no tasks. Written before the runtime works. */
static uint32_t nqueens_all, nqueens_alone_from;

static inline uint32_t board_free(struct board board) {
    return nqueens_all & ~(board.columns | board.left | board.right);
}

/* With a queen on the lowest of the free columns. */
static inline struct board board_next(struct board board, uint32_t free) {
    const uint32_t queen = free & -free;
    const struct board next = {board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1,
                               board.row + 1};
    return next;
}

/* Is the rest done without tasks? */
static inline bool board_is_last(struct board board) { return board.row >= nqueens_alone_from; }

/* Ways to go on from here, without tasks. */
static inline uint64_t board_ways(struct board board) {
    uint64_t ways = board.columns == nqueens_all;
    for (uint32_t free = board_free(board); free; free &= free - 1)
        ways += board_ways(board_next(board, free));
    return ways;
}

struct nqueens {
    uint64_t expected, ways;
};

static inline bool nqueens_verify(void *context) {
    const struct nqueens *queens = (const struct nqueens *)context;
    if (queens->ways == queens->expected)
        return true;
    fprintf(stderr, "stealbench: %" PRIu64 " ways to place the queens, not %" PRIu64 "\n", queens->ways,
            queens->expected);
    return false;
}

/* Boards that are reached, which are the calls. */
static inline double nqueens_boards(struct board board) {
    double count = 1;
    for (uint32_t free = board_is_last(board) ? 0 : board_free(board); free; free &= free - 1)
        count += nqueens_boards(board_next(board, free));
    return count;
}

/* Main thread, the runtime being there. run sets ways. */
static inline int nqueens_measure(const struct cell *cell, void (*run)(void *context), void (*gather)(void)) {
    /* OEIS A000170 */
    static const uint64_t known[NQUEENS_MAX + 1] = {1,   1,   0,    0,     2,     10,     4,       40,       92,
                                                    352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104};
    const unsigned n = (unsigned)cell_integer(cell, "n");
    const unsigned cutoff = (unsigned)cell_integer(cell, "cutoff");
    const struct board empty = {0, 0, 0, 0};
    nqueens_all = (1u << n) - 1;
    nqueens_alone_from = cutoff < n ? n - cutoff : 0;
    struct nqueens queens = {known[n], 0};
    struct runtime_work work = {&queens, NULL, run, nqueens_verify, "time_per_call", nqueens_boards(empty)};
    return runtime_measure(cell, &work, gather);
}
