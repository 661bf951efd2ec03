#if defined DEQUE_TRACE
/* What a program does with its deques, thread by thread, for ./run.sh trace FILE. Two readings of the clock an
 * operation. #define DEQUE_TRACE in every file that includes this; deque_trace writes the file. */
#include <stdio.h>
#include <time.h>
#ifndef DEQUE_TRACE_EVENTS
#define DEQUE_TRACE_EVENTS ((size_t)1 << 20) /* of a thread, 32 bytes each; what comes later is left out */
#endif
enum deque_traced { DEQUE_TRACED_PUSH, DEQUE_TRACED_POP, DEQUE_TRACED_STEAL, DEQUE_TRACED_BATCH, DEQUE_TRACED_INTO };
struct deque_trace_event {
    uint64_t gap; /* ns from the end of the thread's operation before to the begin of this one, or of these */
    const void *deque;
    uint32_t items, times; /* failures of one kind in a row are one event */
    enum deque_traced operation;
};
struct deque_trace_thread {
    struct deque_trace_thread *before; /* the one that came before */
    struct deque_trace_event *events;
    size_t count, room;
    uint64_t began, ended; /* its first operation, its last */
    const void *own;       /* the deque that it pushes to and pops from */
    int error;             /* as of deque_trace */
};
/* Of the process, or where the linker does not join them, of a translation unit. The newest by atomic builtins, which C
 * and C++ have alike. */
__attribute__((weak)) __thread struct deque_trace_thread *deque_trace_mine;
__attribute__((weak)) struct deque_trace_thread *deque_trace_newest;

DEQUE_OPERATION uint64_t deque_trace_clock(void) {
    struct timespec now;
    return timespec_get(&now, TIME_UTC) ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}

DEQUE_SLOW_PATH struct deque_trace_thread *deque_trace_enter(uint64_t began) {
    struct deque_trace_thread *me = (struct deque_trace_thread *)calloc(1, sizeof *me);
    if (!me)
        return NULL;
    me->began = me->ended = began;
    me->before = __atomic_load_n(&deque_trace_newest, __ATOMIC_RELAXED);
    /* release: pairs with the acquire in deque_trace */
    while (!__atomic_compare_exchange_n(&deque_trace_newest, &me->before, me, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
    return deque_trace_mine = me;
}

/* Room for one more event, or NULL. */
DEQUE_SLOW_PATH struct deque_trace_event *deque_trace_next(struct deque_trace_thread *me) {
    if (me->count == me->room && me->count < DEQUE_TRACE_EVENTS) {
        size_t room = me->room ? 2 * me->room : 1024;
        void *more = realloc(me->events, room * sizeof *me->events);
        if (more) {
            me->events = (struct deque_trace_event *)more;
            me->room = room;
        }
    }
    if (me->count < me->room && me->count < DEQUE_TRACE_EVENTS)
        return &me->events[me->count++];
    me->error = me->error ? me->error : EOVERFLOW;
    return NULL;
}

DEQUE_SLOW_PATH void deque_trace_note(const void *deque, enum deque_traced operation, size_t items, uint64_t began) {
    struct deque_trace_thread *me = deque_trace_mine ? deque_trace_mine : deque_trace_enter(began);
    if (!me)
        return;
    struct deque_trace_event *event = me->count > 0 ? &me->events[me->count - 1] : NULL;
    const uint64_t gap = began > me->ended ? began - me->ended : 0; /* the clock may be set back */
    if (operation <= DEQUE_TRACED_POP) {
        if (me->own && me->own != deque)
            me->error = EINVAL;
        me->own = deque;
    }
    if (event && items == 0 && event->items == 0 && event->operation == operation && event->deque == deque) {
        event->gap += gap;
        event->times += event->times < UINT32_MAX;
    } else if ((event = deque_trace_next(me))) {
        event->gap = gap;
        event->deque = deque;
        event->items = (uint32_t)items;
        event->times = 1;
        event->operation = operation;
    }
    me->ended = deque_trace_clock();
}

/* The number of the thread that owns the deque, where `last` is that of the newest; last + 1: nobody does. */
DEQUE_SLOW_PATH unsigned deque_trace_owner(const struct deque_trace_thread *newest, unsigned last, const void *deque) {
    for (unsigned number = last; newest; newest = newest->before, number--)
        if (newest->own == deque)
            return number;
    return last + 1;
}

/* Any thread, while no other uses a deque. Writes what has been recorded so far. 0, or errno's; EINVAL: a deque has two
 * owners, or a thread two deques; EOVERFLOW: it is written, but of a thread only the first DEQUE_TRACE_EVENTS events.
 */
DEQUE_SLOW_PATH int deque_trace(const char *path) {
    static const char *const operations[] = {"push", "pop", "steal", "steal_batch", "steal_into"};
    const struct deque_trace_thread *newest = __atomic_load_n(&deque_trace_newest, __ATOMIC_ACQUIRE), *thread;
    unsigned threads = 0;
    uint64_t first = UINT64_MAX;
    int error = 0;
    for (thread = newest; thread; thread = thread->before, threads++) {
        error = error == EINVAL || thread->error == 0 ? error : thread->error;
        if (thread->own && deque_trace_owner(thread->before, 0, thread->own) != 1)
            error = EINVAL;
        first = thread->began < first ? thread->began : first;
    }
    FILE *file = error == EINVAL ? NULL : fopen(path, "w");
    if (!file)
        return error ? error : errno;
    bool written = fprintf(file, "deque trace 1\nthreads %u deques %u\n", threads, threads + 1) > 0;
    for (unsigned number = 0; number < threads; number++) {
        thread = newest;
        for (unsigned i = number + 1; i < threads; i++)
            thread = thread->before;
        written = fprintf(file, "thread %u events %zu\n", number, thread->count) > 0 && written;
        for (size_t i = 0; i < thread->count; i++) {
            const struct deque_trace_event *event = &thread->events[i];
            const uint64_t gap = event->gap + (i == 0 ? thread->began - first : 0);
            written = fprintf(file, "%s %u %u %u %llu\n", operations[event->operation],
                              deque_trace_owner(newest, threads - 1, event->deque), (unsigned)event->items,
                              (unsigned)event->times, (unsigned long long)gap) > 0 &&
                      written;
        }
    }
    written = fputs("end\n", file) >= 0 && written;
    return fclose(file) == 0 && written ? error : EIO;
}

DEQUE_OPERATION enum deque_result deque_traced_push(struct deque *deque, deque_item item) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_push(deque, item);
    if (result == DEQUE_OK)
        deque_trace_note(deque, DEQUE_TRACED_PUSH, 1, began);
    return result;
}
DEQUE_OPERATION enum deque_result deque_traced_pop(struct deque *deque, deque_item *item) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_pop(deque, item);
    deque_trace_note(deque, DEQUE_TRACED_POP, result == DEQUE_OK, began);
    return result;
}
DEQUE_OPERATION enum deque_result deque_traced_steal(struct deque *victim, struct deque *self, deque_item *item) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_steal(victim, self, item);
    deque_trace_note(victim, DEQUE_TRACED_STEAL, result == DEQUE_OK, began);
    return result;
}
#define deque_push deque_traced_push
#define deque_pop deque_traced_pop
#define deque_steal deque_traced_steal
#ifdef HAS_deque_push_batch
DEQUE_OPERATION size_t deque_traced_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    const uint64_t began = deque_trace_clock();
    size_t pushed = deque_push_batch(deque, items, n);
    if (pushed > 0)
        deque_trace_note(deque, DEQUE_TRACED_PUSH, pushed, began);
    return pushed;
}
#define deque_push_batch deque_traced_push_batch
#endif
#ifdef HAS_deque_steal_batch
DEQUE_OPERATION enum deque_result deque_traced_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                           deque_item *out, size_t max, size_t *n) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_steal_batch(victim, self, percent, out, max, n);
    deque_trace_note(victim, DEQUE_TRACED_BATCH, *n, began);
    return result;
}
#define deque_steal_batch deque_traced_steal_batch
#endif
#ifdef HAS_deque_steal_into
DEQUE_OPERATION enum deque_result deque_traced_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                          size_t *moved) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_steal_into(victim, self, first, moved);
    deque_trace_note(victim, DEQUE_TRACED_INTO, *moved + (result == DEQUE_OK), began);
    return result;
}
#define deque_steal_into deque_traced_steal_into
#endif
#ifdef HAS_deque_pop_from
DEQUE_OPERATION enum deque_result deque_traced_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_pop_from(deque, item, place);
    deque_trace_note(deque, DEQUE_TRACED_POP, result == DEQUE_OK, began);
    return result;
}
#define deque_pop_from deque_traced_pop_from
#endif
#ifdef HAS_deque_push_at
DEQUE_OPERATION enum deque_result deque_traced_push_at(struct deque *deque, deque_item item, uint64_t place) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_push_at(deque, item, place);
    if (result == DEQUE_OK)
        deque_trace_note(deque, DEQUE_TRACED_PUSH, 1, began);
    return result;
}
/* Where it gives nothing, a pop follows. */
DEQUE_OPERATION enum deque_result deque_traced_pop_own(struct deque *deque, deque_item item, uint64_t place) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_pop_own(deque, item, place);
    if (result == DEQUE_OK)
        deque_trace_note(deque, DEQUE_TRACED_POP, 1, began);
    return result;
}
#define deque_push_at deque_traced_push_at
#define deque_pop_own deque_traced_pop_own
#endif
#ifdef HAS_deque_commit
DEQUE_OPERATION size_t deque_traced_commit(struct deque *deque, size_t n) {
    const uint64_t began = deque_trace_clock();
    size_t pushed = deque_commit(deque, n);
    if (pushed > 0)
        deque_trace_note(deque, DEQUE_TRACED_PUSH, pushed, began);
    return pushed;
}
#define deque_commit deque_traced_commit
#endif
#ifdef HAS_deque_push_list
DEQUE_OPERATION void deque_traced_push_list(struct deque *deque, struct deque_list *list) {
    const uint64_t began = deque_trace_clock();
    const size_t count = list->count;
    deque_push_list(deque, list);
    if (count > 0)
        deque_trace_note(deque, DEQUE_TRACED_PUSH, count, began);
}
DEQUE_OPERATION enum deque_result deque_traced_steal_list(struct deque *victim, struct deque *self, unsigned percent,
                                                          struct deque_list *list) {
    const uint64_t began = deque_trace_clock();
    enum deque_result result = deque_steal_list(victim, self, percent, list);
    deque_trace_note(victim, DEQUE_TRACED_BATCH, result == DEQUE_OK ? list->count : 0, began);
    return result;
}
#define deque_push_list deque_traced_push_list
#define deque_steal_list deque_traced_steal_list
#endif
#endif
