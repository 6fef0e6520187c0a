//! Numbers of the results: whole ones are JSON integers.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    //! Every finite value survives being written and read.
    use super::*;

    #[test]
    fn whole_numbers_are_integers() {
        let written = |value: f64| serde_json::to_string(&Number(value)).expect("a number");
        assert_eq!(written(4096.0), "4096");
        assert_eq!(written(-3.0), "-3");
        assert_eq!(written(0.25), "0.25");
        assert_eq!(written(1e300), "1e+300");
    }

    #[test]
    fn values_come_back_bit_for_bit() {
        // Without serde_json's float_roundtrip the second one comes back as its neighbour.
        for value in [0.1 + 0.2, 37.860_523_180_416_16, 1e-9 / 3.0, 123_456_789.0, 1e300, -2.5] {
            let text = serde_json::to_string(&Number(value)).expect("a number");
            let back: Number = serde_json::from_str(&text).expect("a number");
            assert_eq!(back.0.to_bits(), value.to_bits(), "{text}");
        }
    }
}
