//! Mutable columns must be borrowed together.
use heapsmith::{Soa, SoaPool};

#[derive(Soa)]
struct Particle {
    x: f32,
    speed: f32,
}

fn main() {
    let mut pool: SoaPool<Particle> = SoaPool::new();
    let x = pool.columns_mut().x;
    let speed = pool.columns_mut().speed; //~ E0499
    assert_eq!(x, speed);
}
