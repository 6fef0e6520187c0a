//! A thread that samples the memory of a running tree.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::points::Points;
use super::pss::{self, Source};
use crate::pause::{SHORTEST_PAUSE, pause_after, thread_cpu_time};

/// A sample that was taken at a requested moment.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub t_s: f64,
    /// None if no process was there.
    pub bytes: Option<f64>,
}

/// Everything that one run's thread has sampled.
#[derive(Debug)]
pub struct Samples {
    pub points: Points,
    pub source: Source,
}

pub struct Sampler {
    /// Requests a sample now; closing it ends the thread.
    requests: SyncSender<()>,
    marks: Receiver<Mark>,
    thread: JoinHandle<Samples>,
}

impl Sampler {
    /// Samples the descendants of `root` from now on.
    pub fn start(root: i32) -> Result<Self> {
        let (requests, asked) = sync_channel(0);
        let (answer, marks) = channel();
        let body = move || {
            let began = Instant::now();
            let mut samples = Samples { points: Points::new(), source: Source::Pss };
            let mut pause = SHORTEST_PAUSE;
            loop {
                let request = asked.recv_timeout(pause);
                if matches!(request, Err(RecvTimeoutError::Disconnected)) {
                    return samples;
                }
                let at = began.elapsed();
                let before = thread_cpu_time();
                let bytes = sample(root, at, &mut samples);
                pause = pause_after(at, thread_cpu_time() - before);
                // The requester waits for the answer, unless it has given up the run.
                if request.is_ok() && answer.send(Mark { t_s: at.as_secs_f64(), bytes }).is_err() {
                    return samples;
                }
            }
        };
        let thread = std::thread::Builder::new().name("memory".to_string()).spawn(body);
        Ok(Self { requests, marks, thread: thread.context("a thread for the samples")? })
    }

    /// Takes a sample now, and returns when it is taken.
    pub fn mark(&self) -> Result<Mark> {
        let ended = || anyhow!("the thread that samples memory has ended");
        self.requests.send(()).map_err(|_| ended())?;
        self.marks.recv().map_err(|_| ended())
    }

    pub fn finish(self) -> Result<Samples> {
        drop(self.requests);
        self.thread.join().map_err(|_| anyhow!("the thread that samples memory has failed"))
    }
}

fn sample(root: i32, at: Duration, samples: &mut Samples) -> Option<f64> {
    let (bytes, source) = pss::of_descendants(root)?;
    samples.source = samples.source.max(source);
    samples.points.push(at.as_secs_f64(), bytes as f64);
    Some(bytes as f64)
}
