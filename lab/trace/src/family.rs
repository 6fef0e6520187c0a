//! Packs the raw files of a recording, parents first: each child gets the blocks that its parent had
//! when it forked.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::fork::{Snapshot, Watch};
use crate::identity::Files;
use crate::pack::{Known, Packed, Times, pack_with};
use crate::packed::{Lack, Unrecorded};
use crate::raw::{Header, RawFile};

/// The inherited blocks in all traces of a recording. Of the children beyond it, in the order in
/// which their parents began, sums are kept alone: a server with 1000 processes of 100,000 blocks
/// would fill the disk. Packing needs 48 bytes for each.
pub const MOST_INHERITED: usize = 4 << 20;

struct Member {
    path: PathBuf,
    header: Header,
    /// The children's places in the family, with the ticks of their forks.
    children: Vec<(u64, usize)>,
    /// Until it is packed.
    snapshot: Option<Snapshot>,
}

/// The raw files of a recording.
pub struct Family {
    /// A parent comes before its children.
    members: Vec<Member>,
    left: usize,
    /// Files that cannot be read, and why.
    pub unread: Vec<(PathBuf, Error)>,
    /// Of all processes. A trace has them if there is one process only.
    pub times: Times,
    /// Processes that have no trace. Each trace names them.
    pub unrecorded: Vec<Unrecorded>,
    /// That the processes have mapped.
    files: Files,
}

impl Family {
    /// Reads the headers. `most` inherited blocks are written. A file that cannot be read is no
    /// member: it is in `unread`.
    pub fn of(files: Vec<PathBuf>, most: usize) -> Self {
        let mut members = Vec::with_capacity(files.len());
        let mut unread = Vec::new();
        for path in files {
            match RawFile::header_of(&path) {
                Ok(header) => {
                    members.push(Member { path, header, children: Vec::new(), snapshot: None });
                }
                Err(error) => unread.push((path, error)),
            }
        }
        members.sort_by(|a, b| (a.header.first.0, &a.path).cmp(&(b.header.first.0, &b.path)));
        let (times, unrecorded) = (Times::default(), Vec::new());
        let files = Files::default();
        let mut family = Self { members, left: most, unread, times, unrecorded, files };
        family.join();
        family
    }

    /// Finds the parent of each member among those before it.
    fn join(&mut self) {
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        for child in 0..self.members.len() {
            let header = &self.members[child].header;
            let (parent, fork_tick) = (header.parent_file.clone(), header.fork_tick);
            if !parent.is_empty() {
                let missing = Snapshot::lacking(header.parent_pid, Lack::ParentMissing);
                match places.get(&parent) {
                    Some(&at) => self.members[at].children.push((fork_tick, child)),
                    None => self.members[child].snapshot = Some(missing),
                }
            }
            let name = self.members[child].path.file_name().unwrap_or_default();
            places.insert(name.to_string_lossy().into_owned(), child);
        }
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many files of modules were opened.
    pub fn opened_files(&self) -> usize {
        self.files.opened()
    }

    /// The headers of all members.
    pub fn headers(&self) -> impl Iterator<Item = &Header> {
        self.members.iter().map(|member| &member.header)
    }

    pub fn path(&self, at: usize) -> &Path {
        &self.members[at].path
    }

    /// Packs a member into the new file `to`. Requires: those before it were packed. If it fails, the
    /// children of the member lack their inherited blocks.
    pub fn pack(&mut self, at: usize, to: &Path, anonymously: bool) -> Result<Packed> {
        let times = if self.members.len() == 1 { self.times } else { Times::default() };
        let member = &mut self.members[at];
        let (own, forks) = (member.snapshot.take(), std::mem::take(&mut member.children));
        let children: Vec<usize> = forks.iter().map(|it| it.1).collect();
        let watch = (!forks.is_empty())
            .then(|| Watch::of(member.header.pid, own.as_ref(), forks, &mut self.left));
        let unrecorded = &self.unrecorded;
        let known = Known { inherited: own.as_ref(), watch, times, unrecorded };
        let pid = member.header.pid;
        match pack_with(&member.path, to, anonymously, known, &mut self.files) {
            Ok((packed, taken)) => {
                for (child, snapshot) in taken {
                    self.members[child].snapshot = Some(snapshot);
                }
                Ok(packed)
            }
            Err(error) => {
                for child in children {
                    let lacking = Snapshot::lacking(pid, Lack::ParentMissing);
                    self.members[child].snapshot = Some(lacking);
                }
                Err(error)
            }
        }
    }
}
