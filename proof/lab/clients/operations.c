/* operations.c: every form of the deque under test as a function. The one instrumented file of the lab. */
#include "proof/lab/engine/entry.h"
/* The lab's own fences, before a header sees the contract's. A call into the lab binds the compiler, as a light fence
 * does. */
#define DEQUE_FENCE_LIGHT() atomic_signal_fence(memory_order_seq_cst)
#define DEQUE_FENCE_HEAVY(asymmetric) entry_heavy_fence(asymmetric)
#define DEQUE_FENCES_ASYMMETRIC() entry_fences_asymmetric()
/* Fences take no time here, and nobody waits long for another's. */
#define DEQUE_CLOCK() 0
#define DEQUE_FENCE_LOOKS 3
/* Not rounded up to whole lines, or nobody would see an access behind the end of a small array. */
#define DEQUE_ALLOC(bytes) aligned_alloc(DEQUE_LINE, bytes)
#define DEQUE_FREE(pointer) free(pointer)
#include "proof/lab/clients/operations.h"
/* A plain write, as C11 and clang have it. gcc makes it an atomic store, which would order other accesses. */
#include <stdatomic.h>
#if !defined __clang__
#undef atomic_init
#define atomic_init(at, value)                                                                                         \
    do {                                                                                                               \
        __typeof__((void)0, *(at)) initial = (value);                                                                  \
        *(__typeof__(initial) *)(at) = initial;                                                                        \
    } while (0)
#endif
#include "harness/measuring/deque_under_test.h"

#define CALLED_ALONE __attribute__((noinline)) static

#define SPOILT 0x5a

#if DEQUE_NATIVE & DEQUE_PLACES
CALLED_ALONE enum deque_result pop_from(struct deque *deque, void **item) {
    return deque_pop_from(deque, item, deque_place(deque) - 1);
}
#endif
#if DEQUE_NATIVE & DEQUE_PUSH_AT
/* What the owner has pushed at a place: its own notes, which the machine does not see. */
#define NOTES 64
__attribute__((noinline, no_sanitize("thread"))) static void **note_of(uint64_t place) {
    static void *notes[NOTES];
    return &notes[place % NOTES];
}
__attribute__((noinline, no_sanitize("thread"))) static void take_note(uint64_t place, void *item) {
    *note_of(place) = item;
}
__attribute__((noinline, no_sanitize("thread"))) static void *noted(uint64_t place) { return *note_of(place); }

CALLED_ALONE enum deque_result push_at(struct deque *deque, void *item) {
    uint64_t place = deque_place(deque);
    take_note(place, item);
    return deque_push_at(deque, item, place);
}
CALLED_ALONE enum deque_result pop_own(struct deque *deque, void **item) {
    uint64_t place = deque_place(deque) - 1;
    void *mine = noted(place);
    if (!mine || deque_pop_own(deque, mine, place) != DEQUE_OK)
        return deque_pop(deque, item);
    *item = mine;
    return DEQUE_OK;
}
#endif
/* Not deque_push_batch itself, of which gcc makes one plain read less in locked.h: results/baseline has what it was. */
CALLED_ALONE size_t push_batch(struct deque *deque, void *const *items, size_t n) {
    return deque_push_batch(deque, items, n);
}
#if DEQUE_NATIVE & DEQUE_RESERVE
CALLED_ALONE size_t push_reserved(struct deque *deque, void *const *items, size_t n) {
    size_t in = 0, span = 0;
    deque_slot *slots;
    while (in < n && (slots = deque_reserve(deque, n - in, &span))) {
        for (size_t i = 0; i < span; i++)
            deque_fill(&slots[i], items[in + i]);
        in += deque_commit(deque, span);
    }
    return in;
}
#endif

#if DEQUE_NATIVE & DEQUE_LISTS
CALLED_ALONE size_t push_list(struct deque *deque, void *const *items, size_t n) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    for (size_t i = n; i-- > 0;)
        deque_list_append(&list, items[i]); /* a list is taken newest first */
    deque_push_list(deque, &list);
    return n;
}
CALLED_ALONE enum deque_result steal_list(struct deque *victim, struct deque *self, unsigned percent, void **out,
                                          size_t max, size_t *n) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    enum deque_result result = deque_steal_list(victim, self, percent, &list);
    *n = 0;
    while (result == DEQUE_OK && *n < max && (out[*n] = deque_list_take(&list)))
        ++*n;
    return result;
}
#endif

CALLED_ALONE void write_payload(void *payload, uint64_t value) { *(uint64_t *)payload = value; }
CALLED_ALONE uint64_t read_payload(const void *payload) { return *(const uint64_t *)payload; }
CALLED_ALONE void spoil_link(void *item, size_t bytes) { memset(item, SPOILT, bytes); }

const struct operations operations = {
    .traits = DEQUE_TRAITS,
    .deque_bytes = sizeof(struct deque),
    .deque_alignment = alignof(struct deque),
#ifdef DEQUE_SHOWN_BY
    .shown_by = DEQUE_SHOWN_BY,
#endif
    .init = deque_init,
    .destroy = deque_destroy,
    .capacity = deque_capacity,
    .size = deque_size,
    .push = deque_push,
    .pop = deque_pop,
#if DEQUE_NATIVE & DEQUE_PLACES
    .pop_from = pop_from,
#endif
#if DEQUE_NATIVE & DEQUE_PUSH_AT
    .push_at = push_at,
    .pop_own = pop_own,
#endif
    .steal = deque_steal,
    .push_batch = push_batch,
    .steal_batch = deque_steal_batch,
    .steal_into = deque_steal_into,
    .poll = deque_poll,
#if DEQUE_NATIVE & DEQUE_RESERVE
    .push_reserved = push_reserved,
#endif
#ifdef DEQUE_SPILL
    .spill = DEQUE_SPILL,
#endif
#if DEQUE_NATIVE & DEQUE_LISTS
    .link_bytes = sizeof(struct deque_link),
    .push_list = push_list,
    .steal_list = steal_list,
    .retire = deque_retire,
    .reusable = deque_reusable,
#endif
    .write_payload = write_payload,
    .read_payload = read_payload,
    .spoil_link = spoil_link,
    .release = free,
};
