//! A panic of a pool names the caller's line. Alone in its program, since it sets the panic hook.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;

use heapsmith::{FixedPool, InlinePool};

static FILE: Mutex<Option<String>> = Mutex::new(None);

#[test]
fn a_full_pool_names_its_caller() {
    set_hook(Box::new(|panic| {
        *FILE.lock().unwrap() = panic.location().map(|at| at.file().to_string());
    }));
    let mut inside = InlinePool::<String, 0>::inline();
    let insert = catch_unwind(AssertUnwindSafe(|| inside.insert("row".into())));
    let of_insert = FILE.lock().unwrap().take();
    let mut fixed = FixedPool::<u8>::with_fixed_capacity(1);
    let gone = fixed.insert(1);
    fixed.clear();
    let index = catch_unwind(AssertUnwindSafe(|| fixed[gone] += 1));
    let of_index = FILE.lock().unwrap().take();
    _ = take_hook();
    assert!(insert.is_err() && index.is_err());
    assert_eq!((of_insert.as_deref(), of_index.as_deref()), (Some(file!()), Some(file!())));
}
