//! A region must be dropped before its control data.
use core::mem::MaybeUninit;
use heapsmith::{Region, RegionControl};

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region;
    let mut control = RegionControl::new();
    region = Region::with_control(&mut control, &mut memory); //~ E0597
    region.alloc(1);
}
