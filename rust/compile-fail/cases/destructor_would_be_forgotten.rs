//! A value with a destructor must be allocated with alloc_drop.
//@error-in-other-file: evaluation
use heapsmith::Arena;

fn main() {
    Arena::new().alloc(String::new());
}
