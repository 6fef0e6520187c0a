//! A row has columns, and they have no other alignment than a cache line.
use heapsmith::Soa;

#[derive(Soa)]
struct Nothing {} //~ ERROR: a row without fields has no columns

#[derive(Soa)]
struct Unit; //~ ERROR: a row without fields has no columns

#[derive(Soa)]
#[soa(align = 64)] //~ ERROR: expected `derive(…)`, `derive_columns(…)`, `attr(…)`
struct Aligned {
    x: f32,
}

fn main() {}
