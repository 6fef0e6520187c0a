//! strings: copies words and formats lines in turn, and frees all of them together.

use std::fmt::Arguments;
use std::hint::black_box;
use std::ops::Deref;
use std::time::Instant;

use heapsmith_bench::{Entry, Report, Request, expect, mix};

use crate::contenders::Contender;
use crate::rounds::median;

/// Words are pieces of this text, which is ASCII.
const TEXT: &str = "It is a capital mistake to theorize before one has data. Insensibly one begins \
                    to twist facts to suit theories, instead of theories to suit facts.";

/// A contender that can store texts.
pub trait Strings: Contender {
    type Memory;

    /// Memory for texts of `bytes` bytes in total.
    fn memory(bytes: usize) -> Self::Memory;

    /// Writes the texts of a round and frees them.
    fn round(memory: &mut Self::Memory, round: &mut Round);
}

/// The words of a round and its time.
pub struct Round {
    words: Vec<&'static str>,
    elapsed_s: f64,
    began_to_end: Option<Instant>,
}

impl Round {
    fn new(words: u64) -> Self {
        let word = |i: u64| {
            let from = (mix(2 * i + 1) % (TEXT.len() as u64 - 40)) as usize;
            &TEXT[from..from + 1 + (mix(2 * i + 2) % 40) as usize]
        };
        Self { words: (0..words).map(word).collect(), elapsed_s: 0.0, began_to_end: None }
    }

    /// Writes and checks the texts: each word itself, and in a line with its number.
    #[inline(never)]
    pub fn write<'m, P: Deref<Target = str>, M: ?Sized>(
        &mut self,
        memory: &'m M,
        copy: impl Fn(&'m M, &str) -> P,
        format: impl Fn(&'m M, Arguments<'_>) -> P,
    ) -> Vec<P> {
        let mut all = Vec::with_capacity(2 * self.words.len());
        let begin = Instant::now();
        for (number, word) in self.words.iter().enumerate() {
            all.push(copy(memory, word));
            all.push(format(memory, format_args!("{number}: {word}")));
        }
        self.elapsed_s = begin.elapsed().as_secs_f64();
        let all = black_box(all);
        for (number, (word, pair)) in self.words.iter().zip(all.chunks(2)).enumerate() {
            expect(*pair[0] == **word, "a word changed while it was alive");
            let line = pair[1].split_once(": ");
            let is_whole = line.is_some_and(|(n, text)| n.parse() == Ok(number) && text == *word);
            expect(is_whole, "a line changed while it was alive");
        }
        all
    }

    /// The texts are freed between this call and `end`.
    pub fn begin_to_end(&mut self) {
        self.began_to_end = Some(Instant::now());
    }

    pub fn end(&mut self) {
        let begin = self.began_to_end.take().expect("begin_to_end() was called");
        self.elapsed_s += begin.elapsed().as_secs_f64();
    }
}

pub fn entry<C: Strings>() -> Entry {
    C::entry("strings".to_string(), run::<C>)
}

fn run<C: Strings>(request: &Request, report: &mut Report) {
    let mut round = Round::new(request.choose(200_000, 50_000, 500));
    let bytes: usize = round.words.iter().map(|word| 2 * word.len() + 8).sum();
    let mut memory = C::memory(bytes);
    C::round(&mut memory, &mut round); // brings the memory
    let times = (0..request.choose(5, 5, 1)).map(|_| {
        C::round(&mut memory, &mut round);
        round.elapsed_s
    });
    report.value("wall_s", median(times.collect()));
    report.answer(bytes as u64);
}
