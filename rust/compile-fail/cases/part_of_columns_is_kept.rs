//! A part of the columns cannot be used after a row was inserted.
use heapsmith::SoaPool;

fn main() {
    let mut pool: SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    let part = pool.split_columns_by_mut(1).next();
    pool.insert((3, 'c')); //~ E0499
    part.unwrap().0[0] = 7;
}
