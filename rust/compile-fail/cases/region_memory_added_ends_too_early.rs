//! A buffer added to a region must outlive it, even if the region is borrowed for less.
use core::mem::MaybeUninit;
use heapsmith::Region;

fn main() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let region = Region::new(&mut memory);
    {
        let mut more = [MaybeUninit::uninit(); 1000];
        let borrowed: &Region = &region;
        borrowed.add_memory(&mut more).unwrap(); //~ E0597
    }
    region.alloc([0u8; 1500]);
}
