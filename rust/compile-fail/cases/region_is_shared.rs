//! A region cannot be shared between threads.
//@require-annotations-for-level: ICE
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory);
    std::thread::scope(|threads| {
        threads.spawn(|| region.alloc(1)); //~ E0277
    });
}
