/* weir.h: blocks, a split, and an asymmetric fence: an owner without fences whose items thieves can always reach.
 *
 * Items have indices. [top, split) is public, [split, bottom) is the owner's. One word says what is public, `open`: top
 * and how many; whoever changes it does so by a CAS. The owner pushes and pops its own part with plain stores of
 * bottom, and looks at one word that thieves write, `floor`. A thief of one item reads it and then takes it by one CAS,
 * which proves what was read: it writes nothing else. A thief of several says so first in its block (`readers`), takes
 * them by one CAS, and reads them afterwards; a block is used again only when nobody reads there. With nothing public
 * a thief raises the alarm, waits a moment for the owner's next operation, which makes half of its items public, and
 * then has a heavy fence run, its own or another thief's, and makes them public itself. weir.md has the protocol, why
 * it is right, what it costs and where it loses.
 *
 * The split of owner's and thieves' items is after Lace (T. van Dijk, J. C. van de Pol, 2014), blocks that thieves
 * count out after BWoS (J. Wang et al., OSDI 2023), the asymmetric fence after D. Dice, H. Huang, M. Yang (2001).
 */
#ifndef STEALBENCH_WEIR_H
#define STEALBENCH_WEIR_H

#include "deque.h"
#include "parts/fences.h"
#include "parts/ring.h"

#define WEIR_DEFAULT_CAPACITY 1024
#define WEIR_DEFAULT_BLOCK 1024
#define DEQUE_BLOCK WEIR_DEFAULT_BLOCK

/* How often a thief that has raised the alarm looks whether the owner answers, before it asks for a heavy fence. It is
 * learnt, per victim: twice as often where the owner has answered, half as often where it has not. */
#ifndef WEIR_PATIENCE
#define WEIR_PATIENCE 256 /* at first */
#endif
#define WEIR_PATIENCE_LEAST (WEIR_PATIENCE / 16)
#define WEIR_PATIENCE_MOST ((uint64_t)WEIR_PATIENCE * 32)

/* Of so many items that the owner has gathered since it last took items back, half become public unasked, at first: a
 * thief then finds some without an alarm, and what works on few items at a time pays nothing. An owner that finds items
 * stolen shares at half as many from then on, at least WEIR_SHARE_LEAST; one that finds none, at twice as many. */
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
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .classic = true, .delivery = DEQUE_ONCE, \
        .push_progress = DEQUE_LOCK_FREE, .pop_progress = DEQUE_LOCK_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .asymmetric_fences = true,                                                                                     \
    }

/* The head of a block; those of a deque lie side by side and stay with it. Who has claimed all of a block at once may
 * put other slots in place of its own before it withdraws from `readers`. */
struct weir_block {
    _Atomic uint64_t readers;   /* thieves of several items: those whose claim begins here add the blocks it spans */
    _Atomic(deque_item) *slots; /* read by who has claimed something here, or by the owner */
    struct weir_block *above;   /* the one with the next indices; written by the owner before these are public */
    struct weir_block *next;    /* owner: in a list of its own */
    uint64_t start;             /* owner: its first index */
};

#define WEIR_HEADS 8
struct weir_heads {
    struct weir_heads *before;
    struct weir_block block[WEIR_HEADS];
};

/* A ring of places for blocks, by their indices divided by the items in a block. A thief that is about to lose may look
 * at any place: each holds some block from the start. */
struct weir_place {
    _Atomic(_Atomic(deque_item) *) slots; /* thieves of one item; as in the block */
    _Atomic(struct weir_block *) block;
};
struct weir_spine {
    struct weir_spine *smaller; /* the one before: thieves may still be reading it */
    uint64_t mask;
    struct weir_place place[];
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    _Atomic(deque_item) *slots;                  /* those of the block in use */
    uint64_t mask;
    uint64_t end;                     /* one past the last index of the block in use */
    uint64_t split;                   /* the first of the owner's own, as it last knew */
    uint64_t quiet;                   /* added to floor by the owner: an alarm where there are no asymmetric fences */
    uint64_t oldest, newest;          /* the first indices of the oldest and the newest block in the spine */
    struct weir_block *spare;         /* free blocks, a list */
    struct weir_block *late, *latest; /* passed by thieves of which some may still be reading: oldest first */
    struct weir_heads *heads;         /* all blocks */
    uint64_t heads_used;              /* in the newest of these */
    uint64_t seen;                    /* top when the owner last took something back */
    uint64_t share;                   /* of so many items half become public unasked */
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
DEQUE_OPERATION uint64_t weir_open(uint64_t top, uint64_t length) { return top << WEIR_LENGTH_BITS | length; }
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

/* Owner: a head for a block, 0 when there is no memory. */
DEQUE_OPERATION struct weir_block *weir_new_head(struct deque *deque) {
    if (!deque->heads || deque->heads_used == WEIR_HEADS) {
        struct weir_heads *heads = DEQUE_ALLOC(sizeof *heads);
        if (!heads)
            return NULL;
        heads->before = deque->heads;
        deque->heads = heads;
        deque->heads_used = 0;
    }
    return &deque->heads->block[deque->heads_used];
}

DEQUE_OPERATION struct weir_block *weir_new_block(struct deque *deque) {
    struct weir_block *block = weir_new_head(deque);
    if (!block)
        return NULL;
    const size_t items = (size_t)1 << deque->shift;
    block->slots = DEQUE_ALLOC(items * sizeof *block->slots);
    if (!block->slots)
        return NULL;
#ifdef DEQUE_SINGLE_STORES /* A thief that loses may have read a slot that was never written. Checkers would mind. */
    ring_clear(block->slots, items);
#endif
    atomic_init(&block->readers, 0);
    block->above = block->next = NULL;
    deque->heads_used++;
    return block;
}

/* Each place holds this block at first. */
DEQUE_OPERATION struct weir_spine *weir_new_spine(uint64_t size, struct weir_block *block, _Atomic(deque_item) *slots) {
    struct weir_spine *spine = DEQUE_ALLOC(sizeof *spine + size * sizeof spine->place[0]);
    if (!spine)
        return NULL;
    spine->smaller = NULL;
    spine->mask = size - 1;
    for (uint64_t i = 0; i < size; i++) {
        atomic_init(&spine->place[i].slots, slots);
        atomic_init(&spine->place[i].block, block);
    }
    return spine;
}

/* Owner: its spine, and the place in it for the block of an index. */
DEQUE_OPERATION struct weir_spine *weir_spine(const struct deque *deque) {
    return atomic_load_explicit(&deque->spine, memory_order_relaxed);
}
DEQUE_OPERATION struct weir_place *weir_place(const struct deque *deque, struct weir_spine *spine, uint64_t index) {
    return &spine->place[(index >> deque->shift) & spine->mask];
}
DEQUE_OPERATION struct weir_block *weir_holding(const struct deque *deque, uint64_t index) {
    return atomic_load_explicit(&weir_place(deque, weir_spine(deque), index)->block, memory_order_relaxed);
}

/* Owner: puts a block into its place, before what is in it is public. */
DEQUE_OPERATION void weir_put(struct deque *deque, struct weir_block *block) {
    struct weir_place *place = weir_place(deque, weir_spine(deque), block->start);
    /* release: pairs with the acquire of slots in weir_oldest. A thief that is about to lose may come from an older
     * index; it finds slots that are there */
    atomic_store_explicit(&place->slots, block->slots, memory_order_release);
    /* release: pairs with the acquire of block in weir_claim, for the same */
    atomic_store_explicit(&place->block, block, memory_order_release);
}

/* Owner: the block it works in from now on. */
DEQUE_OPERATION void weir_use(struct deque *deque, const struct weir_block *block) {
    deque->slots = block->slots;
    deque->end = block->start + deque->mask + 1;
    /* relaxed, here and below: a hint for push; a thief's that is overwritten is seen by the next pop */
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
}

/* Owner, with few items that are public or none: looks further when it has so many more than up to index. */
DEQUE_OPERATION void weir_expect_share(struct deque *deque, uint64_t index) {
    if (deque->end - index > deque->share)
        atomic_store_explicit(&deque->ceiling, index + deque->share,
                              memory_order_relaxed); /* relaxed: as in weir_use */
}

/* Owner: what floor is while it works in the block of an index. */
DEQUE_OPERATION uint64_t weir_floor(const struct deque *deque, uint64_t split, uint64_t index) {
    uint64_t start = index & ~deque->mask;
    return ((int64_t)(split - start) > 0 ? split : start) + deque->quiet;
}

/* Owner, whose block or split has changed, but not open: an alarm stays. */
DEQUE_OPERATION void weir_set_floor(struct deque *deque) {
    uint64_t start = deque->end - deque->mask - 1, floor = weir_floor(deque, deque->split, start);
    uint64_t old = atomic_load_explicit(&deque->floor, memory_order_relaxed);
    if (old != floor && !weir_alarmed(old, start))
        /* relaxed: pop is the next to read it. It fails where a thief has raised the alarm meanwhile */
        atomic_compare_exchange_strong_explicit(&deque->floor, &old, floor, memory_order_relaxed, memory_order_relaxed);
}

/* Owner, in a block from index on: a push looks further when three quarters are full, or at once with an alarm. */
DEQUE_OPERATION void weir_expect_much(struct deque *deque, uint64_t index) {
    bool alarmed = weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), index);
    /* relaxed: as in weir_use */
    atomic_store_explicit(&deque->ceiling, alarmed ? index : deque->end - (deque->mask + 1) / 4, memory_order_relaxed);
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    while (deque->heads) {
        struct weir_heads *heads = deque->heads;
        deque->heads = heads->before;
        for (uint64_t i = 0; i < deque->heads_used; i++)
            DEQUE_FREE(heads->block[i].slots);
        deque->heads_used = WEIR_HEADS;
        DEQUE_FREE(heads);
    }
    for (struct weir_spine *spine = weir_spine(deque), *smaller; spine; spine = smaller) {
        smaller = spine->smaller;
        DEQUE_FREE(spine);
    }
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

/* Owner: takes blocks that thieves have passed out of the spine, and collects those in which nobody reads any more. A
 * thief of several is known by the first block of its claim alone, which says how many it spans. */
DEQUE_SLOW_PATH void weir_collect(struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* acquire: pairs with the releases of open in deque_steal and weir_claim: a thief of one has read its slot by then,
     * a thief of several has announced itself, and both are done with the spine */
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_acquire);
    uint64_t top = bottom - (uint64_t)weir_above(bottom, open);
    uint64_t in_use = deque->end - deque->mask - 1;
    while (deque->oldest != in_use && (int64_t)(top - deque->oldest) > (int64_t)deque->mask) {
        struct weir_block *block = weir_holding(deque, deque->oldest);
        deque->oldest += deque->mask + 1;
        block->next = NULL;
        *(deque->late ? &deque->latest->next : &deque->late) = block;
        deque->latest = block;
    }
    struct weir_block **at = &deque->late, *left = NULL;
    uint64_t read = deque->late ? deque->late->start : 0; /* all from here on, as far as older blocks tell */
    for (struct weir_block *block; (block = *at);) {
        /* acquire: pairs with the release of readers in weir_withdraw. It is only added to, so that 0 comes after all
         * who have claimed here, and who have read what they claimed */
        uint64_t end = block->start + (atomic_load_explicit(&block->readers, memory_order_acquire) << deque->shift);
        if ((int64_t)(end - read) > 0)
            read = end;
        if ((int64_t)(read - block->start) > 0) {
            left = block;
            at = &block->next;
        } else {
            *at = block->next;
            block->next = deque->spare;
            deque->spare = block;
        }
    }
    deque->latest = left;
}

/* Owner: a spine of twice the size; false when there is no memory. */
DEQUE_SLOW_PATH bool weir_grow_spine(struct deque *deque) {
    struct weir_spine *old = weir_spine(deque);
    struct weir_place *from = weir_place(deque, old, deque->newest), *to;
    struct weir_spine *spine =
        weir_new_spine(2 * (old->mask + 1), atomic_load_explicit(&from->block, memory_order_relaxed),
                       atomic_load_explicit(&from->slots, memory_order_relaxed));
    if (!spine)
        return false;
    spine->smaller = old;
    for (uint64_t start = deque->oldest; start != deque->newest + deque->mask + 1; start += deque->mask + 1) {
        from = weir_place(deque, old, start);
        to = weir_place(deque, spine, start);
        /* Not the block's own slots, which a thief that has claimed it may be changing. */
        atomic_init(&to->slots, atomic_load_explicit(&from->slots, memory_order_relaxed));
        atomic_init(&to->block, atomic_load_explicit(&from->block, memory_order_relaxed));
    }
    /* release: pairs with the acquire of spine in weir_place_of; publishes what is in it */
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
    block->start = start;
    weir_holding(deque, deque->newest)->above = block;
    weir_put(deque, block);
    deque->newest = start;
    return block;
}

/* config->block is rounded up to a power of two; by default a small capacity makes small blocks, and a large one blocks
 * of a sixteenth of it. As many blocks as hold config->capacity are there from the start and, where they are many, one
 * more: what has been in use begins anywhere in its first block. */
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
    count += count >= 16;
    atomic_init(&deque->open, weir_open(first, 0));
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->ceiling, 0);
    deque->spare = deque->late = deque->latest = NULL;
    deque->heads = NULL;
    deque->heads_used = 0;
    atomic_init(&deque->spine, NULL);
    struct weir_block *block = weir_new_block(deque);
    struct weir_spine *spine =
        block ? weir_new_spine(deque_round_up(count < 8 ? 8 : count), block, block->slots) : NULL;
    if (!spine) {
        deque_destroy(deque);
        return ENOMEM;
    }
    deque->asymmetric = deque_fences_asymmetric();
    deque->quiet = deque->asymmetric ? 0 : WEIR_ALARM;
    deque->split = deque->seen = first;
    deque->share = WEIR_SHARE;
    atomic_init(&deque->floor, weir_floor(deque, first, first));
    atomic_init(&deque->spine, spine);
    deque->oldest = deque->newest = block->start = first & ~deque->mask;
    ring_clear(block->slots, items); /* or the first pushes would wait for its pages */
    weir_put(deque, block);
    weir_use(deque, block);
    weir_expect_much(deque, first);
    for (uint64_t i = 1; i < count; i++)
        if (!weir_add_block(deque)) {
            deque_destroy(deque);
            return ENOMEM;
        }
    atomic_init(&deque->patience, WEIR_PATIENCE);
    return 0;
}

/* --- the owner and the alarm */

/* Owner, whose CAS of open from *was to *next failed: have thieves only taken public items since, and is one left? Then
 * the same change still fits, and the owner tries it at once: split and floor stay as decided. Moves both words on. */
DEQUE_OPERATION bool weir_only_taken(uint64_t *was, uint64_t *next, uint64_t now) {
    if (weir_top(now) + weir_length(now) != weir_top(*was) + weir_length(*was) ||
        weir_length(now) <= (*next < *was ? *was - *next : 0))
        return false;
    *next += now - *was;
    *was = now;
    return true;
}

/* Owner, whose items end before bottom: makes more of them public, half of all when nothing is, or (much) all but half
 * a block. Puts out the alarm. */
DEQUE_SLOW_PATH void weir_publish(struct deque *deque, uint64_t bottom, bool much) {
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), was = 0, next = 0, split = 0;
    bool tried = false;
    do {
        if (tried && weir_only_taken(&was, &next, open))
            continue;
        uint64_t all = (uint64_t)weir_above(bottom, open), length = weir_length(open), want = (all + 1) / 2;
        if (much)
            want = all > (deque->mask + 1) / 2 ? all - (deque->mask + 1) / 2 : 0;
        if (want < length)
            want = length;
        if (want > WEIR_PUBLIC_MAX)
            want = WEIR_PUBLIC_MAX;
        if (want == 0) {
            if (tried) /* relaxed: an alarm of a thief's that we put out */
                atomic_store_explicit(&deque->floor, bottom + WEIR_ALARM, memory_order_relaxed);
            return;
        }
        next = weir_open(weir_top(open), want);
        split = bottom - all + want;
        tried = true;
        was = open;
        /* relaxed: no thief that has read what open becomes now can have its alarm put out by it */
        atomic_store_explicit(&deque->floor, weir_floor(deque, split, deque->end - 1), memory_order_relaxed);
        /* release: pairs with the acquires of open in weir_claim; publishes slots and what items point
         * to, and comes after the alarm was put out. Also where nothing changes: a thief that finds all taken comes
         * after it */
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
        weir_publish(deque, bottom, true);
    weir_set_floor(deque);
    weir_expect_much(deque, bottom);
    return true;
}

/* Owner: has a push up to bottom reached the ceiling? */
DEQUE_OPERATION bool weir_at_ceiling(const struct deque *deque, uint64_t bottom) {
    return (int64_t)(bottom - atomic_load_explicit(&deque->ceiling, memory_order_relaxed)) >= 0;
}

/* Owner, at the ceiling after a push: answers an alarm, or shares. */
DEQUE_SLOW_PATH void weir_answer(struct deque *deque, uint64_t bottom) {
    atomic_store_explicit(&deque->ceiling, deque->end, memory_order_relaxed);
    if (weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), bottom) ||
        bottom - deque->split >= deque->share)
        weir_publish(deque, bottom, false);
}

/* Owner, after a push up to bottom. What is in a full block waits for the push that goes up. */
DEQUE_OPERATION void weir_heed(struct deque *deque, uint64_t bottom) {
    if (weir_at_ceiling(deque, bottom) && bottom != deque->end)
        weir_answer(deque, bottom);
}

DEQUE_SLOW_PATH enum deque_result weir_push_slowly(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->end && !weir_go_up(deque, bottom))
        return DEQUE_FULL;
    /* relaxed: a thief may be reading it, but one that is about to lose; bottom and open publish the slot */
    atomic_store_explicit(&deque->slots[bottom & deque->mask], item, memory_order_relaxed);
    /* release: pairs with the acquires of bottom in weir_ask; publishes the slot and what the item points to */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    weir_heed(deque, bottom + 1);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push_at(struct deque *deque, deque_item item, uint64_t place) {
    if (weir_at_ceiling(deque, place))
        return weir_push_slowly(deque, item);
    /* relaxed: as in weir_push_slowly */
    atomic_store_explicit(&deque->slots[place & deque->mask], item, memory_order_relaxed);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, place + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    return deque_push_at(deque, item, atomic_load_explicit(&deque->bottom, memory_order_relaxed));
}

/* Owner: a batch that reaches the ceiling, by parts of blocks. */
DEQUE_SLOW_PATH size_t weir_push_batch_slowly(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t pushed = 0;
    while (pushed < n && (bottom != deque->end || weir_go_up(deque, bottom))) {
        size_t room = (size_t)(deque->end - bottom), part = n - pushed < room ? n - pushed : room;
        deque_copy_shared(deque->slots + (bottom & deque->mask), items + pushed, part);
        pushed += part;
        bottom += part;
        /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    }
    weir_heed(deque, bottom);
    return pushed;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (n == 1 && !weir_at_ceiling(deque, bottom)) {
        /* relaxed: as in weir_push_slowly */
        atomic_store_explicit(&deque->slots[bottom & deque->mask], *items, memory_order_relaxed);
        /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
        return 1;
    }
    if (weir_at_ceiling(deque, bottom + n))
        return weir_push_batch_slowly(deque, items, n);
    if (n > 0)
        deque_copy_shared(deque->slots + (bottom & deque->mask), items, n);
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
    return deque->slots + (bottom & deque->mask);
}

DEQUE_OPERATION size_t deque_commit(struct deque *deque, size_t n) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, bottom + n, memory_order_release);
    weir_heed(deque, bottom + n);
    return n;
}

/* Owner: item `index`, which it has, and which may be the last of the block below. */
DEQUE_OPERATION deque_item weir_own(struct deque *deque, uint64_t index) {
    if (index == deque->end - deque->mask - 2)
        weir_use(deque, weir_holding(deque, index));
    weir_set_floor(deque);
    return atomic_load_explicit(&deque->slots[index & deque->mask], memory_order_relaxed);
}

/* Owner, which has just seen top: how soon it shares from now on, by whether thieves came since it looked last. */
DEQUE_OPERATION void weir_learn(struct deque *deque, uint64_t top) {
    if (top == deque->seen)
        deque->share = deque->share < WEIR_SHARE_MOST ? 2 * deque->share : WEIR_SHARE_MOST;
    else
        deque->share = deque->share > WEIR_SHARE_LEAST ? deque->share / 2 : WEIR_SHARE_LEAST;
}

/* Owner, at the floor or after an alarm: pops the item below bottom, 0 when there is none. */
DEQUE_SLOW_PATH deque_item weir_pop_slowly(struct deque *deque, uint64_t index) {
    /* release: as in weir_push_slowly; a thief may read any of our stores of bottom */
    atomic_store_explicit(&deque->bottom, index, memory_order_release);
    deque_fence_light(); /* pairs with the heavy one in weir_answered */
    if ((int64_t)(index - deque->split) >= 0 &&
        !weir_alarmed(atomic_load_explicit(&deque->floor, memory_order_relaxed), index))
        return weir_own(deque, index);
    uint64_t open = atomic_load_explicit(&deque->open, memory_order_relaxed), was = 0, next = 0, split = 0;
    bool last = false, tried = false;
    do {
        if (tried && weir_only_taken(&was, &next, open))
            continue;
        uint64_t length = weir_length(open);
        int64_t below = weir_above(index, open); /* items older than this one */
        if (below < 0) {
            if (tried) /* relaxed: as in weir_publish */
                atomic_store_explicit(&deque->floor, index + WEIR_ALARM, memory_order_relaxed);
            /* release: as in weir_push_slowly */
            atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
            deque->split = index + 1;
            return (deque_item)0;
        }
        tried = true;
        was = open;
        last = below == 0; /* whoever moves top has it */
        if (last)
            next = weir_open(weir_top(open) + 1, 0);
        else if (length == 0) /* there was an alarm: half of the others becomes public */
            next = weir_open(weir_top(open),
                             ((uint64_t)below + 1) / 2 < WEIR_PUBLIC_MAX ? ((uint64_t)below + 1) / 2 : WEIR_PUBLIC_MAX);
        else if (length >
                 (uint64_t)below) /* it is the newest public one: take some back, all but one if no thief was here */
            next = weir_open(weir_top(open),
                             weir_top(open) == (deque->seen & (UINT64_MAX >> WEIR_LENGTH_BITS)) ? 1 : (length + 3) / 4);
        else
            next = open; /* an alarm that somebody has answered already */
        split = index - (uint64_t)weir_above(index, next) + weir_length(next);
        /* relaxed: as in weir_publish */
        atomic_store_explicit(&deque->floor, weir_floor(deque, split, index), memory_order_relaxed);
        /* release: as in weir_publish. Nothing to acquire: what we take back we have written */
    } while (!atomic_compare_exchange_strong_explicit(&deque->open, &open, next, memory_order_release,
                                                      memory_order_relaxed));
    uint64_t top = index - (uint64_t)weir_above(index, open);
    weir_learn(deque, top);
    deque->seen = top + last;
    deque->split = split;
    if (!last) {
        deque_item own = weir_own(deque, index);
        weir_expect_share(deque, index);
        return own;
    }
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, index + 1, memory_order_release);
    deque_item item = weir_own(deque, index);
    weir_expect_share(deque, index + 1);
    return item;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t index = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    /* release: as in weir_push_slowly; a thief may read any of our stores of bottom */
    atomic_store_explicit(&deque->bottom, index, memory_order_release);
    deque_fence_light(); /* pairs with the heavy one in weir_answered: either it sees bottom, or we the alarm */
    if ((int64_t)(index - atomic_load_explicit(&deque->floor, memory_order_relaxed)) >= 0) {
        *item = atomic_load_explicit(&deque->slots[index & deque->mask], memory_order_relaxed);
        return DEQUE_OK;
    }
    return (*item = weir_pop_slowly(deque, index)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
}

DEQUE_OPERATION uint64_t deque_place(const struct deque *deque) {
    return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}

/* What was loaded is compared, and the place is what all is done with: a CPU that foresees that they agree goes on
 * before the last store of bottom has come back by a load. */
DEQUE_OPERATION enum deque_result deque_pop_from(struct deque *deque, deque_item *item, uint64_t place) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == place + 1) {
        /* release: as in weir_push_slowly */
        atomic_store_explicit(&deque->bottom, place, memory_order_release);
        deque_fence_light(); /* pairs with the heavy one in weir_answered */
        if ((int64_t)(place - atomic_load_explicit(&deque->floor, memory_order_relaxed)) >= 0) {
            *item = atomic_load_explicit(&deque->slots[place & deque->mask], memory_order_relaxed);
            return DEQUE_OK;
        }
    }
    return (*item = weir_pop_slowly(deque, bottom - 1)) == (deque_item)0 ? DEQUE_EMPTY : DEQUE_OK;
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

/* Thief: the place of the block of the oldest item, as open is. What is in it is right if open still is when it is
 * changed: until top has passed the block, it stays where it is. */
DEQUE_OPERATION struct weir_place *weir_place_of(const struct deque *victim, uint64_t open) {
    /* acquire: pairs with the release of spine in weir_grow_spine */
    struct weir_spine *spine = atomic_load_explicit(&victim->spine, memory_order_acquire);
    return &spine->place[(weir_top(open) >> victim->shift) & spine->mask];
}

/* Thief: the oldest item. Right if open still is when it is changed, for an item that is public stays in its slot until
 * top passes it. */
DEQUE_OPERATION deque_item weir_oldest(const struct deque *victim, uint64_t open) {
    /* acquire: pairs with the release of slots in weir_put */
    _Atomic(deque_item) *slots = atomic_load_explicit(&weir_place_of(victim, open)->slots, memory_order_acquire);
    return atomic_load_explicit(&slots[weir_top(open) & victim->slot_mask], memory_order_relaxed);
}

/* Thief, which has raised the alarm and waits: has the owner taken all meanwhile? It may be away by now, and never
 * answer. relaxed: as in weir_ask */
DEQUE_OPERATION bool weir_gone(const struct deque *victim, uint64_t open) {
    return weir_above(atomic_load_explicit(&victim->bottom, memory_order_relaxed), open) <= 0;
}

/* Thief, which has raised the alarm: looks for an answer, until a heavy fence has passed that began later; true: open
 * is no longer what it was. *gone: it is, and there is nothing; no fence has passed. */
DEQUE_OPERATION bool weir_answered(struct deque *victim, uint64_t *open, bool *gone) {
    const uint64_t empty = *open;
    /* relaxed, here and below: thieves may overwrite what another has learnt */
    uint64_t patience = atomic_load_explicit(&victim->patience, memory_order_relaxed), look = 0;
    for (; look < patience && *open == empty; look++)
        *open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as in weir_look */
    /* Who has not waited has just looked at bottom. */
    if (*open == empty && look > 0 && (*gone = weir_gone(victim, empty)))
        return false;
    if (*open == empty) {
        /* Pairs with the light fences in pop: the owner sees the alarm, or we what it has left. */
        uint64_t ticket = deque_fence_ask(victim->asymmetric);
        for (look = 0; *open == empty && !deque_fence_passed(victim->asymmetric, ticket, look); look++) {
            if ((*gone = weir_gone(victim, empty)))
                return false;
            *open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as in weir_look */
        }
        if (*open == empty) /* the owner may have answered while the fence was under way */
            *open = atomic_load_explicit(&victim->open, memory_order_acquire); /* acquire: as in weir_look */
    }
    bool answered = *open != empty;
    uint64_t next = answered ? 2 * patience : patience - patience / 2;
    /* With another top it was a thief that answered. */
    if (weir_top(*open) == weir_top(empty) && next <= WEIR_PATIENCE_MOST && next >= WEIR_PATIENCE_LEAST)
        atomic_store_explicit(&victim->patience, next, memory_order_relaxed);
    return answered;
}

/* Thief, with nothing public: raises the alarm, and says what open is by then, or what it may be changed to when the
 * owner is silent: all that the owner has is public then. */
DEQUE_SLOW_PATH enum deque_result weir_ask(struct deque *victim, uint64_t *open, uint64_t *all) {
    /* relaxed: it may be old, and then there was nothing a moment ago */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_relaxed);
    if (weir_above(bottom, *open) <= 0)
        return DEQUE_EMPTY;
    if (!weir_alarmed(atomic_load_explicit(&victim->floor, memory_order_relaxed), bottom))
        atomic_store_explicit(&victim->floor, bottom + WEIR_ALARM, memory_order_relaxed);
    /* Never above bottom, so a push that finds it has to look further, whenever that is. */
    atomic_store_explicit(&victim->ceiling, bottom - (uint64_t)weir_above(bottom, *open), memory_order_relaxed);
    bool gone = false;
    if (weir_answered(victim, open, &gone)) {
        *all = *open;
        return weir_length(*open) > 0 ? DEQUE_OK : DEQUE_LOST;
    }
    if (gone)
        return DEQUE_EMPTY;
    /* acquire: pairs with the releases of bottom in deque_push_at and deque_pop */
    int64_t size = weir_above(atomic_load_explicit(&victim->bottom, memory_order_acquire), *open);
    *all = weir_open(weir_top(*open), (uint64_t)size < WEIR_PUBLIC_MAX ? (uint64_t)size : WEIR_PUBLIC_MAX);
    return size > 0 ? DEQUE_OK : DEQUE_EMPTY;
}

/* Thief: what open is, and what to take from: the same, or with all that a silent owner has. */
DEQUE_OPERATION enum deque_result weir_look(struct deque *victim, uint64_t *open, uint64_t *all) {
    /* acquire: pairs with the releases of open in weir_publish, weir_pop_slowly and by thieves: what is public, and
     * what it points to */
    *open = *all = atomic_load_explicit(&victim->open, memory_order_acquire);
    if (weir_length(*open) > 0)
        return DEQUE_OK;
    uint64_t asked = *open, got = 0; /* apart, so that the others need no memory */
    enum deque_result result = weir_ask(victim, &asked, &got);
    *open = asked;
    *all = got;
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t open, all;
    (void)self;
    enum deque_result result = weir_look(victim, &open, &all);
    if (result != DEQUE_OK)
        return result;
    *item = weir_oldest(victim, open);
    /* release: pairs with the acquire of open in weir_collect, we have read the slot; and, of what a silent owner had,
     * with the acquire in weir_look. Nothing to acquire: the oldest item is the one that was public when we looked */
    return atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(all, 1), memory_order_release,
                                                   memory_order_relaxed)
               ? DEQUE_OK
               : DEQUE_LOST;
}

/* Thief of several: has read what it claimed from `block` on, of so many blocks, or has claimed nothing. */
DEQUE_OPERATION void weir_withdraw(struct weir_block *block, uint64_t blocks) {
    /* release: pairs with the acquire of readers in weir_collect */
    atomic_fetch_sub_explicit(&block->readers, blocks, memory_order_release);
}

/* Items that were claimed together: where the rest of them begins, and in how many blocks they are from `first` on. A
 * single item has been read before it was claimed, and blocks is 0. */
struct weir_claim {
    uint64_t top, left;
    struct weir_block *block, *first;
    uint64_t blocks;
    deque_item single;
};

/* Thief: claims up to max of the oldest items, max at least 1. */
DEQUE_OPERATION enum deque_result weir_claim(struct deque *victim, uint64_t max, struct weir_claim *claim) {
    uint64_t open, all;
    enum deque_result result = weir_look(victim, &open, &all);
    if (result != DEQUE_OK)
        return result;
    claim->top = weir_top(open);
    claim->left = weir_length(all) < max ? weir_length(all) : max;
    claim->blocks = 0;
    if (claim->left == 1) {
        claim->single = weir_oldest(victim, open);
    } else {
        claim->blocks = (((claim->top & victim->slot_mask) + claim->left - 1) >> victim->shift) + 1;
        /* acquire: pairs with the release of block in weir_put */
        claim->block = claim->first = atomic_load_explicit(&weir_place_of(victim, open)->block, memory_order_acquire);
        /* relaxed: reaches the owner with open, below */
        atomic_fetch_add_explicit(&claim->first->readers, claim->blocks, memory_order_relaxed);
    }
    /* acquire: the owner may have taken items back, and made others public in their place, since we looked; pairs with
     * the release of open in weir_publish. release: as in deque_steal, and we are announced */
    if (atomic_compare_exchange_strong_explicit(&victim->open, &open, weir_after(all, claim->left),
                                                memory_order_acq_rel, memory_order_relaxed))
        return DEQUE_OK;
    if (claim->blocks > 0)
        weir_withdraw(claim->first, claim->blocks);
    return DEQUE_LOST;
}

/* Thief: those of the rest of a claim that are in one block; how many. weir_goes_on leaves them behind. */
DEQUE_OPERATION uint64_t weir_part(const struct deque *victim, const struct weir_claim *claim,
                                   const deque_item **items) {
    uint64_t at = claim->top & victim->slot_mask, room = victim->slot_mask + 1 - at;
    /* Nobody writes what is claimed. */
    *items = claim->blocks > 0 ? (const deque_item *)(claim->block->slots + at) : &claim->single;
    return claim->left < room ? claim->left : room;
}
DEQUE_OPERATION void weir_goes_on(struct weir_claim *claim, uint64_t part) {
    claim->top += part;
    claim->left -= part;
    if (claim->left > 0)
        claim->block = claim->block->above;
    else if (claim->blocks > 0)
        weir_withdraw(claim->first, claim->blocks);
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
        struct weir_claim claim;
        const deque_item *items;
        if ((result = weir_claim(victim, wanted - *n, &claim)) != DEQUE_OK)
            break;
        while (claim.left > 0) {
            uint64_t part = weir_part(victim, &claim, &items);
            deque_copy(out + *n, items, (size_t)part);
            *n += (size_t)part;
            weir_goes_on(&claim, part);
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
 * another deque. */
DEQUE_OPERATION uint64_t weir_same_place(const struct deque *deque, uint64_t top) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed), place = top & deque->mask;
    uint64_t here = deque->end - deque->mask - 1 + place;
    return (int64_t)(here - bottom) >= 0 ? here : deque->end + place;
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
    if ((int64_t)(to - deque->end) >= 0)
        weir_use(deque, weir_holding(deque, deque->end));
    weir_set_floor(deque);
    /* release: as in weir_push_slowly */
    atomic_store_explicit(&deque->bottom, to, memory_order_release);
    return true;
}

/* Thief, which has claimed items of which the last is the last of a block, and owner of self, which is empty, is at the
 * same place of its block, and has the blocks for them. Whole blocks change hands by their slots; what is before them
 * is copied. */
DEQUE_OPERATION void weir_take_blocks(const struct deque *victim, struct deque *self, struct weir_claim *claim) {
    uint64_t bottom = atomic_load_explicit(&self->bottom, memory_order_relaxed);
    const uint64_t items = self->mask + 1;
    struct weir_block *own = NULL;
    while (claim->left > 0) {
        const deque_item *from;
        uint64_t first = claim->top & self->mask, part = weir_part(victim, claim, &from);
        own = weir_holding(self, bottom);
        if (part == items) {
            _Atomic(deque_item) *slots = own->slots;
            own->slots = claim->block->slots;
            claim->block->slots = slots;
            weir_put(self, own);
        } else {
            deque_copy_shared(own->slots + first, from, (size_t)part);
        }
        bottom += part;
        weir_goes_on(claim, part);
    }
    weir_use(self, own);
    weir_set_floor(self);
    /* release: as in weir_push_slowly. All but the newest, which is to run */
    atomic_store_explicit(&self->bottom, bottom - 1, memory_order_release);
}

/* Half of all there is, in one claim: as many as are public or, if nothing is, as there are. The newest of them is to
 * run. Where that is a block or more and self is empty, it ends with a block, for blocks can change hands as they are.
 */
DEQUE_OPERATION enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first,
                                                   size_t *moved) {
    uint64_t wanted = (deque_size(victim) + 1) / 2;
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
    struct weir_claim claim;
    enum deque_result result = weir_claim(victim, wanted > 0 ? wanted : 1, &claim);
    if (result != DEQUE_OK)
        return result;
    if (whole && claim.blocks > 0 && claim.left == wanted && ((claim.top + claim.left) & self->mask) == 0) {
        *moved = (size_t)claim.left - 1;
        weir_take_blocks(victim, self, &claim);
        *first = atomic_load_explicit(&self->slots[self->mask], memory_order_relaxed);
        return result;
    }
    while (claim.left > 0) {
        const deque_item *items;
        uint64_t part = weir_part(victim, &claim, &items);
        /* There is room for them: weir_room. */
        *moved += deque_push_batch(self, items, (size_t)(part < claim.left ? part : part - 1));
        *first = items[part - 1]; /* of the last part in the end */
        weir_goes_on(&claim, part);
    }
    return result;
}

#endif
