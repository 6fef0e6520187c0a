//! A region is reset only when nothing of it is in use.
use core::mem::MaybeUninit;
use heapsmith::{Region, RegionBox};

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let mut region = Region::new(&mut memory).unwrap();
    let value = RegionBox::leak(region.alloc(1));
    region.reset(); //~ E0502
    *value += 1;
}
