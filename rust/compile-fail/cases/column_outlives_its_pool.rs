//! A column cannot outlive its pool.
use heapsmith::SoaPool;

fn main() {
    let numbers = {
        let pool: SoaPool<(u8, u16)> = [(1, 2)].into_iter().collect();
        pool.columns().1 //~ E0597
    };
    assert_eq!(numbers, [2]);
}
