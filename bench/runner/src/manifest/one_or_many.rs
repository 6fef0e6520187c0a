//! A value of a suite.toml that is one string or several.

use serde::Deserialize;

/// A string, or a list of strings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Words")]
pub struct OneOrMany(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Many(Vec<String>),
}

impl From<Words> for OneOrMany {
    fn from(words: Words) -> Self {
        match words {
            Words::One(word) => Self(vec![word]),
            Words::Many(words) => Self(words),
        }
    }
}
