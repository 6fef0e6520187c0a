//! The last line of the scope stack's example: a value cannot outlive the block of its scope.
use heapsmith::Arena;

fn main() {
    let mut allocator = Arena::with_capacity(1024);
    let prim: &mut u32;
    {
        let mut level = allocator.guard();
        let scratch = level.scope(); //~ E0597
        prim = scratch.alloc(0u32);
    }
    *prim = 1;
}
