/* dynamic_abp.h: the ABP deque on a list of arrays instead of one array.
 *
 * D. Hendler, Y. Lev, N. Shavit: Dynamic memory ABP work-stealing, DISC 2004. Theirs: ABP's protocol on a list of
 * arrays. Ours: positions in place of the tag, and who keeps the free arrays (below).
 *
 * The deque lies in a list of nodes, arrays of a fixed size. A push that fills its node links another one, so that
 * growth copies nothing; a pop that empties its node goes back to the one before. top names the node along with the
 * place in it, in one word that thieves and the owner's last pop change by a CAS. Nodes that top has left are used
 * again at the other end. The price is the fence in pop, as in ABP.
 *
 * Where this departs from the paper, and why:
 * - There, top holds a node's address, an index and a tag, which together have to fit a word. Here nodes have numbers,
 *   below 2^24, and the index is a position that only grows, modulo 2^40, so that no tag is needed and an owner that
 *   takes the last item moves top up instead of counting the tag.
 * - There, nodes come from a pool shared by all deques, to which thieves return what they have emptied. Here only the
 *   owner takes and returns nodes, those of its own deque. They are freed with it; until then a thief that was asleep
 *   may read any of them.
 *
 * Mode orders: of steal, as in chase_lev.h. The paper assumes sequential consistency and names no fence.
 */
#include "deque.h"
#include "parts/unlimited.h"

#define DEQUE_NATIVE 0
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "dynamic_abp", .title = "dynamic ABP", .source = "Hendler, Lev, Shavit: DISC 2004",                      \
        .owner_order = DEQUE_LIFO, .bound = DEQUE_LINKED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE,       \
        .sound = true, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                              \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "orders", .mode_values = "accesses|fences",                         \
    }

#define DYNAMIC_ABP_DEFAULT_BLOCK 64
#define DEQUE_BLOCK DYNAMIC_ABP_DEFAULT_BLOCK

/* Nodes are allocated in groups of 2, 4, 8 and so on. A node's number: its group plus one above, its place in the group
 * in the lower 19 bits; 0 is no node. */
#define DYNAMIC_ABP_GROUPS 18
#define DYNAMIC_ABP_PLACE_BITS 19
#define DYNAMIC_ABP_NODE_BITS 24
#define DYNAMIC_ABP_NODE_MASK (((uint64_t)1 << DYNAMIC_ABP_NODE_BITS) - 1)

enum dynamic_abp_orders { DYNAMIC_ABP_ACCESSES, DYNAMIC_ABP_FENCES };

struct dynamic_abp_node {
    _Atomic uint32_t next; /* towards bottom; 0: none yet */
    uint32_t before;       /* owner: towards top; valid while the deque reaches there */
};

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;    /* position of the oldest item in the upper 40 bits; its node in the
                                                  * lower 24, or the node before where the position begins a node */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom; /* one past the newest; this line: written by the owner alone */
    uint64_t ceiling;                            /* one past the last position of the newest node */
    _Atomic(deque_item) *newest_slots;
    uint32_t newest;
    uint32_t oldest; /* the first node of the list; top has left it, or is there */
    uint32_t used;   /* nodes of the last group that have been used */
    unsigned groups;
    alignas(DEQUE_LINE) uint64_t block; /* items in a node, a power of two */
    struct dynamic_abp_node *nodes[DYNAMIC_ABP_GROUPS];
    _Atomic(deque_item) *slots[DYNAMIC_ABP_GROUPS];
    enum dynamic_abp_orders orders;
};

DEQUE_OPERATION uint64_t dynamic_abp_top(uint64_t position, uint32_t node) {
    return position << DYNAMIC_ABP_NODE_BITS | node;
}
DEQUE_OPERATION uint64_t dynamic_abp_position(uint64_t top) { return top >> DYNAMIC_ABP_NODE_BITS; }
DEQUE_OPERATION uint32_t dynamic_abp_node(uint64_t top) { return (uint32_t)(top & DYNAMIC_ABP_NODE_MASK); }

/* Items from top to bottom, below 0 where bottom is lower; in the upper 40 bits of the difference first, for the sign.
 */
DEQUE_OPERATION int64_t dynamic_abp_distance(uint64_t bottom, uint64_t top) {
    int64_t scaled = (int64_t)((bottom << DYNAMIC_ABP_NODE_BITS) - (top & ~DYNAMIC_ABP_NODE_MASK));
    return scaled / (int64_t)(DYNAMIC_ABP_NODE_MASK + 1);
}

DEQUE_OPERATION struct dynamic_abp_node *dynamic_abp_node_at(const struct deque *deque, uint32_t node) {
    return &deque->nodes[(node >> DYNAMIC_ABP_PLACE_BITS) - 1][node & ((1u << DYNAMIC_ABP_PLACE_BITS) - 1)];
}

DEQUE_OPERATION _Atomic(deque_item) *dynamic_abp_slots_at(const struct deque *deque, uint32_t node) {
    return deque->slots[(node >> DYNAMIC_ABP_PLACE_BITS) - 1] +
           (node & ((1u << DYNAMIC_ABP_PLACE_BITS) - 1)) * deque->block;
}

/* Owner. Allocates the next group of nodes; false when there is no memory. */
DEQUE_SLOW_PATH bool dynamic_abp_allocate(struct deque *deque) {
    size_t nodes = (size_t)2 << deque->groups;
    if (deque->groups == DYNAMIC_ABP_GROUPS || nodes > SIZE_MAX / 4 / sizeof(deque_item) / deque->block)
        return false;
    struct dynamic_abp_node *group = DEQUE_ALLOC(nodes * sizeof *group);
    _Atomic(deque_item) *slots = DEQUE_ALLOC(nodes * deque->block * sizeof *slots);
    if (!group || !slots) {
        DEQUE_FREE(group);
        DEQUE_FREE(slots);
        return false;
    }
    for (size_t i = 0; i < nodes; i++) {
        atomic_init(&group[i].next, 0);
        group[i].before = 0;
    }
    for (size_t i = 0; i < nodes * deque->block; i++)
        atomic_init(&slots[i], (deque_item)0);
    deque->nodes[deque->groups] = group;
    deque->slots[deque->groups] = slots;
    deque->groups++;
    deque->used = 0;
    return true;
}

/* Owner. A node that top has left, or a fresh one; 0 if there is no memory. */
DEQUE_SLOW_PATH uint32_t dynamic_abp_take_node(struct deque *deque) {
    /* acquire: pairs with the CAS in steal; thieves have read the slots before we write them again */
    uint32_t top_node = dynamic_abp_node(atomic_load_explicit(&deque->top, memory_order_acquire));
    uint32_t node = deque->oldest;
    if (node != top_node) {
        deque->oldest = atomic_load_explicit(&dynamic_abp_node_at(deque, node)->next, memory_order_relaxed);
        return node;
    }
    if (deque->used == (uint32_t)1 << deque->groups && !dynamic_abp_allocate(deque))
        return 0;
    return (uint32_t)deque->groups << DYNAMIC_ABP_PLACE_BITS | deque->used++;
}

/* Owner, whose newest node is full. Goes on in the next; false when there is no memory for one. */
DEQUE_SLOW_PATH bool dynamic_abp_go_up(struct deque *deque) {
    struct dynamic_abp_node *full = dynamic_abp_node_at(deque, deque->newest);
    uint32_t next = atomic_load_explicit(&full->next, memory_order_relaxed);
    if (next == 0) {
        next = dynamic_abp_take_node(deque);
        if (next == 0)
            return false;
        /* relaxed: thieves get to the new node by the store below */
        atomic_store_explicit(&dynamic_abp_node_at(deque, next)->next, 0, memory_order_relaxed);
        dynamic_abp_node_at(deque, next)->before = deque->newest;
        /* release: pairs with the acquire of next in steal; publishes the group that the node is of */
        atomic_store_explicit(&full->next, next, memory_order_release);
    }
    deque->newest = next;
    deque->newest_slots = dynamic_abp_slots_at(deque, next);
    deque->ceiling += deque->block;
    return true;
}

/* Owner, that has popped the last item of its newest node and has the one before it in sight. */
DEQUE_SLOW_PATH void dynamic_abp_go_down(struct deque *deque) {
    deque->newest = dynamic_abp_node_at(deque, deque->newest)->before;
    deque->newest_slots = dynamic_abp_slots_at(deque, deque->newest);
    deque->ceiling -= deque->block;
}

/* config->block, rounded up to a power of two, is the size of a node; without it, nodes are no larger than
 * config->capacity, which has no other meaning. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t block = config->block ? config->block : DYNAMIC_ABP_DEFAULT_BLOCK;
    if (!config->block && config->capacity && config->capacity < block)
        block = config->capacity;
    if (block > SIZE_MAX / 1024 / sizeof(deque_item) || config->mode > DYNAMIC_ABP_FENCES)
        return EINVAL;
    deque->orders = config->mode == DYNAMIC_ABP_FENCES ? DYNAMIC_ABP_FENCES : DYNAMIC_ABP_ACCESSES;
    deque->block = deque_round_up(block);
    deque->groups = 0;
    if (!dynamic_abp_allocate(deque))
        return ENOMEM;
    uint64_t first = config->first_index & ~(deque->block - 1);
    /* Begins behind a node that counts as full and stolen: a position that begins a node has one before it. */
    deque->newest = deque->oldest = (uint32_t)1 << DYNAMIC_ABP_PLACE_BITS;
    deque->used = 1;
    deque->newest_slots = dynamic_abp_slots_at(deque, deque->newest);
    deque->ceiling = first;
    atomic_init(&deque->bottom, first);
    atomic_init(&deque->top, dynamic_abp_top(first, deque->newest));
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) {
    while (deque->groups > 0) {
        deque->groups--;
        DEQUE_FREE(deque->nodes[deque->groups]);
        DEQUE_FREE(deque->slots[deque->groups]);
    }
}

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    int64_t size = dynamic_abp_distance(bottom, atomic_load_explicit(&deque->top, memory_order_relaxed));
    return size > 0 ? (size_t)size : 0;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if (bottom == deque->ceiling && !dynamic_abp_go_up(deque))
        return DEQUE_FULL;
    atomic_store_explicit(&deque->newest_slots[bottom & (deque->block - 1)], item, memory_order_relaxed);
    /* release: pairs with the acquire of bottom in steal; publishes the slot, what the item points to, and the node */
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return DEQUE_OK;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    /* release, here and below: pairs with the acquire of bottom in steal, which may read any of our stores of it and
     * must see every slot below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* pairs with the fence in steal: either the thief sees the lowered bottom, or we see the raised top */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    int64_t left = dynamic_abp_distance(bottom, top);
    bool below = bottom + deque->block == deque->ceiling - 1; /* in the node before the newest */
    if (left > 0) {
        if (below)
            dynamic_abp_go_down(deque);
        *item = atomic_load_explicit(&deque->newest_slots[bottom & (deque->block - 1)], memory_order_relaxed);
        return DEQUE_OK;
    }
    enum deque_result result = DEQUE_EMPTY;
    if (left == 0) {
        uint32_t node = below ? dynamic_abp_node_at(deque, deque->newest)->before : deque->newest;
        *item =
            atomic_load_explicit(&dynamic_abp_slots_at(deque, node)[bottom & (deque->block - 1)], memory_order_relaxed);
        /* the last item: whoever moves top has it, the CAS in steal or this one; relaxed: it publishes nothing */
        if (atomic_compare_exchange_strong_explicit(&deque->top, &top, dynamic_abp_top(bottom + 1, node),
                                                    memory_order_relaxed, memory_order_relaxed))
            result = DEQUE_OK;
    }
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return result;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    uint64_t top, bottom;
    (void)self;
    if (victim->orders == DYNAMIC_ABP_ACCESSES) {
        /* seq_cst, both: pair with the fence in pop; the one of top also makes bottom at least as new, the one of
         * bottom also pairs with the release stores of it */
        top = atomic_load_explicit(&victim->top, memory_order_seq_cst);
        bottom = atomic_load_explicit(&victim->bottom, memory_order_seq_cst);
    } else {
        top = atomic_load_explicit(&victim->top, memory_order_relaxed);
        /* pairs with the fence in pop, and makes bottom below at least as new as top */
        atomic_thread_fence(memory_order_seq_cst);
        /* acquire: pairs with the release stores of bottom in push and pop */
        bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    }
    if (dynamic_abp_distance(bottom, top) <= 0)
        return DEQUE_EMPTY;
    uint64_t position = dynamic_abp_position(top);
    uint32_t node = dynamic_abp_node(top);
    if ((position & (victim->block - 1)) == 0) {
        /* acquire: pairs with the release of next in dynamic_abp_go_up, which may be newer than bottom when the node
         * has been used again */
        node = atomic_load_explicit(&dynamic_abp_node_at(victim, node)->next, memory_order_acquire);
        if (node == 0)
            return DEQUE_LOST;
    }
    deque_item taken =
        atomic_load_explicit(&dynamic_abp_slots_at(victim, node)[position & (victim->block - 1)], memory_order_relaxed);
    /* seq_cst: pairs with the fence in pop and the acquire of top in dynamic_abp_take_node; after it the slot may be
     * used again */
    if (!atomic_compare_exchange_strong_explicit(&victim->top, &top, dynamic_abp_top(position + 1, node),
                                                 memory_order_seq_cst, memory_order_relaxed))
        return DEQUE_LOST;
    *item = taken;
    return DEQUE_OK;
}
