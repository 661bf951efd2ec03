/* stress_rounds.h: many short rounds of owners and thieves. After each round every item must have come out exactly
 * once. stress.c runs operations at full speed; in preempt.c threads give way inside operations.
 *
 * A block is some rounds of one phase (how owners push and pop, how thieves steal) with one set of parameters. The seed
 * draws them: block n of seed s is block 0 of seed s + n. Its two highest bits ask for a crowd of thieves, or for many
 * items, so that a deque grows and shrinks far; each run begins with these two. Each round makes new deques, so each
 * round tries growth and a deque's first items. Every thread records the numbers of the items that it takes. When all
 * threads have stopped, the main thread empties the owners' deques and counts: this finds lost, doubled and invented
 * items. If the traits determine the order, a pop must give the owner's newest item that it has not popped yet, and
 * each thief must get a victim's items in the order in which they were pushed.
 *
 * The includer defines STRESS_NAME, the check's name, and STRESS_SUMMARY.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* What is freed is filled with rubbish: a thief that still reads it gets items that nobody pushed. */
static inline void stress_release(void *memory) {
    if (memory)
        memset(memory, 0xa5, malloc_usable_size(memory));
    free(memory);
}
#define DEQUE_ALLOC(bytes) aligned_alloc(DEQUE_LINE, ((bytes) + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE)
#define DEQUE_FREE(memory) stress_release(memory)

#include "harness/measuring/clock.h"
#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/one_thief.h"
#include "harness/measuring/popped_links.h"
#include "proof/checks/objects.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define OWNERS_MAX 2
#define THIEVES_MAX 4
#define CROWD 18 /* thieves, more than a table of 16 has room for */
#define THREADS_MAX (OWNERS_MAX + CROWD)
#define ITEMS_MAX 16384 /* per owner and round */
#define TAKEN_MAX (4 * ITEMS_MAX)
#define BATCH_MAX 32
#define SPILL_MAX 64
#define PATIENCE 100    /* failures in a row before a thread gives its processor away */
#define UNTIL_IT_ENDS 0 /* a burst that ends when a push finds the deque full, or a pop finds it empty */

enum form { SINGLE, BATCH, LIST, INTO };
enum recycling { NO_RECYCLING, REUSE_LINKS, FREE_LINKS };

struct phase {
    const char *name;
    enum form push, steal;
    unsigned push_max, pop_max; /* most operations of one burst */
    unsigned owners;
    enum recycling recycling;
};

static const struct phase phases[] = {
    {"push-heavy", SINGLE, SINGLE, 8, 4, 1, NO_RECYCLING},
    {"duel", SINGLE, SINGLE, 1, 1, 1, NO_RECYCLING},
    {"duel for two", SINGLE, SINGLE, 2, UNTIL_IT_ENDS, 1, NO_RECYCLING},
    {"fill and drain", SINGLE, SINGLE, UNTIL_IT_ENDS, UNTIL_IT_ENDS, 1, NO_RECYCLING},
    {"batch push", BATCH, SINGLE, 16, 12, 1, NO_RECYCLING},
    {"batch steal", SINGLE, BATCH, 12, 6, 1, NO_RECYCLING},
    {"batch push, batch steal", BATCH, BATCH, 12, UNTIL_IT_ENDS, 1, NO_RECYCLING},
    {"steal into", SINGLE, INTO, 8, 4, 2, NO_RECYCLING},
    {"fill and steal into", SINGLE, INTO, UNTIL_IT_ENDS, 8, 2, NO_RECYCLING},
#if DEQUE_NATIVE & DEQUE_LISTS
    {"lists, popped across the cut", LIST, LIST, 8, UNTIL_IT_ENDS, 1, NO_RECYCLING},
    {"long lists", LIST, LIST, 24, 24, 1, NO_RECYCLING},
    {"lists, links reused", LIST, LIST, 8, UNTIL_IT_ENDS, 1, REUSE_LINKS},
    {"single items, links reused", SINGLE, BATCH, 6, 6, 1, REUSE_LINKS},
    {"lists, links freed", LIST, LIST, 8, 8, 1, FREE_LINKS},
#endif
};
#define PHASES (sizeof phases / sizeof phases[0])

/* What a seed's two highest bits ask for, and how many rounds a block has then. */
enum size { USUAL, CROWDED, LARGE, SIZES };
#define SIZE_SHIFT 62
#define BLOCKS_OF_USUAL_SIZE 16 /* between two of the others */
static const unsigned rounds_of[SIZES] = {64, 8, 6};
static const struct phase far_and_back = {"far and back", SINGLE, SINGLE,      UNTIL_IT_ENDS,
                                          UNTIL_IT_ENDS,  1,      NO_RECYCLING};

/* How a thread spends the time between its operations. */
enum pausing { NEVER, SPINS, YIELDS, PAUSINGS };
static const char *const pausing_names[] = {"no", "short", "yielding"};

struct plan {
    struct phase phase;
    struct deque_config config;
    unsigned thieves, threads;
    unsigned items; /* items that each owner pushes */
    unsigned rounds;
    bool selves;       /* every thief has a deque of its own, as in a pool */
    bool filled_first; /* in every other round thieves begin when an owner has pushed its first burst */
    bool order;        /* the order in which items come out is known */
    bool crowded;      /* more threads than processors */
    enum pausing pausing[THREADS_MAX];
    uint64_t seed;
};

/* One thread. Owners come first: owner n has deque n, and the main thread is owner 0. */
struct participant {
    alignas(DEQUE_LINE) unsigned number;
    uint64_t random;
    unsigned taken_count;
    uint32_t taken[TAKEN_MAX];        /* serial numbers in the order in which they came out */
    uint64_t stolen_past[OWNERS_MAX]; /* by owner: one more than the last serial number stolen from it */
    unsigned long steals, lost;       /* over all rounds */

    /* owners only */
    unsigned pushed;         /* number of serial numbers used */
    unsigned own[ITEMS_MAX]; /* for LIFO: pushed and not popped; thieves may have them */
    unsigned own_count;
    struct object *free_objects; /* objects whose links may be used again */
    struct popped_links popped;
    unsigned fresh;
};

static struct plan plan;
static struct participant participants[THREADS_MAX];
static struct object objects[OWNERS_MAX * ITEMS_MAX];
static struct deque *deques[THREADS_MAX]; /* the owners' deques, and the thieves' where a thief needs one */
static unsigned most_threads;
static size_t most_items; /* seen in a deque at once */

static struct { alignas(DEQUE_LINE) struct victim_lock lock; } locks[OWNERS_MAX];

static struct {
    alignas(DEQUE_LINE) _Atomic unsigned long go; /* number of the current round, counted over all blocks */
    alignas(DEQUE_LINE) _Atomic unsigned owners_finished;
    _Atomic bool open;                         /* thieves may begin */
    alignas(DEQUE_LINE) _Atomic unsigned done; /* threads that have finished this round */
    pthread_mutex_t lock;                      /* for everything else: blocks; idle threads sleep until the next */
    pthread_cond_t changed;
    unsigned long block;
    unsigned long block_start; /* value of `go` before the block's first round */
    unsigned block_rounds;
    bool quit;
    _Atomic unsigned ready;
} stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static unsigned processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static void spin(uint64_t turns) {
    for (volatile uint64_t i = 0; i < turns; i = i + 1)
        continue;
}

static void pause_at_random(struct participant *me) {
    enum pausing pausing = plan.pausing[me->number];
    if (pausing == SPINS && random_below(&me->random, 3) == 0)
        spin(random_below(&me->random, 60));
    else if (pausing == YIELDS && random_below(&me->random, 12) == 0)
        sched_yield();
}

/* Call in a waiting loop. Spins a little; gives way at once if there are more threads than processors. */
static void relax(unsigned *turns) {
    if (plan.crowded || ++*turns > PATIENCE)
        sched_yield();
    else
        spin(8);
}

static int compare_serials(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* At least once can be often: an owner that stands still inside a pop gives all that was stolen meanwhile once more. */
static void forget_repeated(struct participant *me) {
    unsigned kept = 0;
    qsort(me->taken, me->taken_count, sizeof *me->taken, compare_serials);
    for (unsigned i = 0; i < me->taken_count; i++)
        if (i == 0 || me->taken[i] != me->taken[i - 1])
            me->taken[kept++] = me->taken[i];
    me->taken_count = kept;
}

/* Every item that comes out passes here. */

static uint64_t take(struct participant *me, deque_item item, const char *how) {
    uint64_t serial = (uint64_t)(uintptr_t)item - 1;
    if (ITEMS_ARE_POINTERS)
        serial =
            (plan.phase.recycling == FREE_LINKS ? item_object(item) : object_among(objects, sizeof objects, item, how))
                ->serial;
    bool full = me->taken_count == TAKEN_MAX;
    if (full && traits.delivery == DEQUE_AT_LEAST_ONCE) {
        forget_repeated(me);
        full = me->taken_count < TAKEN_MAX / 16; /* at least once may be often, but not so often */
    }
    if (full)
        check_fail("more items came out than went in");
    me->taken[me->taken_count++] = (uint32_t)serial;
    return serial;
}

/* Called by the owner of deque n, or by the main thread instead when all have stopped. */
static void owner_took(struct participant *owner, deque_item item) {
    unsigned serial = (unsigned)(take(owner, item, "pop") % ITEMS_MAX);
    if (!plan.order || traits.owner_order != DEQUE_LIFO)
        return;
    if (owner->own_count == 0 || owner->own[owner->own_count - 1] != serial)
        check_fail("pop gave item %u where the newest one left to the owner was %d", serial,
                   owner->own_count ? (int)owner->own[owner->own_count - 1] : -1);
    owner->own_count--;
}

static void thief_took(struct participant *thief, unsigned victim, deque_item item) {
    uint64_t serial = take(thief, item, "steal");
    if (plan.order && serial < thief->stolen_past[victim])
        check_fail("thief %u got item %llu after item %llu, though it was pushed before", thief->number,
                   (unsigned long long)(serial % ITEMS_MAX),
                   (unsigned long long)((thief->stolen_past[victim] - 1) % ITEMS_MAX));
    thief->stolen_past[victim] = serial + 1;
    thief->steals++;
}

/* Objects. With recycling, a popped link waits for its ticket; a stolen link belongs to the thief at once. */

#if DEQUE_NATIVE & DEQUE_LISTS
static void recycle_object(struct participant *me, struct object *object) {
    if (plan.phase.recycling == FREE_LINKS) {
        free(object);
        return;
    }
    memset(&object->link, 0xa5, sizeof object->link);
    object->next = me->free_objects;
    me->free_objects = object;
}

/* Owner. Takes back the links that may be used again, and asks for a ticket for those popped since then. */
static void recycle(struct participant *me) {
    for (struct object *object = popped_reusable(&me->popped, deques[me->number]), *next; object; object = next) {
        next = object->next;
        recycle_object(me, object);
    }
    popped_retire(&me->popped, deques[me->number]);
}

static void owner_disposes(struct participant *me, deque_item item) {
    if (plan.phase.recycling != NO_RECYCLING)
        popped_add(&me->popped, item_object(item), offsetof(struct object, next));
}

static void thief_disposes(struct participant *me, deque_item item) {
    if (plan.phase.recycling != NO_RECYCLING)
        recycle_object(me, item_object(item));
}

/* All threads have stopped, so every popped link may be used again now. */
static void recycle_all(struct participant *me) {
    for (int i = 0; i < 2; i++)
        recycle(me);
}
#else
static void recycle(struct participant *me) { (void)me; }
static void recycle_all(struct participant *me) { (void)me; }
static void owner_disposes(struct participant *me, deque_item item) { (void)me, (void)item; }
static void thief_disposes(struct participant *me, deque_item item) { (void)me, (void)item; }
#endif

static struct object *new_object(struct participant *me) {
    struct object *object = me->free_objects;
    if (plan.phase.recycling == FREE_LINKS) {
        object = malloc(sizeof *object);
        if (!object)
            check_fail("no memory for an object");
    } else if (object) {
        me->free_objects = object->next;
    } else {
        object = &objects[me->number * ITEMS_MAX + me->fresh++];
    }
    return object;
}

/* Gives an object the next serial number. The number counts as used only if the push succeeds. */
static deque_item new_item(struct participant *me, unsigned ahead) {
    return object_item(new_object(me), me->number * ITEMS_MAX + me->pushed + ahead);
}

/* Returns an item that was refused. */
static void unused_item(struct participant *me, deque_item item) {
    struct object *object = item_object(item);
    if (!ITEMS_ARE_POINTERS) {
        me->fresh--;
        return;
    }
    object->next = me->free_objects;
    me->free_objects = object;
}

/* Owners. */

/* Of n new items the first `pushed` went in. */
static void owner_pushed(struct participant *me, const deque_item *items, size_t n, size_t pushed) {
    for (size_t i = 0; i < pushed; i++)
        me->own[me->own_count++] = me->pushed++;
    while (n-- > pushed)
        unused_item(me, items[n]);
}

static void new_items(struct participant *me, deque_item *items, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        items[i] = new_item(me, i);
}

/* These push one item, or a batch or list of n. */
static bool push_single(struct participant *me, struct deque *deque) {
    const deque_item item = new_item(me, 0);
    const bool fits = deque_push(deque, item) == DEQUE_OK;
    owner_pushed(me, &item, 1, fits);
    return fits;
}

static void push_batch(struct participant *me, struct deque *deque, unsigned n) {
    deque_item items[BATCH_MAX] = {0}; /* gcc 14 warns otherwise: it does not see that n of them are read */
    new_items(me, items, n);
    owner_pushed(me, items, n, deque_push_batch(deque, items, n));
}

/* Reserves several times if necessary, because a span ends where a ring or a block ends. */
static void push_reserved(struct participant *me, struct deque *deque, unsigned n) {
    while (n > 0) {
        size_t span = 0, pushed;
        deque_item items[BATCH_MAX];
        deque_slot *slots = deque_reserve(deque, n, &span);
        if (!slots)
            break;
        for (unsigned i = 0; i < span; i++)
            deque_fill(&slots[i], items[i] = new_item(me, i));
        pushed = deque_commit(deque, span);
        owner_pushed(me, items, span, pushed);
        if (pushed < span)
            break;
        n -= (unsigned)pushed;
    }
}

#if DEQUE_NATIVE & DEQUE_LISTS
static void push_list(struct participant *me, struct deque *deque, unsigned n) {
    struct deque_list list = {0};
    deque_item items[BATCH_MAX];
    new_items(me, items, n);
    for (unsigned i = n; i-- > 0;)
        deque_list_append(&list, items[i]);
    deque_push_list(deque, &list);
    owner_pushed(me, items, n, n);
}
#else
#define push_list push_batch
#endif

#ifdef DEQUE_SPILL
/* Half of the times that push has said FULL, as in a pool: the deque hands part of the ring back to the owner. */
static bool spill(struct participant *me, struct deque *deque) {
    deque_item items[SPILL_MAX];
    if (random_below(&me->random, 2))
        return false;
    size_t n = DEQUE_SPILL(deque, items, SPILL_MAX);
    for (size_t i = 0; i < n; i++)
        take(me, items[i], "spill");
    return true;
}
#else
static bool spill(struct participant *me, struct deque *deque) { return (void)me, (void)deque, false; }
#endif

/* Pushes until the burst is over, or an item is refused and no spill makes room. */
static void push_burst(struct participant *me, struct deque *deque) {
    unsigned max = plan.phase.push_max, left = plan.items - me->pushed;
    unsigned n = max == UNTIL_IT_ENDS ? left : 1 + (unsigned)random_below(&me->random, max);
    if (n > left)
        n = left;
    if (plan.phase.push == SINGLE) {
        for (; n > 0; n--) {
            if (!push_single(me, deque) && !spill(me, deque))
                break;
            pause_at_random(me);
        }
    } else {
        n = n < BATCH_MAX ? n : BATCH_MAX;
        if (plan.phase.push == BATCH && random_below(&me->random, 2))
            push_reserved(me, deque, n);
        else if (plan.phase.push == BATCH)
            push_batch(me, deque, n);
        else
            push_list(me, deque, n);
    }
}

static bool pop_single(struct participant *me, struct deque *deque) {
    deque_item item = 0;
    enum deque_result result = deque_pop(deque, &item);
    if (result == DEQUE_OK) {
        owner_took(me, item);
        owner_disposes(me, item);
    } else {
        me->own_count = 0;
    }
    return result == DEQUE_OK;
}

static void pop_burst(struct participant *me, struct deque *deque) {
    unsigned max = plan.phase.pop_max,
             n = max == UNTIL_IT_ENDS ? UINT32_MAX : 1 + (unsigned)random_below(&me->random, max);
    while (n-- > 0 && pop_single(me, deque))
        pause_at_random(me);
}

static bool lock_victim(unsigned victim) {
    return traits.thieves != DEQUE_ONE_THIEF || !VICTIM_REFUSES(&locks[victim].lock);
}

static void unlock_victim(unsigned victim) {
    if (traits.thieves == DEQUE_ONE_THIEF)
        victim_unlock(&locks[victim].lock);
}

/* Owner me steals from the other owner's deque into its own. */
static void steal_into(struct participant *me, struct deque *deque) {
    unsigned victim = 1 - me->number;
    deque_item first = 0;
    size_t moved = 0;
    if (!lock_victim(victim))
        return;
    enum deque_result result = deque_steal_into(deques[victim], deque, &first, &moved);
    unlock_victim(victim);
    if (result == DEQUE_OK)
        thief_took(me, victim, first);
    me->lost += result == DEQUE_LOST;
}

static void owner_plays(struct participant *me) {
    struct deque *deque = deques[me->number];
    while (me->pushed < plan.items) {
        deque_poll(deque);
        recycle(me);
        push_burst(me, deque);
        if (me->number == 0 && deque_size(deque) > most_items)
            most_items = deque_size(deque);
        atomic_store_explicit(&stage.open, true, memory_order_relaxed); /* orders nothing */
        pause_at_random(me);
        pop_burst(me, deque);
        pause_at_random(me);
        if (plan.phase.steal == INTO && random_below(&me->random, 2) == 0)
            steal_into(me, deque);
    }
}

/* Thieves. */

static void thief_took_all(struct participant *me, unsigned victim, const deque_item *items, size_t n) {
    for (size_t i = 0; i < n; i++) {
        thief_took(me, victim, items[i]);
        thief_disposes(me, items[i]);
    }
}

static enum deque_result steal_single(struct participant *me, unsigned victim, struct deque *self) {
    deque_item item = 0;
    enum deque_result result = deque_steal(deques[victim], self, &item);
    thief_took_all(me, victim, &item, result == DEQUE_OK);
    return result;
}

static unsigned draw_percent(struct participant *me) {
    static const unsigned percents[] = {0, 1, 10, 30, 50, 70, 90, 100};
    return percents[random_below(&me->random, sizeof percents / sizeof percents[0])];
}

static enum deque_result steal_batch(struct participant *me, unsigned victim, struct deque *self) {
    deque_item items[BATCH_MAX];
    size_t n = 0, max = 1 + random_below(&me->random, BATCH_MAX);
    enum deque_result result = deque_steal_batch(deques[victim], self, draw_percent(me), items, max, &n);
    thief_took_all(me, victim, items, n);
    return result;
}

#if DEQUE_NATIVE & DEQUE_LISTS
static enum deque_result steal_list(struct participant *me, unsigned victim, struct deque *self) {
    deque_item items[ITEMS_MAX];
    struct deque_list list = {0};
    enum deque_result result = deque_steal_list(deques[victim], self, draw_percent(me), &list);
    size_t n = list.count < ITEMS_MAX ? list.count : ITEMS_MAX;
    for (size_t i = n; i-- > 0;)
        items[i] = deque_list_take(&list);
    thief_took_all(me, victim, items, n);
    return result;
}
#else
#define steal_list steal_batch
#endif

static enum deque_result steal_once(struct participant *me, unsigned victim) {
    struct deque *self = plan.selves ? deques[me->number] : NULL;
    if (plan.phase.steal == BATCH)
        return steal_batch(me, victim, self);
    if (plan.phase.steal == LIST)
        return steal_list(me, victim, self);
    return steal_single(me, victim, self);
}

static void thief_plays(struct participant *me) {
    unsigned failures = 0;
    while (!atomic_load_explicit(&stage.open, memory_order_relaxed))
        sched_yield();
    /* acquire: pairs with the release of owners_finished in play; only the end has to be seen */
    while (atomic_load_explicit(&stage.owners_finished, memory_order_acquire) < plan.phase.owners) {
        unsigned victim = (unsigned)random_below(&me->random, plan.phase.owners);
        enum deque_result result = DEQUE_EMPTY;
        if (lock_victim(victim)) {
            result = steal_once(me, victim);
            unlock_victim(victim);
        }
        me->lost += result == DEQUE_LOST;
        if (random_below(&me->random, 8) == 0)
            (void)deque_size(deques[victim]); /* for sanitizers */
        failures = result == DEQUE_OK ? 0 : failures + 1;
        if (failures > (plan.crowded ? 0 : PATIENCE))
            sched_yield();
        else
            pause_at_random(me);
    }
}

static void play(struct participant *me) {
    if (me->number < plan.phase.owners) {
        owner_plays(me);
        atomic_fetch_add_explicit(&stage.owners_finished, 1, memory_order_release);
    } else {
        thief_plays(me);
    }
}

/* Rounds. */

static void *worker(void *argument) {
    struct participant *me = argument;
    unsigned long block = 0;
    for (;;) {
        pthread_mutex_lock(&stage.lock);
        while (stage.block == block && !stage.quit)
            pthread_cond_wait(&stage.changed, &stage.lock);
        block = stage.block;
        unsigned long last = stage.block_start, end = last + stage.block_rounds;
        bool quit = stage.quit, wanted = me->number < plan.threads;
        pthread_mutex_unlock(&stage.lock);
        if (quit)
            return NULL;
        if (!wanted)
            continue;
        atomic_fetch_add_explicit(&stage.ready, 1, memory_order_relaxed);
        for (; last < end; last++) {
            unsigned turns = 0;
            /* acquire: pairs with the release of go in run_round; the round is prepared */
            while (atomic_load_explicit(&stage.go, memory_order_acquire) == last)
                relax(&turns);
            play(me);
            /* release: pairs with the acquire of done in run_round; what was taken is written down */
            atomic_fetch_add_explicit(&stage.done, 1, memory_order_release);
        }
    }
}

static bool has_deque(unsigned thread) { return thread < plan.phase.owners || plan.selves; }

static void prepare_round(uint64_t round) {
    struct deque_config config = plan.config;
    const uint64_t salt = random_of(plan.seed, round);
    config.first = deques[0];
    config.workers = plan.selves ? plan.threads : plan.phase.owners;
    for (unsigned i = 0; i < plan.threads; i++) {
        struct participant *me = &participants[i];
        me->random = random_start(salt, i);
        me->taken_count = me->pushed = me->own_count = me->fresh = 0;
        me->free_objects = NULL;
        me->popped = (struct popped_links){0};
        memset(me->stolen_past, 0, sizeof me->stolen_past);
        config.worker = i;
        if (has_deque(i))
            make_deque(deques[i], &config);
    }
    atomic_store_explicit(&stage.owners_finished, 0, memory_order_relaxed);
    atomic_store_explicit(&stage.open, !plan.filled_first || round % 2 == 1, memory_order_relaxed);
    atomic_store_explicit(&stage.done, 0, memory_order_relaxed);
}

/* All threads have stopped. Takes the rest out at the owner's end, then at the thieves' end. */
static void empty_deque(unsigned owner) {
    struct participant *me = &participants[owner];
    struct deque *self = plan.selves ? deques[plan.threads - 1] : NULL;
    deque_item item = 0;
    while (pop_single(me, deques[owner]))
        continue;
    while (deque_steal(deques[owner], self, &item) == DEQUE_OK) {
        take(me, item, "steal");
        thief_disposes(me, item);
    }
    recycle_all(me);
    size_t size = deque_size(deques[owner]);
    if (size != 0)
        check_fail("deque_size is %zu when all is out", size);
}

static void report_count(unsigned owner, const unsigned char *times) {
    unsigned lost = 0, doubled = 0, first_lost = 0, first_doubled = 0;
    for (unsigned i = participants[owner].pushed; i-- > 0;) {
        if (times[i] == 0) {
            lost++;
            first_lost = i;
        } else if (times[i] > 1) {
            doubled++;
            first_doubled = i;
        }
    }
    if (doubled && traits.delivery == DEQUE_ONCE)
        check_fail("of %u items pushed by owner %u, %u came out more than once (the first is item %u) and %u were lost",
                   participants[owner].pushed, owner, doubled, first_doubled, lost);
    if (lost)
        check_fail("of %u items pushed by owner %u, %u were lost (the first is item %u)", participants[owner].pushed,
                   owner, lost, first_lost);
}

static void count_items(unsigned owner) {
    unsigned char times[ITEMS_MAX] = {0};
    for (unsigned i = 0; i < plan.threads; i++) {
        for (unsigned j = 0; j < participants[i].taken_count; j++) {
            uint32_t serial = participants[i].taken[j];
            if (serial / ITEMS_MAX != owner)
                continue;
            if (times[serial % ITEMS_MAX] < 2)
                times[serial % ITEMS_MAX]++;
        }
    }
    report_count(owner, times);
}

static void end_round(void) {
    for (unsigned i = 0; i < plan.phase.owners; i++)
        empty_deque(i);
    for (unsigned i = 0; i < plan.phase.owners; i++)
        count_items(i);
    for (unsigned i = plan.threads; i-- > 0;)
        if (has_deque(i))
            deque_destroy(deques[i]);
    check_step();
}

static void run_round(uint64_t round) {
    unsigned turns = 0;
    prepare_round(round);
    /* release: pairs with the acquire of go in worker */
    atomic_fetch_add_explicit(&stage.go, 1, memory_order_release);
    play(&participants[0]);
    /* acquire: pairs with the release of done in worker */
    while (atomic_load_explicit(&stage.done, memory_order_acquire) < plan.threads - 1) {
        deque_poll(deques[0]);
        relax(&turns);
    }
    end_round();
}

/* Half of all blocks have one thief, because two threads really meet on two processors. */
static void make_plan(uint64_t seed) {
    static const size_t capacities[] = {1, 2, 4, 64};
    uint64_t state = random_start(seed, 2);
    const enum size size = (enum size)(seed >> SIZE_SHIFT) % SIZES;
    plan.seed = seed;
    plan.rounds = rounds_of[size];
    plan.selves = traits.needs_self || size == CROWDED;
    plan.filled_first = size == LARGE;
    plan.phase = phases[random_below(&state, PHASES)];
    plan.config = (struct deque_config){0};
    plan.config.capacity = capacities[random_below(&state, 4)];
    plan.config.block = (size_t[]){0, 1, 2, 4, 8}[random_below(&state, 5)];
    plan.config.mode = (unsigned)(random_below(&state, mode_count()));
    plan.config.first_index = first_index(seed, 21);
    plan.thieves = random_below(&state, 2) ? 1 : 1 + (unsigned)(random_below(&state, THIEVES_MAX));
    if (plan.phase.owners > 1)
        plan.thieves = (unsigned)(random_below(&state, 2));
    plan.items = 16 + (unsigned)(random_below(&state, 112));
    if (size == CROWDED)
        plan.thieves = CROWD;
    if (size == LARGE) {
        plan.phase = far_and_back;
        plan.thieves = 1 + (unsigned)(seed % 2);
        plan.items = ITEMS_MAX - (unsigned)random_below(&state, 1024);
        plan.config.capacity = traits.bound == DEQUE_FIXED ? ITEMS_MAX : plan.config.capacity;
    }
    plan.threads = plan.phase.owners + plan.thieves;
    most_threads = plan.threads > most_threads ? plan.threads : most_threads;
    plan.order = traits.delivery == DEQUE_ONCE && !traits.thieves_overtake && plan.phase.steal != INTO;
    plan.crowded = plan.threads > processors();
    for (unsigned i = 0; i < THREADS_MAX; i++)
        plan.pausing[i] = (enum pausing)(random_below(&state, PAUSINGS));
}

/* Runs that many rounds at most, and returns how many. Between rounds of a block its threads spin; other threads
 * sleep. */
static unsigned long run_block(uint64_t seed, unsigned long most_rounds) {
    unsigned turns = 0;
    char options[64];
    pthread_mutex_lock(&stage.lock);
    make_plan(seed);
    const unsigned rounds = most_rounds < plan.rounds ? (unsigned)most_rounds : plan.rounds;
    snprintf(options, sizeof options, "--seed=%llu --rounds=%u", (unsigned long long)seed, plan.rounds);
    check_trying(options,
                 "%s, capacity %zu, mode %u, counters from %llu, owners %u, thieves %u, items %u, "
                 "%s pauses of the owner, %s ones of the next thread",
                 plan.phase.name, plan.config.capacity, plan.config.mode, (unsigned long long)plan.config.first_index,
                 plan.phase.owners, plan.thieves, plan.items, pausing_names[plan.pausing[0]],
                 pausing_names[plan.pausing[1]]);
    atomic_store_explicit(&stage.ready, 0, memory_order_relaxed);
    stage.block++;
    stage.block_start = atomic_load_explicit(&stage.go, memory_order_relaxed);
    stage.block_rounds = rounds;
    pthread_cond_broadcast(&stage.changed);
    pthread_mutex_unlock(&stage.lock);
    while (atomic_load_explicit(&stage.ready, memory_order_relaxed) < plan.threads - 1)
        relax(&turns);
    for (unsigned i = 0; i < rounds; i++)
        run_round(i);
    return rounds;
}

static void run_blocks(const struct check_request *request) {
    uint64_t start = clock_nanoseconds();
    unsigned long left = request->rounds;
    for (uint64_t block = 0;; block++) {
        double elapsed = (double)(clock_nanoseconds() - start) * 1e-9;
        if (request->rounds ? left == 0 : block >= FIRST_INDICES && elapsed >= request->seconds)
            return;
        for (uint64_t size = CROWDED; size < SIZES && !request->rounds && block % BLOCKS_OF_USUAL_SIZE == 0; size++)
            run_block((request->seed + block) | size << SIZE_SHIFT, ULONG_MAX);
        left -= run_block(request->seed + block, request->rounds ? left : ULONG_MAX);
    }
}

static void open_stage(pthread_t *threads) {
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        participants[i].number = i;
        deques[i] = new_deque();
        if (i > 0 && pthread_create(&threads[i], NULL, worker, &participants[i]) != 0)
            check_fail("no thread");
    }
}

static void close_stage(pthread_t *threads) {
    pthread_mutex_lock(&stage.lock);
    stage.quit = true;
    pthread_cond_broadcast(&stage.changed);
    pthread_mutex_unlock(&stage.lock);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        if (i > 0)
            pthread_join(threads[i], NULL);
        free(deques[i]);
    }
}

static int stress_run(const struct check_request *request) {
    pthread_t threads[THREADS_MAX];
    unsigned long steals = 0, lost = 0;
    check_begin(STRESS_NAME, traits.id, request);
    if (traits.keeps_nothing || traits.thieves == DEQUE_OWNER_ONLY)
        return check_passed("a reference that no thief may steal from; nothing to do");
    open_stage(threads);
    run_blocks(request);
    close_stage(threads);
    for (unsigned i = 0; i < THREADS_MAX; i++)
        steals += participants[i].steals, lost += participants[i].lost;
    return check_passed("%u threads, %zu items at once; %lu rounds, %lu stolen items, %lu lost races", most_threads,
                        most_items, check_steps(), steals, lost);
}

static const struct check stress = {
    .name = STRESS_NAME, .summary = STRESS_SUMMARY, .in_stamp = false, .run = stress_run};
REGISTER_CHECK(stress);
