//! The sampled stacks of the named sites, as a tree of places from the outermost function on.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Places;
use crate::export::profile::{above, samples_of};
use crate::packed::Tables;

/// Nodes of the tree: about 80 KB of text, and their places not more than 400 KB.
const MOST_NODES: usize = 6000;
/// Stacks of a site; the others count as the largest of them.
const MOST_OF_SITE: usize = 16;

/// Node `n` is a call from node `parent[n - 1]` in place `place[n - 1]`. Node 0 is outside of all.
#[derive(Debug, Default, Serialize)]
pub struct Stacks {
    pub parent: Vec<u32>,
    pub place: Vec<u32>,
    /// The site (an index), its innermost node, and how often it was sampled.
    pub stacks: Vec<(u32, u32, u64)>,
    /// Whether outer functions are missing where the tree would have been too large.
    pub is_cut: bool,
}

impl Stacks {
    /// `sites`: their callers, the largest first.
    pub fn of(tables: &Tables, sites: &[u32], places: &mut Places) -> Self {
        let mut tree = Tree::default();
        for (site, &caller) in (0u32..).zip(sites) {
            let mut samples: Vec<_> = samples_of(tables, caller).iter().collect();
            samples.sort_by_key(|it| Reverse(it.samples));
            let left_out: u64 = samples.iter().skip(MOST_OF_SITE).map(|it| it.samples).sum();
            samples.truncate(MOST_OF_SITE);
            for (n, sample) in samples.iter().enumerate() {
                let path = path(places, caller, above(tables, sample));
                let more = if n == 0 { left_out } else { 0 };
                tree.add(site, &path, sample.samples + more, places);
            }
            if samples.is_empty() {
                let path = path(places, caller, std::iter::empty());
                tree.add(site, &path, 1, places);
            }
        }
        tree.stacks
    }

    /// The places of a node and of those outside of it, the innermost first.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let (mut node, mut path) = (node as usize, Vec::new());
        while node > 0 {
            path.push(self.place[node - 1]);
            node = self.parent[node - 1] as usize; // below node
        }
        path
    }
}

/// Places from the outermost on.
fn path(places: &mut Places, caller: u32, above: impl Iterator<Item = u32>) -> Vec<u32> {
    let callers: Vec<u32> = [caller].into_iter().chain(above).collect();
    let mut path: Vec<u32> = callers.iter().flat_map(|&it| places.of_caller(it)).collect();
    path.reverse();
    path
}

#[derive(Default)]
struct Tree {
    stacks: Stacks,
    children: FxHashMap<(u32, u32), u32>,
}

impl Tree {
    fn add(&mut self, site: u32, path: &[u32], samples: u64, places: &mut Places) {
        let fits = self.stacks.parent.len() + self.missing(path) <= MOST_NODES;
        self.stacks.is_cut |= !fits;
        // A stack that does not fit keeps the place of its call, and is marked.
        let cut = if fits {
            Vec::new()
        } else {
            [places.cut()].into_iter().chain(path.last().copied()).collect()
        };
        let path = if fits { path } else { &cut };
        let mut node = 0;
        for &place in path {
            node = self.child(node, place);
        }
        self.stacks.stacks.push((site, node, samples));
    }

    /// How many nodes a path would add.
    fn missing(&self, path: &[u32]) -> usize {
        let mut node = 0;
        for (depth, &place) in path.iter().enumerate() {
            match self.children.get(&(node, place)) {
                Some(&next) => node = next,
                None => return path.len() - depth,
            }
        }
        0
    }

    fn child(&mut self, parent: u32, place: u32) -> u32 {
        let stacks = &mut self.stacks;
        *self.children.entry((parent, place)).or_insert_with(|| {
            stacks.parent.push(parent);
            stacks.place.push(place);
            stacks.parent.len() as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::{Caller, StackSample};

    fn tables(stacks: Vec<StackSample>) -> Tables {
        let caller = |offset| Caller { module: None, offset, name: None };
        Tables { callers: (0..50_000).map(caller).collect(), stacks, ..Tables::default() }
    }

    #[test]
    fn stacks_share_their_outer_functions() {
        let sample =
            |frames: &[u32], samples| StackSample { caller: 1, frames: frames.to_vec(), samples };
        let tables = tables(vec![sample(&[2, 3], 2), sample(&[4, 3], 5)]);
        let mut places = Places::of(&tables);
        let tree = Stacks::of(&tables, &[1, 9], &mut places);
        let name = |node: u32| match node {
            0 => "-".to_string(),
            n => places.list[tree.place[n as usize - 1] as usize].name.clone(),
        };
        let told: Vec<String> = (1..=tree.parent.len() as u32)
            .map(|n| format!("{}<{}", name(n), name(tree.parent[n as usize - 1])))
            .collect();
        assert_eq!(told, ["0x3<-", "0x4<0x3", "0x1<0x4", "0x2<0x3", "0x1<0x2", "0x9<-"]);
        assert_eq!(tree.stacks, [(0, 3, 5), (0, 5, 2), (1, 6, 1)]);
        assert!(!tree.is_cut);
        let path: Vec<_> = tree.path(5).iter().map(|&n| &*places.list[n as usize].name).collect();
        assert_eq!(path, ["0x1", "0x2", "0x3"]);
    }

    #[test]
    fn the_tree_is_bounded_and_loses_no_sample() {
        let sample = |caller: u32| {
            let frames = (0..30).map(|n| 1000 + (caller / 20) * 30 + n).collect();
            StackSample { caller: caller / 20, frames, samples: u64::from(caller % 20) + 1 }
        };
        let samples: Vec<_> = (0..20_000)
            .map(sample)
            .map(|it| StackSample {
                frames: [vec![it.samples as u32 + 40_000], it.frames].concat(),
                ..it
            })
            .collect();
        let tables = tables(samples);
        let sites: Vec<u32> = (0..1000).collect();
        let mut places = Places::of(&tables);
        let tree = Stacks::of(&tables, &sites, &mut places);
        assert!(tree.is_cut);
        assert!(tree.parent.len() <= MOST_NODES + 1 + 1000, "{}", tree.parent.len());
        // The stacks that do not fit are one another's neighbours, and no site's own.
        let is_cut = |node: u32| {
            tree.path(node).last().is_some_and(|&it| places.list[it as usize].name == "(cut)")
        };
        let (first, last) = (tree.stacks[0].1, tree.stacks[tree.stacks.len() - 1].1);
        assert!(!is_cut(first) && is_cut(last));
        assert!(tree.stacks.len() <= 1000 * MOST_OF_SITE);
        let of_first: u64 = tree.stacks.iter().filter(|it| it.0 == 0).map(|it| it.2).sum();
        assert_eq!(of_first, (1..=20).sum::<u64>());
    }
}
