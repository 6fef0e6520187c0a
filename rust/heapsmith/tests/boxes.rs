//! Boxes that stand for their values: as trait objects, iterators, futures, hashers, readers.

use std::cell::Cell;
use std::fmt::Display;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Cursor, Read, Seek, SeekFrom, Write};
use std::marker::PhantomPinned;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use heapsmith::{Arena, ArenaBox, unsize};

/// Counts how often it is dropped.
struct Noted<'a>(&'a Cell<u32>, [u64; 5]);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Display for Noted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.1[4].fmt(f)
    }
}

#[test]
fn a_trait_object_is_dropped_once() {
    let (drops, arena) = (Cell::new(0), Arena::new());
    let shown: ArenaBox<'_, dyn Display> = unsize!(arena.alloc_box(Noted(&drops, [7; 5])));
    assert_eq!((shown.to_string(), drops.get()), ("7".into(), 0));
    drop(shown);
    assert_eq!(drops.get(), 1);
    let list: ArenaBox<'_, [Noted<'_>]> =
        unsize!(arena.alloc_box([1, 2].map(|n| Noted(&drops, [n; 5]))));
    assert_eq!(list.into_iter().map(|it| it.1[0]).sum::<u64>(), 3);
    assert_eq!(drops.get(), 3);
}

#[cfg(all(feature = "heap", not(miri)))]
#[test]
fn a_trait_object_in_a_heap_frees_its_block() {
    let (drops, heap) = (Cell::new(0), heapsmith::Heap::new());
    let shown: heapsmith::HeapBox<'_, dyn Display> = unsize!(heap.alloc(Noted(&drops, [7; 5])));
    assert!(heap.stats().in_use_bytes >= size_of::<Noted<'_>>());
    drop(shown);
    assert_eq!((heap.stats().in_use_bytes, drops.get()), (0, 1));
}

#[cfg(all(feature = "region", not(miri)))]
#[test]
fn a_trait_object_in_a_region_frees_its_block() {
    let (drops, mut buffer) = (Cell::new(0), [std::mem::MaybeUninit::uninit(); 4096]);
    let region = heapsmith::Region::new(&mut buffer);
    let shown: heapsmith::RegionBox<'_, dyn Display> = unsize!(region.alloc(Noted(&drops, [7; 5])));
    assert_eq!(shown.to_string(), "7");
    drop(shown);
    assert_eq!((region.stats().in_use_bytes, drops.get()), (0, 1));
}

#[test]
fn a_box_of_an_iterator_is_an_iterator() {
    let arena = Arena::new();
    let mut numbers = arena.alloc_box(0..10);
    assert_eq!((numbers.len(), numbers.nth(2), numbers.next_back()), (10, Some(2), Some(9)));
    assert_eq!(numbers.by_ref().take(2).sum::<i32>(), 3 + 4);
    let erased: ArenaBox<'_, dyn DoubleEndedIterator<Item = i32>> = unsize!(numbers);
    assert_eq!(erased.rev().collect::<Vec<_>>(), [8, 7, 6, 5]);
    let names = ["a", "b"].map(String::from);
    let sent: ArenaBox<'_, dyn Iterator<Item = &String> + Send> =
        unsize!(arena.alloc_box(names.iter()));
    assert_eq!(sent.size_hint(), (2, Some(2)));
    let exact: ArenaBox<'_, dyn ExactSizeIterator<Item = u8>> = unsize!(arena.alloc_box(0..3u8));
    assert_eq!(exact.len(), 3);
}

#[test]
fn a_box_of_a_hasher_is_that_hasher() {
    let arena = Arena::new();
    let mut hasher: ArenaBox<'_, dyn Hasher> = unsize!(arena.alloc_box(DefaultHasher::new()));
    let mut expected = DefaultHasher::new();
    let value = (1u8, -2i16, 3u32, -4i64, 5u128, 6usize, "text", ['x'; 3]);
    value.hash(&mut hasher);
    value.hash(&mut expected);
    assert_eq!(hasher.finish(), expected.finish());
}

#[test]
fn a_box_of_a_file_is_read_and_written() {
    let arena = Arena::new();
    let mut file = arena.alloc_box(Cursor::new(Vec::new()));
    write!(file, "one\ntwo\n{}", 3).unwrap();
    file.flush().unwrap();
    assert_eq!(file.seek(SeekFrom::Start(4)).unwrap(), 4);
    let mut line = String::new();
    file.read_line(&mut line).unwrap();
    file.read_to_string(&mut line).unwrap();
    assert_eq!(line, "two\n3");
}

#[test]
fn an_error_in_a_box_is_an_error() {
    let arena = Arena::new();
    let error = "x".parse::<u32>().unwrap_err();
    let boxed: ArenaBox<'_, dyn std::error::Error> = unsize!(arena.alloc_box(error.clone()));
    assert_eq!(boxed.to_string(), error.to_string());
    fn takes(error: impl std::error::Error) -> bool {
        error.source().is_none()
    }
    assert!(takes(boxed));
}

/// Knows its address, and must not move.
struct Fixed<'a> {
    address: Cell<usize>,
    _noted: Noted<'a>,
    _pinned: PhantomPinned,
}

impl Future for Fixed<'_> {
    type Output = bool;

    /// Whether it lies where it lay before.
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<bool> {
        let here = (&raw const *self).addr();
        match self.address.replace(here) {
            0 => Poll::Pending,
            before => Poll::Ready(before == here),
        }
    }
}

fn polled(mut future: Pin<&mut Fixed<'_>>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    future.poll(&mut context) == Poll::Ready(true)
}

#[test]
fn a_pinned_value_stays_until_it_is_dropped() {
    let (drops, arena) = (Cell::new(0), Arena::new());
    let fixed = || {
        let (address, noted) = (Cell::new(0), Noted(&drops, [1; 5]));
        arena.alloc_box(Fixed { address, _noted: noted, _pinned: PhantomPinned })
    };
    assert!(ArenaBox::pinned(fixed(), polled));
    assert_eq!(drops.get(), 1);
    catch_unwind(AssertUnwindSafe(|| ArenaBox::pinned(fixed(), |_| panic!()))).unwrap_err();
    assert_eq!(drops.get(), 2);
}

#[test]
fn a_box_of_an_unpinned_future_is_a_future() {
    let arena = Arena::new();
    let mut ready = arena.alloc_box(std::future::ready(7));
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(Pin::new(&mut ready).poll(&mut context), Poll::Ready(7));
}
