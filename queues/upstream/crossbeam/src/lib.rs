//! upstream.h over crossbeam-deque: the owner's Worker and a Stealer of it, side by side in the object.
//!
//! The operations are compiled for link-time optimisation and inlined into the workloads' loops, which are C.

use crossbeam_deque::{Steal, Stealer, Worker};
use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr;

const EINVAL: c_int = 22;
const CAPACITY_MOST: usize = 1 << 30; // upstream.h: UPSTREAM_CAPACITY_MOST

/// upstream.h: struct upstream_settings
#[repr(C)]
pub struct Settings {
    bytes: usize,
    capacity: usize,
    block: usize,
    fifo: c_int,
}

/// Not null: it is taken from whoever pushes, and the contract says so.
struct Item(*mut c_void);
unsafe impl Send for Item {}

struct Original {
    worker: Worker<Item>,
    stealer: Stealer<Item>,
}

/// The object's size, for the build.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static upstream_bytes: [u8; std::mem::size_of::<Original>()] = [0; std::mem::size_of::<Original>()];

unsafe fn original<'a>(object: *const c_void) -> &'a Original {
    &*(object as *const Original)
}

/// # Safety
/// object has settings.bytes bytes and the alignment that upstream.h states.
#[no_mangle]
pub unsafe extern "C" fn upstream_init(object: *mut c_void, settings: *const Settings) -> c_int {
    let settings = &*settings;
    if settings.bytes < std::mem::size_of::<Original>() || settings.capacity > CAPACITY_MOST {
        return EINVAL;
    }
    let worker = if settings.fifo != 0 {
        Worker::new_fifo()
    } else {
        Worker::new_lifo()
    };
    let stealer = worker.stealer();
    ptr::write(object as *mut Original, Original { worker, stealer });
    0
}

/// # Safety
/// object was initialised, and no thread is inside.
#[no_mangle]
pub unsafe extern "C" fn upstream_destroy(object: *mut c_void) {
    ptr::drop_in_place(object as *mut Original);
}

#[no_mangle]
pub extern "C" fn upstream_capacity(_object: *const c_void) -> usize {
    0
}

/// # Safety
/// object was initialised.
#[no_mangle]
pub unsafe extern "C" fn upstream_size(object: *const c_void) -> usize {
    original(object).stealer.len()
}

/// # Safety
/// The owner; object was initialised.
#[no_mangle]
#[inline(always)]
pub unsafe extern "C" fn upstream_push(object: *mut c_void, item: *mut c_void) -> c_int {
    original(object).worker.push(Item(item));
    1
}

/// # Safety
/// The owner; object was initialised.
#[no_mangle]
#[inline(always)]
pub unsafe extern "C" fn upstream_pop(object: *mut c_void) -> *mut c_void {
    match original(object).worker.pop() {
        Some(item) => item.0,
        None => ptr::null_mut(),
    }
}

/// # Safety
/// object was initialised.
#[no_mangle]
#[inline(always)]
pub unsafe extern "C" fn upstream_steal(object: *mut c_void) -> *mut c_void {
    match original(object).stealer.steal() {
        Steal::Success(item) => item.0,
        Steal::Empty | Steal::Retry => ptr::null_mut(),
    }
}

/// # Safety
/// object was initialised.
#[no_mangle]
pub unsafe extern "C" fn upstream_maybe_lost(object: *mut c_void) -> c_int {
    c_int::from(!original(object).stealer.is_empty())
}
