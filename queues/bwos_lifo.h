/* bwos_lifo.h: block-based work stealing, newest first for the owner.
 *
 * J. Wang et al.: BWoS: formally verified block-based work stealing for parallel processing, OSDI 2023; S. Duwadi:
 * Analysis of novel approaches for work-stealing scheduling, Bamberg 2025, whose listing is in as_published/.
 *
 * A ring of blocks, each with its own control words. The owner works in one block that no thief may touch, so that push
 * and pop within it need no order at all. When it is full, the owner grants it to the thieves and goes up to the next;
 * when it is empty, the owner takes the block below back, by one exchange of its `claim`, and with it what thieves have
 * not claimed. Thieves work in the oldest block: they claim one or many items by a CAS, read them, and count them as
 * read. The price: thieves cannot have the owner's block, and room comes back a block at a time.
 *
 * Where this departs from the thesis, and why:
 * - A block is written again only when every thief that claimed something there has read it (`stolen`). Until then
 *   push is refused.
 * - Items and blocks have positions that do not begin anew with each round of the ring. The oldest block (`top`), which
 *   only goes up, and each claim carry the whole position instead of an index in the ring, so that a thread that was
 *   asleep cannot mistake a block for its successor, and the owner, which comes down again with every pop, does not go
 *   below where thieves have been.
 * - Thieves may take what is left of a block at once, which is the batch that the thesis leaves to future work (6.0.2).
 * - A block that thieves have emptied is told apart from one that the owner has taken (the low bit of claim), and is
 *   not taken over.
 */
#include "deque.h"
#include "parts/ring.h"

#define BWOS_LIFO_DEFAULT_BLOCK 64
#define DEQUE_BLOCK BWOS_LIFO_DEFAULT_BLOCK
#define DEQUE_STEALABLE bwos_lifo_stealable

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO + DEQUE_PLACES + DEQUE_RESERVE)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "bwos_lifo", .title = "BWoS LIFO", .source = "Wang et al.: OSDI 2023; Duwadi 2025",                      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = true, .classic = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,             \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = BWOS_LIFO_DEFAULT_BLOCK,                                   \
    }

/* The meaning of a claim; positions are doubled to free the low bit. 2 * position: the one stolen next, from the
 * block's first to one behind its last (emptied by thieves). 2 * first position + 1: the owner has the block. */
struct bwos_lifo_block {
    alignas(DEQUE_LINE) _Atomic uint64_t claim;  /* thieves by CAS, the owner by exchange and store */
    alignas(DEQUE_LINE) _Atomic uint64_t stolen; /* items that thieves have read here, ever */
    uint64_t stolen_before;                      /* owner: the value of stolen when the block was begun */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    _Atomic uint64_t floor;                      /* the first position that is the owner's */
    uint64_t ceiling;                            /* one past the last position of the owner's block */
    alignas(DEQUE_LINE) _Atomic uint64_t top;    /* first position of the oldest block that may hold something */
    alignas(DEQUE_LINE) deque_item *slots;       /* this line: never written after deque_init */
    struct bwos_lifo_block *blocks;
    uint64_t mask;
    uint64_t block; /* items in a block, a power of two */
    unsigned shift; /* its logarithm */
};

DEQUE_OPERATION struct bwos_lifo_block *bwos_lifo_block_at(const struct deque *deque, uint64_t position) {
    return &deque->blocks[(position & deque->mask) >> deque->shift];
}

/* Every block but the first looks as if thieves had emptied it one round ago. */
DEQUE_OPERATION void bwos_lifo_begin(struct deque *deque, uint64_t first) {
    for (uint64_t position = first; position != first + deque->mask + 1; position += deque->block) {
        struct bwos_lifo_block *block = bwos_lifo_block_at(deque, position);
        uint64_t emptied = position - deque->mask - 1 + deque->block;
        atomic_init(&block->claim, position == first ? 2 * first + 1 : 2 * emptied);
        atomic_init(&block->stolen, 0);
        block->stolen_before = (uint64_t)0 - deque->block;
    }
    bwos_lifo_block_at(deque, first)->stolen_before = 0;
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->floor, first);
    deque->ceiling = first + deque->block;
    atomic_init(&deque->top, first);
}

/* config->block and the number of blocks are rounded up to powers of two; there are at least two blocks. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t count, block;
    if (!ring_blocks(config, 4096, BWOS_LIFO_DEFAULT_BLOCK, &count, &block))
        return EINVAL;
    deque->slots = DEQUE_ALLOC(count * block * sizeof *deque->slots);
    deque->blocks = DEQUE_ALLOC(count * sizeof *deque->blocks);
    if (!deque->slots || !deque->blocks) {
        DEQUE_FREE(deque->slots);
        DEQUE_FREE(deque->blocks);
        return ENOMEM;
    }
    deque->mask = count * block - 1;
    deque->block = block;
    deque->shift = ring_log2(block);
    bwos_lifo_begin(deque, config->first_index & ~(uint64_t)(block - 1));
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->slots);
    DEQUE_FREE(deque->blocks);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

/* Any thread: how many items there are below position `end`, one of the owner's. */
DEQUE_OPERATION size_t bwos_lifo_below(const struct deque *deque, uint64_t end) {
    uint64_t oldest = atomic_load_explicit(&deque->top, memory_order_relaxed);
    uint64_t claim = atomic_load_explicit(&bwos_lifo_block_at(deque, oldest)->claim, memory_order_relaxed);
    if (claim & 1)
        oldest = atomic_load_explicit(&deque->floor, memory_order_relaxed);
    else if (claim - 2 * oldest <= 2 * deque->block)
        oldest += (claim - 2 * oldest) / 2;
    int64_t size = (int64_t)(end - oldest);
    if (size < 0)
        return 0;
    return (uint64_t)size > deque->mask ? (size_t)deque->mask + 1 : (size_t)size;
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    return bwos_lifo_below(deque, atomic_load_explicit(&deque->bottom, memory_order_relaxed));
}

/* Any thread: all below the owner's. */
DEQUE_OPERATION size_t bwos_lifo_stealable(const struct deque *deque) {
    return bwos_lifo_below(deque, atomic_load_explicit(&deque->floor, memory_order_relaxed));
}

/* Owner, whose block is full. Grants it to the thieves and goes on in the next one; false when that is in use. */
DEQUE_SLOW_PATH bool bwos_lifo_go_up(struct deque *deque) {
    uint64_t next = deque->ceiling, full = next - deque->block, before = next - deque->mask - 1;
    struct bwos_lifo_block *block = bwos_lifo_block_at(deque, next);
    uint64_t claim = atomic_load_explicit(&block->claim, memory_order_relaxed);
    if (claim != 2 * next + 1) { /* not one that we have left by going down, where no thief has been since */
        if (claim != 2 * (before + deque->block))
            return false;
        /* acquire: pairs with the release of stolen in bwos_lifo_claim; thieves have read the slots before we write
         * them again */
        uint64_t stolen = atomic_load_explicit(&block->stolen, memory_order_acquire);
        if (stolen - block->stolen_before != deque->block)
            return false;
        block->stolen_before = stolen;
        /* Thieves move top when they find a block emptied; it must not fall behind by a whole round. */
        atomic_compare_exchange_strong_explicit(&deque->top, &before, before + deque->block, memory_order_relaxed,
                                                memory_order_relaxed);
        /* relaxed: it gives thieves nothing to read */
        atomic_store_explicit(&block->claim, 2 * next + 1, memory_order_relaxed);
    }
    /* release: pairs with the acquire of the CAS in steal; publishes the slots and what the items point to */
    atomic_store_explicit(&bwos_lifo_block_at(deque, full)->claim,
                          2 * atomic_load_explicit(&deque->floor, memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&deque->floor, next, memory_order_relaxed);
    deque->ceiling = next + deque->block;
    return true;
}

/* Owner, whose empty block was the thieves' before, so that it begins with positions that they have taken: starts it
 * over once they have read those items. */
DEQUE_SLOW_PATH void bwos_lifo_start_over(struct deque *deque, uint64_t first) {
    struct bwos_lifo_block *block = bwos_lifo_block_at(deque, first);
    /* acquire: as in bwos_lifo_go_up */
    uint64_t stolen = atomic_load_explicit(&block->stolen, memory_order_acquire);
    if (stolen - block->stolen_before != atomic_load_explicit(&deque->floor, memory_order_relaxed) - first)
        return;
    block->stolen_before = stolen;
    atomic_store_explicit(&deque->floor, first, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, first, memory_order_relaxed);
}

/* Owner, whose block is empty. Takes over the items that thieves have left in the block below; false if there are none.
 */
DEQUE_SLOW_PATH bool bwos_lifo_go_down(struct deque *deque) {
    uint64_t first = deque->ceiling - deque->block, below = first - deque->block;
    if (atomic_load_explicit(&deque->floor, memory_order_relaxed) != first) {
        /* Thieves go from the oldest block upwards: where they have been in our own, nothing is left below. */
        bwos_lifo_start_over(deque, first);
        return false;
    }
    struct bwos_lifo_block *block = bwos_lifo_block_at(deque, below);
    uint64_t claim = atomic_load_explicit(&block->claim, memory_order_relaxed);
    if (claim & 1 || claim - 2 * below >= 2 * deque->block)
        return false;
    /* relaxed: what is taken back we have written ourselves, and the mark gives thieves nothing to read */
    claim = atomic_exchange_explicit(&block->claim, 2 * below + 1, memory_order_relaxed);
    if (claim == 2 * first) {
        atomic_store_explicit(&block->claim, claim, memory_order_relaxed); /* they were faster; relaxed: as above */
        return false;
    }
    atomic_store_explicit(&deque->floor, below + (claim - 2 * below) / 2, memory_order_relaxed);
    deque->ceiling = first;
    return true;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->ceiling && !bwos_lifo_go_up(deque))
        return DEQUE_FULL;
    deque->slots[bottom & deque->mask] = item;
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t pushed = 0;
    if (n == 1)
        return deque_push(deque, *items) == DEQUE_OK;
    while (pushed < n && (bottom != deque->ceiling || bwos_lifo_go_up(deque))) {
        size_t room = (size_t)(deque->ceiling - bottom), part = n - pushed < room ? n - pushed : room;
        deque_copy(deque->slots + (bottom & deque->mask), items + pushed, part);
        pushed += part;
        bottom += part;
    }
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
    return pushed;
}

typedef deque_item deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) { *slot = item; }

DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    *span = 0;
    if (bottom == deque->ceiling && !bwos_lifo_go_up(deque))
        return NULL;
    size_t room = (size_t)(deque->ceiling - bottom);
    *span = n < room ? n : room;
    return deque->slots + (bottom & deque->mask);
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_relaxed);
    return n;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == atomic_load_explicit(&deque->floor, memory_order_relaxed) && !bwos_lifo_go_down(deque))
        return DEQUE_EMPTY;
    bottom--;
    *item = deque->slots[bottom & deque->mask];
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}

/* Owner, whose newest item is not at the expected place, or not in its block. */
DEQUE_SLOW_PATH deque_item bwos_lifo_pop_slowly(struct deque *deque) {
    deque_item item;
    return deque_pop(deque, &item) == DEQUE_OK ? item : (deque_item)0;
}

/* Compares the loaded value with the place, and goes on with the place (DEQUE_PLACES). */
DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    if (atomic_load_explicit(&deque->bottom, memory_order_relaxed) != place + 1 ||
        place + 1 == atomic_load_explicit(&deque->floor, memory_order_relaxed))
        return (*item = bwos_lifo_pop_slowly(deque)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
    *item = deque->slots[place & deque->mask];
    atomic_store_explicit(&deque->bottom, place, memory_order_relaxed);
    return DEQUE_OK;
}

/* Thief. Up to max (not 0) of the oldest items, all of one block. */
DEQUE_OPERATION enum deque_result bwos_lifo_claim(struct deque *victim, deque_item *out, size_t max, size_t *n) {
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_relaxed);
    /* A second emptied block in a row, or one of another round, means that other thieves were faster. */
    for (int turn = 0; turn < 2; turn++) {
        struct bwos_lifo_block *block = bwos_lifo_block_at(victim, top);
        uint64_t claim = atomic_load_explicit(&block->claim, memory_order_relaxed);
        uint64_t taken = claim - 2 * top; /* doubled, counted from the block's start */
        if (taken == 1)
            return DEQUE_EMPTY;
        if (taken & 1 || taken > 2 * victim->block)
            return DEQUE_LOST;
        if (taken < 2 * victim->block) {
            /* left >= 1, so for max == 1 the minimum is 1; written so that the compiler sees it */
            size_t left = (size_t)(victim->block - taken / 2), share = max == 1 || max < left ? max : left;
            /* acquire: pairs with the release of claim in bwos_lifo_go_up. It is the CAS that needs it: the owner may
             * have had the block since we looked, and granted it again from the same position */
            if (!atomic_compare_exchange_strong_explicit(&block->claim, &claim, claim + 2 * share, memory_order_acquire,
                                                         memory_order_relaxed))
                return DEQUE_LOST;
            deque_copy(out, victim->slots + ((top + taken / 2) & victim->mask), share);
            /* release: pairs with the acquire of stolen in bwos_lifo_go_up */
            atomic_fetch_add_explicit(&block->stolen, share, memory_order_release);
            *n = share;
            return DEQUE_OK;
        }
        uint64_t emptied = top;
        top += victim->block;
        atomic_compare_exchange_strong_explicit(&victim->top, &emptied, top, memory_order_relaxed,
                                                memory_order_relaxed);
    }
    return DEQUE_LOST;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    (void)self;
    return bwos_lifo_claim(victim, item, 1, &n);
}

/* A block at a time, until percent is taken; 0: what the oldest block has. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    enum deque_result result = DEQUE_EMPTY;
    (void)self;
    *n = 0;
    if (percent == 0 && max > 0)
        return bwos_lifo_claim(victim, out, max, n);
    size_t wanted = ring_part(deque_size(victim), percent, max), part = 0;
    while (*n < wanted && (result = bwos_lifo_claim(victim, out + *n, wanted - *n, &part)) == DEQUE_OK)
        *n += part;
    return *n > 0 ? DEQUE_OK : result;
}

/* What the oldest block has, as far as there is room in the block of self, which no thief looks at. The newest of it is
 * to run at once. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint64_t bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed);
    size_t room = (size_t)(self->ceiling - bottom), n;
    *moved = 0;
    if (room == 0)
        return deque_steal(victim, self, first);
    enum deque_result result = bwos_lifo_claim(victim, self->slots + (bottom & self->mask), room, &n);
    if (result != DEQUE_OK)
        return result;
    *moved = n - 1;
    *first = self->slots[(bottom + *moved) & self->mask];
    atomic_store_explicit(&self->bottom, bottom + *moved, memory_order_relaxed);
    return DEQUE_OK;
}
