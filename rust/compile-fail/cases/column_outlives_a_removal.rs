//! A column cannot be used across the removal of a row, which shortens every column.
use heapsmith::{Soa, SoaPool};

#[derive(Soa)]
struct Particle {
    x: f32,
}

fn main() {
    let mut pool = SoaPool::new();
    let handle = pool.insert(Particle { x: 1.0 });
    let column = pool.columns().x;
    pool.remove(handle); //~ E0502
    assert_eq!(column.len(), 1);
}
