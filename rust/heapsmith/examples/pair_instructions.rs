//! Counts the instructions of allocating and freeing a block: through `Box`, through a separate
//! heap or a region, and through the C functions that these call. Requires valgrind:
//!
//! ```sh
//! cargo run --release --package heapsmith --example pair_instructions
//! ```
use std::env;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::process::Command;

use heapsmith::{Heap, Heapsmith, Region};
use heapsmith_sys as sys;

#[global_allocator]
static A: Heapsmith = Heapsmith;

type Value = [u64; 4];

/// How often each pair is repeated in the two runs that are compared.
const REPETITIONS: [u64; 2] = [1_000, 11_000];

#[inline(never)]
fn nothing(times: u64) {
    for n in 0..times {
        black_box::<Value>([n; 4]);
    }
}

#[inline(never)]
fn c_functions(times: u64) {
    for n in 0..times {
        let p = sys::hs_malloc(size_of::<Value>()).cast::<Value>();
        // SAFETY: the block has that size and is freed once.
        unsafe {
            p.write([n; 4]);
            black_box(&*p);
            sys::hs_free(p.cast());
        }
    }
}

#[inline(never)]
fn boxes(times: u64) {
    for n in 0..times {
        black_box::<&Value>(&Box::new([n; 4]));
    }
}

#[inline(never)]
fn heap_boxes(times: u64) {
    let heap = Heap::new();
    for n in 0..times {
        black_box::<&Value>(&heap.alloc([n; 4]));
    }
}

#[inline(never)]
fn region_functions(times: u64) {
    let mut buffer = [MaybeUninit::<u8>::uninit(); 10_000];
    let mut region = Box::new(sys::hs_region::zeroed());
    // SAFETY: the region is initialized over a buffer of that size. Each block has the size of a
    // value and is freed once.
    unsafe {
        sys::hs_region_init(&mut *region, buffer.as_mut_ptr().cast(), buffer.len());
        for n in 0..times {
            let p = sys::hs_region_malloc(&mut *region, size_of::<Value>()).cast::<Value>();
            p.write([n; 4]);
            black_box(&*p);
            sys::hs_region_free(&mut *region, p.cast());
        }
    }
}

#[inline(never)]
fn region_boxes(times: u64) {
    let mut buffer = [MaybeUninit::uninit(); 10_000];
    let region = Region::new(&mut buffer);
    for n in 0..times {
        black_box::<&Value>(&region.alloc([n; 4]));
    }
}

/// Repeats a pair this many times.
type Run = fn(u64);

const PAIRS: [(&str, Run); 6] = [
    ("nothing", nothing),
    ("C functions", c_functions),
    ("Box", boxes),
    ("HeapBox", heap_boxes),
    ("C functions of regions", region_functions),
    ("RegionBox", region_boxes),
];

/// The instructions of a run of this program that repeats one pair `times` times.
fn count(pair: &str, times: u64) -> u64 {
    let this = env::current_exe().expect("the system knows what it runs");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args([pair, &times.to_string()])
        .output()
        .expect("valgrind is installed");
    let report = String::from_utf8_lossy(&output.stderr);
    let number = report.rsplit("Collected :").next().expect("rsplit() yields something");
    number.split_whitespace().next().and_then(|n| n.parse().ok()).expect("valgrind counts")
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [pair, times] = &arguments[..] {
        let (_, run) = PAIRS.iter().find(|(name, _)| name == pair).expect("one of the pairs");
        return run(times.parse().expect("a number"));
    }
    let [few, many] = REPETITIONS;
    for (name, _) in PAIRS {
        let more = count(name, many) - count(name, few);
        println!("{name:22} {:5.1}", more as f64 / (many - few) as f64);
    }
}
