//! When threads start and end: allocators make a heap for a thread when it starts, and pass it on when
//! it ends, so a replay does both where the program did.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::survey::Survey;
use crate::event::Event;

/// A step of one thread.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Call(Event),
    /// It starts the thread `other`.
    Start {
        thread: u32,
        tick: u64,
        other: u32,
    },
    /// It waits until the thread `other` has ended.
    Join {
        thread: u32,
        tick: u64,
        other: u32,
    },
}

impl Step {
    pub fn thread(&self) -> u32 {
        match *self {
            Self::Call(event) => event.thread,
            Self::Start { thread, .. } | Self::Join { thread, .. } => thread,
        }
    }

    pub fn tick(&self) -> u64 {
        match *self {
            Self::Call(event) => event.tick,
            Self::Start { tick, .. } | Self::Join { tick, .. } => tick,
        }
    }
}

/// The starts and the ends that were recorded, in order of time.
pub struct Lives {
    starts: VecDeque<(u64, u32, u32)>, // tick, thread that starts, thread that is started
    ends: VecDeque<(u64, u32)>,
    started: FxHashSet<u32>,
}

impl Lives {
    /// Those of a trace; none if one thread replays it.
    pub fn of(survey: &Survey, is_serial: bool) -> Self {
        let known = |n: u32| (1..=survey.threads).contains(&n);
        let threads = if is_serial { &[][..] } else { &survey.tables.threads };
        let mut starts: Vec<_> = threads
            .iter()
            .filter_map(|it| Some((it.start_tick?, it.started_by?, it.number)))
            .filter(|&(_, by, number)| known(by) && known(number) && by != number)
            .collect();
        let mut ends: Vec<_> = threads
            .iter()
            .filter(|it| it.has_ended && known(it.number))
            // A thread frees blocks after the recorder has seen its end.
            .filter_map(|it| {
                Some((it.end_tick?.max(survey.last_ticks[it.number as usize]), it.number))
            })
            .collect();
        starts.sort_unstable();
        ends.sort_unstable();
        let started = starts.iter().map(|&(_, _, other)| other).collect();
        Self { starts: starts.into(), ends: ends.into(), started }
    }

    /// Whether the start of a thread was recorded.
    pub fn has_start(&self, thread: u32) -> bool {
        self.started.contains(&thread)
    }

    /// The steps that come before `event`. The thread of the first event after an end waits for it:
    /// some thread of the program could tell that it was over.
    pub fn before(&mut self, event: &Event) -> Vec<Step> {
        let mut steps = Vec::new(); // of nothing, nearly always
        while let Some(&(tick, other)) = self.ends.front()
            && tick < event.tick
        {
            self.ends.pop_front();
            steps.push(Step::Join { thread: event.thread, tick, other });
        }
        while let Some(&(tick, thread, other)) = self.starts.front()
            && tick <= event.tick
        {
            self.starts.pop_front();
            steps.push(Step::Start { thread, tick, other });
        }
        steps
    }
}
