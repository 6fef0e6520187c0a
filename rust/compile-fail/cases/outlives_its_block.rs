//! The scope stack's example, its last line: what was allocated in a block's scope ends with it.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let prim: &mut u32;
    {
        let mut guard = arena.guard();
        prim = guard.scope().alloc(0); //~ E0597
    }
    *prim = 1;
}
