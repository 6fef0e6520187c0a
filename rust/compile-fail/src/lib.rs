//! Nothing: the cases are programs of their own, and tests/compile_fail.rs compiles them.
