/* nqueens.c: how many ways there are to place n queens on a board so that none attacks another. A fork for each
 * placement that is allowed, all forks of a row joined at its end.
 *
 * Compiled once for each deque, which is inlined.
 */
#include "workloads/applications/answer.h"
#include "workloads/pool/pool_inline.h"

#define BOARD_MAX 17

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("n", 11, 1, BOARD_MAX, "queens", "number of queens, and the board's side"),
    PARAMETER_INTEGER("cutoff", 0, 0, BOARD_MAX, "rows", "the last so many rows are done without forks"),
    PARAMETERS_END,
};

/* A board: the fields of the next row that the queens so far attack, as bits. */
struct board {
    struct pool_fork fork;
    uint32_t columns, left, right;
    uint32_t row;
    uint64_t ways;
};

/* With one more queen. */
static inline void next_board(struct board *next, const struct board *board, uint32_t queen) {
    next->columns = board->columns | queen;
    next->left = (board->left | queen) << 1;
    next->right = (board->right | queen) >> 1;
    next->row = board->row + 1;
}

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

static void place_row(struct pool_worker *worker, struct pool_fork *fork);

/* The rest of a row without forks: there is no room for them, or little stack left. */
__attribute__((noinline, cold)) static uint64_t place_refused(struct pool_worker *worker, struct board *board,
                                                              uint32_t free) {
    uint64_t ways = 0;
    for (; free; free &= free - 1) {
        struct board child;
        next_board(&child, board, free & -free);
        place_row(worker, &child.fork);
        ways += child.ways;
    }
    return ways;
}

/* A row by plain forks: the stack is deep. */
__attribute__((noinline, cold)) static uint64_t place_plainly(struct pool_worker *worker, struct board *board,
                                                              uint32_t free) {
    struct board child;
    if (free == 0)
        return 0;
    next_board(&child, board, free & -free);
    if (!pool_fork_inline(worker, &child.fork, place_row))
        return place_refused(worker, board, free);
    uint64_t ways = place_plainly(worker, board, free & (free - 1));
    if (pool_join_inline(worker, &child.fork))
        place_row(worker, &child.fork);
    return ways + child.ways;
}

static void place_row(struct pool_worker *worker, struct pool_fork *fork) {
    struct board *board = (struct board *)(void *)fork;
    uint32_t all = (1u << side) - 1, free = all & ~(board->columns | board->left | board->right);
    struct board next[BOARD_MAX];
    unsigned count = 0;
    uint64_t ways = 0, place;
    if (board->row + cutoff >= side) {
        board->ways = place_alone(board->columns, board->left, board->right);
        return;
    }
    if (__builtin_expect(!pool_frame(worker, &next[0].fork, &place), 0)) {
        board->ways = place_plainly(worker, board, free);
        return;
    }
    for (; free; free &= free - 1) {
        struct board *child = &next[count];
        next_board(child, board, free & -free);
        pool_fork_ready(&child->fork, place_row);
        if (__builtin_expect(!pool_fork_placed(worker, &child->fork, place + count), 0)) {
            ways = place_refused(worker, board, free);
            break;
        }
        count++;
    }
    while (count-- > 0) {
        if (pool_join_placed(worker, &next[count].fork, place + count))
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
                  .summary = "many forks at once: ways to place n queens, one task a placement",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
