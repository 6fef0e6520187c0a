//! A field has attributes to pass on, and no derives.
use heapsmith::Soa;

#[derive(Soa)]
struct Row {
    #[soa(derive(Debug))] //~ ERROR: expected `attr(…)` or `attr_columns(…)`
    number: u32,
}

fn main() {}
