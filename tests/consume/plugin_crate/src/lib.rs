//! Allocates in a thread of its own, and in the caller's.
#[global_allocator]
static A: heapsmith::Heapsmith = heapsmith::Heapsmith;

#[unsafe(no_mangle)]
pub extern "C" fn sum() -> u32 {
    let sum = || (0..1000).map(|i| vec![i; 100]).map(|v| v[99]).sum::<u32>();
    sum() + std::thread::spawn(sum).join().unwrap()
}

#[unsafe(no_mangle)]
pub extern "C" fn make() -> *mut u64 {
    Box::into_raw(Box::new(1))
}

/// # Safety
/// `made` comes from `make` of this copy of the plug-in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn end(made: *mut u64) {
    // SAFETY: see above.
    drop(unsafe { Box::from_raw(made) });
}

/// 1 if heapsmith serves this copy of the plug-in.
#[unsafe(no_mangle)]
pub extern "C" fn is_served() -> u32 {
    let before = heapsmith::stats().in_use_bytes;
    let block = vec![1u8; 1 << 20];
    u32::from(heapsmith::stats().in_use_bytes >= before + block.len())
}
