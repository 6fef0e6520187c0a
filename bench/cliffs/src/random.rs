//! Random numbers that depend on the seed alone.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub struct Random(u64);

impl Random {
    /// The numbers of draw `index` of the search with this seed.
    pub fn of_draw(seed: u64, index: u64) -> Self {
        let mut start = Self(seed);
        let mixed = start.word();
        Self(mixed ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [0, bound).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    pub fn percent(&mut self, share: u64) -> bool {
        self.unit() * 100.0 < share as f64
    }

    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// From `least` to `most`, every doubling as likely as any other.
    pub fn scaled(&mut self, least: u64, most: u64) -> u64 {
        let (low, high) = ((least as f64).ln(), (most.max(least) as f64 + 1.0).ln());
        ((low + self.unit() * (high - low)).exp() as u64).clamp(least, most.max(least))
    }
}

#[cfg(test)]
mod tests {
    //! Repeatable, and within their bounds.
    use super::*;

    #[test]
    fn a_draw_has_its_own_numbers_which_repeat() {
        let first = |seed, index| Random::of_draw(seed, index).word();
        assert_eq!(first(7, 3), first(7, 3));
        assert_ne!(first(7, 3), first(7, 4));
        assert_ne!(first(7, 3), first(8, 3));
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut random = Random::of_draw(1, 0);
        for _ in 0..10_000 {
            assert!((8..=1000).contains(&random.scaled(8, 1000)));
            assert_eq!(random.scaled(5, 5), 5);
            assert!(random.below(3) < 3);
        }
        assert!((0..1000).all(|_| random.percent(100) && !random.percent(0)));
    }
}
