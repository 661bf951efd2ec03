/* weir.h: an owner without fences, whose items thieves can always reach. weir.md says why it is right.
 *
 *                 top            split            bottom
 *    ...|----------+===============+================+------|----------|...    blocks of slots, in a ring: the spine
 *       |  taken   |    public     |   the owner's  |      |  free    |
 *                thieves ->                <- owner pops, pushes ->
 *
 * - `open` is {top, split - top} in one word. All change it by read-modify-writes, and top never falls. So {top, 0} is
 *   entered once and left once, and a CAS that succeeds proves that what its thread looked at still holds.
 * - The oldest public item stays in its slot until top passes it: a thief of one reads it before its CAS. The owner may
 *   take the others back, by a CAS: a thief of several reads them after its CAS.
 * - A block is used again when top has passed it and no thief reads in it. A thief of several announces itself before
 *   its CAS: it adds the number of blocks that it spans to `readers` of the first.
 * - A pop at or above `floor`, which is split or the block's start, needs nobody: it stores bottom and takes the item.
 *   A floor above all items is an alarm: the owner then takes nothing without a CAS on open. A thief that found nothing
 *   public raises it, waits a moment for the owner to share, then has a heavy fence pass, its own or another thief's.
 *   Now the owner sees the alarm or the thief sees bottom, so the thief may make all up to bottom public itself.
 *
 * The split is after Lace (T. van Dijk, J. C. van de Pol, 2014), blocks that thieves count out after BWoS (J. Wang et
 * al., OSDI 2023), the asymmetric fence after D. Dice, H. Huang, M. Yang (2001).
 */
#include "deque.h"
#include "parts/fences.h"
#include "parts/ring.h"
#include "parts/unlimited.h"

#define DEQUE_BLOCK 1024

/* How often a thief that has raised the alarm looks whether the owner answers, before it asks for a heavy fence. It is
 * learnt, per victim: twice as often where the owner has answered, half as often where it has not. */
#ifndef WEIR_PATIENCE
#define WEIR_PATIENCE 256 /* at first */
#endif

/* An owner that gathers so many items makes all but an eighth of them public unasked, so that thieves find some without
 * an alarm. It then waits for twice as many: few large shares cost both sides less than many small ones. It waits for
 * half as many if thieves came when it had not shared. If they left some, it leaves out the next share. */
#ifndef WEIR_SHARE
#define WEIR_SHARE 16
#endif
#define WEIR_SHARE_LEAST (WEIR_SHARE / 4)
#define WEIR_SHARE_MOST (WEIR_SHARE * 4)

#define DEQUE_NATIVE                                                                                                   \
    (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH + DEQUE_STEAL_INTO + DEQUE_PLACES + DEQUE_RESERVE + DEQUE_PUSH_AT)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "weir", .title = "Weir", .source = "this project", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,   \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true,                         \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .asymmetric_fences = true,                                                                                     \
    }

/* Slots with consecutive indices. */
struct weir_block {
    _Atomic uint64_t readers;  /* thieves of several items: those whose claim begins here add the blocks it spans */
    struct weir_block *above;  /* the one with the next indices; written by the owner before these are public */
    struct weir_block *next;   /* owner: in a list of its own */
    struct weir_block *before; /* owner: made before this one */
    uint64_t start;            /* owner: its first index */
    alignas(DEQUE_LINE) _Atomic(deque_item) slots[];
};
/* A ring of places for blocks, by their indices divided by the items in a block. A thief that is about to lose may look
 * at any place: each holds some block from the start. */
struct weir_spine {
    struct weir_spine *smaller; /* the one before: thieves may still be reading it */
    uint64_t mask;
    _Atomic(struct weir_block *) place[];
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    _Atomic(deque_item) *slots;                  /* those of the block in use: bottom lies in it, or at its end */
    uint64_t mask;
    uint64_t end;             /* one past the last index of the block in use */
    uint64_t split;           /* the first of the owner's own, as it last knew */
    uint64_t quiet;           /* added to floor by the owner: an alarm where there are no asymmetric fences */
    uint64_t oldest, newest;  /* the first indices of the oldest and the newest block in the spine */
    struct weir_block *made;  /* all blocks, the newest first */
    struct weir_block *spare; /* free blocks, a list */
    struct weir_block *late;  /* passed by thieves of which some may still be reading: oldest first */
    uint64_t seen;            /* top when the owner last took something back */
    uint64_t share;           /* of so many items most become public unasked */
    bool shared, rests;       /* it has had `share` items since; it leaves out the next share */
    alignas(DEQUE_LINE) _Atomic uint64_t open;  /* top (40 bits) and how many are public; all, by read-modify-writes */
    alignas(DEQUE_LINE) _Atomic uint64_t floor; /* pop looks further below it; thieves raise it as an alarm */
    _Atomic uint64_t ceiling;  /* push looks further from it on: the block's end, or lower as a hint of thieves */
    _Atomic uint64_t patience; /* thieves: how often to look for an answer */
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
/* No more than fit are public. */
DEQUE_OPERATION uint64_t weir_open(uint64_t top, uint64_t length) {
    return top << WEIR_LENGTH_BITS | (length < WEIR_PUBLIC_MAX ? length : WEIR_PUBLIC_MAX);
}
/* n items taken from the old end. */
DEQUE_OPERATION uint64_t weir_after(uint64_t open, uint64_t n) { return open + (n << WEIR_LENGTH_BITS) - n; }
/* How far index is above top, of which 40 bits are known; less than 0 when it is below. */
DEQUE_OPERATION int64_t weir_above(uint64_t index, uint64_t open) {
    return (int64_t)((index << WEIR_LENGTH_BITS) - (open & ~WEIR_PUBLIC_MAX)) / ((int64_t)1 << WEIR_LENGTH_BITS);
}
/* An alarm is a floor that lies so far above all indices. Whoever asks knows some index, even an old one. */
#define WEIR_ALARM ((uint64_t)1 << 62)
DEQUE_OPERATION bool weir_alarmed(uint64_t floor, uint64_t index) {
    return (int64_t)(floor - index) > (int64_t)(WEIR_ALARM / 2);
}

DEQUE_OPERATION struct weir_block *weir_new_block(struct deque *deque) {
    const size_t items = (size_t)1 << deque->shift;
    struct weir_block *block = DEQUE_ALLOC(sizeof *block + items * sizeof block->slots[0]);
    if (!block)
        return NULL;
    ring_clear(block->slots, items); /* a thief that is about to lose may read what was never pushed */
    atomic_init(&block->readers, 0);
    block->above = block->next = NULL;
    block->before = deque->made;
    return deque->made = block;
}

/* Each place holds this block at first. */
DEQUE_OPERATION struct weir_spine *weir_new_spine(uint64_t size, struct weir_block *block) {
    struct weir_spine *spine = DEQUE_ALLOC(sizeof *spine + size * sizeof spine->place[0]);
    if (!spine)
        return NULL;
    spine->smaller = NULL;
    spine->mask = size - 1;
    for (uint64_t i = 0; i < size; i++)
        atomic_init(&spine->place[i], block);
    return spine;
}

/* The place of an index in a spine; owner: its spine, and the block of an index. */
DEQUE_OPERATION _Atomic(struct weir_block *) *weir_place(struct weir_spine *spine, unsigned shift, uint64_t index) {
    return &spine->place[(index >> shift) & spine->mask];
}
DEQUE_OPERATION struct weir_spine *weir_spine(const struct deque *deque) {
    return atomic_load_explicit(&deque->spine, memory_order_relaxed);
}
DEQUE_OPERATION struct weir_block *weir_holding(const struct deque *deque, uint64_t index) {
    return atomic_load_explicit(weir_place(weir_spine(deque), deque->shift, index), memory_order_relaxed);
}
/* Owner: the first index of the block in use, and the slot of one. */
DEQUE_OPERATION uint64_t weir_start(const struct deque *deque) { return deque->end - deque->mask - 1; }
DEQUE_OPERATION _Atomic(deque_item) *weir_slot(const struct deque *deque, uint64_t index) {
    return &deque->slots[index & deque->mask];
}

/* Owner: the block it works in from now on. */
DEQUE_OPERATION void weir_use(struct deque *deque, struct weir_block *block) {
    deque->slots = block->slots;
    deque->end = block->start + deque->mask + 1;
    /* relaxed, here and below: a hint for push; a thief's that is overwritten is seen by the next pop */
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
}
/* Owner, up to bottom: with `share` more items, or at the block's end, push takes the slow path. */
DEQUE_OPERATION void weir_expect(struct deque *deque, uint64_t bottom) {
    uint64_t more = deque->end - bottom > deque->share ? deque->share : deque->end - bottom;
    atomic_store_explicit(&deque->ceiling, bottom + more, memory_order_relaxed);
}
/* Owner, low at bottom: from now on it shares at fewer items or more. left: some were still public. */
DEQUE_OPERATION void weir_learn(struct deque *deque, uint64_t bottom, uint64_t top, bool left) {
    const bool stolen = top != deque->seen;
    if (!stolen || deque->shared)
        deque->share = deque->share < WEIR_SHARE_MOST ? 2 * deque->share : WEIR_SHARE_MOST;
    else if (!deque->rests)
        deque->share = deque->share > WEIR_SHARE_LEAST ? deque->share / 2 : WEIR_SHARE_LEAST;
    deque->rests |= stolen && left && deque->shared;
    deque->seen = top;
    deque->shared = false;
    weir_expect(deque, bottom);
}
/* Owner: what floor is while it works in the block of an index. */
DEQUE_OPERATION uint64_t weir_floor(const struct deque *deque, uint64_t split, uint64_t index) {
    uint64_t start = index & ~deque->mask;
    return ((int64_t)(split - start) > 0 ? split : start) + deque->quiet;
}
/* Owner, whose block or split has changed, but not open: an alarm stays. */
DEQUE_OPERATION void weir_set_floor(struct deque *deque) {
    uint64_t start = weir_start(deque), floor = weir_floor(deque, deque->split, start);
    uint64_t old = atomic_load_explicit(&deque->floor, memory_order_relaxed);
    if (old != floor && !weir_alarmed(old, start))
        /* relaxed: pop is the next to read it. It fails where a thief has raised the alarm meanwhile */
        atomic_compare_exchange_strong_explicit(&deque->floor, &old, floor, memory_order_relaxed, memory_order_relaxed);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    for (struct weir_block *block = deque->made, *before; block; block = before) {
        before = block->before;
        DEQUE_FREE(block);
    }
    for (struct weir_spine *spine = weir_spine(deque), *smaller; spine; spine = smaller) {
        smaller = spine->smaller;
        DEQUE_FREE(spine);
    }
}
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed);
    int64_t size = weir_above(atomic_load_explicit(&deque->bottom, memory_order_relaxed), open);
    return size > 0 ? (size_t)size : 0;
}

/* --- the owner's blocks */

/* Owner: takes blocks that thieves have passed out of the spine, and collects those in which nobody reads any more. A
 * thief of several is known by the first block of its claim alone, which says how many it spans. */
DEQUE_SLOW_PATH void weir_collect(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the releases of open in deque_steal and weir_claim: a thief of one has read its slot by then,
     * a thief of several has announced itself, and both are done with the spine */
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_acquire);
    uint64_t top = bottom - (uint64_t)weir_above(bottom, open);
    struct weir_block **at = &deque->late;
    while (*at)
        at = &(*at)->next;
    while (deque->oldest != weir_start(deque) && (int64_t)(top - deque->oldest) > (int64_t)deque->mask) {
        *at = weir_holding(deque, deque->oldest);
        at = &(*at)->next;
        *at = NULL;
        deque->oldest += deque->mask + 1;
    }
    at = &deque->late;
    uint64_t read = deque->late ? deque->late->start : 0; /* all from here on, as far as older blocks tell */
    for (struct weir_block *block; (block = *at);) {
        /* acquire: pairs with the release of readers in weir_withdraw. It is only added to, so that 0 comes after all
         * who have claimed here, and who have read what they claimed */
        uint64_t end = block->start + (atomic_load_explicit(&block->readers, memory_order_acquire) << deque->shift);
        if ((int64_t)(end - read) > 0)
            read = end;
        if ((int64_t)(read - block->start) > 0) {
            at = &block->next;
        } else {
            *at = block->next;
            block->next = deque->spare;
            deque->spare = block;
        }
    }
}

/* Owner: a spine of twice the size; false when there is no memory. */
DEQUE_SLOW_PATH bool weir_grow_spine(struct deque *deque) {
    struct weir_spine *old = weir_spine(deque);
    struct weir_spine *spine = weir_new_spine(2 * (old->mask + 1), weir_holding(deque, deque->newest));
    if (!spine)
        return false;
    spine->smaller = old;
    for (uint64_t start = deque->oldest; start != deque->newest + deque->mask + 1; start += deque->mask + 1)
        atomic_init(weir_place(spine, deque->shift, start), weir_holding(deque, start));
    /* release: pairs with the acquire of spine in weir_block_of; publishes what is in it */
    atomic_store_explicit(&deque->spine, spine, memory_order_release);
    return true;
}

/* Owner: one more block at the end of the spine; NULL when there is no memory. */
DEQUE_SLOW_PATH struct weir_block *weir_add_block(struct deque *deque) {
    uint64_t start = deque->newest + deque->mask + 1;
    weir_collect(deque);
    if ((start - deque->oldest) >> deque->shift > weir_spine(deque)->mask && !weir_grow_spine(deque))
        return NULL;
    struct weir_block *block = deque->spare ? deque->spare : weir_new_block(deque);
    if (!block)
        return NULL;
    if (block == deque->spare)
        deque->spare = block->next;
    block->start = start;
    weir_holding(deque, deque->newest)->above = block;
    /* release: pairs with the acquire of weir_place in weir_block_of. A thief that is about to lose may come from an
     * older index; it finds slots that are there */
    atomic_store_explicit(weir_place(weir_spine(deque), deque->shift, start), block, memory_order_release);
    deque->newest = start;
    return block;
}

/* config->block is rounded up to a power of two; by default a small capacity makes small blocks. As many blocks as hold
 * config->capacity are there from the start. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t capacity = config->capacity ? config->capacity : DEQUE_BLOCK;
    size_t items = config->block ? config->block : capacity < DEQUE_BLOCK ? capacity : DEQUE_BLOCK;
    if (capacity > WEIR_CAPACITY_MAX || items > WEIR_BLOCK_MAX)
        return EINVAL;
    items = deque_round_up(items);
    deque->shift = ring_log2(items);
    deque->mask = deque->slot_mask = items - 1;
    uint64_t first = config->first_index, count = (capacity + items - 1) / items;
    atomic_init(&deque->open, weir_open(first, 0));
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->ceiling, 0);
    deque->made = deque->spare = deque->late = NULL;
    struct weir_block *block = weir_new_block(deque);
    struct weir_spine *spine = block ? weir_new_spine(deque_round_up(count < 8 ? 8 : count), block) : NULL;
    bool made = spine != NULL;
    deque->asymmetric = deque_fences_asymmetric();
    deque->quiet = deque->asymmetric ? 0 : WEIR_ALARM;
    deque->split = deque->seen = first;
    deque->shared = deque->rests = false;
    deque->share = WEIR_SHARE;
    atomic_init(&deque->floor, weir_floor(deque, first, first));
    atomic_init(&deque->spine, spine);
    if (made) {
        deque->oldest = deque->newest = block->start = first & ~deque->mask;
        weir_use(deque, block);
        weir_expect(deque, first);
    }
    for (uint64_t i = 1; made && i < count; i++)
        made = weir_add_block(deque) != NULL;
    if (!made) {
        deque_destroy(deque);
        return ENOMEM;
    }
    atomic_init(&deque->patience, WEIR_PATIENCE);
    return 0;
}

/* --- the owner and the alarm */

/* Owner, up to bottom: makes half public, or all but `keep`, unless more are. Puts out the alarm. */
DEQUE_SLOW_PATH void weir_publish(struct deque *deque, uint64_t bottom, uint64_t keep) {
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), next, split;
    bool tried = false;
    do {
        uint64_t all = (uint64_t)weir_above(bottom, open), length = weir_length(open);
        uint64_t share = all - (all / 2 < keep ? all / 2 : keep);
        if (share == 0 && length == 0) {
            if (tried) /* relaxed: an alarm of a thief's that we put out */
                atomic_store_explicit(&deque->floor, bottom + WEIR_ALARM, memory_order_relaxed);
            return;
        }
        next = weir_open(weir_top(open), share > length ? share : length);
        split = bottom - all + weir_length(next);
        tried = true;
        /* relaxed: no thief that has read what open becomes now can have its alarm put out by it */
        atomic_store_explicit(&deque->floor, weir_floor(deque, split, deque->end - 1), memory_order_relaxed);
        /* release: pairs with the acquires of open in weir_look; publishes slots and what items point to, and comes
         * after the alarm was put out, also where nothing changes: a thief that finds all taken comes after it */
    } while (!atomic_compare_exchange_strong_explicit(&deque->open, &open, next, memory_order_release,
                                                      memory_order_relaxed));
    deque->split = split;
}

/* Owner, at the end of its block: goes up to the next; false when there is no memory for one. */
DEQUE_SLOW_PATH bool weir_go_up(struct deque *deque, uint64_t bottom) {
    struct weir_block *block =
        (int64_t)(deque->newest - bottom) >= 0 ? weir_holding(deque, bottom) : weir_add_block(deque);
    if (!block)
        return false;
    weir_use(deque, block);
    if (bottom - deque->split > deque->mask)
        weir_publish(deque, bottom, (deque->mask + 1) / 2);
    weir_set_floor(deque);
    if (!deque->shared)
        weir_expect(deque, bottom);
    if (weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), bottom))
        atomic_store_explicit(&deque->ceiling, bottom, memory_order_relaxed);
    return true;
}

/* Owner: has a push up to bottom reached the ceiling? */
DEQUE_OPERATION bool weir_at_ceiling(const struct deque *deque, uint64_t bottom) {
    return (int64_t)(bottom - atomic_load_explicit(&deque->ceiling, memory_order_relaxed)) >= 0;
}
/* Owner, after a push up to bottom: at the ceiling it answers an alarm, or shares. What is in a full block waits for
 * the push that goes up. */
DEQUE_SLOW_PATH void weir_heed(struct deque *deque, uint64_t bottom) {
    if (!weir_at_ceiling(deque, bottom) || bottom == deque->end)
        return;
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
    if (weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), bottom)) {
        weir_publish(deque, bottom, UINT64_MAX);
    } else if (!deque->shared && bottom - deque->split >= deque->share) {
        if (!deque->rests)
            weir_publish(deque, bottom, deque->share / 8);
        deque->rests = false;
        deque->shared = true;
    }
}

/* Owner: pushes what reaches the ceiling, by parts of blocks; how many went in. */
DEQUE_SLOW_PATH size_t weir_push_slowly(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t pushed = 0;
    while (pushed < n && (bottom != deque->end || weir_go_up(deque, bottom))) {
        size_t room = (size_t)(deque->end - bottom), part = n - pushed < room ? n - pushed : room;
        /* relaxed stores: a thief may be reading there, but one that is about to lose; bottom and open publish slots */
        deque_copy_shared(weir_slot(deque, bottom), items + pushed, part);
        pushed += part;
        bottom += part;
        /* release: pairs with the acquires of bottom in weir_ask; publishes slots and what items point to */
        atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    }
    weir_heed(deque, bottom);
    return pushed;
}

DEQUE_OPERATION enum deque_result deque_push_at(struct deque *deque, deque_item item, uint64_t place) {
    if (weir_at_ceiling(deque, place)) {
        deque_item one = item; /* or the way below would need memory, too */
        return weir_push_slowly(deque, &one, 1) == 1 ? DEQUE_OK : DEQUE_FULL;
    }
    /* relaxed: as in weir_push_slowly */
    atomic_store_explicit(weir_slot(deque, place), item, memory_order_relaxed);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, place + 1, memory_order_release);
    return DEQUE_OK;
}
DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_at(deque, item, atomic_load_explicit(&deque->bottom, memory_order_relaxed));
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (n == 1)
        return deque_push_at(deque, *items, bottom) == DEQUE_OK;
    if (weir_at_ceiling(deque, bottom + n))
        return weir_push_slowly(deque, items, n);
    if (n > 0)
        deque_copy_shared(weir_slot(deque, bottom), items, n);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    return n;
}

typedef _Atomic(deque_item) deque_slot;
DEQUE_OPERATION void deque_fill(deque_slot *slot, deque_item item) {
    /* relaxed: as in weir_push_slowly */
    atomic_store_explicit(slot, item, memory_order_relaxed);
}

/* Up to the end of the block. */
DEQUE_OPERATION deque_slot *deque_reserve(struct deque *deque, size_t n, size_t *span) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    *span = 0;
    if (bottom == deque->end && !weir_go_up(deque, bottom))
        return NULL;
    size_t room = (size_t)(deque->end - bottom);
    *span = n < room ? n : room;
    return weir_slot(deque, bottom);
}
DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    if (weir_at_ceiling(deque, bottom + n))
        weir_heed(deque, bottom + n);
    return n;
}

/* Owner: item `index`, which it has, and which may be the last of the block below. */
DEQUE_OPERATION deque_item weir_own(struct deque *deque, uint64_t index) {
    if (index + 1 == weir_start(deque))
        weir_use(deque, weir_holding(deque, index));
    weir_set_floor(deque);
    return atomic_load_explicit(weir_slot(deque, index), memory_order_relaxed);
}

/* Owner: what open becomes by a pop of its newest item, below which there are so many. */
DEQUE_OPERATION uint64_t weir_without(const struct deque *deque, uint64_t open, uint64_t below) {
    const uint64_t top = weir_top(open), length = weir_length(open);
    if (below == 0)
        return weir_open(top + 1, 0); /* the last is for whoever moves top */
    if (length == 0)
        return weir_open(top, (below + 1) / 2); /* there was an alarm: half of the others becomes public */
    if (length <= below)
        return open; /* an alarm that somebody has answered already */
    /* It is the newest public one: take some back, all but one if no thief was here. */
    return weir_open(top, top == (deque->seen & (UINT64_MAX >> WEIR_LENGTH_BITS)) ? 1 : (length + 3) / 4);
}

/* Owner, at the floor or after an alarm, which has lowered bottom to index: pops that item, 0 when there is none. */
DEQUE_SLOW_PATH deque_item weir_pop_slowly(struct deque *deque, uint64_t index) {
    if ((int64_t)(index - deque->split) >= 0 &&
        !weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), index))
        return weir_own(deque, index);
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), next, split;
    bool tried = false;
    do {
        int64_t below = weir_above(index, open); /* so many are older than this one */
        if (below < 0) {
            if (tried) /* relaxed: as in weir_publish */
                atomic_store_explicit(&deque->floor, index + WEIR_ALARM, memory_order_relaxed);
            /* release: as in weir_push_slowly */
            atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
            deque->split = index + 1;
            if (index + 1 != deque->seen || deque->shared)
                weir_learn(deque, index + 1, index + 1, false);
            return (deque_item)0;
        }
        tried = true;
        next = weir_without(deque, open, (uint64_t)below);
        split = index - (uint64_t)weir_above(index, next) + weir_length(next);
        /* relaxed: as in weir_publish */
        atomic_store_explicit(&deque->floor, weir_floor(deque, split, index), memory_order_relaxed);
        /* release: as in weir_publish. Nothing to acquire: what we take back we have written */
    } while (!atomic_compare_exchange_strong_explicit(&deque->open, &open, next, memory_order_release,
                                                      memory_order_relaxed));
    const uint64_t top = index - (uint64_t)weir_above(index, open);
    const bool last = top == index;
    deque->split = split;
    if (last) /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
    deque_item item = weir_own(deque, index);
    weir_learn(deque, index + last, top, weir_length(open) > 0);
    deque->seen += last;
    return item;
}

/* Owner: pops what is at index, the newest. */
DEQUE_OPERATION enum deque_result weir_pop(struct deque *deque, deque_item *item, uint64_t index) {
    /* release: as in weir_push_slowly; a thief may read any of our stores of bottom */
    atomic_store_explicit(&deque->bottom, index, memory_order_release);
    deque_fence_light(); /* pairs with the heavy one in weir_answered: either it sees bottom, or we the alarm */
    if ((int64_t)(index - atomic_load_explicit(&deque->floor, memory_order_relaxed)) < 0)
        return (*item = weir_pop_slowly(deque, index)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
    *item = atomic_load_explicit(weir_slot(deque, index), memory_order_relaxed);
    return DEQUE_OK;
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    return weir_pop(deque, item, deque_place(deque) - 1);
}
/* What was loaded is compared, and the place is what all is done with (DEQUE_PLACES). */
DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    uint64_t bottom = deque_place(deque);
    if (bottom == place + 1)
        return weir_pop(deque, item, place);
    return weir_pop(deque, item, bottom - 1);
}
/* As deque_pop_from, but for the slot, which is not read. */
DEQUE_OPERATION enum deque_result deque_pop_own(struct deque *deque, deque_item item, uint64_t place) {
    (void)item;
    if (atomic_load_explicit(&deque->bottom, memory_order_relaxed) != place + 1)
        return DEQUE_EMPTY;
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, place, memory_order_release);
    deque_fence_light(); /* pairs with the heavy one in weir_answered */
    if ((int64_t)(place - atomic_load_explicit(&deque->floor, memory_order_relaxed)) < 0) {
        /* As if nothing had been. release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, place + 1, memory_order_release);
        return DEQUE_EMPTY;
    }
    return DEQUE_OK;
}

/* --- thieves */

/* Thief: the block of the oldest item, as open is. Right if open still is when it is changed: until top has passed it,
 * the item stays in its slot and the block in its place. */
DEQUE_OPERATION struct weir_block *weir_block_of(const struct deque *victim, uint64_t open) {
    /* acquire: pairs with the release of spine in weir_grow_spine */
    struct weir_spine *spine = atomic_load_explicit(&victim->spine, memory_order_acquire);
    /* acquire: pairs with the release of weir_place in weir_add_block */
    return atomic_load_explicit(weir_place(spine, victim->shift, weir_top(open)), memory_order_acquire);
}

/* Thief: looks for a while whether open is another than it was. */
DEQUE_OPERATION bool weir_watch(struct deque *victim, uint64_t *open) {
    const uint64_t empty = *open;
    /* relaxed, here and below: thieves may overwrite what another has learnt */
    uint64_t looks = atomic_load_explicit(&victim->patience, memory_order_relaxed);
    for (; looks > 0 && *open == empty; looks--)
        *open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as in weir_look */
    return *open != empty;
}

/* Thief, which has raised the alarm: looks whether open is another than it was, until a heavy fence has passed that
 * began later. OK: it is; EMPTY: the owner has nothing left; LOST: the owner is silent. */
DEQUE_OPERATION enum deque_result weir_answered(struct deque *victim, uint64_t *open) {
    const uint64_t empty = *open;
    if (!weir_watch(victim, open)) {
        /* Pairs with the light fences in pop: the owner sees the alarm, or we what it has left. */
        uint64_t ticket = deque_fence_ask(victim->asymmetric), look = 0;
        bool passed;
        do {
            /* The owner may have taken all, and be away: it never answers then. relaxed: as in weir_ask */
            if (weir_above(atomic_load_explicit(&victim->bottom, memory_order_relaxed), empty) <= 0)
                return DEQUE_EMPTY;
            passed = deque_fence_passed(victim->asymmetric, ticket, look++);
            *open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as in weir_look */
        } while (*open == empty && !passed);
    }
    const bool answered = *open != empty;
    const uint64_t patience = atomic_load_explicit(&victim->patience, memory_order_relaxed);
    const uint64_t next = answered ? 2 * patience : patience - patience / 2;
    /* With another top it was a thief that answered. */
    if (weir_top(*open) == weir_top(empty) && next <= 32 * (uint64_t)WEIR_PATIENCE && next >= WEIR_PATIENCE / 16)
        atomic_store_explicit(&victim->patience, next, memory_order_relaxed);
    return answered ? DEQUE_OK : DEQUE_LOST;
}

/* Thief that found nothing public: raises the alarm. OK: the owner made items public, or it was silent, and the thief
 * made all public that the owner had. */
DEQUE_SLOW_PATH enum deque_result weir_ask(struct deque *victim, uint64_t open) {
    const uint64_t empty = open;
    /* relaxed: it may be old, and then there was nothing a moment ago */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_relaxed);
    if (weir_above(bottom, empty) > 1) { /* an alarm costs the owner more than to share */
        if (weir_watch(victim, &open))
            return DEQUE_OK;
        bottom = atomic_load_explicit(&victim->bottom, memory_order_relaxed);
    }
    if (weir_above(bottom, empty) <= 0)
        return DEQUE_EMPTY;
    if (!weir_alarmed(atomic_load_explicit(&victim->floor, memory_order_relaxed), bottom))
        atomic_store_explicit(&victim->floor, bottom + WEIR_ALARM, memory_order_relaxed);
    /* Never above bottom, so a push that finds it has to look further, whenever that is. */
    atomic_store_explicit(&victim->ceiling, bottom - (uint64_t)weir_above(bottom, empty), memory_order_relaxed);
    enum deque_result result = weir_answered(victim, &open);
    if (result != DEQUE_LOST)
        return result;
    /* acquire: pairs with the releases of bottom in deque_push_at and weir_pop */
    int64_t size = weir_above(atomic_load_explicit(&victim->bottom, memory_order_acquire), empty);
    if (size <= 0)
        return DEQUE_EMPTY;
    /* release: pairs with the acquires of open in weir_look; publishes what we acquired with bottom. When it fails, the
     * owner or another thief has made some public */
    atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_open(weir_top(empty), (uint64_t)size),
                                            memory_order_release, memory_order_relaxed);
    return DEQUE_OK;
}
/* Thief: what open is, with something public. */
DEQUE_OPERATION enum deque_result weir_look(struct deque *victim, uint64_t *open) {
    /* acquire, here and below: pairs with the releases of open in weir_publish, weir_pop_slowly and weir_ask: what is
     * public, and what it points to */
    *open = atomic_load_explicit(&victim->open, memory_order_acquire);
    if (weir_length(*open) > 0)
        return DEQUE_OK;
    enum deque_result result = weir_ask(victim, *open);
    *open = atomic_load_explicit(&victim->open, memory_order_acquire);
    return result == DEQUE_OK && weir_length(*open) == 0 ? DEQUE_LOST : result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t open;
    (void)self;
    enum deque_result result = weir_look(victim, &open);
    if (result != DEQUE_OK)
        return result;
    const uint64_t at = weir_top(open) & victim->slot_mask;
    *item = atomic_load_explicit(&weir_block_of(victim, open)->slots[at], memory_order_relaxed);
    /* release: pairs with the acquire of open in weir_collect, we have read the slot. Nothing to acquire: the oldest
     * item is the one that was public when we looked */
    return atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(open, 1), memory_order_release,
                                                   memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}

/* Thief of several: has read what it claimed from `block` on, of so many blocks, or has claimed nothing. */
DEQUE_OPERATION void weir_withdraw(struct weir_block *block, uint64_t blocks) {
    /* release: pairs with the acquire of readers in weir_collect */
    atomic_fetch_sub_explicit(&block->readers, blocks, memory_order_release);
}
/* Items that were claimed together: where the rest of them begins, in which block we read, and in how many they are. */
struct weir_claim {
    uint64_t top, left, blocks;
    struct weir_block *first, *block;
};

/* Thief: claims up to max of the oldest items, max at least 1. */
DEQUE_OPERATION enum deque_result weir_claim(struct deque *victim, uint64_t max, struct weir_claim *claim) {
    uint64_t open;
    enum deque_result result = weir_look(victim, &open);
    if (result != DEQUE_OK)
        return result;
    claim->top = weir_top(open);
    claim->left = weir_length(open) < max ? weir_length(open) : max;
    claim->blocks = (((claim->top & victim->slot_mask) + claim->left - 1) >> victim->shift) + 1;
    claim->first = weir_block_of(victim, open);
    claim->block = NULL;
    /* relaxed: reaches the owner with open, below */
    atomic_fetch_add_explicit(&claim->first->readers, claim->blocks, memory_order_relaxed);
    /* acquire: the owner may have taken items back, and made others public in their place, since we looked; pairs with
     * the release of open in weir_publish. release: as in deque_steal, and we are announced */
    if (atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(open, claim->left),
                                                memory_order_acq_rel, memory_order_relaxed))
        return DEQUE_OK;
    weir_withdraw(claim->first, claim->blocks);
    return DEQUE_LOST;
}

/* Thief, which has read the items before: those next in a claim that lie side by side; how many. 0: no more. */
DEQUE_OPERATION uint64_t weir_next(const struct deque *victim, struct weir_claim *claim, const deque_item **items) {
    const uint64_t at = claim->top & victim->slot_mask, room = victim->slot_mask + 1 - at;
    const uint64_t part = claim->left < room ? claim->left : room;
    if (part == 0) {
        weir_withdraw(claim->first, claim->blocks);
        return 0;
    }
    claim->block = claim->block ? claim->block->above : claim->first;
    claim->top += part;
    claim->left -= part;
    *items = (const deque_item *)(claim->block->slots + at); /* nobody writes what is claimed */
    return part;
}

/* What percent asks for of all there is; 0: half. More than is public is taken in several claims, while no other thief
 * comes between. */
DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    size_t wanted = ring_share(deque_size(victim), percent, max);
    enum deque_result result = DEQUE_EMPTY;
    *n = 0;
    if (wanted == 1) {
        result = deque_steal(victim, self, out);
        *n = result == DEQUE_OK;
        return result;
    }
    while (*n < wanted) {
        struct weir_claim claim;
        if ((result = weir_claim(victim, wanted - *n, &claim)) != DEQUE_OK)
            break;
        const deque_item *items;
        for (uint64_t part; (part = weir_next(victim, &claim, &items)) > 0; *n += (size_t)part)
            deque_copy(out + *n, items, (size_t)part);
    }
    return *n > 0 ? DEQUE_OK : result;
}

/* Half of all there is, in one claim: as many as are public or, if nothing is, as there are. The newest of them is to
 * run. */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint64_t wanted = (deque_size(victim) + 1) / 2;
    *moved = 0;
    if (wanted <= 1)
        return deque_steal(victim, self, first);
    uint64_t bottom = deque_place(self), room; /* for all but the first */
    do
        room = self->newest + self->mask + 1 - bottom;
    while (room < wanted - 1 && weir_add_block(self));
    struct weir_claim claim;
    enum deque_result result = weir_claim(victim, room < wanted - 1 ? room + 1 : wanted, &claim);
    if (result != DEQUE_OK)
        return result;
    const deque_item *items;
    for (uint64_t part; (part = weir_next(victim, &claim, &items)) > 0; *first = items[part - 1])
        *moved += deque_push_batch(self, items, (size_t)(claim.left > 0 ? part : part - 1));
    return result;
}
