/* libfork_growth.c: how lf::deque of libfork (2f359cda, libfork/core/ext/deque.hpp) pushes into a full buffer, and how
 * a thief steals, for the model checker GenMC: every order as there, but acquire for consume, which compilers take it
 * for. docs/scan.md tells what comes of it. PUBLISH=memory_order_release is the repair.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct buf {
    long cap, mask;
    _Atomic(long) slots[2];
};
_Atomic(long) top, bottom;
_Atomic(struct buf *) m_buf;
#ifndef PUBLISH
#define PUBLISH memory_order_relaxed
#endif
static struct buf *make(long cap) {
    struct buf *b = malloc(sizeof *b);
    b->cap = cap;
    b->mask = cap - 1;
    return b;
}
static void push(long v) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    long t = atomic_load_explicit(&top, memory_order_acquire);
    struct buf *buf = atomic_load_explicit(&m_buf, memory_order_relaxed);
    if (buf->cap < (b - t) + 1) {
        struct buf *bigger = make(2 * buf->cap);
        for (long i = t; i != b; i++)
            atomic_store_explicit(&bigger->slots[i & bigger->mask],
                                  atomic_load_explicit(&buf->slots[i & buf->mask], memory_order_relaxed),
                                  memory_order_relaxed);
        buf = bigger;
        atomic_store_explicit(&m_buf, buf, PUBLISH);
    }
    atomic_store_explicit(&buf->slots[b & buf->mask], v, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}
static void *thief(void *arg) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t < b) {
        struct buf *buf = atomic_load_explicit(&m_buf, memory_order_acquire);
        long v = atomic_load_explicit(&buf->slots[t & buf->mask], memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            assert(v == t + 1);
    }
    return NULL;
}
int main(void) {
    pthread_t t;
    atomic_init(&top, 0);
    atomic_init(&bottom, 0);
    atomic_init(&m_buf, make(1));
    push(1);
    pthread_create(&t, NULL, thief, NULL);
    push(2);
    pthread_join(t, NULL);
}
