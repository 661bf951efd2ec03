/* quicksort.c: tasks that spawn tasks on an exported pool, and nobody waits for any: the pool knows the end.
 *
 *   ./run.sh export pool --deque=bwos_lifo --prefix=my > my_pool.h
 *   cc -std=gnu11 -O2 -D_GNU_SOURCE -pthread quicksort.c -o quicksort && ./quicksort [N [THREADS]]
 */
#define MY_IMPLEMENTATION
#include "my_pool.h"
#include <stdio.h>

#define SMALL 512 /* numbers that one task sorts alone */

struct part {
    struct my_task task;
    uint32_t *first, *end;
};

static int compare(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Hoare's: everything before the returned place is at most the pivot, everything from there on at least. */
static uint32_t *partition(uint32_t *first, uint32_t *end) {
    uint32_t pivot = first[(end - first - 1) / 2], *low = first, *high = end - 1;
    for (;; low++, high--) {
        while (*low < pivot)
            low++;
        while (pivot < *high)
            high--;
        if (low >= high)
            return high + 1;
        uint32_t swapped = *low;
        *low = *high;
        *high = swapped;
    }
}

static void run_part(struct my_worker *worker, struct my_task *task);

static void sort(struct my_worker *worker, uint32_t *first, uint32_t *end) {
    while (end - first > SMALL) {
        uint32_t *cut = partition(first, end);
        struct part *upper = (struct part *)(void *)my_take(worker);
        if (!upper) {
            my_fail(worker, 3, "no memory for a task");
            return;
        }
        *upper = (struct part){{run_part}, cut, end};
        my_spawn(worker, &upper->task);
        end = cut;
    }
    qsort(first, (size_t)(end - first), sizeof *first, compare);
}

static void run_part(struct my_worker *worker, struct my_task *task) {
    struct part part = *(struct part *)(void *)task;
    my_give(worker, task); /* its memory is free for the next one */
    sort(worker, part.first, part.end);
}

static void run_whole(struct my_worker *worker, struct my_task *task) {
    sort(worker, ((struct part *)(void *)task)->first, ((struct part *)(void *)task)->end);
}

int main(int count, char **words) {
    struct my *pool;
    struct my_options options = MY_DEFAULTS;
    struct my_settings settings = {.task_bytes = sizeof(struct part)};
    size_t n = count > 1 ? (size_t)atoll(words[1]) : 1000000;
    uint32_t *numbers = malloc(n * sizeof *numbers), state = 1;
    struct part whole = {{run_whole}, numbers, numbers + n};
    struct my_task *task = &whole.task;
    options.threads = count > 2 ? (unsigned)atoi(words[2]) : 0;
    if (!numbers || my_start(&pool, &options, &settings) != 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        numbers[i] = state = state * 1664525u + 1013904223u;
    if (my_run(pool, &task, 1) != 0)
        return 1;
    for (size_t i = 1; i < n; i++)
        if (numbers[i - 1] > numbers[i])
            return 1;
    printf("%zu numbers sorted on %u threads in %.4f s\n", n, my_threads(pool), my_seconds(pool));
    my_close(pool);
    free(numbers);
    return 0;
}
