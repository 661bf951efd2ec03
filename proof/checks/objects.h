/* objects.h: the items that the checks push, and the settings of their deques.
 *
 * A pointer item is the address of an object that begins with the deque's link, if it has one, and carries a serial
 * number; an integer item is the serial number itself, plus one.
 */
#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/random.h"
#include "proof/checks/verdict.h"

static const struct deque_traits traits = DEQUE_TRAITS;

static inline unsigned mode_count(void) {
    unsigned count = 1;
    for (const char *value = traits.mode_values; value && *value; value++)
        count += *value == '|';
    return count;
}

/* Where counters start, for n from 0: at 0, then `before` short of 2^31, 2^32, 2^63 and 2^64: where signed and unsigned
 * counters wrap. A narrower counter or tag starts at the lower bits of these numbers, near its limit. */
#define FIRST_INDICES 5
static inline uint64_t first_index(uint64_t n, uint64_t before) {
    static const uint64_t limits[FIRST_INDICES] = {0, (uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)1 << 63, 0};
    n %= FIRST_INDICES;
    return n == 0 ? 0 : limits[n] - before;
}

#define ITEMS_ARE_POINTERS _Generic((deque_item)0, void * : true, default : false)

struct object {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_link link;
#endif
    uint64_t serial; /* written plainly by who pushes and read by who takes: a race detector sees whether it arrives */
    void *next;      /* its holder's */
};

/* The item for a serial number; object is its object, if items are pointers. */
static inline deque_item object_item(struct object *object, uint64_t serial) {
    object->serial = serial;
    return ITEMS_ARE_POINTERS ? (deque_item)(uintptr_t)object : (deque_item)(uintptr_t)(serial + 1);
}

/* The object behind an item; NULL for integers. */
static inline struct object *item_object(deque_item item) {
    return ITEMS_ARE_POINTERS ? (struct object *)(uintptr_t)item : NULL;
}

/* The object behind an item that came out, which must be one of these; NULL for integers. */
static inline struct object *object_among(const struct object *all, size_t bytes, deque_item item, const char *how) {
    struct object *object = item_object(item);
    uintptr_t offset = (uintptr_t)object - (uintptr_t)all;
    if (ITEMS_ARE_POINTERS && (offset >= bytes || offset % sizeof *object != 0))
        check_fail("%s gave %p, which nobody pushed", how, (void *)object);
    return object;
}

/* Memory for the deque itself; free releases it. */
static inline struct deque *new_deque(void) {
    struct deque *deque = aligned_alloc(DEQUE_LINE, (sizeof(struct deque) + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE);
    if (!deque)
        check_fail("no memory for the deque itself");
    return deque;
}

static inline void make_deque(struct deque *deque, const struct deque_config *config) {
    if (deque_init(deque, config) != 0)
        check_fail("deque_init failed");
}
