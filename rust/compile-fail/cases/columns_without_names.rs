//! A tuple struct cannot derive Soa, since columns are named after fields.
use heapsmith::Soa;

#[derive(Soa)]
struct Point(f32, f32); //~ ERROR: fields must have names, which are those of the columns

#[derive(Soa)]
struct Nothing {} //~ ERROR: a row without fields has no columns

#[derive(Soa)]
#[soa(align = 64)] //~ ERROR: expected `derive(…)`, `derive_columns(…)`, `attr(…)`
struct Aligned {
    x: f32,
}

fn main() {}
