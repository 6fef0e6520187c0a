//! One call of a program's allocator.

use serde::{Deserialize, Serialize};

/// The function that was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Api {
    Malloc,
    Calloc,
    Realloc,
    New,
    NewArray,
    NewNothrow,
    NewArrayNothrow,
    NewAligned,
    NewArrayAligned,
    AlignedAlloc,
    PosixMemalign,
    Memalign,
    Valloc,
    Pvalloc,
    Free,
    Delete,
    DeleteArray,
    DeleteSized,
    UsableSize,
}

impl Api {
    pub const ALL: [Api; 19] = [
        Api::Malloc,
        Api::Calloc,
        Api::Realloc,
        Api::New,
        Api::NewArray,
        Api::NewNothrow,
        Api::NewArrayNothrow,
        Api::NewAligned,
        Api::NewArrayAligned,
        Api::AlignedAlloc,
        Api::PosixMemalign,
        Api::Memalign,
        Api::Valloc,
        Api::Pvalloc,
        Api::Free,
        Api::Delete,
        Api::DeleteArray,
        Api::DeleteSized,
        Api::UsableSize,
    ];

    pub fn from_number(n: u8) -> Option<Api> {
        Api::ALL.get(usize::from(n)).copied()
    }

    /// The name as C and C++ write it.
    pub fn name(self) -> &'static str {
        match self {
            Api::Malloc => "malloc",
            Api::Calloc => "calloc",
            Api::Realloc => "realloc",
            Api::New => "operator new",
            Api::NewArray => "operator new[]",
            Api::NewNothrow => "operator new (nothrow)",
            Api::NewArrayNothrow => "operator new[] (nothrow)",
            Api::NewAligned => "operator new (aligned)",
            Api::NewArrayAligned => "operator new[] (aligned)",
            Api::AlignedAlloc => "aligned_alloc",
            Api::PosixMemalign => "posix_memalign",
            Api::Memalign => "memalign",
            Api::Valloc => "valloc",
            Api::Pvalloc => "pvalloc",
            Api::Free => "free",
            Api::Delete => "operator delete",
            Api::DeleteArray => "operator delete[]",
            Api::DeleteSized => "operator delete (sized)",
            Api::UsableSize => "malloc_usable_size",
        }
    }
}

/// The effect of a call. `block` is the number of a block of memory: the first one allocated is 0, the
/// next one 1. A block that moves gets a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Allocate {
        block: u64,
        size: u64,
        align: u32,
    },
    /// No call of this process: a block that its parent had when it forked it. All come before
    /// the first call. The function, the caller and the tick are those of the parent's call.
    Inherit {
        block: u64,
        size: u64,
        align: u32,
    },
    Free {
        block: u64,
    },
    /// `in_place`: the address stayed. `took`: ticks between the begin and the end of the call.
    Resize {
        old: u64,
        block: u64,
        size: u64,
        took: u64,
        in_place: bool,
    },
    /// A call that returned null for lack of memory, or because it must.
    Failed {
        size: u64,
    },
    /// free(NULL) and its kin.
    FreeNull,
    UsableSize {
        block: u64,
    },
    /// No call: so many bytes of a large block are in memory when it ends, or the program does.
    Resident {
        block: u64,
        bytes: u64,
    },
}

/// One call. Threads are numbered from 1 in the order in which they first allocated; `caller` is
/// an index into the table of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub tick: u64,
    pub thread: u32,
    pub api: Api,
    pub caller: u32,
    pub kind: Kind,
}
