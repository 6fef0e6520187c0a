//! Which changes of a program's allocation are worth a trial, from its trace.
//!
//! | step | module |
//! |---|---|
//! | look at what each site does with its blocks | [`study`], [`habits`], [`lanes`], [`chains`] |
//! | say which families could serve its blocks | [`candidates`] |
//!
//! A candidate is no advice yet: a replay has to show that it pays.

pub mod candidates;
pub mod chains;
pub mod habits;
mod lanes;
pub mod study;
