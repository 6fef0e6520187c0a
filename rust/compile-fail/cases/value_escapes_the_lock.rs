//! What is allocated under a region's lock is freed under it.
use core::mem::MaybeUninit;
use heapsmith::{Region, SyncRegion};

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = SyncRegion::new(Region::new(&mut memory).unwrap());
    let mut kept = None;
    region.with(|region| kept = Some(region.alloc(1))); //~ E0521
    drop(kept);
}
