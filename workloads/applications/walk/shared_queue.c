#include "workloads/applications/walk/shared_queue.h"

/* Holding the lock, which is let go of while a task runs. Ends when nothing is unfinished (main) or all is over. */
static void work(struct shared_queue *queue, unsigned number) {
    while (number == 0 ? queue->unfinished > 0 : !queue->closing) {
        struct walk_entry *task = queue->first;
        if (!task) {
            queue->waiting++;
            pthread_cond_wait(&queue->changed, &queue->lock);
            queue->waiting--;
            continue;
        }
        queue->first = task->next;
        pthread_mutex_unlock(&queue->lock);
        walk_visit(&queue->walkers[number], task);
        pthread_mutex_lock(&queue->lock);
        if (--queue->unfinished == 0)
            pthread_cond_broadcast(&queue->changed); /* main may be waiting */
    }
}

static void *worker_main(void *argument) {
    struct shared_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    const unsigned number = ++queue->placed;
    places_take(queue->places, number);
    pthread_cond_broadcast(&queue->changed);
    work(queue, number);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

int shared_queue_open(struct shared_queue *queue, struct places *places, struct walker *walkers) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->places = places;
    queue->walkers = walkers;
    while (queue->started + 1 < places->count) {
        if (pthread_create(&queue->threads[queue->started], NULL, worker_main, queue) != 0)
            return 3;
        queue->started++;
    }
    places_take(places, 0);
    pthread_mutex_lock(&queue->lock);
    while (queue->placed < queue->started)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

void shared_queue_close(struct shared_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 0; i < queue->started; i++)
        pthread_join(queue->threads[i], NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
}

void shared_queue_add(struct shared_queue *queue, struct pool_task *const *tasks, size_t count) {
    struct walk_entry *const *entries = (struct walk_entry *const *)(const void *)tasks;
    for (size_t i = 0; i < count; i++)
        entries[i]->next = i + 1 < count ? entries[i + 1] : NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->first)
        queue->last->next = entries[0];
    else
        queue->first = entries[0];
    queue->last = entries[count - 1];
    queue->unfinished += count;
    if (queue->waiting > 0 && count > 1)
        pthread_cond_broadcast(&queue->changed);
    else if (queue->waiting > 0)
        pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void shared_queue_run(struct shared_queue *queue, struct walk_entry *first) {
    struct pool_task *task = &first->task;
    shared_queue_add(queue, &task, 1);
    pthread_mutex_lock(&queue->lock);
    work(queue, 0);
    pthread_mutex_unlock(&queue->lock);
}
