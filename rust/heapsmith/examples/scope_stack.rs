//! A scope stack: levels of memory that end like blocks of code, and two ways to prevent the use of
//! a level while one above it is open.

use heapsmith::Arena;

#[derive(Clone, Copy)]
struct Pod {
    data: [u32; 16],
}

struct Object {
    data: Vec<u32>,
}

/// The compiler enforces the rules.
fn by_lifetimes() {
    let mut allocator = Arena::with_capacity(1024);
    {
        let mut level = allocator.guard();
        let mut scratch = level.scope();
        let obj: &mut Object = scratch.alloc_drop(Object { data: vec![0; 16] });
        let pod: &mut Pod = scratch.alloc(Pod { data: [0; 16] });
        let prim: &mut u32 = scratch.alloc(0u32);
        {
            let mut inner_level = scratch.guard();
            let inner_scratch = inner_level.scope();
            let inner_pod: &mut Pod = inner_scratch.alloc(Pod { data: [1; 16] });
            // Does not compile, since `scratch` has an open child:
            // let scratch_pod: &mut Pod = scratch.alloc(Pod { data: [0; 16] });
            pod.data[0] = inner_pod.data[0]; // what it allocated can be used
        }
        obj.data[0] = pod.data[0];
        *prim += obj.data[0];
        assert_eq!(*prim, 1);
        // The object that `obj` refers to is dropped here.
    }
    // Does not compile if `prim` is declared before the block, since it ends with its scope:
    // *prim = 1;
    assert_eq!(allocator.stats().used, 0);
}

/// The rules are checked at run time, for levels that are used through shared references.
fn by_checks() {
    let mut allocator = Arena::with_capacity(1024);
    let scratch = allocator.checked_scope();
    let obj: &mut Object = scratch.alloc_drop(Object { data: vec![0; 16] });
    {
        let inner_scratch = scratch.child();
        let inner_pod: &mut Pod = inner_scratch.alloc(Pod { data: [1; 16] });
        let refused = scratch.try_alloc(Pod { data: [0; 16] }); // `alloc` would panic
        assert!(refused.is_err());
        obj.data[0] = inner_pod.data[0];
    }
    assert_eq!(scratch.alloc(Pod { data: [2; 16] }).data[0], obj.data[0] + 1);
}

pub fn main() {
    by_lifetimes();
    by_checks();
}
