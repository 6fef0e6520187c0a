//! Regions: allocating, freeing, refusing, and statistics.
#![cfg(all(feature = "region", not(miri)))] // the core is not Rust

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, Region, RegionBox, RegionControl, RegionError, SyncRegion};

fn buffer<const N: usize>() -> [MaybeUninit<u8>; N] {
    [MaybeUninit::uninit(); N]
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).unwrap()
}

fn fill(block: NonNull<u8>, bytes: usize, value: u8) {
    // SAFETY: the tests pass blocks of that many bytes.
    unsafe { block.write_bytes(value, bytes) };
}

fn holds(block: NonNull<u8>, bytes: usize, value: u8) -> bool {
    // SAFETY: as above, and written before.
    unsafe { NonNull::slice_from_raw_parts(block, bytes).as_ref() }.iter().all(|&b| b == value)
}

#[test]
fn a_hundred_bytes_hold_ten_and_forty() {
    let mut memory = buffer::<100>();
    let region = Region::new(&mut memory);
    let (ten, forty) = (region.alloc([1u8; 10]), region.alloc([2u8; 40]));
    assert_eq!((*ten, *forty), ([1; 10], [2; 40]));
    assert!(region.owns(&*ten) && region.owns(&forty[39]) && !region.owns(&region));
    let mut memory = buffer::<55>();
    assert_eq!(*Region::new(&mut memory).alloc([3u8; 10]), [3; 10]);
}

#[test]
fn buffers_without_room_for_a_block_are_refused() {
    for bytes in 0..40 {
        let mut memory = vec![MaybeUninit::uninit(); bytes];
        assert_eq!(Region::try_new(&mut memory).err(), Some(RegionError::TooSmall), "{bytes}");
    }
    assert_eq!(Region::try_new(&mut []).err(), Some(RegionError::TooSmall));
    assert_eq!(RegionError::TooSmall.to_string(), "the buffer is too small for one block");
}

#[test]
fn every_size_and_alignment_is_served_apart_from_the_others() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let range = memory.as_ptr_range();
    let range = range.start.addr()..range.end.addr();
    let region = Region::new(&mut memory);
    let mut blocks = Vec::new();
    for align in (0..=12).map(|shift| 1 << shift) {
        for bytes in [1, 7, 16, 100, 1000, 1032, 1033, 20_000] {
            let block = region.allocate(layout(bytes, align)).unwrap();
            assert_eq!(block.addr().get() % align.max(16), 0);
            assert!(range.contains(&block.addr().get()));
            fill(block, bytes, blocks.len() as u8);
            blocks.push((block, layout(bytes, align)));
        }
    }
    for (n, &(block, layout)) in blocks.iter().enumerate() {
        assert!(holds(block, layout.size(), n as u8));
        // SAFETY: the block is this region's and live.
        unsafe { region.deallocate(block, layout) };
    }
    assert_eq!((region.stats().in_use_bytes, region.check()), (0, Ok(())));
}

#[test]
fn a_full_region_refuses_and_serves_again_what_is_freed() {
    let mut memory = buffer::<10_000>();
    let region = Region::new(&mut memory);
    let mut boxes = Vec::new();
    let error = loop {
        match region.try_alloc([boxes.len(); 12]) {
            Ok(value) => boxes.push(value),
            Err(e) => break e,
        }
    };
    assert_eq!(boxes.len(), 9_984 / 112); // 96 bytes in blocks of 112
    assert!(matches!(error, AllocError::NoRoom { layout, remaining }
        if layout == Layout::new::<[usize; 12]>() && remaining < 96));
    assert_eq!(region.stats().failed_requests, 1);
    for (n, value) in boxes.iter().enumerate() {
        assert_eq!(**value, [n; 12]);
    }
    boxes.swap_remove(40);
    boxes.push(region.alloc([7; 12]));
    assert!(region.try_alloc([0; 12]).is_err());
    boxes.clear();
    assert_eq!(region.defragment(), region.stats().largest_free_bytes);
    assert!(region.try_alloc([0u8; 9_900]).is_ok());
}

#[test]
fn the_last_byte_is_used() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let region = Region::new(&mut memory);
    let most = region.stats().largest_free_bytes;
    assert!(most > 4096 - 48);
    let all = region.alloc_slice_with(most, |i| i as u8);
    assert!(all.iter().enumerate().all(|(i, &b)| b == i as u8));
    assert!(region.try_alloc(1u8).is_err());
    drop(all);
    assert!(region.try_alloc_slice_with(most + 1, |_| 0u8).is_err());
}

#[test]
#[should_panic(expected = "no room for 100 bytes aligned to 1")]
fn alloc_panics_when_there_is_no_room() {
    let mut memory = buffer::<100>();
    Region::new(&mut memory).alloc([0u8; 100]);
}

#[test]
fn impossible_sizes_are_refused() {
    let mut memory = buffer::<1000>();
    let region = Region::new(&mut memory);
    let kept = region.alloc(1u64);
    for bytes in [isize::MAX as usize, isize::MAX as usize - 15, 1 << 48, 1000] {
        let error = region.allocate(layout(bytes, 1)).unwrap_err();
        assert!(matches!(error, AllocError::NoRoom { layout, .. } if layout.size() == bytes));
    }
    assert!(region.allocate(layout(1, 1 << 62)).is_err());
    assert!(region.allocate(layout((1 << 62) - 1, 1 << 62)).is_err());
    assert_eq!(region.try_alloc_slice_with(usize::MAX, |_| 0u64), Err(AllocError::TooLarge));
    assert_eq!((*kept, region.check()), (1, Ok(())));
}

/// Records its number when it is dropped.
struct Noted<'a>(u32, &'a RefCell<Vec<u32>>);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
        assert_ne!(self.0, 100);
    }
}

#[test]
fn values_are_dropped_where_their_owners_end() {
    let dropped = RefCell::new(Vec::new());
    let mut memory = buffer::<1000>();
    let region = Region::new(&mut memory);
    let (first, second) = (region.alloc(Noted(1, &dropped)), region.alloc(Noted(2, &dropped)));
    let slice = region.alloc_slice_with(3, |i| Noted(10 + i as u32, &dropped));
    drop(first);
    drop(slice);
    assert_eq!(*dropped.borrow(), [1, 10, 11, 12]);
    let inner = RegionBox::into_inner(second);
    assert_eq!((inner.0, region.stats().in_use_bytes, dropped.borrow().len()), (2, 0, 4));
    let leaked = RegionBox::leak(region.alloc(Noted(3, &dropped)));
    leaked.0 = 4;
    assert_eq!((leaked.0, dropped.borrow().len()), (4, 4));
    let panics = region.alloc(Noted(100, &dropped));
    let used = region.stats().in_use_bytes;
    assert!(catch_unwind(AssertUnwindSafe(|| drop(panics))).is_err());
    assert!(region.stats().in_use_bytes < used); // the block is free all the same
}

#[test]
fn a_panic_in_make_frees_the_block() {
    let dropped = RefCell::new(Vec::new());
    let mut memory = buffer::<1000>();
    let region = Region::new(&mut memory);
    let value = catch_unwind(AssertUnwindSafe(|| drop(region.alloc_with::<u64>(|| panic!("no")))));
    let slice = catch_unwind(AssertUnwindSafe(|| {
        drop(region.alloc_slice_with(5, |i| match i {
            3 => panic!("made three"),
            _ => Noted(i as u32, &dropped),
        }))
    }));
    assert!(value.is_err() && slice.is_err());
    assert_eq!((&*dropped.borrow(), region.stats().in_use_bytes), (&vec![0, 1, 2], 0));
    let pair = region.alloc_with(|| (region.alloc(1), region.alloc_str("inner")));
    assert_eq!((*pair.0, &*pair.1), (1, "inner"));
}

#[test]
fn zero_sized_values_take_no_block() {
    thread_local!(static DROPPED: Cell<u32> = const { Cell::new(0) });
    #[repr(align(64))]
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPPED.set(DROPPED.get() + 1);
        }
    }
    let mut memory = buffer::<100>();
    let region = Region::new(&mut memory);
    let nothing = region.alloc(Nothing);
    assert_eq!((&raw const *nothing).addr() % 64, 0);
    let many = region.alloc_slice_with(1_000_000, |_| Nothing);
    assert_eq!((many.len(), region.stats().in_use_bytes), (1_000_000, 0));
    drop((nothing, many));
    assert_eq!(DROPPED.get(), 1_000_001);
    assert_eq!(&*region.alloc_str(""), "");
    assert!(region.alloc_slice_copy::<u64>(&[]).is_empty());
}

#[test]
fn over_aligned_values_stay_aligned() {
    #[repr(align(512))]
    struct Wide(u8);
    let mut memory = vec![MaybeUninit::uninit(); 50_000];
    let region = Region::new(&mut memory);
    let all: Vec<_> = (0..20).map(|n| (region.alloc(n), region.alloc(Wide(n)))).collect();
    for (n, (small, wide)) in all.iter().enumerate() {
        assert_eq!((&raw const **wide).addr() % 512, 0);
        assert_eq!((wide.0, **small), (n as u8, n as u8));
    }
}

#[test]
fn blocks_are_resized_in_place_or_moved_with_their_contents() {
    let mut memory = vec![MaybeUninit::uninit(); 100_000];
    let region = Region::new(&mut memory);
    let mut block = region.allocate(layout(10, 1)).unwrap();
    let first = block;
    let mut bytes = 10;
    fill(block, bytes, 9);
    // SAFETY: each block is live and has the layout given.
    unsafe {
        for new in [20, 1000, 50_000] {
            block = region.reallocate(block, layout(bytes, 1), layout(new, 1)).unwrap();
            assert!(holds(block, bytes, 9) && block == first);
            fill(block, new, 9);
            bytes = new;
        }
        let refused = region.reallocate(block, layout(bytes, 1), layout(200_000, 1));
        assert!(refused.is_err() && holds(block, bytes, 9));
        block = region.reallocate(block, layout(bytes, 1), layout(100, 1)).unwrap();
        assert!(block == first && holds(block, 100, 9));
        let behind = region.allocate(layout(8, 1)).unwrap();
        block = region.reallocate(block, layout(100, 1), layout(20_000, 1)).unwrap();
        assert!(block != first && holds(block, 100, 9));
        fill(block, 20_000, 9);
        block = region.reallocate(block, layout(20_000, 1), layout(300, 4096)).unwrap();
        assert!(block.addr().get() % 4096 == 0 && holds(block, 300, 9));
        block = region.reallocate(block, layout(300, 4096), layout(20_000, 4096)).unwrap();
        assert!(block.addr().get() % 4096 == 0 && holds(block, 300, 9));
        let none = region.reallocate(block, layout(20_000, 4096), layout(0, 8)).unwrap();
        assert_eq!(none.addr().get(), 8);
        region.deallocate(none, layout(0, 8));
        block = region.reallocate(none, layout(0, 8), layout(8, 8)).unwrap();
        region.deallocate(block, layout(8, 8));
        region.deallocate(behind, layout(8, 1));
    }
    assert_eq!((region.stats().in_use_bytes, region.check()), (0, Ok(())));
}

#[test]
fn adjoining_buffers_are_joined() {
    let mut memory = buffer::<2048>();
    let (head, tail) = memory.split_at_mut(1024);
    let mut far = vec![MaybeUninit::uninit(); 1024];
    let region = Region::new(head);
    let kept = region.alloc([1u8; 100]);
    region.add_memory(tail).unwrap();
    assert_eq!(region.stats().buffers, 1);
    region.add_memory(&mut far).unwrap();
    assert_eq!((region.stats().buffers, region.stats().buffer_bytes), (2, 3072));
    drop(region.alloc([2u8; 1800])); // across the seam
    assert_eq!((*kept, region.add_memory(&mut [])), ([1; 100], Err(RegionError::TooSmall)));
}

#[test]
fn too_many_buffers_are_refused() {
    let mut memory = vec![MaybeUninit::uninit(); 200 * 70];
    let mut pieces: Vec<_> = memory.chunks_mut(200).map(|piece| &mut piece[..100]).collect();
    let region = Region::new(pieces.pop().unwrap());
    let added = pieces.into_iter().map_while(|piece| region.add_memory(piece).ok()).count();
    assert_eq!((added, region.stats().buffers), (63, 64));
}

#[test]
fn a_reset_region_is_empty() {
    let mut memory = buffer::<1000>();
    let mut region = Region::new(&mut memory);
    let free = region.stats().largest_free_bytes;
    RegionBox::leak(region.alloc([1u8; 500]));
    core::mem::forget(region.alloc_str("forgotten"));
    assert!(region.stats().largest_free_bytes < free && region.stats().peak_bytes >= 500);
    region.reset();
    assert_eq!((region.stats().largest_free_bytes, region.stats().in_use_bytes), (free, 0));
}

#[test]
fn control_data_serves_one_region_after_another() {
    let mut control = Box::new(RegionControl::default());
    let mut memory = buffer::<1000>();
    for round in 0..4u8 {
        let region = Region::with_control(&mut control, &mut memory);
        assert_eq!((region.stats().in_use_bytes, region.stats().failed_requests), (0, 0));
        RegionBox::leak(region.alloc([round; 800]));
        assert!(region.try_alloc([round; 800]).is_err());
        if round % 2 == 0 {
            core::mem::forget(region);
        }
    }
    assert!(Region::try_with_control(&mut control, &mut []).is_err());
    assert!(Region::try_with_control(&mut control, &mut memory).is_ok());
}

#[test]
fn deferred_blocks_can_be_forbidden() {
    let mut memory = vec![MaybeUninit::uninit(); 100_000];
    let region = Region::new(&mut memory);
    drop(region.alloc(1u64));
    assert!(region.stats().deferred_bytes > 0);
    region.defragment();
    region.limit_deferred(0);
    drop(region.alloc(1u64));
    assert_eq!(region.stats().deferred_bytes, 0);
}

#[test]
fn stats_add_up() {
    let mut memory = vec![MaybeUninit::uninit(); 10_000];
    let region = Region::new(&mut memory);
    let values: Vec<_> = (0..20).map(|n| region.alloc_slice_copy(&vec![1u8; n * 10])).collect();
    let stats = region.stats();
    assert_eq!(stats.buffer_bytes, 10_000);
    let end_mark = 8;
    let sum = stats.in_use_bytes + stats.available_bytes + stats.edge_bytes + end_mark;
    assert_eq!(sum, 10_000);
    assert!(stats.in_use_bytes >= values.iter().map(|v| v.len()).sum::<usize>());
    assert!(
        stats.metadata_bytes > 16_000
            && stats.blocks > 19
            && stats.peak_bytes == stats.in_use_bytes
    );
}

#[test]
fn a_region_moves_between_threads_with_leaked_values() {
    let mut memory = buffer::<1000>();
    let region = Region::new(&mut memory);
    std::thread::scope(|threads| {
        let region = threads.spawn(move || (drop(region.alloc(1)), region).1).join().unwrap();
        assert_eq!(*region.alloc(2), 2);
    });
}

#[test]
fn threads_share_a_region_behind_a_lock() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 18];
    let region = SyncRegion::new(Region::new(&mut memory));
    let handed_over = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        for id in 1..=4u8 {
            let (region, handed_over) = (&region, &handed_over);
            threads.spawn(move || {
                for n in 0..500usize {
                    let bytes = n % 97 + 1;
                    let mut block = region.allocate(layout(bytes, 1)).unwrap();
                    fill(block, bytes, id);
                    // SAFETY: the block is live and of that layout.
                    block = unsafe { region.reallocate(block, layout(bytes, 1), layout(120, 1)) }
                        .unwrap();
                    assert!(holds(block, bytes, id));
                    let Some((at, id, bytes)) = ({
                        let mut waiting = handed_over.lock().unwrap();
                        waiting.push((block.addr(), id, bytes));
                        if waiting.len() > 20 { waiting.pop() } else { None }
                    }) else {
                        continue;
                    };
                    let theirs = block.with_addr(at);
                    assert!(holds(theirs, bytes, id));
                    // SAFETY: the thread that took it off the list owns it.
                    unsafe { region.deallocate(theirs, layout(120, 1)) };
                }
            });
        }
    });
    let region = region.into_inner();
    assert_eq!(region.check(), Ok(()));
    assert_eq!(region.stats().in_use_bytes, handed_over.into_inner().unwrap().len() * 128);
}

#[test]
fn a_panic_under_the_lock_leaves_the_region_usable() {
    let mut memory = buffer::<1000>();
    let region = SyncRegion::new(Region::new(&mut memory));
    let result = catch_unwind(AssertUnwindSafe(|| {
        region.with(|r| {
            let _value = r.alloc(1);
            panic!("inside");
        })
    }));
    assert!(result.is_err());
    assert_eq!(region.with(|r| r.stats().in_use_bytes), 0);
}
