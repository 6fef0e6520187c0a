//! Shared by the rounds of all workloads.

/// Turns an empty vector into one of another type in the same memory: the standard library collects
/// elements of the same layout in place.
pub fn recycled<From, To>(mut vector: Vec<From>) -> Vec<To> {
    vector.clear();
    vector.into_iter().map(|_| unreachable!("the vector is empty")).collect()
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
