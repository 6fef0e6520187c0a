//! Numbers in few bytes: seven bits a byte, the lowest first, the highest bit set in all but the last.

/// Appends `n`.
pub fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends a signed number, whose sign is its lowest bit.
pub fn put_signed(out: &mut Vec<u8>, n: i64) {
    put(out, (n << 1 ^ n >> 63) as u64);
}

/// Reads numbers from bytes. None: the bytes end within one, or it has more than 64 bits.
#[derive(Clone)]
pub struct Numbers<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Numbers<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn byte(&mut self) -> Option<u8> {
        let b = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(b)
    }

    pub fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 128 {
            return Some(u64::from(first));
        }
        let mut n = u64::from(first & 127);
        for shift in (7..64).step_by(7) {
            let b = self.byte()?;
            if shift == 63 && b > 1 {
                return None;
            }
            n |= u64::from(b & 127) << shift;
            if b < 128 {
                return Some(n);
            }
        }
        None
    }

    pub fn signed(&mut self) -> Option<i64> {
        let n = self.number()?;
        Some((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let all = [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX];
        for n in all {
            put(&mut bytes, n);
            put_signed(&mut bytes, n as i64);
        }
        let mut read = Numbers::new(&bytes);
        for n in all {
            assert_eq!(read.number(), Some(n));
            assert_eq!(read.signed(), Some(n as i64));
        }
        assert!(read.is_at_end());
        assert_eq!(read.number(), None);
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        assert_eq!(Numbers::new(&[0xff; 10]).number(), None);
        assert_eq!(Numbers::new(&[0xff; 3]).number(), None);
    }
}
