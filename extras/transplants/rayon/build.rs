//! Tests are linked once and run with each deque, which is then a library of its own (libtransplant.so). A program's deque is
//! an object that its last link adds: nothing to be said here.

fn main() {
    println!("cargo:rerun-if-env-changed=TRANSPLANT_LIBRARY");
    if let Ok(folder) = std::env::var("TRANSPLANT_LIBRARY") {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:rustc-link-lib=dylib=transplant");
    }
}
