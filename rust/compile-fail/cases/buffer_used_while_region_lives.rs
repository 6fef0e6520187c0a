//! While a region lives its buffer is the region's.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory).unwrap();
    memory.fill(MaybeUninit::new(1)); //~ E0499
    region.alloc(1);
}
