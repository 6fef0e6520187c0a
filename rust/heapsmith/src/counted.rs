//! Counts of allocations, for tests that limit them.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::hint::black_box;
use std::thread_local;

/// A global allocator that counts the calls of each thread, and passes them on to another one. A
/// test with it can say how much a piece of code may allocate.
///
/// # Thread safety
///
/// Each thread has its own counts. A block that another thread frees is counted there.
///
/// # Complexity
///
/// Constant: a few additions for each call.
///
/// # Source
///
/// The testing mode of the crate dhat, which counts the whole process and so lets one test run at a
/// time.
///
/// # Examples
///
/// ```standalone_crate
/// use std::alloc::System;
/// use heapsmith::Counted;
///
/// #[global_allocator]
/// static A: Counted<System> = Counted::new(System);
///
/// let mut list = Vec::with_capacity(10);
/// heapsmith::assert_no_allocation(|| list.extend(0..10)); // as the loop of a game or a server
/// let (text, counts) = heapsmith::count_allocations(|| "abc".repeat(2));
/// assert_eq!((text.as_str(), counts.allocations, counts.bytes), ("abcabc", 1, 6));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted<A>(A);

impl<A> Counted<A> {
    /// Counts the calls of an allocator.
    ///
    /// # Examples
    ///
    /// ```standalone_crate
    /// use std::alloc::System;
    /// use heapsmith::Counted;
    ///
    /// #[global_allocator]
    /// static A: Counted<System> = Counted::new(System);
    ///
    /// heapsmith::assert_allocations(1, || Box::new(1));
    /// ```
    pub const fn new(allocator: A) -> Self {
        Self(allocator)
    }
}

/// The allocations of a piece of code, from [`count_allocations`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllocationCounts {
    /// Blocks that were allocated.
    pub allocations: u64,
    /// Blocks that grew or shrank, in place or by moving.
    pub reallocations: u64,
    /// Blocks that were freed, of whatever age.
    pub deallocations: u64,
    /// Bytes that were requested: of new blocks, and of the growth of others.
    pub bytes: u64,
    /// The most bytes that were in use at a time beyond those at the start.
    pub peak_bytes: u64,
}

struct Counts {
    allocations: Cell<u64>,
    reallocations: Cell<u64>,
    deallocations: Cell<u64>,
    bytes: Cell<u64>,
    /// Negative if the thread frees blocks of others.
    in_use: Cell<i64>,
    /// The most that was in use since the innermost count began.
    most: Cell<i64>,
}

thread_local! {
    // Without a destructor, so that it is counted until the thread ends.
    static COUNTS: Counts = const {
        Counts {
            allocations: Cell::new(0),
            reallocations: Cell::new(0),
            deallocations: Cell::new(0),
            bytes: Cell::new(0),
            in_use: Cell::new(0),
            most: Cell::new(0),
        }
    };
}

fn add(count: &Cell<u64>, more: usize) {
    count.set(count.get().wrapping_add(more as u64));
}

impl Counts {
    fn grow(&self, bytes: usize) {
        add(&self.bytes, bytes);
        self.in_use.set(self.in_use.get().wrapping_add_unsigned(bytes as u64));
        self.most.set(self.most.get().max(self.in_use.get()));
    }

    fn shrink(&self, bytes: usize) {
        self.in_use.set(self.in_use.get().wrapping_sub_unsigned(bytes as u64));
    }

    fn so_far(&self) -> AllocationCounts {
        AllocationCounts {
            allocations: self.allocations.get(),
            reallocations: self.reallocations.get(),
            deallocations: self.deallocations.get(),
            bytes: self.bytes.get(),
            peak_bytes: 0,
        }
    }
}

fn note_new(p: *mut u8, bytes: usize) {
    if !p.is_null() {
        COUNTS.with(|it| {
            add(&it.allocations, 1);
            it.grow(bytes);
        });
    }
}

// SAFETY: the other allocator keeps the contract, and counting neither allocates nor panics.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let p = unsafe { self.0.alloc(layout) };
        note_new(p, layout.size());
        p
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let p = unsafe { self.0.alloc_zeroed(layout) };
        note_new(p, layout.size());
        p
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        COUNTS.with(|it| {
            add(&it.deallocations, 1);
            it.shrink(layout.size());
        });
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let moved = unsafe { self.0.realloc(p, layout, bytes) };
        if !moved.is_null() {
            COUNTS.with(|it| {
                add(&it.reallocations, 1);
                it.grow(bytes.saturating_sub(layout.size()));
                it.shrink(layout.size().saturating_sub(bytes));
            });
        }
        moved
    }
}

/// Returns what `f` returns, and what this thread allocated meanwhile.
///
/// # Panics
///
/// Panics if the program's global allocator is not [`Counted`]: nothing would be counted.
///
/// # Examples
///
/// ```standalone_crate
/// # #[global_allocator]
/// # static A: heapsmith::Counted<std::alloc::System> = heapsmith::Counted::new(std::alloc::System);
/// let (_, counts) = heapsmith::count_allocations(|| drop(vec![0u8; 100]));
/// assert_eq!((counts.allocations, counts.deallocations, counts.peak_bytes), (1, 1, 100));
/// ```
#[track_caller]
pub fn count_allocations<R>(f: impl FnOnce() -> R) -> (R, AllocationCounts) {
    let before = COUNTS.with(Counts::so_far).allocations;
    drop(black_box(std::boxed::Box::new(black_box(0u8))));
    let is_counted = COUNTS.with(|it| it.allocations.get() != before);
    assert!(is_counted, "nothing is counted: the global allocator is not heapsmith::Counted");

    let (start, in_use, most) = COUNTS.with(|it| {
        let outer = it.most.replace(it.in_use.get());
        (it.so_far(), it.in_use.get(), outer)
    });
    let result = f();
    let counts = COUNTS.with(|it| {
        let (end, peak) = (it.so_far(), it.most.get());
        it.most.set(peak.max(most));
        AllocationCounts {
            allocations: end.allocations - start.allocations,
            reallocations: end.reallocations - start.reallocations,
            deallocations: end.deallocations - start.deallocations,
            bytes: end.bytes - start.bytes,
            peak_bytes: u64::try_from(peak - in_use).unwrap_or(0),
        }
    });
    (result, counts)
}

/// Returns what `f` returns. Growth of a block counts as an allocation.
///
/// # Panics
///
/// Panics if this thread allocated more than `most` times meanwhile, or if the program's global
/// allocator is not [`Counted`].
///
/// # Examples
///
/// ```standalone_crate
/// # #[global_allocator]
/// # static A: heapsmith::Counted<std::alloc::System> = heapsmith::Counted::new(std::alloc::System);
/// let words = heapsmith::assert_allocations(2, || vec![String::from("two blocks")]);
/// assert_eq!(words.len(), 1);
/// ```
#[track_caller]
pub fn assert_allocations<R>(most: u64, f: impl FnOnce() -> R) -> R {
    let (result, counts) = count_allocations(f);
    let made = counts.allocations + counts.reallocations;
    assert!(made <= most, "{made} allocations of {} bytes, at most {most} allowed", counts.bytes);
    result
}

/// Returns what `f` returns, which must not allocate: `assert_allocations(0, f)`.
///
/// # Panics
///
/// Panics if this thread allocated meanwhile, or if the program's global allocator is not
/// [`Counted`].
///
/// # Examples
///
/// ```standalone_crate
/// # #[global_allocator]
/// # static A: heapsmith::Counted<std::alloc::System> = heapsmith::Counted::new(std::alloc::System);
/// assert_eq!(heapsmith::assert_no_allocation(|| [3, 1, 2].iter().max().copied()), Some(3));
/// ```
#[track_caller]
pub fn assert_no_allocation<R>(f: impl FnOnce() -> R) -> R {
    assert_allocations(0, f)
}
