//! Values cannot outlive the arena, even if its buffer lives on.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let name = {
        let arena = BufferArena::new(&mut buffer);
        arena.alloc_str("name") //~ E0597
    };
    name.make_ascii_uppercase();
}
