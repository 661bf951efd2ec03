/* one_fault.h: chase_lev, except that each steal touches a page which the kernel has to map first: one page fault an
 * item on a steal, none on a push or a pop. tests/harness/pmu.c counts page faults as misses of L1.
 */
#pragma once

#include "queues/deque.h"
#include <sys/mman.h>

#define deque_steal steal_without_fault
#include "queues/chase_lev.h"
#undef deque_steal

#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "one_fault", .title = "One fault", .source = "for a test", .owner_order = DEQUE_LIFO,                    \
        .bound = DEQUE_FIXED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true, .reference = true, \
        .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,                     \
        .steal_progress = DEQUE_LOCK_FREE, .mode = "orders", .mode_values = "fences|accesses",                         \
    }

static inline void touch_new_page(void) {
    static _Thread_local volatile char *page;
    if (!page)
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)page, 4096, MADV_DONTNEED);
    *page = 1;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    const enum deque_result result = steal_without_fault(victim, self, item);
    if (result == DEQUE_OK)
        touch_new_page();
    return result;
}
