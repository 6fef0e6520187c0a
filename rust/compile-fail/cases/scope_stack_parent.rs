//! The first line of the scope stack's example that must fail: it uses the parent of an open scope.
use heapsmith::Arena;

#[derive(Clone, Copy)]
struct Pod {
    data: [u32; 16],
}

struct Object {
    data: Vec<u32>,
}

fn main() {
    let mut allocator = Arena::with_capacity(1024);
    let mut level = allocator.guard();
    let mut scratch = level.scope();
    let obj: &mut Object = scratch.alloc_drop(Object { data: vec![0; 16] });
    let pod: &mut Pod = scratch.alloc(Pod { data: [0; 16] });
    {
        let mut inner_level = scratch.guard();
        let inner_scratch = inner_level.scope();
        let scratch_pod: &mut Pod = scratch.alloc(Pod { data: [0; 16] }); //~ E0502
        let inner_pod: &mut Pod = inner_scratch.alloc(Pod { data: [0; 16] });
        inner_pod.data[0] = scratch_pod.data[0];
    }
    obj.data[0] = pod.data[0];
}
