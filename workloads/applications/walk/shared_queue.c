#include "workloads/applications/walk/shared_queue.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct shared_worker {
    struct shared_queue *queue;
    unsigned number;
    pthread_t thread;
};

struct shared_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* there is a task, the last one has ended, or the pool closes */
    struct walk_entry *first, *last;
    size_t unfinished; /* tasks in the queue and tasks being run */
    unsigned waiting;  /* workers on the condition variable */
    bool closing;
    unsigned placed; /* threads that have taken their place */
    void (*run)(void *context, unsigned worker, struct walk_entry *);
    void *context;
    struct places *places;
    struct shared_worker *workers;
    unsigned count; /* of threads that were started, main among them */
};

static void wait_for_change(struct shared_queue *queue) {
    queue->waiting++;
    pthread_cond_wait(&queue->changed, &queue->lock);
    queue->waiting--;
}

/* Holding the lock, which is let go of while a task runs. Ends when nothing is unfinished (main) or all is over. */
static void work(struct shared_queue *queue, unsigned number) {
    while (number == 0 ? queue->unfinished > 0 : !queue->closing) {
        struct walk_entry *task = queue->first;
        if (!task) {
            wait_for_change(queue);
            continue;
        }
        queue->first = task->next;
        pthread_mutex_unlock(&queue->lock);
        queue->run(queue->context, number, task);
        pthread_mutex_lock(&queue->lock);
        if (--queue->unfinished == 0)
            pthread_cond_broadcast(&queue->changed); /* main may be waiting */
    }
}

static void *worker_main(void *argument) {
    struct shared_worker *worker = argument;
    struct shared_queue *queue = worker->queue;
    places_take(queue->places, worker->number);
    pthread_mutex_lock(&queue->lock);
    queue->placed++;
    pthread_cond_broadcast(&queue->changed);
    work(queue, worker->number);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static int start(struct shared_queue *queue) {
    for (queue->count = 1; queue->count < queue->places->count; queue->count++) {
        struct shared_worker *worker = &queue->workers[queue->count];
        *worker = (struct shared_worker){.queue = queue, .number = queue->count};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            return 3;
    }
    places_take(queue->places, 0);
    pthread_mutex_lock(&queue->lock);
    while (queue->placed + 1 < queue->count)
        wait_for_change(queue);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int shared_queue_open(struct shared_queue **opened, struct places *places,
                      void (*run)(void *context, unsigned worker, struct walk_entry *), void *context) {
    struct shared_queue *queue = calloc(1, sizeof *queue);
    struct shared_worker *workers = calloc(places->count, sizeof *workers);
    *opened = queue;
    if (!queue || !workers) {
        free(queue);
        free(workers);
        *opened = NULL;
        return 3;
    }
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->run = run;
    queue->context = context;
    queue->places = places;
    queue->workers = workers;
    int code = start(queue);
    if (code != 0) {
        shared_queue_close(queue);
        *opened = NULL;
    }
    return code;
}

void shared_queue_close(struct shared_queue *queue) {
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 1; i < queue->count; i++)
        pthread_join(queue->workers[i].thread, NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue->workers);
    free(queue);
}

static void append(struct shared_queue *queue, struct walk_entry *first, struct walk_entry *last, size_t count) {
    last->next = NULL;
    if (queue->first)
        queue->last->next = first;
    else
        queue->first = first;
    queue->last = last;
    queue->unfinished += count;
    if (queue->waiting > 0 && count > 1)
        pthread_cond_broadcast(&queue->changed);
    else if (queue->waiting > 0)
        pthread_cond_signal(&queue->changed);
}

void shared_queue_add(struct shared_queue *queue, struct walk_entry *first, struct walk_entry *last, size_t count) {
    pthread_mutex_lock(&queue->lock);
    append(queue, first, last, count);
    pthread_mutex_unlock(&queue->lock);
}

void shared_queue_run(struct shared_queue *queue, struct walk_entry *first) {
    pthread_mutex_lock(&queue->lock);
    append(queue, first, first, 1);
    work(queue, 0);
    pthread_mutex_unlock(&queue->lock);
}
