/* lf_bulk.h: the linked list of the bulk paper, made correct: whole lists go in and come out at once.
 *
 * The owner pushes a list by linking its last to the old `head` and storing the new one, and pops by moving head on.
 * The thief walks down from head to the last link K that the owner is to keep, and cuts behind K: one CAS of K->next
 * from B to NULL, and B with all links behind it are the thief's. A pop marks K->next as it takes K, so owner and thief
 * meet at that word, and the first to change it wins.
 *
 * After R. S. N. Y. Kataru, D. Davarnia, A. Jannesari: A lock-free work-stealing algorithm for bulk operations. Its
 * listings, verbatim, are in as_published/lf_queue.h. Intrusive; one owner, one thief at a time.
 *
 * Where this departs from the listings, and why:
 * - There, the owner can pop across a cut. It has read K->next, the thief cuts, the owner makes the stolen B its head:
 *   the suffix belongs to both. Here both sides decide on K->next itself. Pop exchanges a marked B into it (the
 *   lowest bit: K has been popped). A pop that finds NULL was cut off and leaves an empty deque, a cut that finds the
 *   mark is LOST.
 * - Their pop clears next, so that a thief at that link has to give up, and it starts where the owner pops. Here a
 *   popped link still leads to the next: the thief walks on, and loses only when K itself was popped.
 * - Their thief may be at a link that has been popped and by now freed, or pushed again, onto this deque (the CAS would
 *   not notice) or onto another, which it would sever. Here the thief makes `epoch` odd for as long as a steal lasts,
 *   and a popped link may be used again only when the steal that may still read it is over (deque_retire).
 * - Their `next` is a plain field that both sides touch, and pop stores head relaxed, which ends push's release
 *   sequence. Here next is atomic and every store of head is a release.
 * - Their `size`, one word that both sides add to and subtract from, is never in step with the head that the thief
 *   reads, so it cuts in the wrong place, takes more than it was asked for, cannot know what it took without walking
 *   it, and their shortcut (same size, so the owner was idle) miscounts and takes a pop and a push for idleness. Here
 *   the head carries its own `height`: pushed minus popped when it became head. As long as a link is in the deque
 *   that number holds, whatever the owner does above it, so height - stolen is exactly how many links hang from the
 *   head that the thief has read, and how many it takes is known before it cuts.
 * - Left out: their thief steals nothing from fewer than `queue_limit` nodes, and gives up when less than half of what
 *   it saw at first is left after its walk ("nodes are popped very quick, abort"). Both keep the thief away from the
 *   owner, where their cut is unsafe. Here a cut is right wherever it is, or LOST; the caller decides whether to steal
 *   from a short deque, or from one that drains (percent; the pool's refill).
 * - All but the owner's newest item can be stolen. That one cannot: the link at the cut stays, and only the owner
 *   writes head.
 *
 * Mode walk: "full" walks the stolen list to find its last and counts on the way, as the paper's basic steal does;
 * "skip" is its optimised steal. Theirs has to walk when the owner moved; ours never, since last is known as well. It
 * is the link of the last cut, or, when the deque was empty since, the `bottom` of the owner's first push after that.
 * To tell which, the owner notes with bottom the height that it was pushed on, `base`. An empty deque has height equal
 * to stolen, and each steal raises stolen: base equals stolen exactly when no steal came after that push. (The thief
 * reads bottom and base after head and before its CAS. It may so read those of a later push than its head belongs to;
 * but then its head and all below were popped, and the CAS fails.)
 *
 * Push and pop linearize at push's store of head and at pop's exchange, a steal at its CAS, an EMPTY one at its load of
 * head or, when that was popped, at the pop that left one item, a LOST one where it finds K marked. Push is plain
 * stores. Pop has one read-modify-write. It cannot do without unless it has a store-load fence instead, at the same
 * price: owner and thief both may want any link, and see H. Attiya et al.: Laws of order, POPL 2011.
 */
#include "deque.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH | DEQUE_STEAL_BATCH | DEQUE_LISTS)
#ifdef LF_BULK_MANY_THIEVES /* lf_bulk_many.h, which explains it */
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "lf_bulk_many", .title = "LF_Queue, corrected, many thieves",                                            \
        .source = "Kataru, Davarnia, Jannesari: bulk operations, corrected and extended", .owner_order = DEQUE_LIFO,   \
        .bound = DEQUE_LINKED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .aside = true,    \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_BLOCKING,           \
        .thieves_leave = 1, .mode = "walk", .mode_values = "full|skip",                                                \
    }
#else
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "lf_bulk", .title = "LF_Queue, corrected",                                                               \
        .source = "Kataru, Davarnia, Jannesari: bulk operations, corrected", .owner_order = DEQUE_LIFO,                \
        .bound = DEQUE_LINKED, .thieves = DEQUE_ONE_THIEF, .native = DEQUE_NATIVE, .sound = true, .classic = true,     \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .thieves_leave = 1, .mode = "walk", .mode_values = "full|skip",                                                \
    }
#endif

#define LF_BULK_POPPED ((uintptr_t)1) /* the mark in next */

enum lf_bulk_walk { LF_BULK_FULL, LF_BULK_SKIP };

/* An item begins with this. Its contents do not matter before it is pushed. */
struct deque_link {
    _Atomic uintptr_t next;  /* the next older link, 0 when there is none or it was cut off; marked when popped */
    _Atomic uint64_t height; /* valid once this was head; the owner writes it */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic(struct deque_link *) head; /* this line: written by the owner alone */
    _Atomic uint64_t height;                               /* pushed minus popped */
    _Atomic(struct deque_link *) bottom;                   /* the oldest of the last push into an empty deque */
    _Atomic uint64_t base;                                 /* height before that push */
    alignas(DEQUE_LINE) _Atomic uint64_t epoch; /* this line: written by the thief alone; odd during a steal */
    _Atomic uint64_t stolen;                    /* items */
    struct deque_link *cut;                     /* the link behind which the last steal cut */
    alignas(DEQUE_LINE) enum lf_bulk_walk walk; /* this line: never written after deque_init */
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    if (config->mode > LF_BULK_SKIP)
        return EINVAL;
    atomic_init(&deque->head, NULL);
    atomic_init(&deque->height, config->first_index);
    atomic_init(&deque->bottom, NULL);
    atomic_init(&deque->base, config->first_index);
    atomic_init(&deque->epoch, config->first_index & ~UINT64_C(1));
    atomic_init(&deque->stolen, config->first_index);
    deque->cut = NULL;
    deque->walk = config->mode == LF_BULK_SKIP ? LF_BULK_SKIP : LF_BULK_FULL;
    return 0;
}

/* Links belong to the caller, so that there is nothing to free. */
DEQUE_OPERATION void deque_destroy(struct deque *deque) { (void)deque; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t stolen = atomic_load_explicit(&deque->stolen, memory_order_relaxed);
    int64_t size = (int64_t)(atomic_load_explicit(&deque->height, memory_order_relaxed) - stolen);
    return size > 0 ? (size_t)size : 0;
}

/* Where next leads to, whether its link was popped or not. */
DEQUE_OPERATION struct deque_link *lf_bulk_follow(uintptr_t next) {
    return (struct deque_link *)(next & ~LF_BULK_POPPED);
}

DEQUE_OPERATION void deque_list_append(struct deque_list *list, deque_item item) {
    struct deque_link *link = item;
    /* relaxed: the list is nobody else's yet, and lf_bulk_push publishes it */
    atomic_store_explicit(&link->next, 0, memory_order_relaxed);
    if (list->count++ == 0)
        list->first = link;
    else /* relaxed: as above */
        atomic_store_explicit(&list->last->next, (uintptr_t)link, memory_order_relaxed);
    list->last = link;
}

DEQUE_OPERATION deque_item deque_list_take(struct deque_list *list) {
    struct deque_link *link = list->first;
    if (list->count == 0)
        return NULL;
    list->first = lf_bulk_follow(atomic_load_explicit(&link->next, memory_order_relaxed));
    if (--list->count == 0)
        list->last = NULL;
    return link;
}

/* Owner. n links, first (the newest) to last, linked with each other. */
DEQUE_OPERATION void lf_bulk_push(struct deque *deque, struct deque_link *first, struct deque_link *last, size_t n) {
    struct deque_link *head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    uint64_t height = atomic_load_explicit(&deque->height, memory_order_relaxed);
    /* relaxed: the release of head below publishes it */
    atomic_store_explicit(&last->next, (uintptr_t)head, memory_order_relaxed);
    if (!head) {
        atomic_store_explicit(&deque->bottom, last, memory_order_relaxed);
        atomic_store_explicit(&deque->base, height, memory_order_relaxed);
    }
    atomic_store_explicit(&first->height, height + n, memory_order_relaxed);
    atomic_store_explicit(&deque->height, height + n, memory_order_relaxed);
    /* release, here and in pop: pairs with the acquire of head in lf_bulk_cut, which may read any of our stores of it
     * and must see the links below, their items, the head's height, bottom and base */
    atomic_store_explicit(&deque->head, first, memory_order_release);
}

DEQUE_OPERATION void deque_push_list(struct deque *deque, struct deque_list *list) {
    if (list->count == 0)
        return;
    lf_bulk_push(deque, list->first, list->last, list->count);
    list->first = NULL;
    list->last = NULL;
    list->count = 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    struct deque_link *link = item;
    lf_bulk_push(deque, link, link, 1);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    if (n == 0)
        return 0;
    struct deque_link *oldest = items[0], *newest = oldest;
    for (size_t i = 1; i < n; i++) {
        struct deque_link *link = items[i];
        /* relaxed: lf_bulk_push publishes it */
        atomic_store_explicit(&link->next, (uintptr_t)newest, memory_order_relaxed);
        newest = link;
    }
    lf_bulk_push(deque, newest, oldest, n);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    struct deque_link *head = atomic_load_explicit(&deque->head, memory_order_relaxed);
    if (!head)
        return DEQUE_EMPTY;
    uint64_t height = atomic_load_explicit(&deque->height, memory_order_relaxed) - 1;
    uintptr_t marked = atomic_load_explicit(&head->next, memory_order_relaxed) | LF_BULK_POPPED;
    /* Between the load and this we may have been cut off. Then what we mark is wrong, but nobody gets there any more.
     * acquire: pairs with the release of the CAS in lf_bulk_cut; when it cut us off, the thief has read bottom and
     * base before we write them anew */
    struct deque_link *next = lf_bulk_follow(atomic_exchange_explicit(&head->next, marked, memory_order_acquire));
    atomic_store_explicit(&deque->height, height, memory_order_relaxed);
    if (next)
        atomic_store_explicit(&next->height, height, memory_order_relaxed);
    atomic_store_explicit(&deque->head, next, memory_order_release);
    *item = head;
    return DEQUE_OK;
}

/* How many of size items (2 or more) percent asks for: rounded up, 0 means half; at most max, and never the newest. */
DEQUE_OPERATION uint64_t lf_bulk_share(uint64_t size, unsigned percent, uint64_t max) {
    if (percent == 0)
        percent = 50;
    uint64_t share = size / 100 * percent + (size % 100 * percent + 99) / 100;
    if (share > max)
        share = max;
    return share < size ? share : size - 1;
}

/* Thief, alone with the list: finds the last of a list by walking it, and counts. */
DEQUE_OPERATION void lf_bulk_walk_to_last(struct deque_list *list) {
    struct deque_link *last = list->first;
    size_t count = 1;
    uintptr_t next;
    while ((next = atomic_load_explicit(&last->next, memory_order_relaxed))) {
        last = lf_bulk_follow(next);
        count++;
    }
    list->last = last;
    list->count = count;
}

/* Thief, while epoch is odd. Takes percent of what hangs from head, at most max (not 0), into list. */
DEQUE_OPERATION enum deque_result lf_bulk_cut(struct deque *victim, unsigned percent, size_t max,
                                              struct deque_list *list) {
    /* acquire: pairs with the release stores of head in lf_bulk_push and pop */
    struct deque_link *keep = atomic_load_explicit(&victim->head, memory_order_acquire);
    if (!keep)
        return DEQUE_EMPTY;
    uint64_t stolen = atomic_load_explicit(&victim->stolen, memory_order_relaxed);
    uint64_t size = atomic_load_explicit(&keep->height, memory_order_relaxed) - stolen;
    /* relaxed along the way: what we read was linked before the head that we have acquired, at most marked since. The
     * owner may have stopped between its exchange and its store of head: what it has already popped does not count. */
    uintptr_t next = atomic_load_explicit(&keep->next, memory_order_relaxed);
    for (; size > 1 && next & LF_BULK_POPPED; size--) {
        keep = lf_bulk_follow(next);
        next = atomic_load_explicit(&keep->next, memory_order_relaxed);
    }
    if (size < 2)
        return DEQUE_EMPTY;
    struct deque_link *bottom = atomic_load_explicit(&victim->bottom, memory_order_relaxed);
    uint64_t base = atomic_load_explicit(&victim->base, memory_order_relaxed);
    uint64_t share = lf_bulk_share(size, percent, max);
    for (uint64_t i = 1; i < size - share; i++) {
        keep = lf_bulk_follow(next);
        next = atomic_load_explicit(&keep->next, memory_order_relaxed);
    }
    if (next & LF_BULK_POPPED)
        return DEQUE_LOST;
    list->first = lf_bulk_follow(next);
    /* release: pairs with the acquire of the exchange in pop */
    if (!atomic_compare_exchange_strong_explicit(&keep->next, &next, 0, memory_order_release, memory_order_relaxed))
        return DEQUE_LOST;
    if (victim->walk == LF_BULK_FULL) {
        lf_bulk_walk_to_last(list);
    } else {
        list->last = base == stolen ? bottom : victim->cut;
        list->count = (size_t)share;
    }
    victim->cut = keep;
    atomic_store_explicit(&victim->stolen, stolen + list->count, memory_order_relaxed);
    return DEQUE_OK;
}

/* Thief: makes epoch odd. false: another thief's steal is under way. */
DEQUE_OPERATION bool lf_bulk_begin(struct deque *victim, uint64_t epoch) {
#ifdef LF_BULK_MANY_THIEVES
    /* acquire: pairs with the release at the end of lf_bulk_steal; the thief before us has written stolen and cut and
     * left its links. release: as below */
    return !(epoch & 1) && atomic_compare_exchange_strong_explicit(&victim->epoch, &epoch, epoch + 1,
                                                                   memory_order_acq_rel, memory_order_relaxed);
#else
    /* release: pairs with the acquires in deque_retire and deque_reusable, which may read any store of epoch; every
     * steal before it has then left its links */
    atomic_store_explicit(&victim->epoch, epoch + 1, memory_order_release);
    return true;
#endif
}

/* Thief. */
DEQUE_OPERATION enum deque_result lf_bulk_steal(struct deque *victim, unsigned percent, size_t max,
                                                struct deque_list *list) {
    uint64_t epoch = atomic_load_explicit(&victim->epoch, memory_order_relaxed);
    if (!lf_bulk_begin(victim, epoch))
        return DEQUE_LOST;
    /* pairs with the fence in deque_retire: either it sees that a steal is under way, or we see the head that was left
     * after the pops before it, from which what was popped cannot be reached */
    atomic_thread_fence(memory_order_seq_cst);
    enum deque_result result = lf_bulk_cut(victim, percent, max, list);
    /* release: as in lf_bulk_begin */
    atomic_store_explicit(&victim->epoch, epoch + 2, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal_list(struct deque *victim, struct deque *self, unsigned percent,
                                                   struct deque_list *list) {
    (void)self;
    enum deque_result result = lf_bulk_steal(victim, percent, SIZE_MAX, list);
    if (result != DEQUE_OK) {
        list->first = NULL;
        list->last = NULL;
        list->count = 0;
    }
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    (void)self;
    struct deque_list list;
    enum deque_result result = max == 0 ? DEQUE_EMPTY : lf_bulk_steal(victim, percent, max, &list);
    *n = result == DEQUE_OK ? list.count : 0;
    for (size_t i = *n; i-- > 0;)
        out[i] = deque_list_take(&list);
    return result;
}

/* The oldest item, at the end of the walk: the deque is made for whole lists. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    struct deque_list list;
    enum deque_result result = lf_bulk_steal(victim, 100, 1, &list);
    if (result == DEQUE_OK)
        *item = list.first;
    return result;
}

/* A ticket is the odd epoch of the steal that may still read a popped link, or 0 when there is none. The fence costs as
 * much as a pop; one call for many popped links shares it. */
DEQUE_OPERATION deque_ticket deque_retire(struct deque *deque) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in lf_bulk_steal */
    /* acquire: pairs with the release stores of epoch in lf_bulk_steal */
    uint64_t epoch = atomic_load_explicit(&deque->epoch, memory_order_acquire);
    return epoch & 1 ? epoch : 0;
}

DEQUE_OPERATION bool deque_reusable(struct deque *deque, deque_ticket ticket) {
    /* acquire: as in deque_retire */
    return ticket == 0 || atomic_load_explicit(&deque->epoch, memory_order_acquire) != ticket;
}
