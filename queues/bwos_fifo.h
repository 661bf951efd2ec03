/* bwos_fifo.h: block-based work stealing, oldest first for the owner.
 *
 * J. Wang et al.: BWoS: formally verified block-based work stealing for parallel processing, OSDI 2023; S. Duwadi:
 * Analysis of novel approaches for work-stealing scheduling, Bamberg 2025. (as_published/ has its listing of the other
 * order.)
 *
 * A ring of blocks, each with its own control words. The owner pushes at the newest and pops at the oldest end; thieves
 * work between the two. The owner takes a block in hand by one exchange of its `claim`, and with it all items that
 * thieves have not claimed; it pops those without any memory order. Thieves claim one or many items of a block by a
 * CAS, read them, and count them as read. So a thief gets the oldest item behind the owner's block, not the oldest of
 * all.
 *
 * Where this departs from the thesis, and why:
 * - There, push is refused for as long as a thief has claimed something in the next block and has not counted it as
 *   read: a stopped thief can leave a deque that is both empty and full. Here the ring holds pointers to blocks, and
 *   such a block gives its place to a spare, found among those replaced before or allocated. Push is refused only when
 *   the next block holds items that nobody has claimed, or when there is no memory for one block more than there are
 *   stopped thieves.
 * - Push skips blocks that thieves have emptied, too, so that an owner that only pushes gets their room back.
 * - Items and blocks are counted by positions that only grow, instead of a version and an index; `stolen` only grows.
 *   So nothing has to be reset in a certain order, and a thread that was asleep cannot mistake a block for its
 *   successor.
 */
#include "deque.h"
#include "parts/ring.h"

#define BWOS_FIFO_DEFAULT_BLOCK 64
#define DEQUE_BLOCK BWOS_FIFO_DEFAULT_BLOCK
#define DEQUE_STEALABLE bwos_fifo_stealable

#define DEQUE_NATIVE DEQUE_STEAL_BATCH
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "bwos_fifo", .title = "BWoS FIFO", .source = "Wang et al.: OSDI 2023; Duwadi 2025",                      \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = BWOS_FIFO_DEFAULT_BLOCK - 1,                               \
    }

/* The meaning of a claim; positions are doubled to free the low bit. 2 * position: the one claimed next, from the
 * block's first to one behind its last (emptied by thieves). 2 * first position + 1: the owner has the block. */
struct bwos_fifo_block {
    alignas(DEQUE_LINE) _Atomic uint64_t claim;     /* thieves by CAS, the owner by exchange and store */
    alignas(DEQUE_LINE) _Atomic uint64_t stolen;    /* items that thieves have read here, ever */
    alignas(DEQUE_LINE) _Atomic uint64_t committed; /* this line: owner; one past the newest item of this block */
    uint64_t stolen_due;                            /* the value of stolen once every thief has read its items */
    struct bwos_fifo_block *spare;                  /* the next of the spare blocks */
    deque_item *slots;                              /* never written after the block was made */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    _Atomic uint64_t front;                      /* what the owner pops next */
    uint64_t ceiling;                            /* one past the last position of the block that is pushed to */
    deque_item *front_slots;                     /* of the block in hand */
    struct bwos_fifo_block *newest;              /* the block that is pushed to */
    struct bwos_fifo_block *spares;              /* blocks that gave their place away */
    alignas(DEQUE_LINE) _Atomic uint64_t get;    /* owner: one past the last position of the block in hand */
    alignas(DEQUE_LINE) _Atomic uint64_t top;    /* thieves: first position of the oldest block not emptied */
    alignas(DEQUE_LINE) _Atomic(struct bwos_fifo_block *) *ring; /* this line: never written after deque_init */
    struct bwos_fifo_block *blocks;                              /* those made by deque_init */
    deque_item *slots;
    uint64_t mask;
    uint64_t block; /* items in a block, a power of two */
    unsigned shift; /* its logarithm */
};

DEQUE_OPERATION _Atomic(struct bwos_fifo_block *) *bwos_fifo_place(const struct deque *deque, uint64_t position) {
    return &deque->ring[(position & deque->mask) >> deque->shift];
}

/* position: where its next items go; claim: as above. */
DEQUE_OPERATION void bwos_fifo_make_block(struct bwos_fifo_block *block, deque_item *slots, uint64_t position,
                                          uint64_t claim) {
    atomic_init(&block->claim, claim);
    atomic_init(&block->stolen, 0);
    atomic_init(&block->committed, position);
    block->stolen_due = 0;
    block->spare = NULL;
    block->slots = slots;
}

/* Every block but the first looks as if the owner had popped it one round ago. */
DEQUE_OPERATION void bwos_fifo_begin(struct deque *deque, uint64_t first) {
    uint64_t capacity = deque->mask + 1;
    for (uint64_t i = 0; i < capacity; i += deque->block) {
        struct bwos_fifo_block *block = &deque->blocks[i >> deque->shift];
        uint64_t claim = i == 0 ? 2 * first : 2 * (first + i - capacity) + 1;
        bwos_fifo_make_block(block, deque->slots + i, first, claim);
        atomic_init(bwos_fifo_place(deque, first + i), block);
    }
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->front, first);
    atomic_init(&deque->get, first);
    atomic_init(&deque->top, first);
    deque->ceiling = first + deque->block;
    deque->newest = deque->blocks;
    deque->front_slots = deque->slots;
    deque->spares = NULL;
}

/* config->block and the number of blocks are rounded up to powers of two; there are at least two blocks. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t count, block;
    if (!ring_blocks(config, 4096, BWOS_FIFO_DEFAULT_BLOCK, &count, &block))
        return EINVAL;
    deque->slots = DEQUE_ALLOC(count * block * sizeof *deque->slots);
    deque->blocks = DEQUE_ALLOC(count * sizeof *deque->blocks);
    deque->ring = DEQUE_ALLOC(count * sizeof *deque->ring);
    if (!deque->slots || !deque->blocks || !deque->ring) {
        DEQUE_FREE(deque->slots);
        DEQUE_FREE(deque->blocks);
        DEQUE_FREE(deque->ring);
        return ENOMEM;
    }
    deque->mask = count * block - 1;
    deque->block = block;
    deque->shift = ring_log2(block);
    bwos_fifo_begin(deque, config->first_index & ~(uint64_t)(block - 1));
    return 0;
}

DEQUE_OPERATION bool bwos_fifo_made_by_init(const struct deque *deque, const struct bwos_fifo_block *block) {
    return block >= deque->blocks && block <= deque->blocks + (deque->mask >> deque->shift);
}

DEQUE_OPERATION void bwos_fifo_free_block(const struct deque *deque, struct bwos_fifo_block *block) {
    if (bwos_fifo_made_by_init(deque, block))
        return;
    DEQUE_FREE(block->slots);
    DEQUE_FREE(block);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    for (uint64_t i = 0; i <= deque->mask >> deque->shift; i++)
        bwos_fifo_free_block(deque, atomic_load_explicit(&deque->ring[i], memory_order_relaxed));
    while (deque->spares) {
        struct bwos_fifo_block *block = deque->spares;
        deque->spares = block->spare;
        bwos_fifo_free_block(deque, block);
    }
    DEQUE_FREE(deque->ring);
    DEQUE_FREE(deque->blocks);
    DEQUE_FREE(deque->slots);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

/* Any thread: the first position that is neither the owner's nor emptied by thieves. */
DEQUE_OPERATION uint64_t bwos_fifo_oldest(const struct deque *deque) {
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    uint64_t get = atomic_load_explicit(&deque->get, memory_order_relaxed);
    return (int64_t)(get - top) > 0 ? get : top;
}

/* Any thread: all but what the owner has in hand. */
DEQUE_OPERATION size_t bwos_fifo_stealable(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t oldest = bwos_fifo_oldest(deque);
    /* acquire: as in bwos_fifo_claim */
    struct bwos_fifo_block *block = atomic_load_explicit(bwos_fifo_place(deque, oldest), memory_order_acquire);
    uint64_t claimed = atomic_load_explicit(&block->claim, memory_order_relaxed) - 2 * oldest;
    if (!(claimed & 1) && claimed <= 2 * deque->block)
        oldest += claimed / 2;
    int64_t size = (int64_t)(bottom - oldest);
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    uint64_t get = atomic_load_explicit(&deque->get, memory_order_relaxed);
    int64_t in_hand = (int64_t)((int64_t)(bottom - get) < 0 ? bottom - front : get - front);
    uint64_t size = bwos_fifo_stealable(deque) + (uint64_t)(in_hand > 0 ? in_hand : 0);
    return size > deque->mask ? (size_t)deque->mask + 1 : (size_t)size;
}

/* Owner. A block that no thief is in any more, to begin at `position`; NULL when there is no memory. */
DEQUE_SLOW_PATH struct bwos_fifo_block *bwos_fifo_spare(struct deque *deque, uint64_t position) {
    for (struct bwos_fifo_block **link = &deque->spares; *link; link = &(*link)->spare) {
        struct bwos_fifo_block *block = *link;
        /* acquire: as in bwos_fifo_next */
        if (atomic_load_explicit(&block->stolen, memory_order_acquire) == block->stolen_due) {
            *link = block->spare;
            /* relaxed: the release of the place in bwos_fifo_next publishes it. With the claim of its last round, a
             * late thief would find nothing here and report EMPTY for a deque that has items */
            atomic_store_explicit(&block->claim, 2 * position, memory_order_relaxed);
            return block;
        }
    }
    struct bwos_fifo_block *block = DEQUE_ALLOC(sizeof *block);
    deque_item *slots = DEQUE_ALLOC(deque->block * sizeof *slots);
    if (!block || !slots) {
        DEQUE_FREE(block);
        DEQUE_FREE(slots);
        return NULL;
    }
    bwos_fifo_make_block(block, slots, position, 2 * position);
    return block;
}

/* Owner, about to use the place of the block one round before `next` again. Are all its items popped or claimed? */
DEQUE_OPERATION bool bwos_fifo_passed(struct deque *deque, struct bwos_fifo_block *block, uint64_t next) {
    uint64_t before = next - deque->mask - 1, behind = before + deque->block;
    uint64_t get = atomic_load_explicit(&deque->get, memory_order_relaxed);
    if (get == behind) /* in hand */
        return atomic_load_explicit(&deque->front, memory_order_relaxed) == behind;
    if (get != before)
        return true;
    if (atomic_load_explicit(&block->claim, memory_order_relaxed) != 2 * behind)
        return false;
    block->stolen_due += deque->block;
    atomic_store_explicit(&deque->get, behind, memory_order_relaxed);
    atomic_store_explicit(&deque->front, behind, memory_order_relaxed);
    return true;
}

/* Owner, whose newest block is full. Begins the next one; false when its items are still there. */
DEQUE_SLOW_PATH bool bwos_fifo_next(struct deque *deque) {
    uint64_t next = deque->ceiling;
    _Atomic(struct bwos_fifo_block *) *place = bwos_fifo_place(deque, next);
    struct bwos_fifo_block *block = atomic_load_explicit(place, memory_order_relaxed);
    if (!bwos_fifo_passed(deque, block, next))
        return false;
    /* acquire: pairs with the release of stolen in bwos_fifo_claim; thieves have read the slots before we write them
     * again */
    if (atomic_load_explicit(&block->stolen, memory_order_acquire) != block->stolen_due) {
        struct bwos_fifo_block *spare = bwos_fifo_spare(deque, next);
        if (!spare)
            return false;
        block->spare = deque->spares;
        deque->spares = block;
        block = spare;
        /* release: pairs with the acquires of the ring's places; the thief sees a block that has been made */
        atomic_store_explicit(place, block, memory_order_release);
    }
    /* relaxed: nothing is to be read before committed says so, and that is a release */
    atomic_store_explicit(&block->claim, 2 * next, memory_order_relaxed);
    deque->newest = block;
    deque->ceiling = next + deque->block;
    return true;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->ceiling && !bwos_fifo_next(deque))
        return DEQUE_FULL;
    struct bwos_fifo_block *block = deque->newest;
    block->slots[bottom & (deque->block - 1)] = item;
    /* release: pairs with the acquire of committed in bwos_fifo_claim; publishes the slot and what the item points to
     */
    atomic_store_explicit(&block->committed, bottom + 1, memory_order_release);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return DEQUE_OK;
}

/* Owner, having popped all of the block in hand. Takes in hand the next one in which thieves have left items; false if
 * there is none. At most as many iterations as there are blocks. */
DEQUE_SLOW_PATH bool bwos_fifo_take_over(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed), get = front;
    while (front == get && get != bottom) {
        struct bwos_fifo_block *block = atomic_load_explicit(bwos_fifo_place(deque, get), memory_order_relaxed);
        /* relaxed: what we take we have written ourselves, and the mark gives thieves nothing to read */
        uint64_t claimed = atomic_exchange_explicit(&block->claim, 2 * get + 1, memory_order_relaxed) - 2 * get;
        block->stolen_due += claimed / 2;
        deque->front_slots = block->slots;
        front = get + claimed / 2;
        get += deque->block;
    }
    atomic_store_explicit(&deque->front, front, memory_order_relaxed);
    atomic_store_explicit(&deque->get, get, memory_order_relaxed);
    return front != bottom;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    if (front == atomic_load_explicit(&deque->bottom, memory_order_relaxed))
        return DEQUE_EMPTY;
    if (front == atomic_load_explicit(&deque->get, memory_order_relaxed)) {
        if (!bwos_fifo_take_over(deque))
            return DEQUE_EMPTY;
        front = atomic_load_explicit(&deque->front, memory_order_relaxed);
    }
    *item = deque->front_slots[front & (deque->block - 1)];
    atomic_store_explicit(&deque->front, front + 1, memory_order_relaxed);
    return DEQUE_OK;
}

/* Thief. Up to max (not 0) of the oldest items of one block. */
DEQUE_OPERATION enum deque_result bwos_fifo_claim(struct deque *victim, deque_item *out, size_t max, size_t *n) {
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_relaxed), oldest = bwos_fifo_oldest(victim);
    /* Three blocks in a row that are gone, or one of another round, mean that others were faster. */
    for (int turn = 0; turn < 3; turn++) {
        /* acquire: pairs with the release of the place in bwos_fifo_next */
        struct bwos_fifo_block *block = atomic_load_explicit(bwos_fifo_place(victim, oldest), memory_order_acquire);
        uint64_t claim = atomic_load_explicit(&block->claim, memory_order_relaxed), claimed = claim - 2 * oldest;
        if ((int64_t)claimed < 0) /* not begun */
            return DEQUE_EMPTY;
        if (claimed > 2 * victim->block || (claimed & 1 && claimed != 1))
            return DEQUE_LOST;
        if (claimed == 1 || claimed == 2 * victim->block) {
            oldest += victim->block;
            if (claimed != 1 && (int64_t)(oldest - top) > 0 &&
                atomic_compare_exchange_strong_explicit(&victim->top, &top, oldest, memory_order_relaxed,
                                                        memory_order_relaxed))
                top = oldest;
            continue;
        }
        uint64_t first = claimed / 2; /* in the block */
        /* acquire: pairs with the release of committed in push */
        int64_t left = (int64_t)(atomic_load_explicit(&block->committed, memory_order_acquire) - oldest - first);
        if (left <= 0)
            return DEQUE_EMPTY;
        uint64_t share = (uint64_t)left < victim->block - first ? (uint64_t)left : victim->block - first;
        if (share > max)
            share = max;
        if (!atomic_compare_exchange_strong_explicit(&block->claim, &claim, claim + 2 * share, memory_order_relaxed,
                                                     memory_order_relaxed))
            return DEQUE_LOST;
        deque_copy(out, block->slots + first, share);
        /* release: pairs with the acquires of stolen in bwos_fifo_next and bwos_fifo_spare */
        atomic_fetch_add_explicit(&block->stolen, share, memory_order_release);
        *n = (size_t)share;
        return DEQUE_OK;
    }
    return DEQUE_LOST;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    (void)self;
    return bwos_fifo_claim(victim, item, 1, &n);
}

/* A block at a time, until percent is taken; 0: what the oldest block has. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    enum deque_result result = DEQUE_EMPTY;
    (void)self;
    *n = 0;
    if (percent == 0 && max > 0)
        return bwos_fifo_claim(victim, out, max, n);
    size_t wanted = ring_part(deque_size(victim), percent, max), part = 0;
    while (*n < wanted && (result = bwos_fifo_claim(victim, out + *n, wanted - *n, &part)) == DEQUE_OK)
        *n += part;
    return *n > 0 ? DEQUE_OK : result;
}
