//! The work on Rayon: the functions of extras/runtimes/foreign_half.h, and those that rayon.c declares.
//!
//! Two pieces that are joined go by `join`, more of them by halves. Rayon's documentation prefers it to `scope`: it keeps
//! its tasks on the stack.

use std::ffi::c_void;
use std::os::raw::c_int;

/// Whoever waits for a task takes others on the same stack, and deep trees overflow the usual one. Untouched pages
/// cost nothing.
const STACK_BYTES: usize = 4 << 30;

/// struct tree_node
#[repr(C)]
struct Node {
    state: [u8; 20],
    depth: u32,
}

/// struct tree_count
#[repr(C, align(128))]
pub struct Count {
    nodes: u64,
    leaves: u64,
    deepest: u64,
}

extern "C" {
    fn foreign_take_place(worker: u32);
    fn foreign_arrive();
    fn foreign_sort_step(values: *mut i64, count: usize, cutoff: usize, levels: u32) -> usize;
    fn tree_root(tree: *const c_void, root: *mut Node);
    fn tree_child(parent: *const Node, number: u32, child: *mut Node);
    fn tree_children(tree: *const c_void, node: *const Node) -> u32;
}

/// What C's code may be given by any worker.
struct Shared<T>(*mut T);
unsafe impl<T> Send for Shared<T> {}
unsafe impl<T> Sync for Shared<T> {}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

impl<T> Shared<T> {
    fn pointer(self) -> *mut T {
        self.0
    }
}

fn worker() -> usize {
    rayon::current_thread_index().expect("only workers of the pool work")
}

#[no_mangle]
pub extern "C" fn foreign_start(threads: u32) -> c_int {
    let built = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .stack_size(STACK_BYTES)
        .start_handler(|worker| unsafe { foreign_take_place(worker as u32) })
        .build_global();
    match built {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("stealbench: Rayon: {}", error);
            3
        }
    }
}

#[no_mangle]
pub extern "C" fn foreign_gather() {
    rayon::broadcast(|_| unsafe { foreign_arrive() });
}

fn fib_alone(n: u32) -> u64 {
    if n < 2 {
        u64::from(n)
    } else {
        fib_alone(n - 1) + fib_alone(n - 2)
    }
}

fn fib(n: u32, cutoff: u32) -> u64 {
    if n <= cutoff {
        return fib_alone(n);
    }
    let (x, y) = rayon::join(|| fib(n - 1, cutoff), || fib(n - 2, cutoff));
    x + y
}

#[no_mangle]
pub extern "C" fn foreign_fib(n: u32, cutoff: u32) -> u64 {
    rayon::scope(|_| fib(n, cutoff))
}

/// What the queens so far attack in the next row, as bits.
#[derive(Clone, Copy, Default)]
struct Board {
    columns: u32,
    left: u32,
    right: u32,
    row: u32,
}

#[derive(Clone, Copy)]
struct Queens {
    all: u32,
    alone_from: u32,
}

const QUEENS_MAX: usize = 17;

impl Queens {
    fn free(self, board: Board) -> u32 {
        self.all & !(board.columns | board.left | board.right)
    }

    fn alone(self, board: Board) -> u64 {
        let mut ways = u64::from(board.columns == self.all);
        let mut free = self.free(board);
        while free != 0 {
            ways += self.alone(board.next(free));
            free &= free - 1;
        }
        ways
    }

    fn place(self, board: Board) -> u64 {
        let mut next = [Board::default(); QUEENS_MAX];
        let mut count = 0;
        if board.row >= self.alone_from {
            return self.alone(board);
        }
        let mut free = self.free(board);
        while free != 0 {
            next[count] = board.next(free);
            count += 1;
            free &= free - 1;
        }
        if count > 0 {
            self.place_each(&next[..count])
        } else {
            0
        }
    }

    /// As many tasks as boards but one, by halves.
    fn place_each(self, boards: &[Board]) -> u64 {
        if boards.len() == 1 {
            return self.place(boards[0]);
        }
        let (first, second) = boards.split_at(boards.len() / 2);
        let (x, y) = rayon::join(|| self.place_each(first), || self.place_each(second));
        x + y
    }
}

impl Board {
    /// With a queen on the lowest of the free columns.
    fn next(self, free: u32) -> Board {
        let queen = free & free.wrapping_neg();
        Board {
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
            row: self.row + 1,
        }
    }
}

#[no_mangle]
pub extern "C" fn foreign_nqueens(side: u32, cutoff: u32) -> u64 {
    let queens = Queens {
        all: (1 << side) - 1,
        alone_from: side.saturating_sub(cutoff),
    };
    rayon::scope(|_| queens.place(Board::default()))
}

fn sort(values: &mut [i64], cutoff: usize, levels: u32) {
    let lower = unsafe { foreign_sort_step(values.as_mut_ptr(), values.len(), cutoff, levels) };
    if lower == 0 {
        return;
    }
    let (below, above) = values.split_at_mut(lower);
    rayon::join(
        || sort(below, cutoff, levels - 1),
        || sort(above, cutoff, levels - 1),
    );
}

/// # Safety
/// values are count numbers that nobody else looks at.
#[no_mangle]
pub unsafe extern "C" fn foreign_sort(values: *mut i64, count: usize, cutoff: usize, levels: u32) {
    let values = std::slice::from_raw_parts_mut(values, count);
    rayon::scope(|_| sort(values, cutoff, levels));
}

struct Search {
    tree: Shared<c_void>,
    counts: Shared<Count>,
}

impl Search {
    fn visit(&self, node: &Node) {
        let children = unsafe {
            let children = tree_children(self.tree.pointer(), node);
            let count = &mut *self.counts.pointer().add(worker());
            count.nodes += 1;
            count.leaves += u64::from(children == 0);
            count.deepest = count.deepest.max(u64::from(node.depth));
            children
        };
        if children > 0 {
            self.children(node, 0, children);
        }
    }

    /// Children number first to last - 1, by halves down to a task a node.
    fn children(&self, node: &Node, first: u32, last: u32) {
        if last - first == 1 {
            let mut child = Node {
                state: [0; 20],
                depth: 0,
            };
            unsafe { tree_child(node, first, &mut child) };
            self.visit(&child);
            return;
        }
        let middle = first + (last - first) / 2;
        rayon::join(
            || self.children(node, first, middle),
            || self.children(node, middle, last),
        );
    }
}

/// # Safety
/// tree is a struct tree, counts are as many as workers.
#[no_mangle]
pub unsafe extern "C" fn foreign_search(tree: *const c_void, counts: *mut Count) {
    let search = Search {
        tree: Shared(tree as *mut c_void),
        counts: Shared(counts),
    };
    let mut root = Node {
        state: [0; 20],
        depth: 0,
    };
    tree_root(tree, &mut root);
    rayon::scope(|_| search.visit(&root));
}
