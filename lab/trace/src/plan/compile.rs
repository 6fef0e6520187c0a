//! Makes a plan of a trace.

use std::path::Path;

use super::lives::{Lives, Step};
use super::pieces::{Head, Pieces};
use super::slots::Slots;
use super::survey::Survey;
use super::treatments::Treatments;
use super::windows::{Part, Windows};
use super::{FAMILY, Order, TOUCHED, WAITS, op};
use crate::error::{Error, Result};
use crate::event::{Api, Event, Kind};
use crate::packed::Reader;

/// So many samples of memory are taken over a trace.
const SAMPLES: u64 = 200;
/// Of memory, at least.
const PAGE: u64 = 4096;

/// A plan that was written.
pub struct Plan {
    pub calls: u64,
    pub threads: u32,
    pub file_bytes: u64,
    /// Calls that are not made: those that failed.
    pub failed: u64,
    /// Blocks of the program's parent, which are allocated before the first call. `calls` does not
    /// count them.
    pub inherited: u64,
    /// The most bytes that the program had asked for at a time.
    pub peak_bytes: u64,
    /// The most bytes that the replay touches at a time; `peak_pages`: if it touches each block in
    /// one place.
    pub peak_touched: u64,
    pub peak_pages: u64,
}

/// A number and the most that it was.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    now: u64,
    most: u64,
}

impl Level {
    fn change(&mut self, ended: u64, made: u64) {
        // Wraps only for traces that nobody recorded.
        self.now = self.now.wrapping_sub(ended).wrapping_add(made);
        self.most = self.most.max(self.now);
    }
}

struct Compiler<'a> {
    survey: &'a Survey,
    treatments: &'a Treatments,
    order: Order,
    pieces: Pieces<'a>,
    slots: Slots,
    lives: Lives,
    started: Vec<bool>,
    first_thread: u32,
    last_thread: u32,
    seen: u64,
    samples: u32,
    asked: Level,
    touched: Level,
    pages: Level,
    first_tick: Option<u64>,
    failed: u64,
    inherited: u64,
}

/// Writes the plan of the trace at `trace` into the new file `to`.
pub fn compile(trace: &Path, survey: &Survey, order: Order, to: &Path) -> Result<Plan> {
    compile_treated(trace, survey, order, &Treatments::default(), to)
}

/// As compile(), but the blocks of some sites come from families of heapsmith.
pub fn compile_treated(
    trace: &Path,
    survey: &Survey,
    order: Order,
    treatments: &Treatments,
    to: &Path,
) -> Result<Plan> {
    let threads = if order == Order::Serial { 1 } else { survey.threads };
    let mut compiler = Compiler {
        survey,
        treatments,
        order,
        pieces: Pieces::create(to, threads, treatments.list.len())?,
        slots: Slots::default(),
        lives: Lives::of(survey, order == Order::Serial),
        started: vec![false; threads as usize + 1],
        first_thread: 0,
        last_thread: 0,
        seen: 0,
        samples: 0,
        asked: Level::default(),
        touched: Level::default(),
        pages: Level::default(),
        first_tick: None,
        failed: 0,
        inherited: 0,
    };
    let is_bounded = order == Order::Bounded && threads > 1;
    let mut windows = Windows::new(is_bounded, survey.tables.meta.ticks_a_ns);
    let mut reader = Reader::open(trace)?;
    let mut error: Option<Error> = None;
    reader.for_each(|event| {
        if error.is_some() {
            return;
        }
        let done = if let Kind::Inherit { block, size, align } = event.kind {
            compiler.inherit(event, block, size, u64::from(align))
        } else {
            let steps = compiler.lives.before(event);
            steps
                .into_iter()
                .chain([Step::Call(*event)])
                .try_for_each(|step| windows.push(step, &mut |part| compiler.part(part)))
        };
        error = done.err();
    })?;
    match error {
        Some(error) => return Err(error),
        None => windows.end(&mut |part| compiler.part(part))?,
    }
    compiler.finish(threads)
}

impl Compiler<'_> {
    fn part(&mut self, part: Part) -> Result<()> {
        match part {
            Part::Enter { number, complete, threads } => {
                for &thread in &threads {
                    // A thread whose start was recorded is started within this window.
                    if !self.lives.has_start(thread) {
                        self.start(thread)?;
                    }
                    let numbers = [u64::from(number), u64::from(complete), threads.len() as u64];
                    self.pieces.call(thread, op::WINDOW, &numbers)?;
                }
                Ok(())
            }
            Part::Step(Step::Call(event)) => self.event(&event),
            Part::Step(Step::Start { thread, other, .. }) => {
                self.start(thread)?;
                self.last_thread = thread;
                self.start(other)
            }
            Part::Step(Step::Join { thread, other, .. }) => {
                self.start(thread)?;
                self.last_thread = thread;
                self.pieces.call(thread, op::START_THREAD | WAITS, &[u64::from(other)])
            }
        }
    }

    /// A thread is started by the one that made the last call.
    fn start(&mut self, thread: u32) -> Result<()> {
        if self.first_thread == 0 {
            self.first_thread = thread;
        } else if !self.started[thread as usize] {
            self.pieces.call(self.last_thread, op::START_THREAD, &[u64::from(thread)])?;
        }
        self.started[thread as usize] = true;
        if self.last_thread == 0 {
            self.last_thread = thread;
        }
        Ok(())
    }

    fn touched(&self, block: u64, size: u64) -> u64 {
        self.survey.touched.get(&block).map_or(size, |&bytes| bytes.min(size))
    }

    fn event(&mut self, event: &Event) -> Result<()> {
        let thread = if self.order == Order::Serial { 1 } else { event.thread };
        self.start(thread)?;
        self.last_thread = thread;
        self.sample(event, thread)?;
        match event.kind {
            Kind::Allocate { block, size, align } => {
                self.allocate(thread, event, block, size, u64::from(align))
            }
            Kind::Free { block } => self.free(thread, event.api, block),
            Kind::Resize { old, block, size, .. } => self.resize(thread, event, old, block, size),
            Kind::Failed { .. } => {
                self.failed += 1;
                Ok(())
            }
            Kind::FreeNull => self.pieces.call(thread, op::FREE_NULL, &[]),
            Kind::UsableSize { block } => match self.slots.get(block) {
                Some(held)
                    if held.owner == thread
                        && held.treatment.is_none()
                        && !self.survey.asked_and_passed_on.contains(&block) =>
                {
                    self.pieces.call(thread, op::USABLE_SIZE, &[u64::from(held.slot)])
                }
                // Another thread could end or resize the block meanwhile.
                _ => Ok(()),
            },
            Kind::Resident { .. } | Kind::Inherit { .. } => Ok(()),
        }
    }

    /// All come before the first event. They belong to the thread that forked: the first one.
    fn inherit(&mut self, event: &Event, block: u64, size: u64, align: u64) -> Result<()> {
        const THREAD: u32 = 1;
        self.start(THREAD)?;
        self.inherited += 1;
        self.allocate(THREAD, event, block, size, align)
    }

    /// Before some events, how much the program has in use.
    fn sample(&mut self, event: &Event, thread: u32) -> Result<()> {
        let first = *self.first_tick.get_or_insert(event.tick);
        let due = self.seen * SAMPLES / self.survey.events.max(1);
        self.seen += 1;
        if due < u64::from(self.samples) {
            return Ok(());
        }
        self.samples = due as u32 + 1;
        let scale = self.survey.tables.meta.ticks_a_ns;
        let ns = if scale > 0.0 { (event.tick - first) as f64 / scale } else { 0.0 };
        self.pieces.call(thread, op::SAMPLE, &[self.asked.now, ns as u64])
    }

    fn allocate(
        &mut self,
        thread: u32,
        event: &Event,
        block: u64,
        size: u64,
        align: u64,
    ) -> Result<()> {
        if self.treatments.growth.continues(block) {
            return Ok(()); // its first block has room for it
        }
        let (size, last) = self.treatments.growth.final_size(block).unwrap_or((size, block));
        let touched = self.touched(last, size);
        let (held, waits) = self.slots.hold(block, thread, size, touched);
        self.count((0, 0), (size, touched));
        let treatment = match event.kind {
            // The trace does not say how the parent used its other blocks.
            Kind::Inherit { .. } => None,
            _ => self.treatments.of(event.caller, size, align),
        };
        let what = match event.api {
            Api::Calloc => op::CALLOC,
            _ if treatment.is_some() => op::MALLOC,
            Api::New | Api::NewNothrow => op::NEW,
            Api::NewArray | Api::NewArrayNothrow => op::NEW_ARRAY,
            _ if align > 1 => op::ALIGNED,
            _ => op::MALLOC,
        };
        let mut numbers = vec![u64::from(held.slot), size];
        let mut first = what | if waits { WAITS } else { 0 };
        if let Some(treatment) = treatment {
            self.slots.treat(block, treatment);
            first |= FAMILY;
            numbers.push(u64::from(treatment));
        } else if what == op::ALIGNED {
            numbers.extend([event.api as u64, align]);
        }
        if touched != size {
            first |= TOUCHED;
            numbers.push(touched);
        }
        self.pieces.call(thread, first, &numbers)
    }

    fn free(&mut self, thread: u32, api: Api, block: u64) -> Result<()> {
        if let Some(next) = self.treatments.growth.next(block) {
            self.slots.rename(block, next);
            return Ok(());
        }
        let Some(held) = self.slots.empty(block, thread) else { return Ok(()) };
        self.count((held.size, held.touched), (0, 0));
        let what = match api {
            _ if held.treatment.is_some() => op::FREE | FAMILY,
            Api::Delete => op::DELETE,
            Api::DeleteArray => op::DELETE_ARRAY,
            Api::DeleteSized => op::DELETE_SIZED,
            _ => op::FREE,
        };
        let mut numbers = vec![u64::from(held.slot)];
        let mut first = what;
        if held.owner != thread {
            first |= WAITS;
            numbers.push(u64::from(held.turn));
        }
        if let Some(treatment) = held.treatment {
            numbers.push(u64::from(treatment));
        }
        if what == op::DELETE_SIZED || held.treatment.is_some() {
            numbers.push(held.size);
        }
        self.pieces.call(thread, first, &numbers)
    }

    /// slot, [turn, slot of the new block,] size, bytes that were touched before, [touched now]
    fn resize(
        &mut self,
        thread: u32,
        event: &Event,
        old: u64,
        block: u64,
        size: u64,
    ) -> Result<()> {
        if self.treatments.growth.continues(block) {
            self.slots.rename(old, block);
            return Ok(());
        }
        let Some(held) = self.slots.get(old) else {
            return self.allocate(thread, event, block, size, 1);
        };
        if held.treatment.is_some() {
            self.free(thread, Api::Free, old)?;
            return self.allocate(thread, event, block, size, 1);
        }
        let touched = self.touched(block, size);
        self.count((held.size, held.touched), (size, touched));
        let mut numbers = vec![u64::from(held.slot)];
        let mut first = op::REALLOC;
        if held.owner == thread {
            self.slots.resize(old, block, size, touched);
        } else {
            self.slots.empty(old, thread);
            let (new, waits) = self.slots.hold(block, thread, size, touched);
            first |= WAITS;
            // The new slot waits, too, if its number is odd.
            numbers.extend([u64::from(held.turn), u64::from(new.slot) << 1 | u64::from(waits)]);
        }
        numbers.extend([size, held.touched.min(size)]);
        if touched != size {
            first |= TOUCHED;
            numbers.push(touched);
        }
        self.pieces.call(thread, first, &numbers)
    }

    /// A block of `ended` goes, and one of `made` comes: the bytes that are asked for, and touched.
    fn count(&mut self, ended: (u64, u64), made: (u64, u64)) {
        let pages = |touched: u64| touched.min(PAGE);
        self.asked.change(ended.0, made.0);
        self.touched.change(ended.1, made.1);
        self.pages.change(pages(ended.1), pages(made.1));
    }

    fn finish(self, threads: u32) -> Result<Plan> {
        let mut stays = vec![true; threads as usize + 1];
        for thread in &self.survey.tables.threads {
            if let Some(stays) = stays.get_mut(thread.number as usize) {
                *stays = !thread.has_ended;
            }
        }
        let head = Head {
            slots: self.slots.count(),
            largest: self.survey.largest,
            samples: self.samples,
            uses_operators: self.survey.uses_operators,
            first_thread: self.first_thread,
            inherited: self.inherited,
            stays,
            treatments: self.treatments.words(),
        };
        let calls = self.pieces.calls - self.inherited;
        let file_bytes = self.pieces.finish(&head)?;
        let Self { failed, inherited, asked, touched, pages, .. } = self;
        let (peak_bytes, peak_touched, peak_pages) = (asked.most, touched.most, pages.most);
        Ok(Plan {
            calls,
            threads,
            file_bytes,
            failed,
            inherited,
            peak_bytes,
            peak_touched,
            peak_pages,
        })
    }
}
