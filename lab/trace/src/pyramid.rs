//! A trace cut into bins of equal length. Their number and their memory are bounded: where
//! there are too many, two become one. However long a trace is, its page has as many.

use crate::event::Event;
use crate::powers::{ByPower, add_all, clock, count, in_ns};
use crate::sparse::{Sparse, merge};
use crate::watch::{Block, Watch};

/// A trace has from half of these to all of them, unless it has too many cells.
pub const MOST_BINS: usize = 256;
/// Of all bins together: about 120 MiB.
const MOST_CELLS: usize = 2 << 20;

/// What one site did in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Blocks that it allocated.
    pub calls: u64,
    pub bytes: u64,
    /// Bytes of this site that were freed, with inherited blocks.
    pub freed_bytes: u64,
    /// Its blocks that were freed, and how long they lived in all, without inherited blocks.
    pub ended: u64,
    pub lived_ns: u64,
    /// Bytes that it allocated in this bin, and that were never freed.
    pub left_bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// All events.
    pub calls: u64,
    /// Of blocks that were allocated.
    pub sizes: ByPower,
    /// Of blocks that were freed, in nanoseconds.
    pub lifetimes: ByPower,
    /// By the number of the caller. Sites that did nothing are missing.
    pub sites: Vec<(u32, Cell)>,
    /// Events by thread.
    pub threads: Vec<(u32, u64)>,
}

/// What one thread did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfThread {
    pub calls: u64,
    pub bytes: u64,
    /// Blocks of other threads that it freed.
    pub freed_of_others: u64,
}

/// The bins of a whole trace, from its first event on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    pub bin_ns: f64,
    pub bins: Vec<Bin>,
    /// By number: threads are numbered from 1.
    pub threads: Vec<OfThread>,
}

/// Bins of a trace that goes on. Complexity of all calls together: linear in the events.
pub struct Pyramid {
    first: Option<u64>,
    /// A bin has 2 to the power of this many ticks.
    power: u32,
    /// Times are in ticks until the end.
    bins: Vec<Bin>,
    cells: usize,
    most_cells: usize,
    /// The last bin: events are in order of time.
    now: Sparse<Cell>,
    now_threads: Sparse<u64>,
    threads: Vec<OfThread>,
}

impl Default for Pyramid {
    fn default() -> Self {
        Self::with_cells(MOST_CELLS)
    }
}

impl Pyramid {
    fn with_cells(most_cells: usize) -> Self {
        Self {
            first: None,
            power: 0,
            bins: vec![Bin::default()],
            cells: 0,
            most_cells,
            now: Sparse::default(),
            now_threads: Sparse::default(),
            threads: Vec::new(),
        }
    }

    fn last(&mut self) -> &mut Bin {
        self.bins.last_mut().expect("there is one from the begin on")
    }

    /// Makes the bin of this tick the last one.
    fn go_to(&mut self, tick: u64) {
        let ticks = tick.saturating_sub(*self.first.get_or_insert(tick));
        while ticks >> self.power >= MOST_BINS as u64 {
            self.halve();
        }
        if (ticks >> self.power) as usize >= self.bins.len() {
            self.close();
            while self.cells > self.most_cells && self.bins.len() > 1 {
                self.halve();
            }
            let at = (ticks >> self.power) as usize; // below MOST_BINS
            let bins = self.bins.len().max(at + 1);
            self.bins.resize(bins, Bin::default());
        }
    }

    /// Writes the open cells into the last bin.
    fn close(&mut self) {
        let (sites, threads) = (self.now.take(), self.now_threads.take());
        let last = self.last();
        // It is open again if two bins became one.
        let before = last.sites.len();
        merge(&mut last.sites, sites, Cell::add);
        merge(&mut last.threads, threads, |to, more| *to += more);
        let more = last.sites.len() - before;
        self.cells += more;
    }

    /// Makes one of two bins each.
    fn halve(&mut self) {
        self.power += 1;
        let mut halves: Vec<Bin> = Vec::with_capacity(MOST_BINS);
        for (n, bin) in std::mem::take(&mut self.bins).into_iter().enumerate() {
            match halves.last_mut().filter(|_| n % 2 == 1) {
                Some(first) => first.add(bin),
                None => halves.push(bin),
            }
        }
        self.bins = halves;
        self.cells = self.bins.iter().map(|bin| bin.sites.len()).sum();
    }

    fn thread(&mut self, number: u32) -> &mut OfThread {
        let at = number as usize;
        if self.threads.len() <= at {
            self.threads.resize(at + 1, OfThread::default());
        }
        &mut self.threads[at]
    }

    pub fn finish(mut self, ticks_a_ns: f64) -> Bins {
        self.close();
        let ns = clock(ticks_a_ns);
        for bin in &mut self.bins {
            bin.lifetimes = in_ns(&bin.lifetimes, &ns);
            for (_, cell) in &mut bin.sites {
                cell.lived_ns = ns(cell.lived_ns);
            }
        }
        let bin_ns = if ticks_a_ns > 0.0 { (1u64 << self.power) as f64 / ticks_a_ns } else { 0.0 };
        Bins { bin_ns, bins: self.bins, threads: self.threads }
    }
}

impl Watch for Pyramid {
    fn called(&mut self, event: &Event) {
        self.go_to(event.tick);
        self.last().calls += 1;
        *self.now_threads.at(event.thread) += 1;
        self.thread(event.thread).calls += 1;
    }

    fn made(&mut self, event: &Event, block: &Block) {
        if block.is_inherited() {
            return;
        }
        count(&mut self.last().sizes, block.size);
        let cell = self.now.at(block.caller);
        cell.calls += 1;
        cell.bytes = cell.bytes.saturating_add(block.size);
        let bytes = &mut self.thread(event.thread).bytes;
        *bytes = bytes.saturating_add(block.size);
    }

    fn ended(&mut self, event: &Event, block: &Block) {
        let cell = self.now.at(block.caller);
        cell.freed_bytes = cell.freed_bytes.saturating_add(block.size);
        if block.is_inherited() {
            return;
        }
        let ticks = event.tick.saturating_sub(block.tick);
        cell.ended += 1;
        cell.lived_ns = cell.lived_ns.saturating_add(ticks); // scaled at the end
        count(&mut self.last().lifetimes, ticks);
        self.thread(event.thread).freed_of_others += u64::from(block.thread != event.thread);
    }

    fn left(&mut self, block: &Block) {
        if block.is_inherited() {
            return;
        }
        self.close();
        let ticks = block.tick.saturating_sub(self.first.unwrap_or_default());
        let Some(bin) = self.bins.get_mut((ticks >> self.power) as usize) else { return };
        if let Ok(at) = bin.sites.binary_search_by_key(&block.caller, |it| it.0) {
            let left = &mut bin.sites[at].1.left_bytes;
            *left = left.saturating_add(block.size);
        }
    }
}

impl Cell {
    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.freed_bytes = self.freed_bytes.saturating_add(other.freed_bytes);
        self.ended += other.ended;
        self.lived_ns = self.lived_ns.saturating_add(other.lived_ns);
        self.left_bytes = self.left_bytes.saturating_add(other.left_bytes);
    }
}

impl Bin {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        add_all(&mut self.sizes, &other.sizes);
        add_all(&mut self.lifetimes, &other.lifetimes);
        merge(&mut self.sites, other.sites, Cell::add);
        merge(&mut self.threads, other.threads, |to, more| *to += more);
    }
}

#[cfg(test)]
#[path = "pyramid_tests.rs"]
mod tests;
