/* names.h: included before all else where the workloads are compiled for the simulator: the library as they see it, and
 * what of the harness depends on a real machine. */
#pragma once

#define malloc simulate_malloc
#define calloc simulate_calloc
#define realloc simulate_realloc
#define aligned_alloc simulate_aligned_alloc
#define posix_memalign simulate_posix_memalign
#define free simulate_free
#define memcpy simulate_memcpy
#define memmove simulate_memmove
#define memset simulate_memset
#define clock_gettime simulate_clock_gettime
#define pthread_create simulate_thread_create
#define pthread_join simulate_thread_join
#define pthread_self simulate_thread_self
#define pthread_getattr_np simulate_thread_attributes
#define pthread_mutex_init simulate_mutex_init
#define pthread_mutex_destroy simulate_mutex_destroy
#define pthread_mutex_lock simulate_mutex_lock
#define pthread_mutex_trylock simulate_mutex_trylock
#define pthread_mutex_unlock simulate_mutex_unlock
#define sched_yield simulate_yield
#define nanosleep simulate_nanosleep
#define syscall simulate_syscall
#ifndef SIMULATE_HARNESS /* the harness's own sources define these */
#define main simulated_main
#define team_wait simulate_team_wait
#define cell_peak_memory simulate_peak_memory
#define task_cost_work simulate_task_cost_work
#define task_cost_calibrate simulate_task_cost_calibrate
#define SHA1_Transform simulate_sha1_transform
#define POOL_PAUSE() simulate_pause()
void simulate_pause(void);

/* ThreadSanitizer's own does not come into it. */
void simulate_heavy_fence(int asymmetric);
unsigned long simulate_nanoseconds(void);
#define DEQUE_CLOCK() simulate_nanoseconds()
#define DEQUE_FENCE_LIGHT() atomic_signal_fence(memory_order_seq_cst)
#define DEQUE_FENCE_HEAVY(asymmetric) simulate_heavy_fence(asymmetric)
#define DEQUE_FENCES_ASYMMETRIC() 1
#define DEQUE_FAIL(message) __builtin_trap()
#endif
