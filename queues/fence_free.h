/* fence_free.h: Chase-Lev without the fence in pop, right where a load passes no more than a known number of stores.
 *
 * Differs from chase_lev.h in that pop has no fence, and steal none either. A thief takes the oldest item only if it
 * sees more than delta items, since the owner may be up to delta items further down than the thief sees. So the owner
 * keeps its last delta items to itself.
 *
 * A. Morrison, Y. Afek: Fence-free work stealing on bounded TSO processors, ASPLOS 2014: their FF-CL, on a ring of
 * fixed capacity. Under TSO the owner's lowered bottom may still be in its store buffer when it reads top. A buffer is
 * bounded, so a thief knows bottom up to an error of delta. Where it takes nothing, steal says EMPTY here, "abort" in
 * the paper.
 *
 * What differs from the paper: the ring does not grow, and every store of bottom is a release store, which on x86 is a
 * store like any other.
 *
 * Why that is enough: suppose the owner takes item i without a CAS. It has then stored i to bottom and found top below
 * i. A thief whose CAS takes i read that top is i, so after that load, and bottom after that. The owner's store of i
 * had been made. If it was in memory, bottom said i, or counted an item pushed at i since, which is another one. If
 * not, it was in the buffer with all that the owner stored after it: no more than delta stores, of which each lowers
 * bottom by one at most. So bottom was no more than i + delta, and the thief went away.
 *
 * delta is the deque's block (0: 128): as many stores as the owner's processor may hold back; where the program makes
 * at least x stores between two pops, their number divided by x + 1 will do, rounded up. The paper says that x86 and
 * SPARC hold back few enough; nobody promises it. In C11 a load may pass any number of stores, so there this header is
 * wrong, as it is on TSO with a longer buffer, and on AArch64. The lab shows it, and that it is right with a buffer of
 * delta stores: lab explore fence_free --block=8 --buffer=8, and --buffer=9.
 *
 * Claimed: no fence and no read-modify-write in push and in pop but for the last item; 7 to 11 % less time on average
 * for a suite of parallel benchmarks, up to 23 %, against Cilk's THE and Chase-Lev.
 */
#include "deque.h"
#include "parts/ring.h"

#define DEQUE_NATIVE 0
#define DEQUE_BLOCK 128
#define DEQUE_STEALABLE fence_free_stealable
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "fence_free", .title = "fence-free", .source = "Morrison, Afek: ASPLOS 2014", .owner_order = DEQUE_LIFO, \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false,                   \
        .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,          \
        .thieves_leave = DEQUE_BLOCK,                                                                                  \
        .fault = "an item comes out twice where a load passes more than delta (block) stores, as C11 allows",          \
    }

struct deque {
    alignas(DEQUE_LINE) _Atomic uint64_t top;       /* the oldest item; thieves and the owner's last pop, by CAS */
    alignas(DEQUE_LINE) _Atomic uint64_t bottom;    /* one past the newest; written by the owner alone */
    alignas(DEQUE_LINE) _Atomic(deque_item) *slots; /* this line: never written after deque_init */
    uint64_t mask;
    uint64_t delta; /* stores of bottom that the owner's store buffer may hold */
};

/* A capacity below the number of items that thieves leave is raised, or thieves would never get any. */
DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    size_t delta = config->block ? config->block : DEQUE_BLOCK;
    size_t capacity = ring_asked(config, 1024, RING_MAX);
    if (capacity == 0 || delta >= RING_MAX)
        return EINVAL;
    capacity = deque_round_up(capacity > delta ? capacity : delta + 1);
    deque->slots = ring_slots(capacity);
    if (!deque->slots)
        return ENOMEM;
    deque->mask = capacity - 1;
    deque->delta = delta;
    atomic_init(&deque->top, config->first_index);
    atomic_init(&deque->bottom, config->first_index);
    return 0;
}

DEQUE_OPERATION uint64_t ring_lower(struct deque *deque, uint64_t bottom) {
    /* release: pairs with the acquire of bottom in steal, as each store of it below */
    atomic_store_explicit(&deque->bottom, bottom, memory_order_release);
    /* seq_cst, for the compiler alone: no instruction, but the load stays behind the store. delta in steal allows for
     * the processor's reordering of the two. */
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(&deque->top, memory_order_relaxed);
}

#include "parts/chase_lev.h"

DEQUE_OPERATION size_t fence_free_stealable(const struct deque *deque) {
    size_t size = deque_size(deque);
    return size > deque->delta ? size - (size_t)deque->delta : 0;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    (void)self;
    /* acquire: pairs with the CAS of the thief before us, so that bottom below is at least as new */
    uint64_t top = atomic_load_explicit(&victim->top, memory_order_acquire);
    /* acquire: pairs with the release stores of bottom in push and pop */
    uint64_t bottom = atomic_load_explicit(&victim->bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= (int64_t)victim->delta)
        return DEQUE_EMPTY;
    return ring_take(victim, top, item);
}
