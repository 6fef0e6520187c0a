//! The events of one thread of a raw file.

use super::decode::{Decoder, Fragment, RawEvent, Record, Stack};
use super::file::RawFile;
use crate::numbers::Numbers;

/// The events of one thread, in order.
pub struct Events<'a> {
    file: &'a RawFile,
    fragments: std::slice::Iter<'a, Fragment>,
    current: Option<(Numbers<'a>, Decoder)>,
    /// The stack that was sampled before the last event.
    pub stack: Option<Stack>,
}

impl<'a> Events<'a> {
    pub fn of(file: &'a RawFile, thread: u32) -> Self {
        let fragments = file.threads.get(&thread).map_or([].iter(), |all| all.iter());
        Self { file, fragments, current: None, stack: None }
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
            let fragment = self.fragments.next()?;
            let bytes = self.file.bytes(fragment);
            let decoder = Decoder::new(fragment.first_tick);
            self.current = Some((Numbers::new(bytes), decoder));
        }
    }
}
