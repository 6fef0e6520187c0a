//! Windows: parts of the trace that bound how far the threads of a replay may be apart.
//!
//! A window has up to 2,048 events, or half a millisecond, of several threads; or as many events of
//! one thread as follow each other. A thread enters a window when all but the last one before it
//! are complete; or all, if the last one is longer than that.

use super::lives::Step;

const MOST_EVENTS: usize = 2048;

/// What to write next.
pub enum Part {
    /// The threads of `threads` enter window `number`, when those below `complete` are complete.
    Enter {
        number: u32,
        complete: u32,
        threads: Vec<u32>,
    },
    Step(Step),
}

pub struct Windows {
    is_bounded: bool,
    most_ticks: u64,
    number: u32,
    waiting: Vec<Step>,
    threads: Vec<u32>,
    /// The window that is being written without a limit, because one thread has it alone.
    alone: Option<u32>,
    last_was_long: bool,
}

impl Windows {
    pub fn new(is_bounded: bool, ticks_a_ns: f64) -> Self {
        let most_ticks = if ticks_a_ns > 0.0 { (ticks_a_ns * 500_000.0) as u64 } else { u64::MAX };
        Self {
            is_bounded,
            most_ticks,
            number: 0,
            waiting: Vec::new(),
            threads: Vec::new(),
            alone: None,
            last_was_long: false,
        }
    }

    /// Takes a step; gives those that are in order now to `part`.
    pub fn push<E>(
        &mut self,
        next: Step,
        part: &mut impl FnMut(Part) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.is_bounded || self.alone == Some(next.thread()) {
            return part(Part::Step(next));
        }
        self.alone = None;
        let is_over = self.waiting.len() >= MOST_EVENTS
            || self
                .waiting
                .first()
                .is_some_and(|it| next.tick().saturating_sub(it.tick()) > self.most_ticks);
        if is_over {
            self.end(part)?;
            if self.alone == Some(next.thread()) {
                return part(Part::Step(next));
            }
            self.alone = None;
        }
        if !self.threads.contains(&next.thread()) {
            self.threads.push(next.thread());
        }
        self.waiting.push(next);
        Ok(())
    }

    /// Ends the window.
    pub fn end<E>(&mut self, part: &mut impl FnMut(Part) -> Result<(), E>) -> Result<(), E> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let threads = std::mem::take(&mut self.threads);
        let complete = if self.last_was_long { self.number } else { self.number.saturating_sub(1) };
        // It goes on if the next event is of the same thread.
        self.last_was_long = threads.len() == 1;
        self.alone = (threads.len() == 1).then(|| threads[0]);
        part(Part::Enter { number: self.number, complete, threads })?;
        self.number += 1;
        for step in self.waiting.drain(..) {
            part(Part::Step(step))?;
        }
        Ok(())
    }
}
