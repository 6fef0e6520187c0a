//! An arena cannot go to another thread if its upstream cannot be shared with it.
use core::mem::MaybeUninit;
use heapsmith::{Arena, Region};

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let region = Region::new(&mut buffer);
    let arena = Arena::new_in(&region);
    std::thread::scope(|threads| {
        threads.spawn(move || drop(arena)); //~ E0277
    });
}
