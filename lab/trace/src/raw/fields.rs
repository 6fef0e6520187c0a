//! The size of a block, and how its numbers and texts are read.

/// The bytes of a block, and of the smallest raw file.
pub const BLOCK: usize = 64 * 1024;

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

pub(super) fn text_at(bytes: &[u8], at: usize, most: usize) -> String {
    let field = &bytes[at..at + most];
    let end = field.iter().position(|&b| b == 0).unwrap_or(most);
    String::from_utf8_lossy(&field[..end]).into_owned()
}
