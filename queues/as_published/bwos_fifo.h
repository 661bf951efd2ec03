/* as_published/bwos_fifo.h: the FIFO BWoS queue exactly as a listing prints it, to show that the checks catch it.
 *
 * S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025, table 4.1 and figures 4.2 to 4.7,
 * FIFO branches. A ring of blocks with four words each, a version and an index: b_pos (committed), f_pos (consumed),
 * s_pos (reserved by thieves; index NE, the block's size, where the block belongs to the owner), s_cnt (steals that
 * have finished). A right one is in ../bwos_fifo.h. Faults:
 *
 * 1. Pop of an empty deque never ends, one thread alone: the loop does not ask what the advance returned (figure 4.3,
 *    line 15).
 * 2. Push to a full deque never ends (figure 4.2, line 9), nor does a steal if the thieves' block is used up and no
 *    later one has been pushed to (figure 4.4, line 16).
 * 3. Even with loops that end, the deque can be empty and full at once: a thief that has reserved an entry and not
 *    counted it yet keeps its block from push, though the owner may have popped everything (as the thesis's figure 3.5
 *    says). Here push then goes round until that thief goes on. In the mode "bounded" the loops of 1 and 2 end, as the
 *    thesis says that they do, and push says FULL.
 * 4. blk_to_steal is a bare index, and the advance of steal reads it anew for its CAS (figure 4.7, line 12): of two
 *    thieves that both saw the next block granted the second moves on to the one after it, which nobody has granted.
 *    Nothing is lost, since pop finds what they have passed over.
 *
 * The version and the index are one word, the version in the upper half. Where the listing gives no memory order, it
 * means sequentially consistent; under these what comes out comes out once and whole.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/bwos_fifo", .title = "BWoS FIFO, as printed", .source = "Duwadi 2025, figures 4.2 to 4.7", \
        .owner_order = DEQUE_FIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = BWOS_DEFAULT_BLOCK, .mode = "loops",                       \
        .mode_values = "printed|bounded",                                                                              \
        .fault = "pop of an empty deque and push to a full one never end; empty and full at once under a thief",       \
    }

#define BWOS_DEFAULT_BLOCK 64

struct bwos_block {
    alignas(64) _Atomic uint64_t b_pos;
    alignas(64) _Atomic uint64_t f_pos;
    alignas(64) _Atomic uint64_t s_pos;
    alignas(64) _Atomic uint64_t s_cnt;
    alignas(64) deque_item *entries;
};

struct deque {
    alignas(DEQUE_LINE) uint64_t block_to_put;
    uint64_t block_to_get;
    uint64_t entries_per_block; /* NE */
    uint64_t block_mask;
    struct bwos_block *blocks;
    deque_item *entries;
    bool bounded;
    alignas(DEQUE_LINE) _Atomic uint64_t block_to_steal;
};

DEQUE_OPERATION uint64_t bwos_word(uint64_t version, uint64_t index) { return version << 32 | index; }
DEQUE_OPERATION uint64_t bwos_version(uint64_t word) { return word >> 32; }
DEQUE_OPERATION uint64_t bwos_index(uint64_t word) { return word & UINT32_MAX; }

/* Table 4.1. */
DEQUE_OPERATION void bwos_block_init(struct bwos_block *block, deque_item *entries, uint64_t entries_per_block,
                                     bool first) {
    atomic_init(&block->b_pos, bwos_word(first, first ? 0 : entries_per_block));
    atomic_init(&block->f_pos, bwos_word(first, first ? 0 : entries_per_block));
    atomic_init(&block->s_pos, bwos_word(first, entries_per_block));
    atomic_init(&block->s_cnt, bwos_word(first, entries_per_block));
    block->entries = entries;
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t blocks, block;
    if (config->mode > 1 || !ring_blocks(config, 1024, BWOS_DEFAULT_BLOCK, &blocks, &block))
        return EINVAL;
    deque->blocks = DEQUE_ALLOC(blocks * sizeof *deque->blocks);
    deque->entries = DEQUE_ALLOC(blocks * block * sizeof *deque->entries);
    if (!deque->blocks || !deque->entries) {
        DEQUE_FREE(deque->blocks);
        DEQUE_FREE(deque->entries);
        return ENOMEM;
    }
    for (size_t i = 0; i < blocks * block; i++)
        deque->entries[i] = (deque_item)0;
    for (size_t i = 0; i < blocks; i++)
        bwos_block_init(&deque->blocks[i], &deque->entries[i * block], block, i == 0);
    deque->block_to_put = deque->block_to_get = 0;
    deque->entries_per_block = block;
    deque->block_mask = blocks - 1;
    deque->bounded = config->mode == 1;
    atomic_init(&deque->block_to_steal, 0);
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    DEQUE_FREE(deque->blocks);
    DEQUE_FREE(deque->entries);
}

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) {
    return (size_t)((deque->block_mask + 1) * deque->entries_per_block);
}

/* The sum over all blocks: from s_pos where thieves own it, from f_pos where the owner does. */
DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t size = 0;
    for (uint64_t i = 0; i <= deque->block_mask; i++) {
        const struct bwos_block *block = &deque->blocks[i];
        uint64_t start = bwos_index(atomic_load_explicit(&block->s_pos, memory_order_relaxed));
        if (start == deque->entries_per_block)
            start = bwos_index(atomic_load_explicit(&block->f_pos, memory_order_relaxed));
        uint64_t end = bwos_index(atomic_load_explicit(&block->b_pos, memory_order_relaxed));
        if (end > start)
            size += end - start;
    }
    return (size_t)size;
}

/* Figure 4.5: takes the next block, and grants it to thieves. */
DEQUE_OPERATION bool bwos_advance_put(struct deque *deque) {
    const struct bwos_block *block = &deque->blocks[deque->block_to_put];
    uint64_t next_index = (deque->block_to_put + 1) & deque->block_mask;
    struct bwos_block *next = &deque->blocks[next_index];
    uint64_t version = bwos_version(atomic_load_explicit(&block->b_pos, memory_order_seq_cst)) + (next_index == 0);
    uint64_t expected = bwos_word(version - 1, deque->entries_per_block);
    if (atomic_load_explicit(&next->f_pos, memory_order_seq_cst) != expected)
        return false;
    if (atomic_load_explicit(&next->s_cnt, memory_order_seq_cst) != expected) /* fault 3 */
        return false;
    atomic_store_explicit(&next->b_pos, bwos_word(version, 0), memory_order_seq_cst);
    atomic_store_explicit(&next->s_pos, bwos_word(version, 0), memory_order_seq_cst);
    atomic_store_explicit(&next->s_cnt, bwos_word(version, 0), memory_order_seq_cst);
    deque->block_to_put = next_index;
    return true;
}

/* Figure 4.2. */
DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    for (;;) {
        struct bwos_block *block = &deque->blocks[deque->block_to_put];
        uint64_t b_pos = atomic_load_explicit(&block->b_pos, memory_order_seq_cst);
        if (bwos_index(b_pos) < deque->entries_per_block) {
            block->entries[bwos_index(b_pos)] = item;
            atomic_store_explicit(&block->b_pos, b_pos + 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_put(deque) && deque->bounded) /* fault 2 */
            return DEQUE_FULL;
    }
}

/* Figure 4.6: takes the next block back from the thieves. */
DEQUE_OPERATION bool bwos_advance_get(struct deque *deque) {
    const struct bwos_block *block = &deque->blocks[deque->block_to_get];
    uint64_t next_index = (deque->block_to_get + 1) & deque->block_mask;
    struct bwos_block *next = &deque->blocks[next_index];
    uint64_t version = bwos_version(atomic_load_explicit(&block->f_pos, memory_order_seq_cst)) + (next_index == 0);
    if (bwos_version(atomic_load_explicit(&next->s_pos, memory_order_seq_cst)) != version)
        return false;
    uint64_t old_s_pos =
        atomic_exchange_explicit(&next->s_pos, bwos_word(version, deque->entries_per_block), memory_order_seq_cst);
    atomic_fetch_add_explicit(&next->s_cnt, deque->entries_per_block - bwos_index(old_s_pos), memory_order_seq_cst);
    atomic_store_explicit(&next->f_pos, old_s_pos, memory_order_seq_cst);
    deque->block_to_get = next_index;
    return true;
}

/* Figure 4.3. */
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    for (;;) {
        struct bwos_block *block = &deque->blocks[deque->block_to_get];
        uint64_t f_pos = atomic_load_explicit(&block->f_pos, memory_order_seq_cst);
        uint64_t b_pos = atomic_load_explicit(&block->b_pos, memory_order_seq_cst);
        if (bwos_index(f_pos) < deque->entries_per_block && bwos_index(b_pos) != bwos_index(f_pos)) {
            *item = block->entries[bwos_index(f_pos)];
            atomic_store_explicit(&block->f_pos, f_pos + 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_get(deque) && deque->bounded) /* fault 1 */
            return DEQUE_EMPTY;
    }
}

/* Figure 4.7: moves on to the next block, if that has been granted. */
DEQUE_OPERATION bool bwos_advance_steal(struct deque *victim, const struct bwos_block *block) {
    uint64_t next_index = ((uint64_t)(block - victim->blocks) + 1) & victim->block_mask;
    uint64_t version = bwos_version(atomic_load_explicit(&block->s_pos, memory_order_seq_cst)) + (next_index == 0);
    if (bwos_version(atomic_load_explicit(&victim->blocks[next_index].s_pos, memory_order_seq_cst)) != version)
        return false;
    uint64_t index = atomic_load_explicit(&victim->block_to_steal, memory_order_seq_cst); /* fault 4 */
    atomic_compare_exchange_strong_explicit(&victim->block_to_steal, &index, (index + 1) & victim->block_mask,
                                            memory_order_seq_cst, memory_order_seq_cst);
    return true;
}

/* Figure 4.4. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    for (;;) {
        struct bwos_block *block = &victim->blocks[atomic_load_explicit(&victim->block_to_steal, memory_order_seq_cst)];
        uint64_t s_pos = atomic_load_explicit(&block->s_pos, memory_order_seq_cst);
        if (bwos_index(s_pos) < victim->entries_per_block) {
            if (bwos_index(s_pos) == bwos_index(atomic_load_explicit(&block->b_pos, memory_order_seq_cst)))
                return DEQUE_EMPTY;
            if (!atomic_compare_exchange_strong_explicit(&block->s_pos, &s_pos, s_pos + 1, memory_order_seq_cst,
                                                         memory_order_seq_cst))
                return DEQUE_LOST;
            *item = block->entries[bwos_index(s_pos)];
            atomic_fetch_add_explicit(&block->s_cnt, 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_steal(victim, block) && victim->bounded) /* fault 2 */
            return DEQUE_EMPTY;
    }
}
