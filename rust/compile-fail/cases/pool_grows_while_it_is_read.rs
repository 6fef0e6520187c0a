//! A row cannot be borrowed while the pool may grow, which moves the rows.
use heapsmith::Pool;

fn main() {
    let mut pool: Pool<u32> = (0..16).collect();
    for row in pool.rows() {
        pool.insert(*row); //~ E0502
    }
}
