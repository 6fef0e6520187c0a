//! Elements with destructors become a boxed slice.
//@error-in-other-file: evaluation
use heapsmith::Arena;

fn main() {
    Arena::new().vec::<String>().into_slice();
}
