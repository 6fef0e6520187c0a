//! grow-vec, grow-vec-cached: grow vectors by one element at a time, one after the other, and free
//! all of them together.

use std::hint::black_box;
use std::time::Instant;

use heapsmith_bench::{Entry, Report, expect, mix};

use crate::contenders::Contender;
use crate::rounds::median;

/// The limit of the random lengths.
const LONGEST: u64 = 2000;

/// A contender that can store vectors.
pub trait Vectors: Contender {
    type Memory;

    /// Memory for vectors of `bytes` bytes in total, and for the blocks they leave when they grow.
    fn memory(bytes: usize) -> Self::Memory;

    /// Grows the vectors of a round and frees them.
    fn round(memory: &mut Self::Memory, round: &mut Round);
}

pub trait Growing {
    fn push(&mut self, value: u64);
    fn contents(&self) -> &[u64];
}

/// The lengths of the vectors of a round and its time.
pub struct Round {
    lengths: Vec<u64>,
    elapsed_s: f64,
    began_to_end: Option<Instant>,
}

impl Round {
    fn new(vectors: u64) -> Self {
        let lengths = (0..vectors).map(|i| mix(i + 1) % LONGEST).collect();
        Self { lengths, elapsed_s: 0.0, began_to_end: None }
    }

    /// Grows and checks the vectors.
    #[inline(never)]
    pub fn grow<V: Growing>(&mut self, mut new: impl FnMut() -> V) -> Vec<V> {
        let mut all = Vec::with_capacity(self.lengths.len());
        let begin = Instant::now();
        for length in &self.lengths {
            let mut vector = new();
            for value in 0..*length {
                vector.push(value ^ length);
            }
            all.push(black_box(vector));
        }
        self.elapsed_s = begin.elapsed().as_secs_f64();
        for (vector, length) in all.iter().zip(&self.lengths) {
            let is_whole = vector.contents().len() as u64 == *length
                && (0..).zip(vector.contents()).all(|(value, found)| *found == value ^ length);
            expect(is_whole, "a vector changed while it was alive");
        }
        all
    }

    /// The vectors are freed between this call and `end`.
    pub fn begin_to_end(&mut self) {
        self.began_to_end = Some(Instant::now());
    }

    pub fn end(&mut self) {
        let begin = self.began_to_end.take().expect("begin_to_end() was called");
        self.elapsed_s += begin.elapsed().as_secs_f64();
    }
}

/// 10,000 vectors take 80 MB, so the memory decides their time. 20 stay in the caches of a core.
pub fn entries<C: Vectors>() -> [Entry; 2] {
    [
        C::entry("grow-vec".to_string(), |request, report| {
            run::<C>(request.choose(10_000, 2_000, 50), request.choose(5, 5, 1), report);
        }),
        C::entry("grow-vec-cached".to_string(), |request, report| {
            run::<C>(20, request.choose(2_001, 501, 1), report);
        }),
    ]
}

fn run<C: Vectors>(vectors: u64, rounds: usize, report: &mut Report) {
    let mut round = Round::new(vectors);
    let bytes: u64 = round.lengths.iter().map(|length| length * 8).sum();
    let mut memory = C::memory(bytes as usize);
    C::round(&mut memory, &mut round); // brings the memory
    let times = (0..rounds).map(|_| {
        C::round(&mut memory, &mut round);
        round.elapsed_s
    });
    report.value("wall_s", median(times.collect()));
    report.answer(bytes);
}
