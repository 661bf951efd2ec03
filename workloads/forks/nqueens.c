/* nqueens.c: how many ways there are to place n queens on a board so that none attacks another. A fork for each
 * placement that is allowed, all forks of a row joined at its end.
 *
 * Compiled once for each deque, which is inlined.
 */
#include "workloads/applications/answer.h"
#include "workloads/pool/pool_inline.h"

#define BOARD_MAX 17

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("n", 11, 1, BOARD_MAX, "queens", "queens, and the board's side"),
    PARAMETER_INTEGER("cutoff", 0, 0, BOARD_MAX, "rows", "the last rows, done without forks"),
    PARAMETERS_END,
};

/* A board: what the queens so far attack in the next row, as bits. */
struct board {
    struct pool_fork fork;
    uint32_t columns, left, right;
    uint32_t row;
    uint64_t ways;
};

static unsigned side, cutoff; /* written before the pool runs */

static uint64_t place_alone(uint32_t columns, uint32_t left, uint32_t right) {
    uint32_t all = (1u << side) - 1, free = all & ~(columns | left | right);
    uint64_t ways = 0;
    if (columns == all)
        return 1;
    for (; free; free &= free - 1) {
        uint32_t queen = free & -free;
        ways += place_alone(columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

static void place_row(struct pool_worker *worker, struct pool_fork *fork) {
    struct board *board = (struct board *)(void *)fork;
    uint32_t all = (1u << side) - 1, free = all & ~(board->columns | board->left | board->right);
    struct board next[BOARD_MAX];
    unsigned count = 0;
    uint64_t ways = 0;
    if (board->row + cutoff >= side) {
        board->ways = place_alone(board->columns, board->left, board->right);
        return;
    }
    for (; free; free &= free - 1) {
        uint32_t queen = free & -free;
        struct board *child = &next[count++];
        child->columns = board->columns | queen;
        child->left = (board->left | queen) << 1;
        child->right = (board->right | queen) >> 1;
        child->row = board->row + 1;
        if (!pool_fork_inline(worker, &child->fork, place_row)) {
            place_row(worker, &child->fork);
            ways += next[--count].ways;
        }
    }
    while (count-- > 0) {
        if (pool_join_inline(worker, &next[count].fork))
            place_row(worker, &next[count].fork);
        ways += next[count].ways;
    }
    board->ways = ways;
}

static uint64_t compute(struct pool_worker *worker, void *context) {
    struct board board = {.row = 0};
    (void)context;
    place_row(worker, &board.fork);
    return board.ways;
}

/* Boards that are reached, which are the calls: each row's placements. */
static double boards(uint32_t columns, uint32_t left, uint32_t right, unsigned row) {
    uint32_t all = (1u << side) - 1, free = all & ~(columns | left | right);
    double count = 1;
    if (row + cutoff >= side)
        return 1;
    for (; free; free &= free - 1) {
        uint32_t queen = free & -free;
        count += boards(columns | queen, (left | queen) << 1, (right | queen) >> 1, row + 1);
    }
    return count;
}

static int run(const struct cell *cell) {
    /* OEIS A000170 */
    static const uint64_t known[BOARD_MAX + 1] = {1,   1,   0,    0,     2,     10,     4,       40,       92,
                                                  352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104};
    side = (unsigned)cell_integer(cell, "n");
    cutoff = (unsigned)cell_integer(cell, "cutoff");
    struct answer answer = {compute, NULL, known[side], boards(0, 0, 0, 0)};
    return answer_measure(cell, &answer);
}

REGISTER_WORKLOAD(nqueens, .name = "nqueens",
                  .summary = "forks of many at once: ways to place n queens, one task a placement",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
