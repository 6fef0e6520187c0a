//! Pools, handles and collections, written as JSON and read again.
#![cfg(feature = "serde")]

use heapsmith::{Arena, Handle, InlinePool, Pool, SecondaryMap, SoaPool};
use proptest::prelude::*;
use serde_json::Value;

#[allow(dead_code)] // its model of blocks
mod support;

fn again<T: serde::Serialize, U: serde::de::DeserializeOwned>(value: &T) -> U {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn handles_find_their_rows_again() {
    let mut pool = Pool::new();
    let [a, b, c] = ["a", "b", "c"].map(|row| pool.insert(row.to_string()));
    pool.remove(b);
    let mut read: Pool<String> = again(&pool);
    let handles: Vec<Handle<String>> = again(&[a, b, c]);
    assert_eq!(handles, [a, b, c]);
    assert_eq!((&*read[a], read.get(b), &*read[c], read.len()), ("a", None, "c", 2));
    let d = read.insert("d".into());
    assert_eq!((d.index(), d.generation(), read.get(b)), (b.index(), 1, None));
}

#[test]
fn a_row_may_be_none() {
    let pool: Pool<Option<u32>> = [Some(1), None].into_iter().collect();
    let read: Pool<Option<u32>> = again(&pool);
    assert!(read.iter().eq(pool.iter()) && read.len() == 2);
}

#[test]
fn empty_and_inline_pools() {
    assert!(again::<_, Pool<u8>>(&Pool::<u8>::new()).is_empty());
    let mut inline = InlinePool::<u8, 4>::inline();
    let handle = inline.insert(7);
    assert_eq!(again::<_, Pool<u8>>(&inline)[handle], 7);
}

#[test]
fn values_beside_a_pool() {
    let pool: Pool<u8> = (0..5).collect();
    let map: SecondaryMap<u8, String> = pool.iter().map(|(h, n)| (h, n.to_string())).collect();
    assert_eq!(again::<_, SecondaryMap<u8, String>>(&map), map);
}

/// A few bytes of input must not ask for memory for 2^32 values.
#[test]
fn values_beside_a_pool_lie_at_their_index() {
    let pool: Pool<u8> = (0..3).collect();
    let map = SecondaryMap::from_iter([(pool.handle_at(2).unwrap(), 'c')]);
    let saved = serde_json::to_value(&map).unwrap();
    assert_eq!((&saved[0], &saved[1], &saved[2][1]), (&Value::Null, &Value::Null, &"c".into()));
    let moved = Value::from(vec![saved[2].clone()]);
    let error = serde_json::from_value::<SecondaryMap<u8, char>>(moved).unwrap_err();
    assert_eq!(error.to_string(), "a handle does not lie at its index");
}

#[test]
fn columns_keep_handles_and_order() {
    let mut pool: SoaPool<(u32, String)> = (0..5).map(|n| (n, n.to_string())).collect();
    let known = pool.handles().to_vec();
    pool.remove(known[1]); // moves the last row
    let mut read: SoaPool<(u32, String)> = again(&pool);
    assert_eq!((read.columns(), read.handles()), (pool.columns(), pool.handles()));
    assert!(known.iter().all(|&handle| read.get(handle) == pool.get(handle)));
    let added = read.insert((9, "9".into()));
    assert!(!known.contains(&added) && read.remove(known[0]).is_some() && read.len() == 4);
    assert!(again::<_, SoaPool<(u8,)>>(&SoaPool::<(u8,)>::new()).is_empty());
}

#[cfg(feature = "derive")]
#[test]
fn rows_in_columns_are_saved_as_rows() {
    #[derive(heapsmith::Soa, serde::Serialize, serde::Deserialize)]
    #[soa(derive(serde::Serialize))]
    struct Point {
        x: f32,
        y: f32,
    }
    let pool: SoaPool<Point> = [Point { x: 1.0, y: 2.0 }].into_iter().collect();
    assert!(serde_json::to_string(&pool).unwrap().ends_with(r#""rows":[{"x":1.0,"y":2.0}]}"#));
    assert_eq!(again::<_, SoaPool<Point>>(&pool).columns().y, [2.0]);
}

#[test]
fn columns_without_matching_handles_are_refused() {
    let pool: SoaPool<(u8,)> = [(1,), (2,)].into_iter().collect();
    let good = serde_json::to_string(&pool).unwrap();
    let (one, two) = (r#"{"row":[0,0]}"#, r#"{"row":[0,1]}"#);
    assert!(good.contains(one) && good.contains(two));
    for bad in [
        good.replace(two, one),                // a position twice
        good.replace(two, r#"{"free":0}"#),    // a row without a handle
        good.replace(two, r#"{"row":[0,2]}"#), // a handle without a row
        good.replace("[[1],[2]]", "[[1]]"),
    ] {
        assert_ne!(bad, good);
        let error = serde_json::from_str::<SoaPool<(u8,)>>(&bad).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("do not match its rows"), "{error}");
    }
}

#[test]
fn collections_are_sequences() {
    let arena = Arena::new();
    let list = heapsmith::vec![in arena; 1, 2, 3];
    let text = heapsmith::format!(in arena, "{}", "a\"b");
    let all = (&list, &text, arena.alloc_box([true, false]));
    assert_eq!(serde_json::to_string(&all).unwrap(), r#"[[1,2,3],"a\"b",[true,false]]"#);
}

#[test]
fn impossible_pools_are_refused() {
    for (bad, why) in [
        (r#"{"id":4096,"first_generation":0,"slots":[]}"#, "the pool id is more than 4095"),
        (r#"{"id":0,"first_generation":0,"slots":[{"free":0}]}"#, "a pool with slots has no id"),
        (r#"{"id":1,"first_generation":1048576,"slots":[]}"#, "more than 2^20 - 1"),
        (r#"{"id":1,"first_generation":0,"slots":[{"row":[1048576,1]}]}"#, "more than 2^20 - 1"),
        (r#"{"id":1,"first_generation":0,"slots":[{"free":4294967295}]}"#, "more than 2^20 - 1"),
    ] {
        let error = serde_json::from_str::<Pool<u8>>(bad).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let error = serde_json::from_str::<Handle<u8>>("1048576").unwrap_err().to_string();
    assert!(error.contains("expected a handle"), "{error}");
    let good = r#"{"id":1,"first_generation":0,"slots":["retired",{"free":3},{"row":[2,7]}]}"#;
    let mut pool = serde_json::from_str::<Pool<u8>>(good).unwrap();
    assert_eq!((pool.len(), pool.get_at(0), pool.get_at(2)), (1, None, Some(&7)));
    let handle = pool.insert(1);
    assert_eq!((handle.index(), handle.generation()), (1, 3));
    assert_eq!(pool.insert(2).index(), 3); // a retired slot is not used again
}

proptest! {
    #![proptest_config(support::cases(100))]

    /// As a pool and its clone do.
    #[test]
    fn a_pool_goes_on_as_before(steps in prop::collection::vec((any::<bool>(), any::<usize>()), 0..100)) {
        let (mut pool, mut known) = (Pool::new(), Vec::new());
        for (n, &(inserts, at)) in steps.iter().enumerate() {
            if inserts {
                known.push(pool.insert(n as u32));
            } else if let Some(&handle) = known.get(at % known.len().max(1)) {
                pool.remove(handle);
            }
        }
        let mut read: Pool<u32> = again(&pool);
        prop_assert!(read.iter().eq(pool.iter()));
        prop_assert!(known.iter().all(|&handle| read.get(handle) == pool.get(handle)));
        let added: Vec<_> = (0..known.len() as u32).map(|n| read.insert(n)).collect();
        prop_assert!(added.iter().all(|handle| !known.contains(handle)));
        prop_assert_eq!(read.len(), pool.len() + known.len());
    }
}
