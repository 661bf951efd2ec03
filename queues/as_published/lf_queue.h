/* as_published/lf_queue.h: LF_Queue, listings 1 to 4 of the bulk paper, verbatim. Kept because it is wrong.
 *
 * R. S. N. Y. Kataru, D. Davarnia, A. Jannesari: A lock-free work-stealing algorithm for bulk operations. What
 * is wrong with it, and how it is corrected, is in ../lf_bulk.h.
 *
 * The listing steals sz - k - 1 nodes, where k are to be left, and never with k below 2: of three items or fewer it
 * steals nothing, nor 100 % of any number. Ours, and outside of the listings, is only how they meet the contract:
 * - An abort is LOST when the size went down meanwhile, else EMPTY.
 * - A steal that may hand out no more than some number chooses k for it, and, since sz may be behind the list, moves
 *   its cut on until no more than that hangs behind it.
 * - The paper has no rule for when a popped node may be used again, so it may be at once.
 */
#include "../deque.h"
#include "../parts/unlimited.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH | DEQUE_STEAL_BATCH | DEQUE_LISTS)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/lf_queue", .title = "LF_Queue (as published)",                                             \
        .source = "Kataru, Davarnia, Jannesari: bulk operations, listings 1-4", .owner_order = DEQUE_LIFO,             \
        .bound = DEQUE_LINKED, .thieves = DEQUE_ONE_THIEF, .native = DEQUE_NATIVE, .sound = false,                     \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .thieves_leave = 3, .fault = "the owner can pop across the cut: the stolen items then belong to both",         \
    }

/* The paper's _queue_limit_: no steal from fewer nodes. It gives no value. config->block sets another. */
#ifndef LF_QUEUE_LIMIT
#define LF_QUEUE_LIMIT 2
#endif
#define LF_QUEUE_CACHE_LINE_SIZE 64

struct deque_link {
    uint8_t padding[LF_QUEUE_CACHE_LINE_SIZE];
    struct deque_link *next;
};
_Static_assert(sizeof(struct deque_link) == 72 && alignof(struct deque_link) == 8,
               "suites ask for the listing's node: node=72");

struct deque {
    alignas(DEQUE_LINE) _Atomic size_t size;
    _Atomic(struct deque_link *) head;
    alignas(DEQUE_LINE) size_t limit;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    atomic_init(&deque->size, 0);
    atomic_init(&deque->head, NULL);
    deque->limit = config->block ? config->block : LF_QUEUE_LIMIT;
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { (void)deque; }

/* After a duplicate the size never reconciles and may fall below zero. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    size_t size = atomic_load_explicit(&deque->size, memory_order_relaxed);
    return size <= SIZE_MAX / 2 ? size : 0;
}

DEQUE_OPERATION void deque_list_append(struct deque_list *list, deque_item item) {
    struct deque_link *link = item;
    link->next = NULL;
    if (list->count++ == 0)
        list->first = link;
    else
        list->last->next = link;
    list->last = link;
}

DEQUE_OPERATION deque_item deque_list_take(struct deque_list *list) {
    struct deque_link *link = list->first;
    if (list->count == 0)
        return NULL;
    list->first = link->next;
    if (--list->count == 0)
        list->last = NULL;
    return link;
}

/* Listing 2. */
DEQUE_OPERATION void lf_queue_push(struct deque *deque, struct deque_link *start, struct deque_link *end, size_t n) {
    end->next = atomic_load_explicit(&deque->head, memory_order_relaxed);
    /* release: pairs with the acquire of head in steal */
    atomic_store_explicit(&deque->head, start, memory_order_release);
    /* acq_rel: pairs with the acquires of size in steal */
    atomic_fetch_add_explicit(&deque->size, n, memory_order_acq_rel);
}

DEQUE_OPERATION void deque_push_list(struct deque *deque, struct deque_list *list) {
    if (list->count == 0)
        return;
    lf_queue_push(deque, list->first, list->last, list->count);
    list->first = NULL;
    list->last = NULL;
    list->count = 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    struct deque_link *link = item;
    lf_queue_push(deque, link, link, 1);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    if (n == 0)
        return 0;
    struct deque_link *end = items[0], *start = end;
    for (size_t i = 1; i < n; i++) {
        struct deque_link *link = items[i];
        link->next = start;
        start = link;
    }
    lf_queue_push(deque, start, end, n);
    return n;
}

/* Listing 3. */
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    struct deque_link *rv = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if (!rv)
        return DEQUE_EMPTY;
    atomic_store_explicit(&deque->head, rv->next, memory_order_relaxed);
    /* acq_rel: as in push */
    atomic_fetch_sub_explicit(&deque->size, 1, memory_order_acq_rel);
    rv->next = NULL;
    *item = rv;
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result lf_queue_return(struct deque_list *list, enum deque_result result,
                                                  struct deque_link *first, struct deque_link *last, size_t count) {
    list->first = first;
    list->last = last;
    list->count = count;
    return result;
}

/* The link nearest to start behind which no more than max hang; NULL when the list broke off on the way. */
DEQUE_OPERATION struct deque_link *lf_queue_move_cut(struct deque_link *start, size_t max) {
    struct deque_link *ahead = start;
    for (size_t i = 0; i < max && ahead; i++)
        ahead = ahead->next;
    while (start && ahead && ahead->next) {
        start = start->next;
        ahead = ahead->next;
    }
    return start;
}

/* Listing 4. max is ours: how many it takes at most, SIZE_MAX for the listing as it is. */
DEQUE_OPERATION enum deque_result lf_queue_steal(struct deque *victim, unsigned percent, size_t max,
                                                 struct deque_list *list) {
    double proportion = 1 - (percent ? percent : 50) / 100.0;
    /* acquire, here and of ssz: pairs with the read-modify-writes of size in push and pop */
    size_t sz = atomic_load_explicit(&victim->size, memory_order_acquire);
    if (sz < victim->limit)
        return lf_queue_return(list, DEQUE_EMPTY, NULL, NULL, 0);

    size_t n_skip = (size_t)((double)sz * proportion);
    if (sz - n_skip - 1 > max)
        n_skip = sz - max - 1;
    size_t k = n_skip;

    /* acquire: pairs with the release store of head in push */
    struct deque_link *start = atomic_load_explicit(&victim->head, memory_order_acquire);
    while (n_skip && start) {
        start = start->next;
        n_skip--;
    }
    if (max != SIZE_MAX)
        start = lf_queue_move_cut(start, max);
    if (n_skip || !start)
        return lf_queue_return(list, DEQUE_LOST, NULL, NULL, 0);

    size_t ssz = atomic_load_explicit(&victim->size, memory_order_acquire);
    if (ssz <= (sz - (k >> 1)))
        return lf_queue_return(list, ssz < sz ? DEQUE_LOST : DEQUE_EMPTY, NULL, NULL, 0);

    struct deque_link *begin = start->next;
    start->next = NULL;
    /* release: meant to publish the cut; pairs with the acq_rel of size in push and pop */
    atomic_fetch_add_explicit(&victim->size, 0, memory_order_release);

    struct deque_link *end = begin;
    size_t count = 0;
    while (end) {
        count++;
        if (!end->next)
            break;
        end = end->next;
    }
    atomic_fetch_sub_explicit(&victim->size, count, memory_order_seq_cst); /* the listing names no order */
    return lf_queue_return(list, count ? DEQUE_OK : DEQUE_EMPTY, begin, end, count);
}

DEQUE_OPERATION enum deque_result deque_steal_list(struct deque *victim, struct deque *self, unsigned percent,
                                                   struct deque_list *list) {
    (void)self;
    return lf_queue_steal(victim, percent, SIZE_MAX, list);
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    struct deque_list list;
    enum deque_result result = max ? lf_queue_steal(victim, percent, max, &list) : DEQUE_EMPTY;
    *n = result == DEQUE_OK ? list.count : 0;
    for (size_t i = *n; i-- > 0;)
        out[i] = deque_list_take(&list);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    return deque_steal_batch(victim, self, 100, item, 1, &n);
}

DEQUE_OPERATION deque_ticket deque_retire(struct deque *deque) {
    (void)deque;
    return 0;
}

DEQUE_OPERATION bool deque_reusable(struct deque *deque, deque_ticket ticket) {
    (void)deque;
    (void)ticket;
    return true;
}
