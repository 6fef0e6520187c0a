//! A region cannot be dropped before a box in it.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory);
    let value = region.alloc(1);
    drop(region); //~ E0505
    drop(value);
}
