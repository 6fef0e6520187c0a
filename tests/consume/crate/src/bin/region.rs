//! A user's program that has regions and no heap: the part of the core with the heap is not linked.
use std::mem::MaybeUninit;

use heapsmith::Region;

fn main() {
    let mut memory = [const { MaybeUninit::uninit() }; 65536];
    let region = Region::new(&mut memory);
    let words = region.alloc_slice_with(10, |n| n.to_string());
    assert_eq!(words.concat(), "0123456789");
    assert!(region.try_alloc_slice_copy(&[0u8; 65536]).is_err());
    drop(words);
    assert_eq!(region.stats().in_use_bytes, 0);
}
