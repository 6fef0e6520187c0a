//! The heap for all threads: blocks that other threads free go back in batches.

// [
#[global_allocator]
static GLOBAL: heapsmith::Heapsmith = heapsmith::Heapsmith;
// ]

#[test]
fn another_thread_frees() {
    let boxed = Box::new([1u8; 48]);
    let sum = std::thread::spawn(move || boxed.iter().map(|&it| u32::from(it)).sum::<u32>());
    assert_eq!(sum.join().expect("no panic"), 48);
}
