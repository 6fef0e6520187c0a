//! A value with a destructor goes by alloc_drop.
//@error-in-other-file: this type has a destructor
use heapsmith::Arena;

fn main() {
    Arena::new().alloc(String::new());
}
