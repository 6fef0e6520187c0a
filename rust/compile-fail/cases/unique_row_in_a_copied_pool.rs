//! A row that is not Clone cannot be cloned by cloning its fields.
use heapsmith::{Soa, SoaPool};

#[derive(Soa)]
struct Ticket {
    number: u32,
}

fn main() {
    let pool: SoaPool<_> = [Ticket { number: 1 }].into_iter().collect();
    let same = pool.clone(); //~ E0599
    let copy = pool.get_cloned(pool.handles()[0]); //~ E0277
    assert_eq!(same.len(), copy.iter().count());
}
