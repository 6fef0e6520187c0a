//! Parallel iterators over pools.
#![cfg(feature = "rayon")]
#![cfg(not(miri))] // in which rayon's threads are slow

use std::collections::BTreeSet;

use heapsmith::{Handle, InlinePool, KeyedSoaPool, Pool, SoaPool};
use rayon::prelude::*;

#[test]
fn every_row_of_a_pool_comes_once() {
    for len in [0, 1, 2, 1000, 100_000] {
        let mut pool: Pool<u64> = (0..len).collect();
        pool.retain(|_, row| *row % 3 != 1); // leaves slots without a row
        let found: Vec<(Handle<u64>, u64)> = pool.par_iter().map(|(h, row)| (h, *row)).collect();
        assert!(found.iter().copied().eq(pool.iter().map(|(h, row)| (h, *row))));
        pool.par_iter_mut().for_each(|(handle, row)| *row += u64::from(handle.index()));
        assert!(pool.rows().eq(found.iter().map(|(_, row)| row * 2).collect::<Vec<_>>().iter()));
    }
    let mut inside = InlinePool::<_, 4>::inline();
    inside.insert(7);
    assert_eq!(inside.par_iter().map(|(_, row)| row).sum::<i32>(), 7);
}

enum Points {}

#[test]
fn every_row_of_columns_comes_once() {
    for len in [0, 1, 2, 1000, 100_000] {
        let mut points: KeyedSoaPool<Points, (u32, String)> = SoaPool::new().keyed();
        points.extend((0..len).map(|n| (n, n.to_string())));
        points.par_iter_mut().for_each(|(handle, (number, text))| {
            assert_eq!((*number, text.parse()), (handle.index(), Ok(*number)));
            *number += 1;
            text.push('0');
        });
        let handles: BTreeSet<_> = points.par_iter().map(|(handle, _)| handle).collect();
        assert_eq!(handles.len(), len as usize);
        let is_changed = |(at, (_, (number, text))): (usize, (_, (&u32, &String)))| {
            *number as usize == at + 1 && text.parse() == Ok(at * 10)
        };
        assert!(points.par_iter().enumerate().all(is_changed)); // so it is indexed
        assert_eq!(points.par_iter_mut().rev().skip(1).len(), (len as usize).saturating_sub(1));
        let sum: u64 = points.columns().0.par_iter().map(|n| u64::from(*n)).sum();
        assert_eq!(sum, u64::from(len) * (u64::from(len) + 1) / 2);
    }
}

#[test]
fn rows_may_borrow() {
    let text = String::from("borrowed");
    let pool: SoaPool<(&str, u8)> = [(&text[..3], 1), (&text[3..], 2)].into_iter().collect();
    let joined: String = pool.par_iter().map(|(_, (part, _))| *part).collect();
    assert_eq!(joined, text);
}
