// stdexec.cc: the application workloads on stdexec's static_thread_pool, as a transplant's host. Its tasks must not
// wait, and a sender cannot contain senders of its own type. So a call has the operation of a schedule() in itself; all
// children but the first are started on the pool, the first is called, and the last to be done goes on with its parent.
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <atomic>
#include <exec/static_thread_pool.hpp>
#include <memory>
#include <semaphore>
#include <stdexec/execution.hpp>

const char *runtime_title() { return "stdexec"; } // none of its headers has a version

namespace {

exec::static_thread_pool *pool;
std::binary_semaphore all_done{0};

// A worker of the pool: its number, in the order in which they first asked. It takes its place then.
unsigned thread_number() {
    static unsigned threads;
    thread_local const unsigned number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED); // tells threads apart
    runtime_take_place(number);
    return number;
}

// A scheduler knows its thread's queue; with another thread's, each task looks through all threads for it.
auto &scheduler_here() {
    thread_local auto here = pool->get_scheduler();
    return here;
}

template <typename Work> struct call;
template <typename Work> struct called {
    using receiver_concept = stdexec::receiver_tag;
    call<Work> *mine;
    void set_value() noexcept {
        for (call<Work> *next = mine; next;)
            next = next->run();
    }
};

// Work has: split, which does what comes before the children and says how many there are; child(i), asked in order;
// join, which takes a child's result.
template <typename Work> struct call : Work {
    using operation = stdexec::connect_result_t<decltype(stdexec::schedule(scheduler_here())), called<Work>>;
    call *parent = nullptr;
    unsigned count = 0;
    std::atomic<unsigned> open = 0;
    std::unique_ptr<call[]> children;
    union {
        operation scheduled; // has nothing to destroy
    };

    call() {}
    ~call() {}
    void start() {
        new (&scheduled) operation(stdexec::connect(stdexec::schedule(scheduler_here()), called<Work>{this}));
        stdexec::start(scheduled);
    }
    // The call to go on with; null: none.
    call *run() {
        count = Work::split();
        if (count == 0) {
            finish();
            return nullptr;
        }
        children.reset(new call[count]);
        open.store(count, std::memory_order_relaxed); // published with the children, by the deque
        for (unsigned i = 0; i < count; i++) {
            static_cast<Work &>(children[i]) = Work::child(i);
            children[i].parent = this;
            if (i > 0)
                children[i].start();
        }
        return &children[0];
    }
    void finish() {
        for (call *done = this; done->parent;) {
            done = done->parent;
            if (done->open.fetch_sub(1, std::memory_order_acq_rel) != 1) // with each other: the last sees all results
                return;
            for (unsigned i = 0; i < done->count; i++)
                done->join(done->children[i]);
            done->children.reset();
        }
        all_done.release();
    }
};

template <typename Work> Work run_on_pool(const Work &work) {
    call<Work> root;
    static_cast<Work &>(root) = work;
    root.start();
    all_done.acquire();
    return root;
}

// A task for each worker, and the main thread waits for all.
void gather() {
    stdexec::sync_wait(stdexec::schedule(pool->get_scheduler()) |
                       stdexec::bulk(stdexec::par, runtime_threads, [](unsigned) {
                           thread_number();
                           runtime_arrive();
                       }));
}

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    exec::static_thread_pool all(runtime_threads);
    pool = &all;
    return measure(cell);
}

struct fib_call {
    int n;
    long value;
    unsigned split() {
        if (n > fib_cutoff)
            return 2;
        value = fib_last(n);
        return 0;
    }
    fib_call child(unsigned i) const { return {n - 2 + static_cast<int>(i), 0}; }
    void join(const fib_call &child) { value += child.value; }
};

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = run_on_pool(fib_call{work->n, 0}).value;
}
RUNTIME_WORKLOAD(fib, "fib on stdexec's static_thread_pool", nullptr);

struct placement {
    struct board board;
    uint64_t ways;
    uint32_t free;
    unsigned split() {
        if (board_is_last(board)) {
            ways = board_ways(board);
            return 0;
        }
        free = board_free(board);
        return static_cast<unsigned>(__builtin_popcount(free));
    }
    placement child(unsigned) {
        const placement next = {board_next(board, free), 0, 0};
        free &= free - 1;
        return next;
    }
    void join(const placement &child) { ways += child.ways; }
};

void run_nqueens(void *context) {
    static_cast<struct nqueens *>(context)->ways = run_on_pool(placement{{0, 0, 0, 0}, 0, 0}).ways;
}
RUNTIME_WORKLOAD(nqueens, "nqueens on stdexec's static_thread_pool", nullptr);

struct piece {
    int64_t *values;
    size_t count, lower;
    unsigned cutoff, levels;
    unsigned split() {
        lower = sort_step(values, count, cutoff, levels);
        return lower > 0 ? 2 : 0;
    }
    piece child(unsigned i) const {
        return {i == 0 ? values : values + lower, i == 0 ? lower : count - lower, 0, cutoff, levels - 1};
    }
    void join(const piece &) {}
};

void run_quicksort(void *context) {
    const auto *work = static_cast<const struct sorting *>(context);
    run_on_pool(piece{work->values, work->size, 0, work->cutoff, sort_levels(work->size)});
}

RUNTIME_WORKLOAD(quicksort, "quicksort on stdexec's static_thread_pool", nullptr);

struct visit {
    struct uts *uts;
    struct tree_node node;
    unsigned split() { return uts_visit(uts, thread_number(), &node); }
    visit child(unsigned i) const {
        visit next = {uts, {}};
        tree_child(&node, i, &next.node);
        return next;
    }
    void join(const visit &) {}
};

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
    visit root = {uts, {}};
    tree_root(uts->tree, &root.node);
    run_on_pool(root);
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on stdexec's static_thread_pool", uts_unsupported);

} // namespace
