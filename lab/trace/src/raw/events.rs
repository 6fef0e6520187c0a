//! The events of one thread of a raw file.

use super::decode::{Decoder, RawEvent, Record, Segment, Stack};
use super::file::RawFile;
use crate::numbers::Numbers;

/// The events of one thread, in order.
pub struct Events<'a> {
    file: &'a RawFile,
    segments: std::slice::Iter<'a, Segment>,
    current: Option<(Numbers<'a>, Decoder)>,
    /// The stack that was sampled before the last event.
    pub stack: Option<Stack>,
}

impl<'a> Events<'a> {
    pub fn of(file: &'a RawFile, thread: u32) -> Self {
        let segments = file.threads.get(&thread).map_or([].iter(), |all| all.iter());
        Self { file, segments, current: None, stack: None }
    }
}

impl Iterator for Events<'_> {
    type Item = RawEvent;

    fn next(&mut self) -> Option<RawEvent> {
        self.stack = None;
        loop {
            if let Some((from, decoder)) = &mut self.current {
                match decoder.next(from) {
                    Some(Record::Event(event)) => return Some(event),
                    Some(Record::Stack(stack)) => {
                        self.stack = Some(stack);
                        continue;
                    }
                    Some(Record::Thread { .. }) | None => self.current = None,
                }
            }
            let segment = self.segments.next()?;
            let bytes = self.file.bytes(segment);
            let decoder = Decoder::new(segment.first_tick);
            self.current = Some((Numbers::new(bytes), decoder));
        }
    }
}
