/* The language: C11, or C++17 and later. */
#ifdef __cplusplus
#include <atomic>
#define DEQUE_ATOMIC(type) ::std::atomic<type>
#define DEQUE_ORDER(order) ::std::memory_order_##order
struct PREFIX_memory { /* C assigns what comes from malloc to any pointer */
    void *start;
    template <typename type> operator type *() const { return static_cast<type *>(start); }
};
#define DEQUE_MEMORY(start) (PREFIX_memory{start})
#else
#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#define DEQUE_ATOMIC(type) _Atomic(type)
#define DEQUE_ORDER(order) memory_order_##order
#define DEQUE_MEMORY(start) (start)
#endif
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
