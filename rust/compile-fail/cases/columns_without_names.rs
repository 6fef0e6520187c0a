//! Columns are called what the fields are.
use heapsmith::Soa;

#[derive(Soa)]
struct Point(f32, f32); //~ ERROR: name the fields: these are the names of the columns

#[derive(Soa)]
struct Nothing {} //~ ERROR: a row without fields has no columns

#[derive(Soa)]
#[soa(align = 64)] //~ ERROR: neither `derive(…)` nor `crate = path`
struct Aligned {
    x: f32,
}

fn main() {}
