//! Files of /proc as text.

use std::io;
use std::path::Path;

/// Programs may have any bytes in their names: those that are no UTF-8 become U+FFFD.
pub fn text_of(path: impl AsRef<Path>) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}
