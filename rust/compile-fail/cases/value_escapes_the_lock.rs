//! A box cannot leave the lock of the region in which it was allocated.
use core::mem::MaybeUninit;
use heapsmith::{Region, SyncRegion};

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = SyncRegion::new(Region::new(&mut memory));
    let mut kept = None;
    region.with(|region| kept = Some(region.alloc(1))); //~ E0521
    drop(kept);
}
