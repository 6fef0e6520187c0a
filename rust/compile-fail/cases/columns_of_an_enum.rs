//! An enum cannot be split into columns.
use heapsmith::Soa;

#[derive(Soa)]
enum Shape { //~ ERROR: only a struct can be split into columns
    Circle { radius: f32 },
    Square { side: f32 },
}

fn main() {}
