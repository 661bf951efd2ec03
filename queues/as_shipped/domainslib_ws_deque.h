/* as_shipped/domainslib_ws_deque.h: OCaml's first work-stealing deque, whose size is sometimes -1.
 *
 * Source: github.com/ocaml-multicore/domainslib, lib/ws_deque.ml, releases 0.3.0 and later, until ae5b38b (April 2022)
 * took it out for the library that is now Saturn. Issue 56 (November 2021) found the fault by random tests of linear
 * executions. A right one is ../saturn.h, of which this is all but deque_size.
 *
 * The fault: pop lowers bottom before it knows whether there is an item. A thread that asks for the size meanwhile
 * subtracts top from a bottom that is one too low, and gets -1: as an unsigned number, more than memory can hold.
 */
#define deque_size saturn_repaired_size
#include "../saturn.h"
#undef deque_size

#define DEQUE_SHOWN_BY "--client=size"
#undef DEQUE_TRAITS
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "as_shipped/domainslib_ws_deque", .title = "domainslib's deque, as shipped",                             \
        .source = "domainslib 0.3.0 to 0.4", .owner_order = DEQUE_LIFO, .bound = DEQUE_GROWABLE,                       \
        .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = false, .push_progress = DEQUE_LOCK_FREE,       \
        .pop_progress = DEQUE_WAIT_FREE, .steal_progress = DEQUE_LOCK_FREE,                                            \
        .fault = "the size is -1 while a pop looks at an empty deque",                                                 \
    }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) {
    uint64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_seq_cst);
    return (size_t)(bottom - atomic_load_explicit(&deque->top, memory_order_seq_cst)); /* the fault: may be less */
}
