/* unlimited.h: deque_capacity of a deque that grows while there is memory, or keeps nothing itself. */
#pragma once

struct deque;
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    (void)deque;
    return 0;
}
