//! Random steps on a string in an arena, compared with `String`.

use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{Arena, ArenaString, BufferArena};
use proptest::prelude::*;

#[allow(dead_code)] // its model of blocks
mod support;

#[derive(Clone, Debug)]
enum Step {
    PushStr(String),
    Insert(usize, char),
    InsertStr(usize, String),
    Remove(usize),
    Retain(char),
    Replace(usize, usize, String),
    SplitOff(usize),
    Truncate(usize),
    Bytes,
    Clone,
    /// Something else is allocated, so that the string has to move.
    Neighbour,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = any::<usize>;
    let one = || prop::sample::select(vec!['a', 'b', 'ß', '€', '🦀']);
    let text = move || prop::collection::vec(one(), 0..12).prop_map(|all| all.iter().collect());
    let step = prop_oneof![
        4 => text().prop_map(Step::PushStr),
        2 => (at(), one()).prop_map(|(at, c)| Step::Insert(at, c)),
        2 => (at(), text()).prop_map(|(at, text)| Step::InsertStr(at, text)),
        2 => at().prop_map(Step::Remove),
        1 => one().prop_map(Step::Retain),
        4 => (at(), at(), text()).prop_map(|(a, b, text)| Step::Replace(a, b, text)),
        1 => at().prop_map(Step::SplitOff),
        1 => at().prop_map(Step::Truncate),
        1 => Just(Step::Bytes),
        1 => Just(Step::Clone),
        2 => Just(Step::Neighbour),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 30 } else { 100 })
}

/// A character boundary.
fn boundary(text: &str, at: usize) -> usize {
    let all: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    all[at % all.len()]
}

fn follow<'a>(arena: &'a Arena, text: &mut ArenaString<'a, 'a>, model: &mut String, step: Step) {
    match step {
        Step::PushStr(more) => {
            text.push_str(&more);
            model.push_str(&more);
        }
        Step::Insert(at, character) => {
            let at = boundary(model, at);
            text.insert(at, character);
            model.insert(at, character);
        }
        Step::InsertStr(at, more) => {
            let at = boundary(model, at);
            text.insert_str(at, &more);
            model.insert_str(at, &more);
        }
        Step::Remove(at) => {
            let at = boundary(model, at);
            if at < model.len() {
                assert_eq!(text.remove(at), model.remove(at));
            }
        }
        Step::Retain(character) => {
            text.retain(|c| c != character);
            model.retain(|c| c != character);
        }
        Step::Replace(a, b, with) => {
            let (a, b) = (boundary(model, a), boundary(model, b));
            text.replace_range(a.min(b)..a.max(b), &with);
            model.replace_range(a.min(b)..a.max(b), &with);
        }
        Step::SplitOff(at) => {
            let at = boundary(model, at);
            assert_eq!(text.split_off(at), model.split_off(at));
        }
        Step::Truncate(at) => {
            let at = boundary(model, at);
            text.truncate(at);
            model.truncate(at);
        }
        Step::Bytes => {
            let bytes = std::mem::replace(text, arena.string()).into_bytes();
            *text = ArenaString::from_utf8(bytes).expect("the bytes were those of a string");
        }
        Step::Clone => {
            let clone = text.clone();
            assert_eq!(clone.cmp(text), std::cmp::Ordering::Equal);
            let hashes = RandomState::new();
            assert_eq!(hashes.hash_one(&clone), hashes.hash_one(model.as_str()));
        }
        Step::Neighbour => _ = arena.alloc(1u8),
    }
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn a_string_does_what_string_does(steps in steps()) {
        let arena = Arena::new();
        let (mut text, mut model) = (arena.string(), String::new());
        for step in steps {
            follow(&arena, &mut text, &mut model, step);
            prop_assert_eq!(text.as_bytes(), model.as_bytes());
        }
    }
}

#[test]
fn a_panic_leaves_whole_characters() {
    let arena = Arena::new();
    let mut text = heapsmith::format!(in arena, "a€ß🦀c");
    let mut calls = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        text.retain(|c| {
            calls += 1;
            assert!(calls < 4, "a function that panics");
            c != 'a'
        });
    }));
    assert!(result.is_err() && text == "€ß");
}

#[test]
fn a_text_without_room_changes_nothing() {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 64];
    let arena = BufferArena::new(&mut buffer);
    let mut text = heapsmith::format!(in arena, "€uro");
    let long = "€".repeat(30);
    assert!(text.try_replace_range(0..3, &long).is_err() && text.try_insert_str(3, &long).is_err());
    assert_eq!(text, "€uro");
    let spare = text.capacity() + arena.remaining() - text.len();
    text.replace_range(0..3, &"x".repeat(spare + 3)); // the last byte
    assert!(text.try_insert(0, 'x').is_err());
}

#[test]
#[should_panic(expected = "replace_range: bytes 1..3 do not begin and end at char boundaries")]
fn half_a_character_is_not_replaced() {
    let arena = Arena::new();
    heapsmith::format!(in arena, "€").replace_range(1..3, "");
}
