//! Several verbs print these: numbers, the table of a row, the verdict.

pub mod table;
pub mod units;
pub mod verdict;
