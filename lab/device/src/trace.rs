//! A device trace: the state at the first event, and the events.

/// No address of a device is higher, and no size: sums of a few never overflow.
pub const HIGHEST_ADDRESS: u64 = 1 << 62;
pub const LARGEST: u64 = 1 << 48;

/// The allocator's calls of one process, on all its devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The tool that the calls come from, in words.
    pub source: String,
    /// The settings of the recorded allocator that are known, as its tool names them.
    pub settings: Vec<(String, String)>,
    /// Call stacks, one line each, innermost frame first. Number 0 is the unknown one.
    pub sites: Vec<String>,
    /// Private pools, such as those of CUDA graphs. Number 0 is the common pool.
    pub pools: Vec<(i64, i64)>,
    pub devices: Vec<Device>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    pub number: u32,
    /// Facts that the recording does not have, a sentence each.
    pub notes: Vec<String>,
    /// At the first event, by address.
    pub segments: Vec<Segment>,
    pub blocks: Vec<Block>,
    pub events: Vec<Event>,
}

/// Memory that the allocator had from the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub address: u64,
    pub bytes: u64,
    pub stream: u64,
    pub pool: u32,
    pub is_small: bool,
    pub is_expandable: bool,
}

/// A block in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub address: u64,
    /// With what rounding adds, and with a rest that was not split off.
    pub bytes: u64,
    pub requested: u64,
    pub stream: u64,
    pub pool: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    pub kind: Kind,
    /// Of `Oom`: how many bytes the device had free.
    pub address: u64,
    pub bytes: u64,
    pub stream: u64,
    pub time_us: i64,
    pub pool: u32,
    pub site: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Alloc,
    /// The program gave a block back; other streams may still use it.
    FreeRequested,
    /// The block is free.
    Free,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Oom,
    /// Somebody looked.
    Snapshot,
}

/// Each kind with its name in a snapshot.
pub const KINDS: [(Kind, &str); 9] = [
    (Kind::Alloc, "alloc"),
    (Kind::FreeRequested, "free_requested"),
    (Kind::Free, "free_completed"),
    (Kind::SegmentAlloc, "segment_alloc"),
    (Kind::SegmentFree, "segment_free"),
    (Kind::SegmentMap, "segment_map"),
    (Kind::SegmentUnmap, "segment_unmap"),
    (Kind::Oom, "oom"),
    (Kind::Snapshot, "snapshot"),
];

impl Kind {
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Trace {
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
