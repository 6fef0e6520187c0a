//! Uses each family of the compiled library once, through the declarations.
use std::ffi::{CStr, c_void};
use std::mem::size_of;
use std::process::Command;
use std::ptr;
use std::slice;

use heapsmith_sys::*;

/// Collects the blocks that a walk over a region visits.
///
/// # Safety
/// `context` is a vector, and `block` is a block of the walk.
unsafe extern "C" fn remember(context: *mut c_void, block: *const hs_region_block) {
    // SAFETY: the caller's promise.
    unsafe { (*context.cast::<Vec<hs_region_block>>()).push(*block) };
}

#[test]
fn the_heap_hands_out_blocks() {
    // SAFETY: the blocks are live while they are used.
    unsafe {
        let p = hs_calloc(10, 100).cast::<u8>();
        assert!(slice::from_raw_parts(p, 1000).iter().all(|&byte| byte == 0));
        p.write_bytes(7, 1000);
        let p = hs_realloc(p.cast(), 100_000).cast::<u8>();
        assert!(slice::from_raw_parts(p, 1000).iter().all(|&byte| byte == 7));
        assert!(hs_malloc_usable_size(p.cast()) >= 100_000);

        let mut now = hs_statistics { size: size_of::<hs_statistics>(), ..Default::default() };
        assert_eq!(hs_stats(&mut now), 0);
        assert!(now.in_use_bytes >= 100_000);
        hs_free_sized(p.cast(), 100_000);
        assert_eq!(CStr::from_ptr(hs_version()).to_str(), Ok(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn this_build_records_no_calls() {
    const ENOSYS: i32 = 38;
    // SAFETY: the string ends with a zero.
    assert_eq!(unsafe { hs_trace_start(c"/tmp".as_ptr()) }, ENOSYS);
    assert_eq!(hs_trace_stop(), ENOSYS);
}

#[test]
fn a_heap_ends_with_its_blocks() {
    // SAFETY: only this thread uses the heap, and not after its end.
    unsafe {
        let heap = hs_heap_create();
        let aligned = hs_heap_aligned_alloc(heap, 4096, 5000);
        assert_eq!(aligned.addr() % 4096, 0);
        hs_free(hs_heap_malloc(heap, 24));
        let mut now =
            hs_heap_statistics { size: size_of::<hs_heap_statistics>(), ..Default::default() };
        assert_eq!(hs_heap_stats(heap, &mut now), 0);
        assert!(now.in_use_bytes >= 5000);
        hs_heap_destroy(heap);
    }
}

#[test]
fn a_region_shows_its_blocks() {
    let mut control = Box::new(hs_region::zeroed());
    let mut buffer = vec![0u8; 4096];
    let region: *mut hs_region = &mut *control;
    let mut blocks = Vec::<hs_region_block>::new();
    // SAFETY: the region stays in its box, and the buffer outlives it.
    unsafe {
        assert_eq!(hs_region_init(region, buffer.as_mut_ptr().cast(), buffer.len()), 0);
        let p = hs_region_malloc(region, 100);
        hs_region_for_each_block(region, remember, (&raw mut blocks).cast());
        assert!(blocks.iter().any(|b| b.pointer == p && b.state == HS_REGION_IN_USE));
        assert_eq!(hs_region_check(region), 0);
        hs_region_destroy(region);
    }
}

#[test]
fn offsets_are_handed_out() {
    let mut control = Box::new(hs_offset_region::zeroed());
    let mut table = vec![0u64; hs_offset_region_table_bytes(16) / 8];
    let region: *mut hs_offset_region = &mut *control;
    // SAFETY: the region stays in its box, and the table outlives it.
    unsafe {
        let bytes = table.len() * 8;
        assert_eq!(
            hs_offset_region_init(region, 1 << 40, 256, table.as_mut_ptr().cast(), bytes),
            0
        );
        let block = hs_offset_region_allocate(region, 1000, 4096);
        assert_ne!(block.node, 0);
        assert_eq!((block.offset % 4096, hs_offset_region_size_of(region, block)), (0, 1024));
        hs_offset_region_deallocate(region, block);
        assert_eq!(hs_offset_region_owns(region, block), 0);
    }
}

#[test]
fn a_segment_is_a_region() {
    #[repr(align(64))]
    struct Segment([u8; 1 << 16]);
    let mut segment = Box::new(Segment([0; 1 << 16]));
    let mut view = hs_shared_region::zeroed();
    // SAFETY: the segment outlives the region.
    unsafe {
        let start = segment.0.as_mut_ptr().cast();
        assert_eq!(hs_shared_region_create(&mut view, start, 1 << 16), 0);
        let p = hs_shared_region_malloc(&view, 100);
        hs_shared_region_set_root(&view, 3, p);
        assert_eq!(hs_shared_region_root(&view, 3), p);
        let offset = hs_shared_region_to_offset(&view, p);
        assert_eq!(hs_shared_region_from_offset(&view, offset), p);
        assert_eq!(hs_shared_region_from_offset(&view, 0), ptr::null_mut());
        hs_shared_region_destroy(&mut view);
    }
}

/// Code that runs at the start and end of a process is linked, although nothing calls it.
#[test]
fn a_process_has_statistics() {
    let this = std::env::current_exe().expect("the system knows what it runs");
    let output = Command::new(this)
        .args(["--exact", "the_heap_hands_out_blocks"])
        .env("HEAPSMITH_STATS", "json")
        .output()
        .expect("the tests can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("\"peak_bytes\":"), "{said}");
}
