//! The scope stack's example, its last line: what was allocated in a block's scope ends with it.
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
