//! A region cannot outlive its buffer.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let region = {
        let mut memory = [MaybeUninit::uninit(); 1000];
        Region::new(&mut memory) //~ E0597
    };
    region.alloc(1);
}
