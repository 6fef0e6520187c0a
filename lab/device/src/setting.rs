//! The settings to compare, as PyTorch spells them.

use crate::model::allocator::Allocator;
use crate::model::bound::Bound;
use crate::model::range::{Range, Rules};
use crate::model::torch::Torch;
use crate::sizes::{BLOCK, Config, MIB};

/// heapsmith's `offset_region` over granules of the device: best fit, and neighbours join at once.
const OURS: Rules =
    Rules { round: BLOCK, large: u64::MAX, round_large: BLOCK, granule: 2 * MIB, lowest: false };

/// cudaMallocAsync's pool. Its source is closed: of several rules, these came closest to what was
/// measured with PyTorch 2.11. `docs/device.md` has the errors.
const ASYNC: Rules =
    Rules { round: BLOCK, large: 2 * MIB, round_large: 4 * MIB, granule: 32 * MIB, lowest: true };

pub struct Setting {
    /// The value of `PYTORCH_CUDA_ALLOC_CONF`, or a name of ours.
    pub name: String,
    model: Model,
}

enum Model {
    Torch(Config),
    Range(Rules),
    Bound,
}

/// The rows by default.
const ROWS: [&str; 6] = [
    "native",
    "expandable_segments:True",
    "max_split_size_mb:128",
    "roundup_power2_divisions:4",
    "garbage_collection_threshold:0.8",
    "backend:cudaMallocAsync",
];

impl Setting {
    pub fn defaults() -> Vec<Self> {
        let mut all: Vec<Self> = ROWS.iter().filter_map(|name| Self::parse(name)).collect();
        all.push(Self { name: "heapsmith".to_string(), model: Model::Range(OURS) });
        all.push(Self::bound());
        all
    }

    pub fn bound() -> Self {
        Self { name: "bound".to_string(), model: Model::Bound }
    }

    /// None: it is no setting that there is a model of.
    pub fn parse(name: &str) -> Option<Self> {
        let model = match name {
            "native" => Model::Torch(Config::default()),
            "backend:cudaMallocAsync" => Model::Range(ASYNC),
            _ => Model::Torch(parse_config(name)?),
        };
        Some(Self { name: name.to_string(), model })
    }

    pub fn config(&self) -> Option<&Config> {
        match &self.model {
            Model::Torch(config) => Some(config),
            _ => None,
        }
    }

    /// Whether free neighbours join, however the memory came.
    pub fn joins(&self) -> bool {
        match &self.model {
            Model::Torch(config) => config.is_expandable,
            Model::Range(_) => true,
            Model::Bound => false,
        }
    }

    /// Whether a limit makes it give cached memory back, and try again.
    pub fn retries(&self) -> bool {
        self.config().is_some()
    }

    pub fn allocator(&self, limit: Option<u64>) -> Box<dyn Allocator> {
        match &self.model {
            Model::Torch(config) => Box::new(Torch::new(config.clone(), limit)),
            Model::Range(rules) => Box::new(Range::new(*rules, limit)),
            Model::Bound => Box::new(Bound::new(limit)),
        }
    }
}

/// Several settings are separated by commas.
fn parse_config(text: &str) -> Option<Config> {
    let mut config = Config::default();
    for part in text.split(',') {
        let (name, value) = part.split_once(':')?;
        match name {
            "expandable_segments" => config.is_expandable = value.eq_ignore_ascii_case("true"),
            "max_split_size_mb" => {
                let mib: u64 = value.parse().ok()?;
                config.max_split = Some(mib.checked_mul(MIB)?);
            }
            "roundup_power2_divisions" => {
                let divisions: u64 = value.parse().ok().filter(|it: &u64| it.is_power_of_two())?;
                config.divisions = [divisions; 16];
            }
            "garbage_collection_threshold" => config.collect_above = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(config)
}
