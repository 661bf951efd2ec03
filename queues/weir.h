/* weir.h: blocks, a split, and an asymmetric fence: an owner without fences whose items thieves can always reach.
 *
 * Items have indices. [top, split) is public, [split, bottom) is the owner's. One word says what is public, `open`: top
 * and how many; whoever changes it does so by a CAS. The owner pushes and pops its own part with plain stores of
 * bottom, and looks at one word that thieves write, `alarm`. A thief claims any number of public items by one CAS and
 * reads them afterwards: nothing can change under it, since a block is used again only when all that was claimed in it
 * has been read. With nothing public a thief raises the alarm, waits a moment for the owner's next operation, which
 * makes half of its items public, and then runs a heavy fence and makes them public itself. weir.md has the protocol,
 * why it is right, what it costs and where it loses.
 *
 * The split of owner's and thieves' items is after Lace (T. van Dijk, J. C. van de Pol, 2014), blocks that thieves
 * count out after BWoS (J. Wang et al., OSDI 2023), the asymmetric fence after D. Dice, H. Huang, M. Yang (2001).
 */
#ifndef STEALBENCH_WEIR_H
#define STEALBENCH_WEIR_H

#include "ring.h"

#define WEIR_DEFAULT_CAPACITY 1024
#define WEIR_DEFAULT_BLOCK 1024
#define DEQUE_BLOCK WEIR_DEFAULT_BLOCK

/* How often a thief that has raised the alarm looks whether the owner answers: about as long as a heavy fence takes. */
#ifndef WEIR_PATIENCE
#define WEIR_PATIENCE 500
#endif

/* Of so many items that the owner has gathered since it last took items back, half become public unasked: a thief then
 * finds some without an alarm, and what works on few items at a time pays nothing. */
#ifndef WEIR_SHARE
#define WEIR_SHARE 16
#endif

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO + DEQUE_PLACES + DEQUE_RESERVE)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "weir", .title = "Weir", .source = "this project", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,   \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .delivery = DEQUE_ONCE,                  \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .asymmetric_fences = true,                                                                                     \
    }

/* A block of items. Thieves zero the slot of an item that was taken singly, when they have read it, and count in `out`
 * those that were taken together; the owner counts in `own` what it has taken itself as the last, and what it has
 * passed over at the start and at the end of the block. A block that top has passed is free when these make up all of
 * it. Who has claimed all of a block at once may put other slots in place of its own before it counts them. */
struct weir_block {
    alignas(DEQUE_LINE) _Atomic uint64_t out; /* thieves */
    _Atomic bool singly;      /* thieves: one of its items or more was taken singly, so that its slots tell */
    deque_item *slots;        /* read by who has claimed something here, or by the owner */
    struct weir_block *above; /* the one with the next indices; written by the owner before these are public */
    struct weir_block *next;  /* owner: in a list of its own */
    uint64_t own;             /* owner */
    uint64_t from, to;        /* owner: the slots that were not passed over */
};

/* A ring of pointers to the blocks, by their indices divided by the items in a block. */
struct weir_spine {
    struct weir_spine *smaller; /* the one before: thieves may still be reading it */
    uint64_t mask;
    _Atomic(struct weir_block *) block[];
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    uint64_t floor;                              /* where pop has to look further: split, or the block's first index */
    deque_item *slots;                           /* those of the block in use */
    uint64_t mask;
    uint64_t end;             /* one past the last index of the block in use */
    uint64_t split;           /* the first of the owner's own, as it last knew */
    uint64_t quiet;           /* what alarm is set to when it is put out: not 0 where there are no asymmetric fences */
    struct weir_block *block; /* in use */
    uint64_t oldest, newest;  /* the first indices of the oldest and the newest block in the spine */
    struct weir_block *spare; /* free blocks, a list */
    struct weir_block *late;  /* passed by thieves of which some may still be reading, a list */
    uint64_t seen;            /* top when the owner last took something back */
    alignas(DEQUE_LINE) _Atomic uint64_t open;  /* top (40 bits) and how many are public; all, by read-modify-writes */
    alignas(DEQUE_LINE) _Atomic uint64_t alarm; /* not 0: the owner takes nothing without a look at open */
    _Atomic uint64_t ceiling; /* where push has to look further: the block's end, or lower as a hint of thieves */
    alignas(DEQUE_LINE) _Atomic(struct weir_spine *) spine; /* this line: written when it grows */
    unsigned shift;                                         /* logarithm of the items in a block */
    bool asymmetric;                                        /* the fences' kind, which thieves follow */
    uint64_t slot_mask; /* mask for thieves: the other is on a line that the owner writes all the time */
};

#define WEIR_LENGTH_BITS 24
#define WEIR_PUBLIC_MAX (((uint64_t)1 << WEIR_LENGTH_BITS) - 1)
#define WEIR_BLOCK_MAX ((size_t)1 << 20)
#define WEIR_CAPACITY_MAX ((size_t)1 << 30) /* at the start: more grows */

DEQUE_OPERATION uint64_t weir_top(uint64_t open) { return open >> WEIR_LENGTH_BITS; }
DEQUE_OPERATION uint64_t weir_length(uint64_t open) { return open & WEIR_PUBLIC_MAX; }
DEQUE_OPERATION uint64_t weir_open(uint64_t top, uint64_t length) { return top << WEIR_LENGTH_BITS | length; }
/* n items taken from the old end. */
DEQUE_OPERATION uint64_t weir_after(uint64_t open, uint64_t n) { return open + (n << WEIR_LENGTH_BITS) - n; }

/* How far index is above top, of which 40 bits are known; less than 0 when it is below. */
DEQUE_OPERATION int64_t weir_above(uint64_t index, uint64_t open) {
    return (int64_t)((index << WEIR_LENGTH_BITS) - (open & ~WEIR_PUBLIC_MAX)) / ((int64_t)1 << WEIR_LENGTH_BITS);
}

DEQUE_OPERATION struct weir_block *weir_new_block(const struct deque *deque) {
    struct weir_block *block = DEQUE_ALLOC(sizeof *block);
    if (!block)
        return NULL;
    block->slots = DEQUE_ALLOC(((size_t)1 << deque->shift) * sizeof *block->slots);
    if (!block->slots) {
        DEQUE_FREE(block);
        return NULL;
    }
    atomic_init(&block->out, 0);
    atomic_init(&block->singly, false);
    block->above = block->next = NULL;
    block->own = block->from = 0;
    block->to = deque->mask + 1;
    return block;
}

DEQUE_OPERATION void weir_free_block(struct weir_block *block) {
    DEQUE_FREE(block->slots);
    DEQUE_FREE(block);
}

DEQUE_OPERATION struct weir_spine *weir_new_spine(uint64_t size) {
    struct weir_spine *spine = DEQUE_ALLOC(sizeof *spine + size * sizeof spine->block[0]);
    if (!spine)
        return NULL;
    spine->smaller = NULL;
    spine->mask = size - 1;
    for (uint64_t i = 0; i < size; i++)
        atomic_init(&spine->block[i], NULL);
    return spine;
}

/* Owner: its spine, and the place in it for the block of an index. */
DEQUE_OPERATION struct weir_spine *weir_spine(const struct deque *deque) {
    return atomic_load_explicit(&deque->spine, memory_order_relaxed);
}
DEQUE_OPERATION _Atomic(struct weir_block *) *weir_place(const struct deque *deque, struct weir_spine *spine,
                                                         uint64_t index) {
    return &spine->block[(index >> deque->shift) & spine->mask];
}
DEQUE_OPERATION struct weir_block *weir_holding(const struct deque *deque, uint64_t index) {
    return atomic_load_explicit(weir_place(deque, weir_spine(deque), index), memory_order_relaxed);
}

/* Owner: the block it works in from now on, whose indices end before `end`. */
DEQUE_OPERATION void weir_use(struct deque *deque, struct weir_block *block, uint64_t end) {
    deque->block = block;
    deque->slots = block->slots;
    deque->end = end;
    /* relaxed, here and below: a hint for push; a thief's that is overwritten is seen by the next pop */
    atomic_store_explicit(&deque->ceiling, end, memory_order_relaxed);
}

/* Owner, with few items that are public or none: looks further when it has WEIR_SHARE more than up to index. */
DEQUE_OPERATION void weir_expect_share(struct deque *deque, uint64_t index) {
    if (deque->end - index > WEIR_SHARE)
        atomic_store_explicit(&deque->ceiling, index + WEIR_SHARE, memory_order_relaxed); /* relaxed: as in weir_use */
}

/* Owner: where pop has to look further, when split or the block has changed. */
DEQUE_OPERATION void weir_set_floor(struct deque *deque) {
    uint64_t start = deque->end - deque->mask - 1;
    deque->floor = (int64_t)(deque->split - start) > 0 ? deque->split : start;
}

DEQUE_OPERATION void weir_free_list(struct weir_block *block) {
    while (block) {
        struct weir_block *next = block->next;
        weir_free_block(block);
        block = next;
    }
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    struct weir_spine *spine = weir_spine(deque);
    for (uint64_t start = deque->oldest; start != deque->newest + deque->mask + 1; start += deque->mask + 1)
        weir_free_block(weir_holding(deque, start));
    weir_free_list(deque->spare);
    weir_free_list(deque->late);
    while (spine) {
        struct weir_spine *smaller = spine->smaller;
        DEQUE_FREE(spine);
        spine = smaller;
    }
}

/* config->block is rounded up to a power of two; by default a small capacity makes small blocks, and a large one blocks
 * of a sixteenth of it. As many blocks as hold config->capacity are there from the start. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = config->capacity ? config->capacity : WEIR_DEFAULT_CAPACITY;
    size_t usual = capacity < WEIR_DEFAULT_BLOCK ? capacity : WEIR_DEFAULT_BLOCK, share = capacity / 16;
    if (share > usual)
        usual = share < WEIR_BLOCK_MAX ? share : WEIR_BLOCK_MAX;
    size_t items = config->block ? config->block : usual;
    if (capacity > WEIR_CAPACITY_MAX || items > WEIR_BLOCK_MAX)
        return EINVAL;
    items = deque_round_up(items);
    deque->shift = ring_log2(items);
    deque->mask = deque->slot_mask = items - 1;
    uint64_t first = config->first_index, count = (capacity + items - 1) / items;
    struct weir_spine *spine = weir_new_spine(deque_round_up(count < 8 ? 8 : count));
    if (!spine)
        return ENOMEM;
    atomic_init(&deque->spine, spine);
    deque->spare = deque->late = NULL;
    deque->oldest = first & ~deque->mask;
    deque->newest = deque->oldest - items;
    for (uint64_t i = 0; i < count; i++) {
        struct weir_block *block = weir_new_block(deque);
        if (!block) {
            deque_destroy(deque);
            return ENOMEM;
        }
        if (i > 0)
            weir_holding(deque, deque->newest)->above = block;
        deque->newest += items;
        atomic_init(weir_place(deque, spine, deque->newest), block);
    }
    struct weir_block *block = weir_holding(deque, first);
    block->own = block->from = first & deque->mask;
    for (size_t i = 0; i < items; i++)
        block->slots[i] = (deque_item)0; /* or the first pushes would wait for its pages */
    deque->asymmetric = deque_fences_asymmetric();
    deque->quiet = deque->asymmetric ? 0 : 1;
    deque->split = deque->seen = first;
    atomic_init(&deque->open, weir_open(first, 0));
    atomic_init(&deque->alarm, deque->quiet);
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->ceiling, 0);
    weir_use(deque, block, deque->oldest + items);
    weir_set_floor(deque);
    return 0;
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    (void)deque;
    return 0;
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed);
    int64_t size = weir_above(atomic_load_explicit(&deque->bottom, memory_order_relaxed), open);
    return size > 0 ? (size_t)size : 0;
}

/* --- the owner's blocks */

/* Has all of a block that thieves have passed been read? */
DEQUE_SLOW_PATH bool weir_is_read(const struct deque *deque, struct weir_block *block) {
    /* acquire: pairs with the release of out in weir_done; those who took several have read them */
    uint64_t read = atomic_load_explicit(&block->out, memory_order_acquire) + block->own;
    /* relaxed: until it is seen, the block is not free yet. Without it, nothing here is a thief's alone to read, and
     * slots may be another deque's by now */
    if (!atomic_load_explicit(&block->singly, memory_order_relaxed))
        return read > deque->mask;
    for (uint64_t i = block->from; i < block->to && read <= deque->mask; i++)
        /* acquire: pairs with the release of slots in weir_read_one, which stands behind the thief's read */
        if (atomic_load_explicit((_Atomic(deque_item) *)&block->slots[i], memory_order_acquire) == (deque_item)0)
            read++;
    return read > deque->mask;
}

/* Owner: takes blocks that thieves have passed out of the spine, and collects those that have been read. */
DEQUE_SLOW_PATH void weir_collect(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the releases of open in weir_claim and in weir_steal_own; a thief that has found its block in
     * the spine by an older top has done so by now */
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_acquire);
    uint64_t top = bottom - (uint64_t)weir_above(bottom, open);
    uint64_t in_use = deque->end - deque->mask - 1;
    while (deque->oldest != in_use && (int64_t)(top - deque->oldest) > (int64_t)deque->mask) {
        struct weir_block *block = weir_holding(deque, deque->oldest);
        deque->oldest += deque->mask + 1;
        block->next = deque->late;
        deque->late = block;
    }
    for (struct weir_block **at = &deque->late, *block; (block = *at);) {
        if (weir_is_read(deque, block)) {
            *at = block->next;
            /* relaxed: nobody reads it before the block's new items are public */
            atomic_store_explicit(&block->out, 0, memory_order_relaxed);
            atomic_store_explicit(&block->singly, false, memory_order_relaxed);
            block->own = block->from = 0;
            block->to = deque->mask + 1;
            block->next = deque->spare;
            deque->spare = block;
        } else {
            at = &block->next;
        }
    }
}

/* Owner: a spine of twice the size; false when there is no memory. */
DEQUE_SLOW_PATH bool weir_grow_spine(struct deque *deque) {
    struct weir_spine *old = weir_spine(deque), *spine = weir_new_spine(2 * (old->mask + 1));
    if (!spine)
        return false;
    spine->smaller = old;
    for (uint64_t start = deque->oldest; start != deque->newest + deque->mask + 1; start += deque->mask + 1)
        atomic_init(weir_place(deque, spine, start), weir_holding(deque, start));
    /* release: pairs with the acquire of spine in weir_block_of; publishes what is in it */
    atomic_store_explicit(&deque->spine, spine, memory_order_release);
    return true;
}

/* Owner: has the spine no room for one more block? */
DEQUE_OPERATION bool weir_spine_is_full(const struct deque *deque, uint64_t start) {
    return (start - deque->oldest) >> deque->shift > weir_spine(deque)->mask;
}

/* Owner: one more block at the end of the spine; NULL when there is no memory. */
DEQUE_SLOW_PATH struct weir_block *weir_add_block(struct deque *deque) {
    uint64_t start = deque->newest + deque->mask + 1;
    if (!deque->spare || weir_spine_is_full(deque, start))
        weir_collect(deque);
    if (weir_spine_is_full(deque, start) && !weir_grow_spine(deque))
        return NULL;
    struct weir_block *block = deque->spare;
    if (block)
        deque->spare = block->next;
    else
        block = weir_new_block(deque);
    if (!block)
        return NULL;
    weir_holding(deque, deque->newest)->above = block;
    /* relaxed: thieves find it by an index in it, and see that by bottom or open */
    atomic_store_explicit(weir_place(deque, weir_spine(deque), start), block, memory_order_relaxed);
    deque->newest = start;
    return block;
}

/* --- the owner and the alarm */

/* Owner, whose items end before bottom: makes more of them public, half of all when nothing is, or (much) all but half
 * a block. Puts out the alarm. */
DEQUE_SLOW_PATH void weir_publish(struct deque *deque, uint64_t bottom, bool much) {
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), next;
    bool tried = false;
    do {
        uint64_t all = (uint64_t)weir_above(bottom, open), length = weir_length(open), want = (all + 1) / 2;
        if (much)
            want = all > (deque->mask + 1) / 2 ? all - (deque->mask + 1) / 2 : 0;
        if (want < length)
            want = length;
        if (want > WEIR_PUBLIC_MAX)
            want = WEIR_PUBLIC_MAX;
        if (want == 0) {
            if (tried)
                atomic_store_explicit(&deque->alarm, 1,
                                      memory_order_relaxed); /* relaxed: of a thief's that we put out */
            return;
        }
        next = weir_open(weir_top(open), want);
        tried = true;
        /* relaxed: no thief that has read what open becomes now can have its alarm put out by it */
        atomic_store_explicit(&deque->alarm, deque->quiet, memory_order_relaxed);
        /* release: pairs with the acquires of open in weir_claim; publishes slots and what items point
         * to, and comes after the alarm was put out. Also where nothing changes: a thief that finds all taken comes
         * after it */
    } while (!atomic_compare_exchange_strong_explicit(&deque->open, &open, next, memory_order_release,
                                                      memory_order_relaxed));
    deque->split = bottom - (uint64_t)weir_above(bottom, next) + weir_length(next);
    weir_set_floor(deque);
}

/* Owner, at the end of its block: goes up to the next; false when there is no memory for one. */
DEQUE_SLOW_PATH bool weir_go_up(struct deque *deque, uint64_t bottom) {
    struct weir_block *block =
        (int64_t)(deque->newest - bottom) >= 0 ? weir_holding(deque, bottom) : weir_add_block(deque);
    if (!block)
        return false;
    weir_use(deque, block, bottom + deque->mask + 1);
    weir_set_floor(deque);
    if (bottom - deque->split > deque->mask)
        weir_publish(deque, bottom, true);
    return true;
}

/* Owner, at the ceiling: the end of its block, an alarm, or items to share. false when there is no memory. */
DEQUE_SLOW_PATH bool weir_at_ceiling(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->end)
        return weir_go_up(deque, bottom);
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
    return true;
}

/* Owner, after a push that was at the ceiling. */
DEQUE_SLOW_PATH void weir_answer(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (atomic_load_explicit(&deque->alarm, memory_order_relaxed) || bottom - deque->split >= WEIR_SHARE)
        weir_publish(deque, bottom, false);
}

DEQUE_SLOW_PATH enum deque_result weir_push_slowly(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (!weir_at_ceiling(deque))
        return DEQUE_FULL;
    deque->slots[bottom & deque->mask] = item;
    /* release: pairs with the acquires of bottom in weir_steal_own; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    weir_answer(deque);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if ((int64_t)(bottom - atomic_load_explicit(&deque->ceiling, memory_order_relaxed)) >= 0)
        return weir_push_slowly(deque, item);
    deque->slots[bottom & deque->mask] = item;
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t pushed = 0;
    bool asked = false;
    if (n == 1)
        return deque_push(deque, *items) == DEQUE_OK;
    while (pushed < n) {
        if ((int64_t)(bottom - atomic_load_explicit(&deque->ceiling, memory_order_relaxed)) >= 0) {
            asked = true;
            if (!weir_at_ceiling(deque))
                break;
        }
        size_t room = (size_t)(deque->end - bottom), part = n - pushed < room ? n - pushed : room;
        deque_copy(deque->slots + (bottom & deque->mask), items + pushed, part);
        pushed += part;
        bottom += part;
        /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    }
    if (asked)
        weir_answer(deque);
    return pushed;
}

/* Owner, after a commit that found a thief's hint, or that filled a block. */
DEQUE_SLOW_PATH void weir_heed(struct deque *deque) {
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
    weir_answer(deque);
}

typedef deque_item deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) { *slot = item; }

/* Up to the end of the block. */
DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    *span = 0;
    if (bottom == deque->end && !weir_go_up(deque, bottom))
        return NULL;
    size_t room = (size_t)(deque->end - bottom);
    *span = n < room ? n : room;
    return deque->slots + (bottom & deque->mask);
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    if ((int64_t)(bottom - atomic_load_explicit(&deque->ceiling, memory_order_relaxed)) >= 0)
        weir_heed(deque);
    return n;
}

/* Owner: item `index`, which it has, and which may be the last of the block below. */
DEQUE_OPERATION deque_item weir_own(struct deque *deque, uint64_t index) {
    if (index == deque->end - deque->mask - 2)
        weir_use(deque, weir_holding(deque, index), index + 1);
    weir_set_floor(deque);
    return deque->slots[index & deque->mask];
}

/* Owner, at the floor or after an alarm: pops the item below bottom, 0 when there is none. */
DEQUE_SLOW_PATH deque_item weir_pop_slowly(struct deque *deque, uint64_t index) {
    /* release: as in weir_push_slowly; a thief may read any of our stores of bottom */
    atomic_store_explicit(&deque->bottom, index, memory_order_release);
    deque_fence_light(); /* pairs with the heavy one in weir_steal_own */
    if (!atomic_load_explicit(&deque->alarm, memory_order_relaxed) && (int64_t)(index - deque->split) >= 0)
        return weir_own(deque, index);
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), next;
    bool last, tried = false;
    do {
        uint64_t length = weir_length(open);
        int64_t below = weir_above(index, open); /* items older than this one */
        if (below < 0) {
            if (tried)
                atomic_store_explicit(&deque->alarm, 1, memory_order_relaxed); /* relaxed: as in weir_publish */
            /* release: as in weir_push_slowly */
            atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
            deque->split = index + 1;
            weir_set_floor(deque);
            return (deque_item)0;
        }
        tried = true;
        last = below == 0; /* whoever moves top has it */
        if (last)
            next = weir_open(weir_top(open) + 1, 0);
        else if (length == 0) /* there was an alarm: half of the others becomes public */
            next = weir_open(weir_top(open),
                             ((uint64_t)below + 1) / 2 < WEIR_PUBLIC_MAX ? ((uint64_t)below + 1) / 2 : WEIR_PUBLIC_MAX);
        else if (length >
                 (uint64_t)below) /* it is the newest public one: take some back, all but one if no thief was here */
            next = weir_open(weir_top(open),
                             weir_top(open) == (deque->seen & (UINT64_MAX >> WEIR_LENGTH_BITS)) ? 1 : length / 2);
        else
            next = open; /* an alarm that somebody has answered already */
        atomic_store_explicit(&deque->alarm, deque->quiet, memory_order_relaxed); /* relaxed: as in weir_publish */
        /* release: as in weir_publish. Nothing to acquire: what we take back we have written */
    } while (!atomic_compare_exchange_strong_explicit(&deque->open, &open, next, memory_order_release,
                                                      memory_order_relaxed));
    deque->seen = index - (uint64_t)weir_above(index, next);
    deque->split = deque->seen + weir_length(next);
    if (!last) {
        deque_item own = weir_own(deque, index);
        weir_expect_share(deque, index);
        return own;
    }
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
    deque_item item = weir_own(deque, index);
    deque->block->own++; /* passed by top and read */
    weir_expect_share(deque, index + 1);
    return item;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom != deque->floor) {
        /* release: as in weir_push_slowly; a thief may read any of our stores of bottom */
        atomic_store_explicit(&deque->bottom, bottom - 1, memory_order_release);
        deque_fence_light(); /* pairs with the heavy one in weir_steal_own: either it sees bottom, or we the alarm */
        if (!atomic_load_explicit(&deque->alarm, memory_order_relaxed)) {
            *item = deque->slots[(bottom - 1) & deque->mask];
            return DEQUE_OK;
        }
    }
    return (*item = weir_pop_slowly(deque, bottom - 1)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}

/* What was loaded is compared, and the place is what all is done with: a CPU that foresees that they agree goes on
 * before the last store of bottom has come back by a load. */
DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == place + 1 && place + 1 != deque->floor) {
        /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, place, memory_order_release);
        deque_fence_light(); /* pairs with the heavy one in weir_steal_own */
        if (!atomic_load_explicit(&deque->alarm, memory_order_relaxed)) {
            *item = deque->slots[place & deque->mask];
            return DEQUE_OK;
        }
    }
    return (*item = weir_pop_slowly(deque, bottom - 1)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
}

/* --- thieves */

/* Thief: the block of the oldest item, as open is. Right if open still is when it is changed: until top has passed the
 * block, its pointer stays in the spine. */
DEQUE_OPERATION struct weir_block *weir_block_of(const struct deque *victim, uint64_t open) {
    /* acquire: pairs with the release of spine in weir_grow_spine */
    struct weir_spine *spine = atomic_load_explicit(&victim->spine, memory_order_acquire);
    return atomic_load_explicit(&spine->block[(weir_top(open) >> victim->shift) & spine->mask], memory_order_relaxed);
}

/* Thief, which has claimed this item alone. */
DEQUE_OPERATION deque_item weir_read_one(const struct deque *victim, struct weir_block *block, uint64_t index) {
    index &= victim->slot_mask;
    deque_item item = block->slots[index];
    /* relaxed: comes to the owner with the slot, below, and before that it does no harm to miss it */
    if (!atomic_load_explicit(&block->singly, memory_order_relaxed))
        atomic_store_explicit(&block->singly, true, memory_order_relaxed);
    /* release: pairs with the acquire of slots in weir_is_read; the slot may be written again */
    atomic_store_explicit((_Atomic(deque_item) *)&block->slots[index], (deque_item)0, memory_order_release);
    return item;
}

/* Thief, with the alarm raised and nothing public: makes the owner see the alarm, and itself what the owner has, and
 * claims up to max of that; the rest becomes public. */
DEQUE_SLOW_PATH enum deque_result weir_steal_own(struct deque *victim, uint64_t open, uint64_t max, uint64_t *n,
                                                 struct weir_block **block) {
    deque_fence_heavy(victim->asymmetric); /* pairs with the light ones in pop */
    /* acquire: pairs with the releases of bottom in push and pop */
    int64_t size = weir_above(atomic_load_explicit(&victim->bottom, memory_order_acquire), open);
    if (size <= 0)
        return DEQUE_EMPTY;
    uint64_t all = (uint64_t)size < WEIR_PUBLIC_MAX ? (uint64_t)size : WEIR_PUBLIC_MAX;
    *n = all < max ? all : max;
    *block = weir_block_of(victim, open);
    /* acq_rel: pairs with the acquires of open in weir_claim, for which it publishes the owner's items, acquired above;
     * else as in weir_claim */
    return atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(weir_open(weir_top(open), all), *n),
                                                   memory_order_acq_rel, memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}

/* Thief: claims up to max (not 0) of the oldest items, from *top on. */
DEQUE_OPERATION enum deque_result weir_claim(struct deque *victim, uint64_t max, uint64_t *top, uint64_t *n,
                                             struct weir_block **block) {
    /* acquire, both: pair with the releases of open in weir_publish, weir_pop_slowly and weir_steal_own */
    uint64_t open = atomic_load_explicit(&victim->open, memory_order_acquire);
    if (weir_length(open) == 0) {
        uint64_t empty = open;
        /* relaxed: it may be old, and then there was nothing a moment ago */
        uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_relaxed);
        if (weir_above(bottom, open) <= 0)
            return DEQUE_EMPTY;
        if (!atomic_load_explicit(&victim->alarm, memory_order_relaxed))
            atomic_store_explicit(&victim->alarm, 1, memory_order_relaxed);
        /* Never above bottom, so a push that finds it has to look further, whenever that is. */
        atomic_store_explicit(&victim->ceiling, bottom - (uint64_t)weir_above(bottom, open), memory_order_relaxed);
        for (int look = 0; look < WEIR_PATIENCE && open == empty; look++)
            open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as above */
        *top = weir_top(open);
        if (open == empty)
            return weir_steal_own(victim, open, max, n, block);
        if (weir_length(open) == 0)
            return DEQUE_LOST;
    }
    *top = weir_top(open);
    *n = weir_length(open) < max ? weir_length(open) : max;
    *block = weir_block_of(victim, open);
    /* acquire: the owner may have taken items back, and made others public in their place, since we looked; pairs with
     * the release of open in weir_publish. release: pairs with the acquire of open in weir_collect; we are done with
     * the spine */
    return atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(open, *n), memory_order_acq_rel,
                                                   memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t top, n;
    struct weir_block *block;
    (void)self;
    enum deque_result result = weir_claim(victim, 1, &top, &n, &block);
    if (result == DEQUE_OK)
        *item = weir_read_one(victim, block, top);
    return result;
}

/* Thief, which has claimed n items from top on: those of them in this block. The next block is looked for before these
 * are counted, for then the block may be another. */
DEQUE_OPERATION struct weir_block *weir_done(struct weir_block *block, uint64_t n, bool more) {
    struct weir_block *above = more ? block->above : NULL;
    /* release: pairs with the acquire of out in weir_is_read */
    atomic_fetch_add_explicit(&block->out, n, memory_order_release);
    return above;
}

/* What percent asks for of all there is; 0: half. More than is public is taken in several claims, while no other thief
 * comes between. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    size_t wanted = ring_share(deque_size(victim), percent, max);
    enum deque_result result = DEQUE_EMPTY;
    (void)self;
    *n = 0;
    while (*n < wanted) {
        uint64_t top, left;
        struct weir_block *block;
        if ((result = weir_claim(victim, wanted - *n, &top, &left, &block)) != DEQUE_OK)
            break;
        while (left > 0) {
            uint64_t first = top & victim->slot_mask, room = victim->slot_mask + 1 - first,
                     part = left < room ? left : room;
            deque_copy(out + *n, block->slots + first, (size_t)part);
            *n += (size_t)part;
            top += part;
            left -= part;
            block = weir_done(block, part, left > 0);
        }
    }
    return *n > 0 ? DEQUE_OK : result;
}

/* Owner: makes room for n more items, as far as there is memory; how many fit. */
DEQUE_SLOW_PATH uint64_t weir_room(struct deque *deque, uint64_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed), room;
    do
        room = deque->newest + deque->mask + 1 - bottom;
    while (room < n && weir_add_block(deque));
    return room;
}

/* Owner, with nothing inside: the next index at which it can go on that lies at the same place of its block as `top` of
 * another deque. In the block in use that is one with nothing but what was passed over below it: what is passed over
 * lies at an end of its block, so that it can be counted without a look at it. */
DEQUE_OPERATION uint64_t weir_same_place(const struct deque *deque, uint64_t top) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed), place = top & deque->mask;
    uint64_t start = deque->end - deque->mask - 1;
    bool here = bottom == start + place || (bottom < start + place && bottom == start + deque->block->from);
    return here ? start + place : deque->end + place;
}

/* Owner: goes on, with nothing inside, at `to`, which weir_same_place has found, and for which there is a block; false
 * when there is something inside. */
DEQUE_OPERATION bool weir_skip_to(struct deque *deque, uint64_t to) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed);
    if (weir_above(bottom, open) != 0)
        return false;
    if (to == bottom)
        return true;
    /* relaxed: there is nothing to publish, and nothing that a thief could claim meanwhile. One that sees top above
     * bottom, before the store below, takes the deque for empty */
    atomic_fetch_add_explicit(&deque->open, (to - bottom) << WEIR_LENGTH_BITS, memory_order_relaxed);
    deque->split = deque->seen = to;
    if ((int64_t)(to - deque->end) >= 0) {
        deque->block->own += deque->end - bottom;
        deque->block->to -= deque->end - bottom;
        bottom = deque->end;
        weir_use(deque, weir_holding(deque, bottom), bottom + deque->mask + 1);
    }
    deque->block->own += to - bottom;
    deque->block->from += to - bottom;
    weir_set_floor(deque);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, to, memory_order_release);
    return true;
}

/* Thief, which has claimed n items from top on, the last of them the last of a block, and owner of self, which is
 * empty, is at the same place of its block as top, and has the blocks for n items. Whole blocks change hands by their
 * slots; what is before them is copied. */
DEQUE_OPERATION void weir_take_blocks(struct weir_block *block, struct deque *self, uint64_t top, uint64_t n) {
    uint64_t bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed);
    const uint64_t items = self->mask + 1;
    while (n > 0) {
        uint64_t first = top & self->mask, part = items - first;
        struct weir_block *own = weir_holding(self, bottom);
        if (part == items) {
            deque_item *slots = own->slots;
            own->slots = block->slots;
            block->slots = slots;
        } else {
            deque_copy(own->slots + first, block->slots + first, (size_t)part);
        }
        top += part;
        bottom += part;
        n -= part;
        block = weir_done(block, part, n > 0);
        if (n == 0)
            weir_use(self, own, bottom);
    }
    weir_set_floor(self);
    /* release: as in weir_push_slowly. All but the newest, which is to run */
    atomic_store_explicit(&self->bottom, bottom - 1, memory_order_release);
}

/* Half of all there is, in one claim: as many as are public or, if nothing is, as there are. The newest of them is to
 * run. Where that is a block or more and self is empty, it ends with a block, for blocks can change hands as they are.
 */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint64_t wanted = (deque_size(victim) + 1) / 2, top, left;
    struct weir_block *block;
    bool whole = false;
    *moved = 0;
    if (wanted > victim->slot_mask && self->mask == victim->slot_mask) {
        /* relaxed: when it is something else by the time of the claim, items are copied */
        uint64_t open = atomic_load_explicit(&victim->open, memory_order_relaxed), from = weir_top(open);
        uint64_t most = weir_length(open) > 0 && weir_length(open) < wanted ? weir_length(open) : wanted;
        uint64_t end = (from + most) & ~victim->slot_mask, n = end - ((from + victim->slot_mask) & ~victim->slot_mask);
        uint64_t to = weir_same_place(self, from);
        uint64_t room = to - atomic_load_explicit(&self->bottom, memory_order_relaxed) + wanted;
        if (n > victim->slot_mask && n <= wanted && weir_room(self, room) >= room && weir_skip_to(self, to)) {
            wanted = end - from;
            whole = true;
        }
    }
    if (wanted > 1 && !whole) {
        uint64_t room = weir_room(self, wanted - 1);
        wanted = room < wanted - 1 ? room + 1 : wanted;
    }
    enum deque_result result = weir_claim(victim, wanted > 0 ? wanted : 1, &top, &left, &block);
    if (result == DEQUE_OK && whole && left == wanted && ((top + left) & self->mask) == 0) {
        weir_take_blocks(block, self, top, left);
        *moved = (size_t)left - 1;
        *first = self->slots[self->mask];
        return result;
    }
    while (result == DEQUE_OK && left > 0) {
        uint64_t at = top & victim->slot_mask, room = victim->slot_mask + 1 - at, part = left < room ? left : room;
        left -= part;
        /* There is room for them: weir_room. */
        *moved += deque_push_batch(self, block->slots + at, (size_t)(left > 0 ? part : part - 1));
        if (left == 0)
            *first = block->slots[at + part - 1];
        top += part;
        block = weir_done(block, part, left > 0);
    }
    return result;
}

#endif
