//! Pools with keys: handles of a type of their own.

use heapsmith::{
    FixedPool, Handle, InlinePool, KeyedPool, KeyedSoaPool, Pool, SecondaryMap, SoaFixedPool,
    SoaPool,
};

enum Players {}
type PlayerId = Handle<Players>;

/// A type whose values stay in one thread, which a key is free to be.
struct Unsent(#[expect(dead_code)] *mut ());

#[test]
fn a_key_names_the_handles_of_every_pool() {
    let mut growing: KeyedPool<Players, &str> = Pool::new().keyed();
    let mut fixed = FixedPool::with_fixed_capacity(1).keyed::<Players>();
    let mut inside = InlinePool::<_, 1>::inline().keyed::<Players>();
    let [a, b, c]: [PlayerId; 3] =
        [growing.insert("grows"), fixed.insert("fixed"), inside.insert("inside")];
    assert_eq!((growing[a], fixed[b], inside[c]), ("grows", "fixed", "inside"));
    // Handles of one key are still told apart by their pools.
    assert_eq!((growing.get(b), fixed.get(c), inside.get(a)), (None, None, None));
    growing[a] = "has grown";
    assert_eq!(growing.iter().next(), Some((a, &"has grown")));
    let copy = growing.clone();
    assert!(growing.iter_mut().map(|(handle, _)| handle).eq(copy.handles()));
    let next = growing.insert_with_handle(|me: PlayerId| if me == a { "a" } else { "b" });
    assert_eq!(growing.vacant_entry().map(|entry| entry.handle().index()), Ok(2));
    growing.retain(|handle, _| handle == next);
    assert!(growing.drain().eq([(next, "b")]));
    assert_eq!(inside.into_iter().next(), Some((c, "inside")));
}

#[test]
fn rows_stay_when_a_pool_gets_a_key() {
    let mut pool: Pool<_> = ["Ada", "Alan", "Grace"].into_iter().collect();
    let alan = pool.handle_at(1).unwrap();
    pool.remove(alan);
    let keyed = pool.keyed::<Players>();
    assert_eq!((keyed.len(), keyed.capacity()), (2, 16));
    assert!(keyed.rows().eq(&["Ada", "Grace"]));
    // The bits of a handle find the same row, or still none.
    assert_eq!(Handle::from_bits(alan.to_bits().get()).and_then(|alan| keyed.get(alan)), None);
    let mut again = keyed.keyed::<&str>();
    assert_eq!(again.insert("Barbara").index(), 1);
    assert!(!again.contains(alan));
}

#[test]
fn columns_may_have_a_key() {
    let mut points: KeyedSoaPool<Players, (u8, char)> = SoaPool::default();
    let (a, b): (PlayerId, PlayerId) = (points.insert((1, 'a')), points.insert((2, 'b')));
    points.sort_by_key(|(number, _)| 9 - *number);
    assert_eq!((points.handles(), points.columns().1), (&[b, a][..], &['b', 'a'][..]));
    assert_eq!(points.get_disjoint_mut([a, b]).map(|[a, b]| (*a.0, *b.0)), Some((1, 2)));
    points.retain(|handle, _| handle == a);
    assert_eq!(points.remove(a), Some((1, 'a')));

    let me = points.insert_with_handle(|me| (me.index() as u8, 'c'));
    assert_eq!((me.index(), points.get(me)), (0, Some((&0, &'c'))));
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        points.insert_with_handle(|_| panic!("no row"))
    }));
    assert!(refused.is_err() && points.handles() == [me]);

    let mut old = SoaFixedPool::with_fixed_capacity(2);
    old.insert((1,));
    let mut fixed = old.keyed::<Players>();
    assert_eq!((fixed.capacity(), fixed.handles().len()), (2, 1));
    let second = fixed.insert((2,));
    assert_eq!(fixed.try_insert((3,)).unwrap_err().0, (3,));
    assert_eq!((fixed.get(second), fixed.get(fixed.handles()[0])), (Some((&2,)), Some((&1,))));
}

#[test]
fn maps_have_the_key_of_their_pool() {
    let mut players: KeyedPool<Players, &str> = ["Ada", "Alan"].into_iter().collect();
    let mut points: SecondaryMap<Players, u32> = players.handles().map(|h| (h, 0)).collect();
    let ada = players.handles().next().unwrap();
    points[ada] += 7;
    players.remove(ada);
    points.retain(|handle, _| players.contains(handle));
    assert_eq!((points.get(ada), points.len()), (None, 1));
}

/// A key is no value: it says nothing about threads, and need not implement anything.
#[test]
fn pools_are_sent_whatever_their_key_is() {
    fn is_sent<T: Send + Sync + Clone>(value: T) -> T {
        value
    }
    let mut pool = is_sent(Pool::new().keyed::<Unsent>());
    let handle = is_sent(pool.insert(1));
    let map = is_sent(SecondaryMap::from_iter([(handle, 2)]));
    let columns = is_sent(SoaPool::<(u8,)>::new().keyed::<Unsent>());
    assert_eq!((pool[handle], map[handle], columns.len()), (1, 2, 0));
}

#[cfg(feature = "serde")]
#[test]
fn keyed_pools_are_saved() -> Result<(), serde_json::Error> {
    let mut players: KeyedPool<Players, String> = Pool::new().keyed();
    let ada = players.insert("Ada".into());
    let points = SecondaryMap::from_iter([(ada, 7)]);
    let columns = SoaPool::from_iter([(1,), (2,)]).keyed::<Players>();
    let saved = serde_json::to_string(&(&players, ada, &points, &columns))?;
    type Saved = (
        KeyedPool<Players, String>,
        PlayerId,
        SecondaryMap<Players, u32>,
        KeyedSoaPool<Players, (u8,)>,
    );
    let (players, id, points, again): Saved = serde_json::from_str(&saved)?;
    assert_eq!((players[ada].as_str(), id, points[ada]), ("Ada", ada, 7));
    assert_eq!((again.handles(), again.columns().0), (columns.handles(), &[1, 2][..]));
    Ok(())
}
