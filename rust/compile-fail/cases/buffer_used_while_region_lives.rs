//! A buffer cannot be used while a region borrows it.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory);
    memory.fill(MaybeUninit::new(1)); //~ E0499
    region.alloc(1);
}
