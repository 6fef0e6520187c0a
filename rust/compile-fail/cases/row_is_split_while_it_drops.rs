//! A row with a destructor of its own cannot be split into columns.
//@no-rustfix
use heapsmith::Soa;

#[derive(Soa)] //~ E0509
struct Guarded {
    name: String,
}

impl Drop for Guarded {
    fn drop(&mut self) {}
}

fn main() {}
