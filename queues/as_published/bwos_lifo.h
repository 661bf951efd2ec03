/* as_published/bwos_lifo.h: the LIFO BWoS queue exactly as a listing prints it, to show that the checks catch it.
 *
 * S. Duwadi: Analysis of novel approaches for work-stealing scheduling, Bamberg 2025, figures 4.2 to 4.7, LIFO
 * branches. A ring of blocks with four words each: b_pos (committed), f_pos (start of the valid entries), s_pos
 * (reserved by thieves; NE, the block's size, where the block belongs to the owner), s_cnt (steals that have finished).
 * A right one is in ../bwos_lifo.h. Faults:
 *
 * 1. Pop of an empty deque never ends, one thread alone: the advance takes over the preceding block, because that
 *    block's s_pos (NE) differs from its b_pos (0), finds nothing there either, and goes back for ever.
 * 2. Pop reads entries[f_pos] (figure 4.3, line 7; one line for both variants), which is the FIFO's end. Push A,
 *    push B, pop gives A, pop gives A again: B is lost, by one thread alone.
 * 3. The advance of push asks only whether the next block's s_pos is NE, not whether the thieves that moved it there
 *    have read their entries. Blocks of one entry, two of them: push A, push B; a thief reserves A; push C reuses A's
 *    block; the thief reads C. A is lost, and C comes out twice. s_cnt, reset under that thief, is wrong from then on.
 * 4. blk_to_steal is a bare index: a thief that is late with its CAS may move it on when it has come round, and the
 *    advance of pop writes it without a CAS.
 *
 * The listing's loops ignore what an advance returns and would go round for ever on any full or empty deque. Here push
 * and steal obey it, so that they can be run: false is FULL or EMPTY. Pop obeys it too, but its advance does not return
 * false (fault 1). The version half of each word is always 0 in this variant and left out. Where the listing gives no
 * memory order, it means sequentially consistent.
 */
#include "../deque.h"
#include "../parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_published/bwos_lifo", .title = "BWoS LIFO, as printed", .source = "Duwadi 2025, figures 4.2 to 4.7", \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,        \
        .sound = false, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                             \
        .steal_progress = DEQUE_LOCK_FREE, .thieves_leave = BWOS_DEFAULT_BLOCK,                                        \
        .fault =                                                                                                       \
            "pop of an empty deque never ends; pop takes the oldest again and again; blocks reused under a thief",     \
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
    alignas(DEQUE_LINE) uint64_t block_of_owner; /* blk_to_put and blk_to_get, always the same */
    uint64_t entries_per_block;                  /* NE */
    uint64_t block_mask;
    struct bwos_block *blocks;
    deque_item *entries;
    alignas(DEQUE_LINE) _Atomic uint64_t block_to_steal;
};

DEQUE_OPERATION void bwos_block_init(struct bwos_block *block, deque_item *entries, uint64_t entries_per_block) {
    atomic_init(&block->b_pos, 0);
    atomic_init(&block->f_pos, 0);
    atomic_init(&block->s_pos, entries_per_block);
    atomic_init(&block->s_cnt, entries_per_block);
    block->entries = entries;
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t blocks, block;
    if (!ring_blocks(config, 1024, BWOS_DEFAULT_BLOCK, &blocks, &block))
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
        bwos_block_init(&deque->blocks[i], &deque->entries[i * block], block);
    deque->block_of_owner = 0;
    deque->entries_per_block = block;
    deque->block_mask = blocks - 1;
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
        uint64_t start = atomic_load_explicit(&block->s_pos, memory_order_relaxed);
        if (start == deque->entries_per_block)
            start = atomic_load_explicit(&block->f_pos, memory_order_relaxed);
        uint64_t end = atomic_load_explicit(&block->b_pos, memory_order_relaxed);
        if (end > start)
            size += end - start;
    }
    return (size_t)size;
}

/* Figure 4.5: grants the owner's block to thieves and takes the next one. */
DEQUE_OPERATION bool bwos_advance_put(struct deque *deque) {
    uint64_t margin = deque->entries_per_block;
    struct bwos_block *block = &deque->blocks[deque->block_of_owner];
    uint64_t next_index = (deque->block_of_owner + 1) & deque->block_mask;
    struct bwos_block *next = &deque->blocks[next_index];
    if (atomic_load_explicit(&next->s_pos, memory_order_seq_cst) != margin) /* fault 3 */
        return false;
    uint64_t old_f_pos = atomic_exchange_explicit(&block->f_pos, margin, memory_order_seq_cst);
    atomic_store_explicit(&block->s_pos, old_f_pos, memory_order_seq_cst);
    atomic_store_explicit(&next->b_pos, 0, memory_order_seq_cst);
    atomic_store_explicit(&next->f_pos, 0, memory_order_seq_cst);
    atomic_store_explicit(&next->s_pos, margin, memory_order_seq_cst);
    atomic_store_explicit(&next->s_cnt, 0, memory_order_seq_cst);
    deque->block_of_owner = next_index;
    return true;
}

/* Figure 4.2. */
DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    for (;;) {
        struct bwos_block *block = &deque->blocks[deque->block_of_owner];
        uint64_t b_pos = atomic_load_explicit(&block->b_pos, memory_order_seq_cst);
        if (b_pos < deque->entries_per_block) {
            block->entries[b_pos] = item;
            atomic_store_explicit(&block->b_pos, b_pos + 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_put(deque))
            return DEQUE_FULL;
    }
}

/* Figure 4.6: takes the preceding block back from the thieves. */
DEQUE_OPERATION bool bwos_advance_get(struct deque *deque) {
    uint64_t preceding_index = (deque->block_of_owner - 1) & deque->block_mask;
    struct bwos_block *preceding = &deque->blocks[preceding_index];
    uint64_t old_s_pos = atomic_exchange_explicit(&preceding->s_pos, deque->entries_per_block, memory_order_seq_cst);
    atomic_store_explicit(&preceding->f_pos, old_s_pos, memory_order_seq_cst);
    if (old_s_pos == atomic_load_explicit(&preceding->b_pos, memory_order_seq_cst))
        return false;
    uint64_t block_to_steal = atomic_load_explicit(&deque->block_to_steal, memory_order_seq_cst);
    if (block_to_steal == preceding_index) /* fault 4 */
        atomic_store_explicit(&deque->block_to_steal, (block_to_steal - 1) & deque->block_mask, memory_order_seq_cst);
    deque->block_of_owner = preceding_index;
    return true; /* fault 1 */
}

/* Figure 4.3. */
DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    for (;;) {
        struct bwos_block *block = &deque->blocks[deque->block_of_owner];
        uint64_t f_pos = atomic_load_explicit(&block->f_pos, memory_order_seq_cst);
        uint64_t b_pos = atomic_load_explicit(&block->b_pos, memory_order_seq_cst);
        if (f_pos < deque->entries_per_block && b_pos != f_pos) {
            *item = block->entries[f_pos]; /* fault 2 */
            atomic_store_explicit(&block->b_pos, b_pos - 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_get(deque))
            return DEQUE_EMPTY;
    }
}

/* Figure 4.7: moves on to the next block, if that has been granted. */
DEQUE_OPERATION bool bwos_advance_steal(struct deque *victim, uint64_t index) {
    uint64_t next_index = (index + 1) & victim->block_mask;
    if (atomic_load_explicit(&victim->blocks[next_index].s_pos, memory_order_seq_cst) == victim->entries_per_block)
        return false;
    atomic_compare_exchange_strong_explicit(&victim->block_to_steal, &index, next_index, memory_order_seq_cst,
                                            memory_order_seq_cst); /* fault 4 */
    return true;
}

/* Figure 4.4. */
DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    for (;;) {
        uint64_t index = atomic_load_explicit(&victim->block_to_steal, memory_order_seq_cst);
        struct bwos_block *block = &victim->blocks[index];
        uint64_t s_pos = atomic_load_explicit(&block->s_pos, memory_order_seq_cst);
        if (s_pos < victim->entries_per_block) {
            if (s_pos == atomic_load_explicit(&block->b_pos, memory_order_seq_cst))
                return DEQUE_EMPTY;
            if (!atomic_compare_exchange_strong_explicit(&block->s_pos, &s_pos, s_pos + 1, memory_order_seq_cst,
                                                         memory_order_seq_cst))
                return DEQUE_LOST;
            *item = block->entries[s_pos]; /* fault 3 */
            atomic_fetch_add_explicit(&block->s_cnt, 1, memory_order_seq_cst);
            return DEQUE_OK;
        }
        if (!bwos_advance_steal(victim, index))
            return DEQUE_EMPTY;
    }
}
