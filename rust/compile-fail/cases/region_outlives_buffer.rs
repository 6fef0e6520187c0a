//! A region ends before the memory it is over.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let region = {
        let mut memory = [MaybeUninit::uninit(); 1000];
        Region::new(&mut memory).unwrap() //~ E0597
    };
    region.alloc(1);
}
