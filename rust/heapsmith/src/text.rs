//! Formatted texts: measured first, then written into memory of just that length.

use core::fmt;

/// Counts what a formatted text has in bytes, without writing it.
struct Counted(usize);

impl fmt::Write for Counted {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 += part.len();
        Ok(())
    }
}

/// Writes a formatted text into bytes that were counted before.
struct Filled<'a> {
    rest: &'a mut [u8],
}

impl fmt::Write for Filled<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let rest = core::mem::take(&mut self.rest);
        let (head, tail) = rest.split_at_mut_checked(part.len()).ok_or(fmt::Error)?;
        head.copy_from_slice(part.as_bytes());
        self.rest = tail;
        Ok(())
    }
}

pub(crate) fn formatted_length(text: fmt::Arguments<'_>) -> usize {
    let mut counted = Counted(0);
    fmt::write(&mut counted, text).expect("a Display implementation returned an error");
    counted.0
}

/// Writes `text` into `bytes`, all of them.
///
/// # Panics
/// When the text is not as long as it was when it was counted.
pub(crate) fn write_formatted<'a>(bytes: &'a mut [u8], text: fmt::Arguments<'_>) -> &'a mut str {
    let mut filled = Filled { rest: bytes };
    let written = fmt::write(&mut filled, text);
    assert!(
        written.is_ok() && filled.rest.is_empty(),
        "a Display implementation wrote another text the second time"
    );
    // What was written came in pieces of valid text.
    core::str::from_utf8_mut(bytes).expect("pieces of text make a text")
}
