//! The instructions that callgrind counts: of an allocator's libraries, or of single functions.

use serde::Deserialize;

/// The program runs twice. The difference of the instructions over the difference of the counts is
/// the cost of one step, so start-up and warm-up fall out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    pub workload: String,
    /// In the folder of a build.
    pub program: String,
    /// The program's arguments before the count; `{size}` stands for the size.
    #[serde(default)]
    pub words: Vec<String>,
    /// Each size is a row.
    #[serde(default)]
    sizes: Vec<u64>,
    quick_sizes: Option<Vec<u64>>,
    pub counts: [u64; 2],
    /// Of preloaded allocators: those that take part, if not all do.
    #[serde(default)]
    pub contenders: Vec<String>,
    /// Contender and function. The functions are in the program itself.
    #[serde(default)]
    pub functions: Vec<(String, String)>,
    /// The function whose cost is taken off the others'.
    pub empty: Option<String>,
}

impl Counted {
    /// The sizes to count; none alone for what has no size.
    pub fn sizes(&self, quick: bool) -> Vec<Option<u64>> {
        let sizes = match (&self.quick_sizes, quick) {
            (Some(sizes), true) => sizes,
            _ => &self.sizes,
        };
        let has_sizes = !self.sizes.is_empty();
        if has_sizes { sizes.iter().map(|size| Some(*size)).collect() } else { vec![None] }
    }

    pub fn words_of(&self, size: Option<u64>) -> Vec<String> {
        let size = size.map(|size| size.to_string()).unwrap_or_default();
        self.words.iter().map(|word| word.replace("{size}", &size)).collect()
    }

    pub fn takes(&self, contender: &str) -> bool {
        self.functions.is_empty()
            && (self.contenders.is_empty() || self.contenders.iter().any(|one| one == contender))
    }
}
