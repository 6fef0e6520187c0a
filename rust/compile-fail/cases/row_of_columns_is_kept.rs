//! A row that retain() shows cannot be kept, since it may be removed next.
use heapsmith::SoaPool;

fn main() {
    let mut pool: SoaPool<(String,)> = SoaPool::new();
    let mut kept = Vec::new();
    pool.retain(|_, (text,)| {
        kept.push(text); //~ E0521
        false
    });
}
