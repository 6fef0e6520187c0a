#!/usr/bin/env bash
# With -C prefer-dynamic, rustc ignores a program's #[global_allocator] without a word.
#
# Expected: the allocator that a program declares serves its Vec and String, however std is linked,
# or the compiler refuses to build the program.
# Seen with rustc 1.95.0 (x86_64-unknown-linux-gnu): linked as usual, an allocator that counts sees
# every one of 1,000 strings. With -C prefer-dynamic, the program builds without a warning, and the
# allocator sees none: std is a shared library that was linked with the default allocator.
# This matters for measurements: such a program seems to run under its allocator, and does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
rustc --version

cat >count.rs <<'PROGRAM'
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;
static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static A: Counting = Counting;

fn main() {
    let before = CALLS.load(Ordering::Relaxed);
    let words: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    assert_eq!(words.len(), 1000);
    println!("{}", CALLS.load(Ordering::Relaxed) - before);
}
PROGRAM
rustc --edition 2024 count.rs -o usual
rustc --edition 2024 -C prefer-dynamic count.rs -o dynamic 2>warnings
LD_LIBRARY_PATH=$(rustc --print target-libdir)
export LD_LIBRARY_PATH
echo "as usual: the allocator was called $(./usual) times"
echo "prefer-dynamic: $(./dynamic) times; the compiler said: \"$(cat warnings)\""
(($(./usual) >= 1000)) && [[ $(./dynamic) == 0 && ! -s warnings ]]
