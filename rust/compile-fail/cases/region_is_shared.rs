//! A region is used by one thread at a time.
//@require-annotations-for-level: ICE
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| region.alloc(1)); //~ E0277
    });
}
