//! A vector of elements with destructors cannot become a plain slice, only a boxed one.
//@error-in-other-file: evaluation
use heapsmith::Arena;

fn main() {
    Arena::new().vec::<String>().into_slice();
}
