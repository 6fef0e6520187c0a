//! What the rounds of all workloads need.

/// The empty vector, for elements of another type: its memory stays where it is, since the standard
/// library collects in place what has the same layout.
pub fn recycled<From, To>(mut vector: Vec<From>) -> Vec<To> {
    vector.clear();
    vector.into_iter().map(|_| unreachable!("the vector is empty")).collect()
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
