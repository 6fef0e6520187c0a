//! A contender as results name it.

use std::path::PathBuf;

use super::version::NO_PRELOAD;
use crate::program::quote;

/// A contender, with the library that was really loaded.
#[derive(Clone, Debug)]
pub struct Identity {
    pub name: String,
    pub version: String,
    pub library: PathBuf,
    pub loaded: bool,
    /// Environment variables that the program had under this contender only.
    pub settings: Vec<(String, String)>,
}

impl Identity {
    /// The line that runs `program`, a command line, under this contender.
    pub fn line(&self, program: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        for (name, value) in &self.settings {
            words.push(format!("{name}={}", quote(&[value.into()])));
        }
        if self.version != NO_PRELOAD {
            words.push(format!("LD_PRELOAD={}", quote(&[self.library.clone().into()])));
        }
        words.push(program.to_string());
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    //! The line to paste.
    use super::*;

    #[test]
    fn a_shell_reads_a_librarys_path_as_one_word() {
        let identity = Identity {
            name: "own".to_string(),
            version: "1".to_string(),
            library: "/tmp/a;b/$(c)&.so".into(),
            loaded: true,
            settings: vec![("A".to_string(), "x y".to_string())],
        };
        assert_eq!(identity.line("ls -l"), "A='x y' LD_PRELOAD='/tmp/a;b/$(c)&.so' ls -l");
    }
}
