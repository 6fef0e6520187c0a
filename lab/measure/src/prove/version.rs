//! The version of an allocator as people write it.

use std::process::Command;

use crate::contender::Installed;

/// The version of a contender that preloads nothing.
pub const NO_PRELOAD: &str = "as built";

/// The version as people write it, from what the library or dpkg says.
pub fn version(installed: &Installed, reported: &str) -> String {
    let contender = &installed.contender;
    if contender.version.as_deref() == Some("package") {
        let package = contender.package.as_deref().unwrap_or_default();
        return package_version(package).unwrap_or_else(|| "unknown".to_string());
    }
    match (contender.version.as_deref(), reported) {
        (None, _) => NO_PRELOAD.to_string(),
        (Some(_), "") => "unknown".to_string(),
        (Some(_), number) if number.bytes().all(|byte| byte.is_ascii_digit()) => dotted(number),
        (Some(_), text) => plain(text),
    }
}

/// mimalloc says 209 for 2.0.9, and since 3.3 and 2.3 30302 for 3.3.2.
fn dotted(number: &str) -> String {
    match number.parse::<u32>() {
        Ok(whole @ 100..=999) => format!("{}.{}.{}", whole / 100, whole / 10 % 10, whole % 10),
        Ok(whole @ 10_000..=99_999) => {
            format!("{}.{}.{}", whole / 10_000, whole / 100 % 100, whole % 100)
        }
        _ => number.to_string(),
    }
}

/// "gperftools 2.10" is 2.10, "5.3.0-0-g54eaed" is 5.3.0.
fn plain(text: &str) -> String {
    let from = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    text[from..].split(['-', ' ']).next().unwrap_or(text).to_string()
}

fn package_version(package: &str) -> Option<String> {
    let query = ["-W", "-f", "${Version}", package];
    let output = Command::new("dpkg-query").args(query).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|text| !text.is_empty())?;
    Some(plain(&text))
}

#[cfg(test)]
mod tests {
    //! The versions that libraries report.
    use super::*;

    #[test]
    fn versions_are_written_as_people_write_them() {
        assert_eq!(dotted("209"), "2.0.9");
        assert_eq!(dotted("30302"), "3.3.2");
        assert_eq!(dotted("20250616"), "20250616");
        assert_eq!(plain("gperftools 2.10"), "2.10");
        assert_eq!(plain("5.3.0-0-g54eaed1d8b56b1"), "5.3.0");
        assert_eq!(plain("2021.8.0-2+deb12u1"), "2021.8.0");
        assert_eq!(plain("2.36"), "2.36");
    }
}
