//! A box in a region cannot be sent to another thread.
//@require-annotations-for-level: ICE
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory);
    let value = region.alloc(1);
    std::thread::scope(|threads| {
        threads.spawn(move || drop(value)); //~ E0277
    });
}
