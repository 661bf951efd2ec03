//! Requests on Tokio's multi-threaded runtime: a task for each, spawned from outside (workloads/runtimes/tokio_tasks.c).

use std::os::raw::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);
static STARTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static HANDLE: Handle = RUNTIME.lock().unwrap().as_ref().expect("it is started first").handle().clone();
}

extern "C" {
    fn tokio_take_place(worker: u32);
    fn tokio_serve(request: u64);
}

#[no_mangle]
pub extern "C" fn tokio_start(threads: u32) -> c_int {
    let built = Builder::new_multi_thread()
        .worker_threads(threads as usize)
        .on_thread_start(|| unsafe { tokio_take_place(STARTED.fetch_add(1, Ordering::Relaxed)) })
        .build();
    match built {
        Ok(runtime) => {
            *RUNTIME.lock().unwrap() = Some(runtime);
            0
        }
        Err(error) => {
            eprintln!("stealbench: Tokio: {}", error);
            3
        }
    }
}

#[no_mangle]
pub extern "C" fn tokio_submit(request: u64) {
    HANDLE.with(|handle| drop(handle.spawn(async move { unsafe { tokio_serve(request) } })));
}
