//! A value in a region ends before the region.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory).unwrap();
    let value = region.alloc(1);
    drop(region); //~ E0505
    drop(value);
}
