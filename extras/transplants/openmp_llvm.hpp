// openmp_llvm.hpp: a deque of ours before libomp's own, for its workers (kmp_tasking.cpp). libomp looks at a task
// before it takes it, which ours do not offer: a thief takes it, and one that it must not run it lays into libomp's own
// queue, its own one, where others find it. There also goes what does not fit, and what comes from threads of no team.
#pragma once
#include "transplant_deque.h"
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace transplant {

// The pointer to a worker's deque is in the padding of its data, which is zeroed at first and moves with it.
constexpr std::size_t place = sizeof(kmp_thread_data_t) - sizeof(void *);
static_assert(offsetof(kmp_base_thread_data_t, td_deque_last_stolen) + sizeof(kmp_int32) <= place, "no padding left");
inline std::atomic<transplant_deque *> &deque_of(kmp_thread_data_t *worker) {
    return *reinterpret_cast<std::atomic<transplant_deque *> *>(reinterpret_cast<char *>(worker) + place);
}

inline void make(kmp_thread_data_t *worker) {
    transplant_config config{};
    config.capacity = INITIAL_TASK_DEQUE_SIZE;
    void *memory = aligned_alloc(alignof(transplant_deque), sizeof(transplant_deque)); // libomp has no operator new
    auto *deque = memory ? new (memory) transplant_deque : nullptr;
    if (deque && transplant_init(deque, &config) == 0)
        deque_of(worker).store(deque, std::memory_order_release); // with acquire in any and steal
}
inline void destroy(kmp_thread_data_t *worker) {
    if (transplant_deque *deque =
            deque_of(worker).exchange(nullptr, std::memory_order_relaxed)) { // nobody else is left
        transplant_destroy(deque);
        free(deque);
    }
}
// Owner. false: it does not fit.
inline bool push(kmp_thread_data_t *worker, kmp_taskdata_t *task) {
    transplant_deque *deque = deque_of(worker).load(std::memory_order_relaxed); // its own store
    return deque && transplant_push(deque, task) == TRANSPLANT_OK;
}
// Owner; null: it is empty.
inline kmp_taskdata_t *pop(kmp_thread_data_t *worker) {
    void *task = nullptr;
    transplant_deque *deque = deque_of(worker).load(std::memory_order_relaxed); // its own store
    return deque && transplant_pop(deque, &task) == TRANSPLANT_OK ? static_cast<kmp_taskdata_t *>(task) : nullptr;
}
inline bool any(kmp_thread_data_t *worker) {
    transplant_deque *deque = deque_of(worker).load(std::memory_order_acquire); // with release in make
    return deque && transplant_size(deque) > 0;
}
inline kmp_taskdata_t *steal(kmp_thread_data_t *victim) {
    void *task = nullptr;
    transplant_deque *deque = deque_of(victim).load(std::memory_order_acquire); // with release in make
    return deque && transplant_steal(deque, nullptr, &task) == TRANSPLANT_OK ? static_cast<kmp_taskdata_t *>(task)
                                                                             : nullptr;
}
// A thief that waits at a barrier counts as working again before it takes a task: with the last task gone from its
// victim, the barrier might open. Nothing left to work on: false.
inline bool count_in(std::atomic<kmp_int32> *working) {
    kmp_int32 now = working->load(std::memory_order_relaxed); // the exchange decides
    while (now > 0)
        if (working->compare_exchange_weak(now, now + 1, std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) // with others of it
            return true;
    return false;
}

} // namespace transplant
