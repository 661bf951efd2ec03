//! crossbeam-deque as far as Rayon uses it, over a deque that `export` made (../glue.cc).
//!
//! Ours are the workers' deques, from which the owner takes the newest. The queue of jobs from outside, and those from which
//! an owner takes the oldest (broadcasts), are the original's, so that nothing else differs.

pub use original::{Injector, Steal};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::mem::{size_of, ManuallyDrop, MaybeUninit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// An item: Rayon's job is a pointer and a function. Not both 0, which some deques take for none.
type Words = [usize; 2];

#[repr(C)]
struct Deque {
    _opaque: [u8; 0],
}

const TAKEN: u32 = 0;
const EMPTY: u32 = 1;

extern "C" {
    fn transplant_glue_new() -> *mut Deque;
    fn transplant_glue_delete(deque: *mut Deque);
    fn transplant_glue_push(deque: *mut Deque, first: usize, second: usize) -> bool;
    fn transplant_glue_pop(deque: *mut Deque, words: *mut Words) -> bool;
    fn transplant_glue_steal(deque: *mut Deque, words: *mut Words) -> u32;
    fn transplant_glue_is_empty(deque: *const Deque) -> bool;
}

/// What a deque of fixed capacity has no room for goes to `rest`, under a lock, and so does all that is pushed until that is
/// empty again: its items are newer than all in the deque.
struct Ours<T> {
    deque: *mut Deque,
    waiting: AtomicUsize, // in rest; raised by the owner alone
    rest: Mutex<VecDeque<T>>,
}

unsafe impl<T: Send> Send for Ours<T> {}
unsafe impl<T: Send> Sync for Ours<T> {}

unsafe fn item_of<T>(words: MaybeUninit<Words>) -> T {
    std::mem::transmute_copy(&words)
}

impl<T> Ours<T> {
    fn new() -> Self {
        assert_eq!(size_of::<T>(), size_of::<Words>(), "items are two words");
        let deque = unsafe { transplant_glue_new() };
        assert!(!deque.is_null(), "no memory for a deque");
        Ours {
            deque,
            waiting: AtomicUsize::new(0),
            rest: Mutex::default(),
        }
    }

    /// Relaxed: only the owner raises it, so 0 is true for the owner; for others the lock decides.
    #[inline]
    fn has_rest(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) != 0
    }

    #[cold]
    fn from_rest(&self, newest: bool) -> Option<T> {
        let mut rest = self.rest.lock().unwrap();
        let item = if newest { rest.pop_back() } else { rest.pop_front() };
        self.waiting.store(rest.len(), Ordering::Relaxed);
        item
    }

    #[cold]
    fn push_to_rest(&self, item: T) {
        let mut rest = self.rest.lock().unwrap();
        rest.push_back(item);
        self.waiting.store(rest.len(), Ordering::Relaxed);
    }

    #[inline]
    fn push(&self, item: T) {
        let item = ManuallyDrop::new(item);
        let [first, second]: Words = unsafe { std::mem::transmute_copy(&item) };
        if self.has_rest() || !unsafe { transplant_glue_push(self.deque, first, second) } {
            self.push_to_rest(ManuallyDrop::into_inner(item));
        }
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        if self.has_rest() {
            if let Some(item) = self.from_rest(true) {
                return Some(item);
            }
        }
        let mut words = MaybeUninit::<Words>::uninit();
        if unsafe { transplant_glue_pop(self.deque, words.as_mut_ptr()) } {
            Some(unsafe { item_of(words) })
        } else {
            None
        }
    }

    fn steal(&self) -> Steal<T> {
        let mut words = MaybeUninit::<Words>::uninit();
        match unsafe { transplant_glue_steal(self.deque, words.as_mut_ptr()) } {
            TAKEN => Steal::Success(unsafe { item_of(words) }),
            EMPTY if self.has_rest() => self.from_rest(false).map_or(Steal::Retry, Steal::Success),
            EMPTY => Steal::Empty,
            _ => Steal::Retry,
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        !self.has_rest() && unsafe { transplant_glue_is_empty(self.deque) }
    }
}

impl<T> Drop for Ours<T> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
        unsafe { transplant_glue_delete(self.deque) }
    }
}

enum Owner<T> {
    Ours(Arc<Ours<T>>),
    Original(original::Worker<T>),
}

/// The owner's end: it may go to another thread, but not be shared.
pub struct Worker<T> {
    owner: Owner<T>,
    _not_shared: PhantomData<*mut ()>,
}

unsafe impl<T: Send> Send for Worker<T> {}

impl<T> Worker<T> {
    pub fn new_lifo() -> Self {
        Worker {
            owner: Owner::Ours(Arc::new(Ours::new())),
            _not_shared: PhantomData,
        }
    }

    pub fn new_fifo() -> Self {
        Worker {
            owner: Owner::Original(original::Worker::new_fifo()),
            _not_shared: PhantomData,
        }
    }

    pub fn stealer(&self) -> Stealer<T> {
        let thief = match &self.owner {
            Owner::Ours(ours) => Thief::Ours(ours.clone()),
            Owner::Original(worker) => Thief::Original(worker.stealer()),
        };
        Stealer { thief }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        match &self.owner {
            Owner::Ours(ours) => ours.is_empty(),
            Owner::Original(worker) => worker.is_empty(),
        }
    }

    #[inline]
    pub fn push(&self, item: T) {
        match &self.owner {
            Owner::Ours(ours) => ours.push(item),
            Owner::Original(worker) => worker.push(item),
        }
    }

    #[inline]
    pub fn pop(&self) -> Option<T> {
        match &self.owner {
            Owner::Ours(ours) => ours.pop(),
            Owner::Original(worker) => worker.pop(),
        }
    }
}

enum Thief<T> {
    Ours(Arc<Ours<T>>),
    Original(original::Stealer<T>),
}

/// Any thread's end.
pub struct Stealer<T> {
    thief: Thief<T>,
}

impl<T> Stealer<T> {
    pub fn is_empty(&self) -> bool {
        match &self.thief {
            Thief::Ours(ours) => ours.is_empty(),
            Thief::Original(stealer) => stealer.is_empty(),
        }
    }

    pub fn steal(&self) -> Steal<T> {
        match &self.thief {
            Thief::Ours(ours) => ours.steal(),
            Thief::Original(stealer) => stealer.steal(),
        }
    }
}

impl<T> Clone for Stealer<T> {
    fn clone(&self) -> Self {
        let thief = match &self.thief {
            Thief::Ours(ours) => Thief::Ours(ours.clone()),
            Thief::Original(stealer) => Thief::Original(stealer.clone()),
        };
        Stealer { thief }
    }
}
