//! Strings made of other text, what iterators remove, and boxes turned into other boxes.

use std::any::Any;
use std::borrow::{BorrowMut, Cow};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{Arena, ArenaBox, ArenaString, BufferArena, CollectIn, format, unsize, vec};
use proptest::prelude::*;

proptest! {
    #[test]
    fn bytes_become_text_as_in_std(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let arena = Arena::new();
        let text = ArenaString::from_utf8_lossy_in(&bytes, &arena);
        prop_assert_eq!(&*text, String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn utf_16_becomes_text_as_in_std(units in prop::collection::vec(0xd700u16..0xe100, 0..8)) {
        let arena = Arena::new();
        let text = ArenaString::from_utf16_in(&units, &arena).ok();
        prop_assert_eq!(text.map(|text| text.to_string()), String::from_utf16(&units).ok());
    }

    #[test]
    fn a_drained_string_is_that_of_std(
        text: String, a: usize, b: usize, taken in prop::collection::vec(any::<bool>(), 0..9),
    ) {
        let boundary = |at: usize| (0..=at % (text.len() + 1)).rev()
            .find(|&at| text.is_char_boundary(at)).unwrap();
        let range = boundary(a).min(boundary(b))..boundary(a).max(boundary(b));
        let (arena, mut model) = (Arena::new(), text.clone());
        let mut copy = ArenaString::from_str_in(&text, &arena);
        let (mut removed, mut expected) = (copy.drain(range.clone()), model.drain(range));
        for is_first in taken {
            if is_first {
                prop_assert_eq!(removed.next(), expected.next());
            } else {
                prop_assert_eq!(removed.next_back(), expected.next_back());
            }
            prop_assert_eq!(removed.as_str(), expected.as_str());
        }
        drop((removed, expected));
        prop_assert_eq!(copy, model);
    }

    #[test]
    fn extracting_is_filtering(
        values in prop::collection::vec(any::<u8>(), 0..40), a: usize, b: usize, taken in 0..40usize,
    ) {
        let (a, b) = (a % (values.len() + 1), b % (values.len() + 1));
        let range = a.min(b)..a.max(b);
        let (arena, is_removed) = (Arena::new(), |n: u8| n % 3 == 0);
        let mut list = arena.vec();
        list.extend(values.iter().map(|&n| Box::new(n)));
        let removed: Vec<u8> =
            list.extract_if(range.clone(), |n| is_removed(**n)).take(taken).map(|n| *n).collect();
        let mut left = taken;
        let mut expected = vec![in arena];
        let kept = (0..).zip(&values).filter(|&(at, &n)| {
            let goes = range.contains(&at) && is_removed(n) && left > 0;
            if goes {
                left -= 1;
                expected.push(n);
            }
            !goes
        });
        let kept: Vec<u8> = kept.map(|(_, &n)| n).collect();
        prop_assert_eq!(list.iter().map(|n| **n).collect::<Vec<u8>>(), kept);
        prop_assert_eq!(expected, removed);
    }
}

/// Counts how often it is dropped.
struct Noted<'a>(u32, &'a Cell<u32>);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
    }
}

#[test]
fn a_panic_while_extracting_keeps_the_rest() {
    let (arena, drops) = (Arena::new(), Cell::new(0));
    let mut list: heapsmith::ArenaVec<'_, '_, _> =
        (0..6).map(|n| Noted(n, &drops)).collect_in(&arena);
    let removed = catch_unwind(AssertUnwindSafe(|| {
        list.extract_if(.., |n| if n.0 == 4 { panic!("as planned") } else { n.0 % 2 == 1 }).count()
    }));
    assert!(removed.is_err());
    assert_eq!(list.iter().map(|n| n.0).collect::<Vec<_>>(), [0, 2, 4, 5]);
    assert_eq!(drops.get(), 2);
    std::mem::forget(list.extract_if(1.., |_| true)); // loses elements, and drops none twice
    assert_eq!(list.len(), 1);
    drop(list);
    assert_eq!(drops.get(), 3);
}

#[test]
fn a_text_that_does_not_fit_is_an_error() {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 64];
    let arena = BufferArena::new(&mut buffer);
    let (long, wide) = ("x".repeat(100), [120; 100]);
    assert!(ArenaString::try_from_str_in(&long, &arena).is_err());
    assert!(ArenaString::try_from_utf8_lossy_in(long.as_bytes(), &arena).is_err());
    assert!(ArenaString::try_from_utf16_in(&wide, &arena).is_err());
    assert!(arena.try_string_with_capacity(100).is_err());
    let (mut text, mut list) = (arena.string(), vec![in arena; 1u8]);
    assert!(text.try_reserve_exact(100).is_err());
    assert!(list.try_extend_from_slices(&[&[2; 8], &[3; 90]]).is_err());
    assert_eq!(list, [1]);
}

#[test]
fn strings_take_part_in_the_traits_of_strings() {
    let arena = Arena::new();
    let mut text = format!(in arena, "a") + "b";
    text += "c";
    text.extend([&'d', &'e']);
    text.extend([String::from("f"), String::new()]);
    text.extend([Cow::Borrowed("g")]);
    text.extend([format!(in arena, "{}", 'h')]);
    let bytes: &[u8] = text.as_ref();
    assert_eq!(bytes, b"abcdefgh");
    BorrowMut::<str>::borrow_mut(&mut text).make_ascii_uppercase();
    let owned = String::from("ABCDEFGH");
    assert!(*"ABCDEFGH" == text && "ABCDEFGH" == text && owned == text);
    assert!(Cow::Borrowed("ABCDEFGH") == text);
}

#[test]
fn boxes_of_arrays_slices_and_any() {
    let arena = Arena::new();
    let slice: ArenaBox<'_, [String]> = arena.alloc_box(["a", "b"].map(String::from)).into();
    let slice = <ArenaBox<'_, [String; 3]>>::try_from(slice).unwrap_err();
    let array = <ArenaBox<'_, [String; 2]>>::try_from(slice).unwrap();
    assert_eq!(*array, ["a", "b"]);
    let list: ArenaBox<'_, [u8]> = vec![in arena; 1, 2].into();
    assert_eq!(*list, [1, 2]);
    assert!(ArenaBox::<[String]>::default().is_empty() && ArenaBox::<str>::default().is_empty());

    let drops = Cell::new(0);
    let value: ArenaBox<'_, dyn Any + Send> = unsize!(arena.alloc_box(String::from("a")));
    let value = value.downcast::<u8>().unwrap_err();
    assert_eq!(*value.downcast::<String>().unwrap(), "a");
    drop(arena.alloc_box(Noted(1, &drops)));
    assert_eq!(drops.get(), 1);
}

#[test]
fn iterators_show_what_is_left() {
    let arena = Arena::new();
    let mut list = vec![in arena; 1, 2, 3, 4];
    let mut removed = list.drain(1..3);
    removed.next();
    assert_eq!(std::format!("{removed:?}"), "ArenaDrain([3])");
    drop(removed);
    let mut list = list.into_iter();
    list.next_back();
    assert_eq!(std::format!("{list:?}"), "ArenaIntoIter([1])");
    let mut text = format!(in arena, "ab");
    assert_eq!(std::format!("{:?}", text.drain(..1)), "ArenaStringDrain(\"a\")");
    assert_eq!(text, "b");
}
