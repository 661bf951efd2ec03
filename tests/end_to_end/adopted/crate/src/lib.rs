//! A deque behind a lock, with crossbeam-deque's names. For readme.sh.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub enum Steal<T> {
    Empty,
    Success(T),
    Retry,
}

pub struct Stealer<T>(Arc<Mutex<VecDeque<T>>>);

pub struct Worker<T> {
    items: Arc<Mutex<VecDeque<T>>>,
    fifo: bool,
}

impl<T> Worker<T> {
    fn new(fifo: bool) -> Self {
        Worker { items: Arc::new(Mutex::new(VecDeque::new())), fifo }
    }
    pub fn new_lifo() -> Self {
        Self::new(false)
    }
    pub fn new_fifo() -> Self {
        Self::new(true)
    }
    pub fn stealer(&self) -> Stealer<T> {
        Stealer(self.items.clone())
    }
    pub fn push(&self, item: T) {
        self.items.lock().unwrap().push_back(item);
    }
    pub fn pop(&self) -> Option<T> {
        let mut items = self.items.lock().unwrap();
        if self.fifo { items.pop_front() } else { items.pop_back() }
    }
}

impl<T> Stealer<T> {
    pub fn steal(&self) -> Steal<T> {
        match self.0.try_lock() {
            Ok(mut items) => items.pop_front().map_or(Steal::Empty, Steal::Success),
            Err(_) => Steal::Retry,
        }
    }
    pub fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
