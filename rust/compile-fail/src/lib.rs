//! The cases are programs of their own, and tests/compile_fail.rs compiles them.

/// The examples of the page on porting, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/porting-rust.md")]
struct Porting;
