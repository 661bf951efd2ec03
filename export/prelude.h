/* The language: C11, or C++17 and later. */
#ifdef __cplusplus
#include <atomic>
#define DEQUE_ATOMIC(type) ::std::atomic<type>
namespace PREFIX_names { /* what C has by these names everywhere; its functions C++ finds by their arguments */
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
struct memory { /* C assigns what comes from malloc to any pointer */
    void *start;
    template <typename type> operator type *() const { return static_cast<type *>(start); }
};
} // namespace PREFIX_names
using namespace PREFIX_names;
#define DEQUE_MEMORY(start) (PREFIX_names::memory{start})
#else
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#define DEQUE_ATOMIC(type) _Atomic(type)
#define DEQUE_MEMORY(start) (start)
#endif
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
