//! A region cannot be reset while a value in it is used.
use core::mem::MaybeUninit;
use heapsmith::{Region, RegionBox};

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let mut region = Region::new(&mut memory);
    let value = RegionBox::leak(region.alloc(1));
    region.reset(); //~ E0502
    *value += 1;
}
