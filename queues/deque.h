/* deque.h: the contract that every deque in this folder keeps. Read this first.
 *
 * A deque is one self-contained header, queues/NAME.h, in plain C11. It includes this file and defines,
 * all of them DEQUE_OPERATION (inlined) or DEQUE_SLOW_PATH (not inlined):
 *
 *   struct deque                     its fields; put what different threads write on different DEQUE_LINEs
 *   DEQUE_NATIVE                     a preprocessor constant: the sum of the optional forms that it implements
 *   DEQUE_TRAITS                     an initializer of struct deque_traits: what else the suite has to know
 *
 *   int    deque_init(struct deque *, const struct deque_config *);   0, EINVAL, ENOMEM; before any other call
 *   void   deque_destroy(struct deque *);                             after every other call: of this deque, of those
 *                                                                     with which steal_into exchanged items, and, if
 *                                                                     it needs_self, of those that it stole from: a
 *                                                                     victim may answer when steal has returned
 *   size_t deque_capacity(const struct deque *);                      the most items it holds; 0: no limit
 *   size_t deque_size(const struct deque *);                          any thread: a snapshot, may be stale
 *
 *   enum deque_result deque_push(struct deque *, deque_item);         owner: OK or FULL (growth that fails is FULL)
 *   enum deque_result deque_pop(struct deque *, deque_item *);        owner: OK or EMPTY (a lost last item is EMPTY)
 *   enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *);
 *                                                                     any thief: OK, EMPTY, or LOST
 *
 * and, where DEQUE_NATIVE says so (harness/measuring/deque_under_test.h makes the others of the above):
 *
 *   DEQUE_PUSH_BATCH   size_t deque_push_batch(struct deque *, const deque_item *, size_t n);
 *                      owner: how many went in, from the start of the array; the first is the oldest, stolen first
 *   DEQUE_STEAL_BATCH  enum deque_result deque_steal_batch(struct deque *victim, struct deque *self,
 *                          unsigned percent, deque_item *out, size_t max, size_t *n);
 *                      any thief: takes percent (1 to 100; 0: the deque's own rule) of the items it sees, at most
 *                      max, oldest first into out; OK with *n >= 1, else EMPTY or LOST with *n = 0
 *   DEQUE_STEAL_INTO   enum deque_result deque_steal_into(struct deque *victim, struct deque *self,
 *                          deque_item *first, size_t *moved);
 *                      owner of self: *first is to run at once; *moved more items went into self. Without OK there
 *                      is no *first, but *moved still says how many items went into self
 *   DEQUE_POLL         void deque_poll(struct deque *);               owner, between tasks: answers requests
 *   DEQUE_PLACES       uint64_t deque_place(const struct deque *);    owner: where the next item pushed will be
 *                      enum deque_result deque_pop_from(struct deque *, deque_item *, uint64_t place);
 *                      owner: a pop, whatever place is. It is faster when place is the newest item's: the CPU then
 *                      need not wait for the last store of the position
 *   DEQUE_PUSH_AT      (with DEQUE_PLACES) for an owner that knows places and items, as the parent of forks does:
 *                      enum deque_result deque_push_at(struct deque *, deque_item, uint64_t place);
 *                      owner: a push; place is what deque_place says now. With DEQUE_POLL it answers requests
 *                      enum deque_result deque_pop_own(struct deque *, deque_item, uint64_t place);
 *                      owner: takes the item that it pushed at place, without reading the slot: OK. EMPTY where that is
 *                      not at hand: newer items are above it, it has been taken, or pop has more to do; nothing has
 *                      changed then, and pop may still give it. After OK, deque_place says place. After a pop that
 *                      gave this item it may say another: where the owner takes the last item by raising top, the
 *                      place is one further. A parent that forks at the old one hides its child from everybody
 *   DEQUE_RESERVE      deque_slot *deque_reserve(struct deque *, size_t n, size_t *span);
 *                      owner: the slots of the next n items (1 or more), side by side; fewer where a ring or a block
 *                      ends or is full. *span says how many. NULL: no room (FULL). Thieves see no change, and
 *                      asking again gives the same slots
 *                      size_t deque_commit(struct deque *, size_t n);
 *                      owner: pushes the first n reserved slots, which deque_fill has written, oldest first, by one
 *                      store; how many went in: all n, where it is native. No other operation of the owner may come
 *                      between the two. n may be 0; slots that are not committed are no longer reserved
 *                      void deque_fill(deque_slot *, deque_item);   owner: writes one slot. A deque_slot is an item,
 *                      atomic where thieves may read a slot that they will not get
 *   DEQUE_LISTS        the intrusive forms below
 *
 * Three more names are preprocessor constants, defined where they apply:
 *
 *   DEQUE_BLOCK        items in a block by default: the deque is made of blocks, and config->block sets their size
 *   DEQUE_SPILL        size_t DEQUE_SPILL(struct deque *, deque_item *out, size_t max);
 *                      owner, after push said FULL: half of a full ring (rounded up) goes into out, oldest first, for
 *                      a queue behind the deque. How many; 0 when max is less or a thief is at work: then push again
 *   DEQUE_STEALABLE    size_t DEQUE_STEALABLE(const struct deque *);
 *                      any thread: how many items a thief could take now, a snapshot. For deques whose block decides
 *                      how many items thieves leave. Thieves can take from others all but the traits' thieves_leave
 *
 * `self` is the thief's own deque: its identity, its mailbox, the one that deque_steal_into fills. Most deques ignore
 * it: a caller without a deque of its own passes NULL where the traits do not ask for one.
 *
 * Rules for all:
 * - An item is never 0. *item is unspecified unless the result is DEQUE_OK.
 * - LOST is not EMPTY: there was an item and another thread got it, or an answer came too late. EMPTY alone does not
 *   prove that a computation has ended.
 * - No call hangs because another thread has stopped, unless the traits say DEQUE_BLOCKING.
 * - <stdatomic.h> with every order written out; a comment at each non-relaxed one names its partner. Publish with
 *   release stores, every store to the published variable included, so that C++20's release sequences (a plain
 *   store of the same thread no longer continues one) and ThreadSanitizer agree.
 * - No inline assembly, no compiler extensions in the algorithm, no 16-byte atomics, no _Atomic struct, no struct
 *   returned by value; every loop ends or can be bounded. The same file is timed, run under sanitizers, explored by
 *   the lab, model-checked and cross-compiled.
 * - Indices are unsigned 64-bit and compared by the sign of their difference, so that they may wrap.
 *
 * A translation unit includes one deque, which the compiler's command line names by DEQUE_HEADER. Deques on a ring
 * share ring.h.
 */
#ifndef STEALBENCH_DEQUE_H
#define STEALBENCH_DEQUE_H

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a deque carries. A pointer, or an integer of 4 or 8 bytes for the payload experiment and the model checker. */
#ifndef DEQUE_ITEM
#define DEQUE_ITEM void *
#endif
typedef DEQUE_ITEM deque_item;

/* Two cache lines of 64 bytes: x86 fetches lines in pairs, so one line apart still means a shared pair. */
#ifndef DEQUE_LINE
#define DEQUE_LINE 128
#endif

/* How a header declares its functions. An operation is inlined into the timed loop: a call doubled the cost of pop. A
 * slow path (growth, spilling) stays out of it. */
#if defined(__GNUC__)
#define DEQUE_OPERATION __attribute__((always_inline, unused)) static inline
#define DEQUE_SLOW_PATH __attribute__((noinline, cold, unused)) static
#else
#define DEQUE_OPERATION static inline
#define DEQUE_SLOW_PATH static
#endif

/* A deque's memory: aligned to DEQUE_LINE, contents undefined, NULL when there is none. Whoever wants other memory
 * (placed, failing, a model checker's) defines both before including. */
#ifndef DEQUE_ALLOC
#define DEQUE_ALLOC(bytes) aligned_alloc(DEQUE_LINE, ((bytes) + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE)
#define DEQUE_FREE(pointer) free(pointer)
#endif

/* How deque_copy below moves many items. A model checker that cannot follow memcpy defines it before including. */
#ifndef DEQUE_COPY
#define DEQUE_COPY(to, from, n) memcpy(to, from, (n) * sizeof *(to))
#else
#define DEQUE_SINGLE_STORES /* of deque_copy_shared */
#endif

enum deque_result {
    DEQUE_OK,
    DEQUE_EMPTY, /* nothing to take now */
    DEQUE_FULL,  /* no room, or no memory to make room */
    DEQUE_LOST   /* another thread was first, or an answer came too late: worth another try */
};

/* Asymmetric fences, for a protocol in which one side stores one word and then loads another, the other side does the
 * reverse, and one of them must see the other's store. Usually both sides have a sequentially consistent fence in
 * between. Where one side is rare, it can pay for both (D. Dice, H. Huang, M. Yang: Asymmetric Dekker synchronization,
 * 2001; P. E. McKenney, M. Desnoyers: membarrier(2)):
 *
 *   deque_fence_light()            the frequent side, an owner: binds the compiler alone, no instruction
 *   deque_fence_heavy(asymmetric)  the rare side, a thief, told its victim's kind: a sequentially consistent fence here
 *                                  and in every running thread of the process; a system call
 *
 * On N processors each heavy fence interrupts N threads. So threads share them: a fence serves all who asked before it
 * began, and after one, none begins for DEQUE_FENCE_REST times as long as it took. Who asks can do something else
 * meanwhile, such as look whether the fence is still needed:
 *
 *   deque_fence_ask(asymmetric)    the rare side, between its store and its load: a ticket
 *   deque_fence_passed(asymmetric, ticket, look)
 *                                  has a heavy fence passed that began since? Runs one if none is under way and the
 *                                  last is long enough ago. look is how often the caller has asked with this ticket:
 *                                  from DEQUE_FENCE_LOOKS on it runs one in any case, for nobody waits for a thread
 *                                  that has stopped
 *
 * A light fence and a heavy one order like two sequentially consistent fences. That needs Linux's membarrier, which not
 * every kernel has or allows. A deque asks deque_fences_asymmetric() once, in deque_init, and keeps the answer: its
 * kind, which its owner and every thief follow. Nobody asks again, since another translation unit (another standard,
 * C++, a sanitizer) may get another answer. Where a deque is not asymmetric, the heavy fence is one of its thread
 * alone, and the owner runs atomic_thread_fence(memory_order_seq_cst) in place of the light one.
 *
 * ThreadSanitizer does not know about membarrier, so under it the light fence is a full one. A simulator or a model
 * checker defines the three DEQUE_FENCE names below before including. With DEQUE_FENCES_PAIRED no deque of this
 * translation unit is asymmetric. DEQUE_FAIL ends the program with a message: if the kernel refuses what it granted,
 * a thief cannot go on. */
#ifndef DEQUE_FENCE_HEAVY
#if defined __SANITIZE_THREAD__
#define DEQUE_FENCE_LIGHT() atomic_thread_fence(memory_order_seq_cst)
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define DEQUE_FENCE_LIGHT() atomic_thread_fence(memory_order_seq_cst)
#endif
#endif
#ifndef DEQUE_FENCE_LIGHT
#define DEQUE_FENCE_LIGHT() atomic_signal_fence(memory_order_seq_cst)
#endif
#define DEQUE_FENCE_HEAVY(asymmetric) deque_fence_by_kernel(asymmetric)
#define DEQUE_FENCES_ASYMMETRIC() deque_fences_by_kernel()

#ifndef DEQUE_FAIL
#include <stdio.h>
#define DEQUE_FAIL(message) (fputs(message "\n", stderr), abort())
#endif
#ifdef __linux__
#include <sys/syscall.h>
#ifdef __cplusplus
#include <unistd.h>
#else
extern long syscall(long number, ...); /* of <unistd.h>, which does not declare it under -std=c11 */
#endif
#endif
/* Of <linux/membarrier.h>, which may be missing: MEMBARRIER_CMD_PRIVATE_EXPEDITED, and the one that registers for it.
 */
enum { DEQUE_MEMBARRIER_EXPEDITED = 8, DEQUE_MEMBARRIER_REGISTER = 16 };
DEQUE_SLOW_PATH bool deque_membarrier(int command) {
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0) == 0;
#else
    return command < 0; /* none */
#endif
}

/* Registering twice does no harm, so threads and translation units agree. */
DEQUE_SLOW_PATH bool deque_fences_by_kernel(void) {
#ifdef DEQUE_FENCES_PAIRED
    return false;
#else
    return deque_membarrier(DEQUE_MEMBARRIER_REGISTER);
#endif
}

DEQUE_SLOW_PATH void deque_fence_by_kernel(bool asymmetric) {
    /* seq_cst, here and below: pairs with every light fence; the kernel has other threads run one like it meanwhile */
    atomic_thread_fence(memory_order_seq_cst);
    if (asymmetric && !deque_membarrier(DEQUE_MEMBARRIER_EXPEDITED))
        DEQUE_FAIL("deque: the kernel refuses the membarrier that it granted before; no thief can steal without it");
    atomic_thread_fence(memory_order_seq_cst);
}
#endif

/* Nanoseconds, of any beginning. */
#ifndef DEQUE_CLOCK
#include <time.h>
#define DEQUE_CLOCK() deque_clock()
DEQUE_SLOW_PATH uint64_t deque_clock(void) {
    struct timespec now;
    return timespec_get(&now, TIME_UTC) ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}
#endif
#define DEQUE_FENCE_REST_MOST 1000000
#ifndef DEQUE_FENCE_REST
#define DEQUE_FENCE_REST 1
#endif
#ifndef DEQUE_FENCE_LOOKS
#define DEQUE_FENCE_LOOKS (1 << 16)
#endif

/* The heavy fences of the process, or where the linker does not join them, of a translation unit: less is shared then.
 */
struct deque_fences {
    alignas(DEQUE_LINE) _Atomic uint64_t state; /* two for each that has ended; odd: one is under way */
    _Atomic uint64_t rest;                      /* by the clock: when the next may begin */
    _Atomic uint64_t run;                       /* how many were run, those included that no ticket waited for */
};
#ifdef __GNUC__
__attribute__((weak)) struct deque_fences deque_fences;
#else
static struct deque_fences deque_fences;
#endif

DEQUE_OPERATION bool deque_fences_asymmetric(void) { return DEQUE_FENCES_ASYMMETRIC(); }
DEQUE_OPERATION void deque_fence_light(void) { DEQUE_FENCE_LIGHT(); }

DEQUE_SLOW_PATH uint64_t deque_fence_ask(bool asymmetric) {
    if (!asymmetric)
        return 0;
    /* seq_cst: pairs with the fence in deque_fence_by_kernel of the thread that raises state from what we read now, or
     * later: it comes before that one */
    atomic_thread_fence(memory_order_seq_cst);
    return (atomic_load_explicit(&deque_fences.state, memory_order_relaxed) + 3) & ~(uint64_t)1;
}

DEQUE_SLOW_PATH void deque_fence_alone(bool asymmetric) {
    DEQUE_FENCE_HEAVY(asymmetric);
    atomic_fetch_add_explicit(&deque_fences.run, 1, memory_order_relaxed); /* relaxed: a number for people */
}

DEQUE_SLOW_PATH bool deque_fence_passed(bool asymmetric, uint64_t ticket, uint64_t look) {
    if (!asymmetric || look >= DEQUE_FENCE_LOOKS) {
        deque_fence_alone(asymmetric);
        return true;
    }
    /* acquire: pairs with the release of state below; what the fence made seen, we see */
    uint64_t state = atomic_load_explicit(&deque_fences.state, memory_order_acquire);
    if ((int64_t)(state - ticket) >= 0)
        return true;
    if (state & 1)
        return false;
    uint64_t now = DEQUE_CLOCK(), rest = atomic_load_explicit(&deque_fences.rest, memory_order_relaxed);
    /* A clock that was set back counts as rested. relaxed, rest: comes with state, and is but a time */
    if (rest - now - 1 < DEQUE_FENCE_REST_MOST)
        return false;
    /* relaxed: the fence that follows orders it */
    if (!atomic_compare_exchange_strong_explicit(&deque_fences.state, &state, state + 1, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    deque_fence_alone(asymmetric);
    uint64_t end = DEQUE_CLOCK();
    atomic_store_explicit(&deque_fences.rest, end + DEQUE_FENCE_REST * (end - now), memory_order_relaxed);
    /* release: pairs with the acquire above */
    atomic_store_explicit(&deque_fences.state, state + 2, memory_order_release);
    return true;
}

DEQUE_OPERATION void deque_fence_heavy(bool asymmetric) {
    uint64_t ticket = deque_fence_ask(asymmetric);
    for (uint64_t look = 0; !deque_fence_passed(asymmetric, ticket, look); look++)
        ;
}

/* What deque_init is told. 0 or NULL stands for the deque's own default. */
struct deque_config {
    size_t capacity;      /* items: a fixed deque holds at least this many, a growing one starts with this many */
    size_t block;         /* items in a block, for deques made of blocks */
    unsigned worker;      /* whose deque this is, from 0 */
    unsigned workers;     /* how many deques there are */
    struct deque *first;  /* worker 0's deque, for deques that share state */
    unsigned mode;        /* which of the traits' mode_values, from 0 */
    uint64_t first_index; /* where counters start: tests put it near a limit */
};

/* The optional forms, for DEQUE_NATIVE. */
#define DEQUE_PUSH_BATCH 1
#define DEQUE_STEAL_BATCH 2
#define DEQUE_STEAL_INTO 4
#define DEQUE_POLL 8
#define DEQUE_LISTS 16
#define DEQUE_PLACES 32
#define DEQUE_RESERVE 64
#define DEQUE_PUSH_AT 128

enum deque_owner_order { DEQUE_LIFO, DEQUE_FIFO };
enum deque_bound { DEQUE_FIXED, DEQUE_GROWABLE, DEQUE_LINKED };
enum deque_thieves {
    DEQUE_OWNER_ONLY, /* steal only by the owner's thread: references without synchronisation */
    DEQUE_ONE_THIEF,  /* one thief at a time: callers take turns */
    DEQUE_MANY_THIEVES
};
enum deque_progress { DEQUE_BLOCKING, DEQUE_OBSTRUCTION_FREE, DEQUE_LOCK_FREE, DEQUE_WAIT_FREE };
enum deque_delivery { DEQUE_ONCE, DEQUE_AT_LEAST_ONCE };

struct deque_traits {
    const char *id;     /* the file's path below queues/, without .h */
    const char *title;  /* for figures */
    const char *source; /* paper, post or project */
    enum deque_owner_order owner_order;
    enum deque_bound bound;
    enum deque_thieves thieves;
    unsigned native;    /* DEQUE_NATIVE */
    bool keeps_nothing; /* has no storage: items that go in do not come out */
    bool needs_self;    /* deque_steal wants the thief's own deque */
    bool shared;        /* the deques of all workers are one: config->first holds what is inside */
    bool sound;         /* false: kept as published, known to lose or double items */
    bool reference;     /* to compare with, exempt from the gate's concurrent checks */
    bool aside;         /* measured only where it is named, in no group */
    bool classic;       /* of the group `classic`: the papers' deques, and those that programs run today */
    enum deque_delivery delivery;
    enum deque_progress push_progress, pop_progress, steal_progress; /* as claimed */
    unsigned thieves_leave;  /* the most items, with the default block, that no thief can take from the owner */
    bool one_a_request;      /* with DEQUE_POLL: an answer gives thieves one item, however many there are */
    bool asymmetric_fences;  /* uses them (above): its thieves make a system call where the kernel has it */
    bool thieves_overtake;   /* in a race a thief may take a newer item and leave an older one */
    const char *mode;        /* name of a setting of this deque's own, or NULL */
    const char *mode_values; /* its values, "full|skip"; the first is the default */
    const char *fault;       /* of an unsound one: what goes wrong, in one line */
};

/* Intrusive deques (DEQUE_LISTS): an item is a pointer to an object that begins with a struct deque_link, which the
 * header defines. Besides the operations above they have, for whole lists at once:
 *
 *   void deque_list_append(struct deque_list *, deque_item);      whoever holds the list alone: at its oldest end
 *   deque_item deque_list_take(struct deque_list *);              whoever holds the list alone: its newest, or 0
 *   void deque_push_list(struct deque *, struct deque_list *);    owner: all of it, never FULL; the list is then empty
 *   enum deque_result deque_steal_list(struct deque *victim, struct deque *self, unsigned percent,
 *       struct deque_list *);                                     a thief: percent as in deque_steal_batch
 *
 * A list runs from its newest item (which the owner would pop first) to its oldest. A link that was popped may be used
 * again (pushed, freed) only when no thief can still be reading it:
 *
 *   deque_ticket deque_retire(struct deque *);                    owner: covers every link popped before the call
 *   bool deque_reusable(struct deque *, deque_ticket);            owner: may those links be used again?
 *
 * A stolen link belongs to the thief at once. */
struct deque_link;
struct deque_list {
    struct deque_link *first, *last;
    size_t count;
};
typedef uint64_t deque_ticket;

/* The smallest power of two that is at least n. n at most 2^63. */
DEQUE_OPERATION size_t deque_round_up(size_t n) {
    size_t power = 1;
    while (power < n)
        power <<= 1;
    return power;
}

/* How many of n slots from position `at` of a ring of mask + 1 lie side by side. */
DEQUE_OPERATION size_t deque_run(uint64_t mask, uint64_t at, size_t n) {
    uint64_t run = mask + 1 - (at & mask);
    return n < run ? n : (size_t)run;
}

/* The four below copy n items between places that do not overlap and that no other thread touches
 * meanwhile: plain slots, never atomic ones. Many items are copied at once, for a loop that masks each index takes
 * twice as long; a few one by one, for a call takes longer than a push. */
DEQUE_OPERATION void deque_copy(deque_item *to, const deque_item *from, size_t n) {
    if (n > 4) {
        DEQUE_COPY(to, from, n);
        return;
    }
    if (n > 0)
        to[0] = from[0];
    if (n > 1)
        to[1] = from[1];
    if (n > 2)
        to[2] = from[2];
    if (n > 3)
        to[3] = from[3];
}

/* What checks stores (a sanitizer, the lab, a model checker) gets single ones from deque_copy_shared. */
#if defined DEQUE_SINGLE_STORES
#elif defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__ || !defined __GNUC__
#define DEQUE_SINGLE_STORES
#elif defined __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define DEQUE_SINGLE_STORES
#endif
#endif

/* The same into slots that other threads may read meanwhile. Such a thread learns afterwards that what it read does not
 * count, so it may see any mixture of old and new bytes: this is atomic_store_per_byte_memcpy of P1478. Many items are
 * copied by memcpy, between barriers that hide from the compiler that these are slots. A few are stored one by one; two
 * of these stores may write the same slot, for that takes fewer branches. n at least 1; the fewest come first, for they
 * take little longer than a branch. */
DEQUE_OPERATION void deque_copy_shared(_Atomic(deque_item) *to, const deque_item *from, size_t n) {
#define DEQUE_SHARE(i) atomic_store_explicit(&to[i], from[i], memory_order_relaxed) /* relaxed: as a push's store */
#ifdef DEQUE_SINGLE_STORES
    for (size_t i = 0; i < n; i++)
        DEQUE_SHARE(i);
#else
    if (n <= 2) {
        DEQUE_SHARE(0), DEQUE_SHARE(n - 1);
    } else if (n <= 4) {
        DEQUE_SHARE(0), DEQUE_SHARE(1), DEQUE_SHARE(n - 2), DEQUE_SHARE(n - 1);
    } else if (n <= 8) {
        DEQUE_SHARE(0), DEQUE_SHARE(1), DEQUE_SHARE(2), DEQUE_SHARE(3);
        DEQUE_SHARE(n - 4), DEQUE_SHARE(n - 3), DEQUE_SHARE(n - 2), DEQUE_SHARE(n - 1);
    } else {
        deque_item *slots = (deque_item *)to;
        __asm__ volatile("" : "+r"(slots) : : "memory");
        DEQUE_COPY(slots, from, n);
        __asm__ volatile("" : : : "memory");
    }
#endif
#undef DEQUE_SHARE
}

/* Into a ring of mask + 1 slots, a power of two and at least n, from position `at` on. */
DEQUE_OPERATION void deque_copy_in(deque_item *slots, uint64_t mask, uint64_t at, const deque_item *items, size_t n) {
    size_t first = (size_t)(at & mask), run = (size_t)mask + 1 - first;
    if (run > n)
        run = n;
    deque_copy(slots + first, items, run);
    if (run < n)
        deque_copy(slots, items + run, n - run);
}

/* Out of such a ring. */
DEQUE_OPERATION void deque_copy_out(const deque_item *slots, uint64_t mask, uint64_t at, deque_item *items, size_t n) {
    size_t first = (size_t)(at & mask), run = (size_t)mask + 1 - first;
    if (run > n)
        run = n;
    deque_copy(items, slots + first, run);
    if (run < n)
        deque_copy(items + run, slots, n - run);
}

/* From one such ring into another. */
DEQUE_OPERATION void deque_copy_across(deque_item *to, uint64_t to_mask, uint64_t to_at, const deque_item *from,
                                       uint64_t from_mask, uint64_t from_at, size_t n) {
    size_t first = (size_t)(to_at & to_mask), run = (size_t)to_mask + 1 - first;
    if (run > n)
        run = n;
    deque_copy_out(from, from_mask, from_at, to + first, run);
    if (run < n)
        deque_copy_out(from, from_mask, from_at + run, to, n - run);
}

#endif
