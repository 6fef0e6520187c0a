//! Samples over time, thinned out as they come, and the figures drawn from them.

/// More points are merged in pairs.
pub const MAX_POINTS: usize = 1_000;
/// A shorter time says nothing about growth per minute.
const SHORTEST_SLOPE_S: f64 = 1.0;

/// One sample, or adjacent samples merged.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The time of the largest sample, and that sample.
    pub t_s: f64,
    pub bytes: f64,
    /// The samples stand for this much time.
    span_s: f64,
    /// Bytes times seconds over that time.
    area: f64,
}

impl Point {
    fn mean(&self) -> f64 {
        if self.span_s > 0.0 { self.area / self.span_s } else { self.bytes }
    }

    /// Keeps the larger sample, so that no peak is lost.
    fn merge(left: &Self, right: &Self) -> Self {
        let larger = if right.bytes > left.bytes { right } else { left };
        Self { span_s: left.span_s + right.span_s, area: left.area + right.area, ..*larger }
    }
}

#[derive(Debug)]
pub struct Points {
    kept: Vec<Point>,
    last: Option<(f64, f64)>,
    /// The number of samples in a whole point.
    per_point: usize,
    in_last_point: usize,
}

impl Points {
    pub fn new() -> Self {
        Self { kept: Vec::new(), last: None, per_point: 1, in_last_point: 0 }
    }

    pub fn push(&mut self, t_s: f64, bytes: f64) {
        // A sample stands for the time since the one before it.
        let span_s = self.last.map_or(0.0, |(before_s, _)| t_s - before_s);
        let from = self.last.map_or(bytes, |(_, before)| before);
        let point = Point { t_s, bytes, span_s, area: span_s * (from + bytes) / 2.0 };
        self.last = Some((t_s, bytes));
        match self.kept.last_mut() {
            Some(last) if self.in_last_point < self.per_point => {
                *last = Point::merge(last, &point);
                self.in_last_point += 1;
            }
            _ => {
                if self.kept.len() == MAX_POINTS {
                    self.halve();
                }
                self.kept.push(point);
                self.in_last_point = 1;
            }
        }
    }

    fn halve(&mut self) {
        let merged = |pair: &[Point]| pair[1..].iter().fold(pair[0], |a, b| Point::merge(&a, b));
        self.kept = self.kept.chunks(2).map(merged).collect();
        self.per_point *= 2;
    }

    pub fn kept(&self) -> &[Point] {
        &self.kept
    }

    pub fn last_s(&self) -> Option<f64> {
        self.last.map(|(t_s, _)| t_s)
    }

    pub fn peak(&self) -> Option<f64> {
        self.kept.iter().map(|point| point.bytes).max_by(f64::total_cmp)
    }

    /// The mean over time from `from_s` to `to_s`.
    pub fn mean(&self, from_s: f64, to_s: f64) -> Option<f64> {
        let inside = self.between(from_s, to_s);
        let span_s: f64 = inside.iter().map(|point| point.span_s).sum();
        let area: f64 = inside.iter().map(|point| point.area).sum();
        if span_s > 0.0 { Some(area / span_s) } else { Some(inside.first()?.bytes) }
    }

    /// The growth per minute over the second half of the time from `from_s` to `to_s`: the median
    /// of the slopes between all pairs of points (Theil and Sen), which spikes do not move.
    pub fn slope_per_min(&self, from_s: f64, to_s: f64) -> Option<f64> {
        let middle_s = (from_s + to_s) / 2.0;
        if to_s - middle_s < SHORTEST_SLOPE_S {
            return None;
        }
        let points = self.between(middle_s, to_s);
        let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
        for (index, left) in points.iter().enumerate() {
            for right in &points[index + 1..] {
                if right.t_s > left.t_s {
                    slopes.push((right.mean() - left.mean()) / (right.t_s - left.t_s));
                }
            }
        }
        let middle = slopes.len() / 2;
        let (_, median, _) =
            (!slopes.is_empty()).then(|| slopes.select_nth_unstable_by(middle, f64::total_cmp))?;
        Some(*median * 60.0)
    }

    fn between(&self, from_s: f64, to_s: f64) -> Vec<Point> {
        let inside = |point: &&Point| (from_s..=to_s).contains(&point.t_s);
        self.kept.iter().filter(inside).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    //! Thinning keeps peaks and means; slopes ignore spikes.
    use super::*;

    fn points(samples: impl Iterator<Item = (f64, f64)>) -> Points {
        let mut points = Points::new();
        samples.for_each(|(t_s, bytes)| points.push(t_s, bytes));
        points
    }

    #[test]
    fn thinning_keeps_the_peak_and_the_mean() {
        let steady = |step: u32| (f64::from(step) * 0.01, if step == 77_777 { 9e6 } else { 1e6 });
        let points = points((0..100_000).map(steady));
        assert!((MAX_POINTS / 2..=MAX_POINTS).contains(&points.kept().len()));
        assert_eq!(points.peak(), Some(9e6));
        let mean = points.mean(0.0, 1_000.0).expect("a mean");
        assert!((mean - 1e6).abs() < 1e3, "{mean}");
    }

    #[test]
    fn the_mean_is_one_over_time_not_over_samples() {
        // Nine samples in the first tenth of the time.
        let samples = (0..10).map(|step| (f64::from(step) * 0.1, 2.0)).chain([(9.9, 2.0)]);
        let points = points(samples.chain([(10.0, 4.0), (20.0, 4.0)]));
        let mean = points.mean(0.0, 20.0).expect("a mean");
        assert!((mean - 3.0).abs() < 0.05, "{mean}");
    }

    #[test]
    fn the_slope_is_that_of_the_second_half_without_its_spikes() {
        let grows = |step: u32| {
            let t_s = f64::from(step) * 0.1;
            let spike = if step % 10 == 3 { 5e7 } else { 0.0 };
            (t_s, 1e6 + 100.0 * (t_s - 30.0).max(0.0) + spike)
        };
        let slope = points((0..600).map(grows)).slope_per_min(0.0, 60.0).expect("a slope");
        assert!((slope - 6_000.0).abs() < 600.0, "{slope}");
        let flat = points((0..600).map(|step| (f64::from(step) * 0.1, 1e6)));
        assert_eq!(flat.slope_per_min(0.0, 60.0), Some(0.0));
        assert_eq!(flat.slope_per_min(0.0, 1.5), None, "too short for a slope");
    }

    #[test]
    fn without_samples_there_are_no_figures() {
        let none = Points::new();
        assert!(none.peak().is_none() && none.mean(0.0, 9.0).is_none());
        assert!(none.slope_per_min(0.0, 9.0).is_none() && none.last_s().is_none());
    }
}
