//! objects-BYTES-trivial and objects-BYTES-drop: makes objects, sums over them and drops all of
//! them. The first round allocates the memory; the medians of the others are reported, per object.

use std::hint::black_box;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use heapsmith_bench::{Entry, Report, Request, expect};

use crate::contenders::Contender;
use crate::rounds::{median, recycled};

/// An object whose words all equal its number.
pub trait Object: 'static {
    fn make(number: u32) -> Self;
    fn words(&self) -> &[u32];
}

pub struct Trivial<const WORDS: usize>([u32; WORDS]);

pub struct Dropped<const WORDS: usize>([u32; WORDS]);

/// The sum of the numbers of dropped objects.
static DROPPED: AtomicU64 = AtomicU64::new(0);

impl<const WORDS: usize> Object for Trivial<WORDS> {
    #[inline(always)]
    fn make(number: u32) -> Self {
        Self([number; WORDS])
    }
    #[inline(always)]
    fn words(&self) -> &[u32] {
        &self.0
    }
}

impl<const WORDS: usize> Object for Dropped<WORDS> {
    #[inline(always)]
    fn make(number: u32) -> Self {
        Self([number; WORDS])
    }
    #[inline(always)]
    fn words(&self) -> &[u32] {
        &self.0
    }
}

impl<const WORDS: usize> Drop for Dropped<WORDS> {
    #[inline(always)]
    fn drop(&mut self) {
        // One thread needs no locked addition, which would dominate the time.
        DROPPED.store(DROPPED.load(Relaxed) + u64::from(self.0[0]), Relaxed);
    }
}

/// A contender in which single objects are made and dropped all at once.
pub trait Objects: Contender {
    type Memory;

    /// Memory for `objects` objects of `bytes` bytes.
    fn memory(objects: usize, bytes: usize) -> Self::Memory;

    /// Makes the objects of a round, lets it visit them, and drops them.
    fn round<T: Object>(memory: &mut Self::Memory, round: &mut Round<T>);
}

/// A round and its times.
pub struct Round<T> {
    objects: u32,
    /// The memory of the pointers, from one round to the next.
    pointers: Vec<*mut T>,
    began_to_end: Option<Instant>,
    alloc_s: f64,
    iterate_s: f64,
    drop_s: f64,
}

impl<T: Object> Round<T> {
    fn new(objects: u32) -> Self {
        let pointers = Vec::with_capacity(objects as usize);
        Self { objects, pointers, began_to_end: None, alloc_s: 0.0, iterate_s: 0.0, drop_s: 0.0 }
    }

    pub fn objects(&self) -> usize {
        self.objects as usize
    }

    /// Makes the objects with the numbers from 0 on and returns pointers to them.
    #[inline(never)]
    pub fn make<P>(&mut self, make: impl FnMut(u32) -> P) -> Vec<P> {
        let mut all: Vec<P> = recycled(std::mem::take(&mut self.pointers));
        let begin = Instant::now();
        all.extend((0..self.objects).map(make));
        self.alloc_s = begin.elapsed().as_secs_f64();
        black_box(all)
    }

    /// Checks all words of the objects and sums over them.
    #[inline(never)]
    pub fn visit<P: Deref<Target = T>>(&mut self, all: &[P]) {
        for (number, object) in (0..).zip(all) {
            let is_whole = object.words().iter().all(|word| *word == number);
            expect(is_whole, "an object changed while it was alive");
        }
        let begin = Instant::now();
        let sum: u64 = all.iter().map(|object| u64::from(object.words()[0])).sum();
        let sum = black_box(sum);
        self.iterate_s = begin.elapsed().as_secs_f64();
        expect(sum == self.expected(), "the sum over the objects is wrong");
        DROPPED.store(0, Relaxed);
    }

    /// The objects are dropped between this call and `end`.
    pub fn begin_to_end(&mut self) {
        self.began_to_end = Some(Instant::now());
    }

    pub fn end(&mut self, pointers: Vec<*mut T>) {
        let begin = self.began_to_end.take().expect("begin_to_end() was called");
        self.drop_s = begin.elapsed().as_secs_f64();
        self.pointers = pointers;
        let seen = if std::mem::needs_drop::<T>() { self.expected() } else { 0 };
        expect(DROPPED.load(Relaxed) == seen, "destructors did not run once each");
    }

    fn expected(&self) -> u64 {
        let objects = u64::from(self.objects);
        objects * (objects - 1) / 2
    }
}

pub fn entry<C: Objects, T: Object>() -> Entry {
    let kind = if std::mem::needs_drop::<T>() { "drop" } else { "trivial" };
    C::entry(format!("objects-{}-{kind}", size_of::<T>()), run::<C, T>)
}

fn run<C: Objects, T: Object>(request: &Request, report: &mut Report) {
    let (objects, rounds) = (request.choose(2_000_000, 200_000, 2_000), request.choose(1, 3, 1));
    let mut memory = C::memory(objects as usize, size_of::<T>());
    let mut round = Round::<T>::new(objects);
    let (mut made, mut visited, mut ended) = (Vec::new(), Vec::new(), Vec::new());
    C::round(&mut memory, &mut round); // brings the memory
    for _ in 0..rounds {
        C::round(&mut memory, &mut round);
        made.push(round.alloc_s);
        visited.push(round.iterate_s);
        ended.push(round.drop_s);
    }
    let per_object = 1e9 / f64::from(objects);
    report.value("alloc_ns", median(made) * per_object);
    report.value("iterate_ns", median(visited) * per_object);
    report.value("drop_ns", median(ended) * per_object);
    report.answer(round.expected());
}
