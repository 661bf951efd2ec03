/* example.c: two threads, one deque. Try it: gcc -std=c11 -pthread queues/example.c -o example && ./example */
#include "chase_lev.h"
#include <stdio.h>
#include <threads.h>

enum { ITEMS = 100000 };
static int taken[ITEMS]; /* how often each item came out: once */
static struct deque deque;
static atomic_bool over; /* relaxed: joining the thief orders everything else */

static int steal(void *unused) {
    (void)unused;
    for (deque_item item; !atomic_load_explicit(&over, memory_order_relaxed);) /* EMPTY alone is no end */
        if (deque_steal(&deque, NULL, &item) == DEQUE_OK)
            ++*(int *)item;
    return 0;
}

int main(void) {
    thrd_t thief;
    if (deque_init(&deque, &(struct deque_config){.capacity = ITEMS}) != 0 ||
        thrd_create(&thief, steal, NULL) != thrd_success)
        return 1;
    for (int i = 0; i < ITEMS; i++)
        deque_push(&deque, &taken[i]); /* never FULL: there is room for all */
    for (deque_item item; deque_pop(&deque, &item) == DEQUE_OK;)
        ++*(int *)item;
    atomic_store_explicit(&over, true, memory_order_relaxed);
    thrd_join(thief, NULL);
    deque_destroy(&deque);
    for (int i = 0; i < ITEMS; i++)
        if (taken[i] != 1)
            return 1;
    puts("each item came out once");
    return 0;
}
