//! The page cache of a database: frames of a fixed size, a clock that chooses the page to evict, and
//! handles by which a cursor finds its page again without a look into the map.

use std::collections::{HashMap, VecDeque};
use std::mem::take;
use std::process::ExitCode;

use heapsmith::{FixedPool, Handle};
use measured::{Example, Results, same};

const FRAMES: usize = 2048;
const PAGES: usize = 16384;

type Page = [u64; 512]; // 4 KiB

/// The disk below the cache: each page has one number, with which it is filled.
struct Disk {
    words: Vec<u64>,
    reads: u64,
    writes: u64,
}

impl Disk {
    fn read(&mut self, number: usize, into: &mut Page) {
        self.reads += 1;
        into.fill(self.words[number]);
    }
    fn write(&mut self, number: usize, from: &Page) {
        self.writes += 1;
        self.words[number] = from[0];
    }
}

trait Cache {
    type Name: Copy;
    fn new(disk: Disk) -> Self;
    /// Returns the page. `at` names its frame until the page is evicted.
    fn get(&mut self, number: usize, at: &mut Option<Self::Name>, changes: bool) -> &mut Page;
    fn disk(&self) -> &Disk;
}

// To copy: descriptors in a fixed pool, and the frame of each at the same index.
struct HeapsmithForm {
    disk: Disk,
    descriptors: FixedPool<Descriptor>,
    frames: Vec<Page>,
    places: HashMap<usize, Handle<Descriptor>>,
    hand: usize,
}

struct Descriptor {
    number: usize,
    is_used: bool,
    is_dirty: bool,
}

impl HeapsmithForm {
    fn find(&mut self, number: usize) -> Handle<Descriptor> {
        if let Some(place) = self.places.get(&number) {
            return *place;
        }
        if self.descriptors.len() == FRAMES {
            self.evict();
        }
        // In the slot that was emptied last, which is that of the evicted page.
        let new = Descriptor { number, is_used: false, is_dirty: false };
        let place = self.descriptors.insert(new);
        self.disk.read(number, &mut self.frames[place.index() as usize]);
        self.places.insert(number, place);
        place
    }

    /// Takes at most two rounds; constant on average, since each step clears a mark.
    fn evict(&mut self) {
        let is_used = |here: &mut Descriptor| take(&mut here.is_used);
        while self.descriptors.get_at_mut(self.hand as u32).is_some_and(is_used) {
            self.hand = (self.hand + 1) % FRAMES;
        }
        let victim = self.descriptors.remove_at(self.hand as u32).expect("the cache is full");
        if victim.is_dirty {
            self.disk.write(victim.number, &self.frames[self.hand]);
        }
        self.places.remove(&victim.number);
        self.hand = (self.hand + 1) % FRAMES;
    }
}

impl Cache for HeapsmithForm {
    type Name = Handle<Descriptor>;

    fn new(disk: Disk) -> Self {
        Self {
            disk,
            descriptors: FixedPool::with_fixed_capacity(FRAMES),
            frames: vec![[0; 512]; FRAMES],
            places: HashMap::with_capacity(FRAMES),
            hand: 0,
        }
    }

    /// If the page was not evicted meanwhile, the map is not searched.
    fn get(&mut self, number: usize, at: &mut Option<Self::Name>, changes: bool) -> &mut Page {
        let known = at.filter(|at| self.descriptors.contains(*at));
        let place = known.unwrap_or_else(|| self.find(number));
        *at = Some(place);
        let here = &mut self.descriptors[place];
        here.is_used = true;
        here.is_dirty |= changes;
        &mut self.frames[place.index() as usize]
    }

    fn disk(&self) -> &Disk {
        &self.disk
    }
}

// The same with the standard library: boxed pages in a map, and their numbers in the order of the
// clock. A cursor can keep no reference, since the cache changes meanwhile.
struct StdForm {
    disk: Disk,
    pages: HashMap<usize, Entry>,
    clock: VecDeque<usize>,
}

struct Entry {
    is_used: bool,
    is_dirty: bool,
    bytes: Box<Page>,
}

impl StdForm {
    /// Returns the memory of the evicted page.
    fn evict(&mut self) -> Box<Page> {
        loop {
            let number = self.clock.pop_front().expect("the cache is full");
            let here = self.pages.get_mut(&number).expect("the clock names cached pages");
            if take(&mut here.is_used) {
                self.clock.push_back(number);
                continue;
            }
            let victim = self.pages.remove(&number).expect("the clock names cached pages");
            if victim.is_dirty {
                self.disk.write(number, &victim.bytes);
            }
            return victim.bytes;
        }
    }
}

impl Cache for StdForm {
    type Name = ();

    fn new(disk: Disk) -> Self {
        let clock = VecDeque::with_capacity(FRAMES);
        Self { disk, pages: HashMap::with_capacity(FRAMES), clock }
    }

    fn get(&mut self, number: usize, _at: &mut Option<()>, changes: bool) -> &mut Page {
        if !self.pages.contains_key(&number) {
            let is_full = self.pages.len() == FRAMES;
            let mut bytes = if is_full { self.evict() } else { Box::new([0; 512]) };
            self.disk.read(number, &mut bytes);
            self.pages.insert(number, Entry { is_used: false, is_dirty: false, bytes });
            self.clock.push_back(number);
        }
        let here = self.pages.get_mut(&number).expect("the page is cached");
        here.is_used = true;
        here.is_dirty |= changes;
        &mut here.bytes
    }

    fn disk(&self) -> &Disk {
        &self.disk
    }
}

/// A cursor reads its page, and often the same page again; some pages are changed.
fn query<C: Cache>(steps: usize) -> Results {
    let mut cache = C::new(Disk { words: vec![0; PAGES], reads: 0, writes: 0 });
    let mut cursors: [(usize, Option<C::Name>); 64] = [(0, None); 64];
    let mut sum = 0;
    let mut random = 1u32;
    for i in 0..steps {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let cursor = &mut cursors[(random >> 8) as usize % 64];
        if random >> 30 == 0 {
            // It moves on: mostly to one of the pages that everybody reads.
            let is_hot = (random >> 24) % 8 != 0;
            *cursor = ((random >> 10) as usize % if is_hot { FRAMES / 2 } else { PAGES }, None);
        }
        let changes = i % 16 == 0;
        let here = cache.get(cursor.0, &mut cursor.1, changes);
        sum += here[i % 512];
        here[0] += u64::from(changes);
    }
    vec![
        same("pages read", cache.disk().reads),
        same("pages written", cache.disk().writes),
        same("checksum", sum),
    ]
}

struct PageCache;

impl Example for PageCache {
    const MEASURED: usize = 8_000_000;
    const SHOWN: usize = 100_000;

    fn std_form(steps: usize) -> Results {
        query::<StdForm>(steps)
    }
    fn heapsmith_form(steps: usize) -> Results {
        query::<HeapsmithForm>(steps)
    }
}

fn main() -> ExitCode {
    measured::main::<PageCache>("page-cache-rust")
}
