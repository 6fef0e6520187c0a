//! Rows move when the pool grows, so nobody may hold one then.
use heapsmith::Pool;

fn main() {
    let mut pool: Pool<u32> = (0..16).collect();
    for row in pool.rows() {
        pool.insert(*row); //~ E0502
    }
}
