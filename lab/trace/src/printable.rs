//! Text of others, for people: a terminal obeys control characters, and a name may have any.

use std::borrow::Cow;
use std::fmt::Write;

/// Characters that a terminal obeys, that end a line, or that turn the direction of the text.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_escaped(to: &mut String, c: char) {
    let _ = match c {
        '\n' => write!(to, "\\n"),
        '\r' => write!(to, "\\r"),
        '\t' => write!(to, "\\t"),
        c if c.is_ascii() => write!(to, "\\x{:02x}", u32::from(c)),
        c => write!(to, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// `text` with escapes in place of the characters that `is_kept` refuses.
fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&is_kept) {
        return Cow::Borrowed(text);
    }
    let mut to = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_kept(c) { to.push(c) } else { push_escaped(&mut to, c) }
    }
    Cow::Owned(to)
}

/// A name or a path, in one line: "a\nb" for one with a line end in it.
pub fn name(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !is_obeyed(c))
}

/// The same of bytes: those that are no UTF-8 become "\xff".
pub fn name_of_bytes(bytes: &[u8]) -> String {
    let mut to = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        to += &name(part.valid());
        for byte in part.invalid() {
            let _ = write!(to, "\\x{byte:02x}");
        }
    }
    to
}

/// Text of several lines.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !is_obeyed(c) || matches!(c, '\n' | '\t'))
}

/// Text of several lines that has colours of our own: "ESC [ 1 ; 31 m".
pub fn coloured_lines(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| !is_obeyed(c) || matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut to = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        to += &lines(&rest[..at]);
        let behind = &rest[at + 1..];
        let digits = behind
            .strip_prefix('[')
            .map(|it| it.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(it.len()));
        let end = digits.filter(|&n| behind[1 + n..].starts_with('m')).map_or(0, |n| n + 2);
        if end == 0 {
            push_escaped(&mut to, '\u{1b}');
        } else {
            to.push('\u{1b}');
            to += &behind[..end];
        }
        rest = &behind[end..];
    }
    Cow::Owned(to + &lines(rest))
}

/// A name for Markdown, in backticks, also as a cell of a table.
pub fn markdown(text: &str) -> String {
    let text = name(text).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Without the blank, a backtick of the name would be one of the fence.
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line_that_no_terminal_obeys() {
        for (text, expected) in [
            ("/bin/a b", "/bin/a b"),
            ("größe", "größe"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\u{1b}]0;x\u{7}", "\\x1b]0;x\\x07"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\x7f"),
            ("a\u{202e}b\u{2028}", "a\\u{202e}b\\u{2028}"),
        ] {
            assert_eq!(name(text), expected);
        }
        assert_eq!(name_of_bytes(b"/a\xff\xfe b\n"), "/a\\xff\\xfe b\\n");
    }

    #[test]
    fn lines_keep_their_ends_and_our_colours() {
        assert_eq!(lines("a\n\tb\u{1b}[1m\n"), "a\n\tb\\x1b[1m\n");
        let ours = "\u{1b}[38;5;10m+5 %\u{1b}[39m\n";
        assert_eq!(coloured_lines(ours), ours);
        let mixed = "\u{1b}[1mx\u{1b}[0m\u{1b}[2J\u{1b}]0;t\u{7}\u{1b}[";
        assert_eq!(coloured_lines(mixed), "\u{1b}[1mx\u{1b}[0m\\x1b[2J\\x1b]0;t\\x07\\x1b[");
    }

    #[test]
    fn names_in_markdown_are_code() {
        assert_eq!(markdown("f<T>(*p)"), "`f<T>(*p)`");
        assert_eq!(markdown("a|b"), "`a\\|b`");
        assert_eq!(markdown("a``b"), "```a``b```");
        assert_eq!(markdown("`a\n"), "`` `a\\n ``");
    }
}
