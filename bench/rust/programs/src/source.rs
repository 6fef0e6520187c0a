//! The number of items that a program works on, and its random numbers.

use heapsmith_bench::{Request, mix};

/// The next pseudo-random number.
pub fn next(state: &mut u64) -> u64 {
    *state += 1;
    mix(*state)
}

/// The number of items that a request selects.
pub fn count(request: &Request, whole: usize) -> usize {
    request.choose(whole, whole / 4, whole / 200)
}
