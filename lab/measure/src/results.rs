//! Everything a session found.

use std::ffi::OsString;

use anyhow::Result;

use crate::lines;
use crate::machine::Machine;
use crate::page::{self, Traces};
use crate::program::quote;
use crate::prove::Identity;
use crate::record::{Attempts, CodeAdvice, Curve, Failed, Process, Provenance, Published, Record};
use crate::verdict::Judgement;

pub struct Results {
    pub provenance: Provenance,
    pub identities: Vec<Identity>,
    pub records: Vec<Record>,
    pub failures: Vec<Failed>,
    /// Failures that are not a contender's.
    pub attempts: Vec<Attempts>,
    pub curves: Vec<Curve>,
    /// The proof.
    pub processes: Vec<Process>,
    pub advice: Vec<CodeAdvice>,
    pub published: Vec<Published>,
    pub verdict: Option<Judgement>,
    /// Recorded traces, for the page alone.
    pub traces: Option<Traces>,
}

impl Results {
    /// Empty results of `command`, which is named as a person types it, without its path. The
    /// arguments of this process follow it.
    pub fn new(command: &[&str]) -> Self {
        let words = command.iter().map(OsString::from).chain(std::env::args_os().skip(1));
        let command: Vec<_> = words.collect();
        Self::of(Provenance {
            machine: Machine::look(),
            command: quote(&command),
            created: page::now(),
        })
    }

    pub fn of(provenance: Provenance) -> Self {
        Self {
            provenance,
            identities: Vec::new(),
            records: Vec::new(),
            failures: Vec::new(),
            attempts: Vec::new(),
            curves: Vec::new(),
            processes: Vec::new(),
            advice: Vec::new(),
            published: Vec::new(),
            verdict: None,
            traces: None,
        }
    }

    /// Adds a contender, unless it was added before.
    pub fn identify(&mut self, identity: &Identity) {
        if !self.identities.iter().any(|known| known.name == identity.name) {
            self.identities.push(identity.clone());
        }
    }

    pub fn json_lines(&self) -> Result<String> {
        let mut text = String::new();
        for record in &self.records {
            text += &lines::write_record(record)?;
        }
        for failed in &self.failures {
            text += &lines::write("failure", failed)?;
        }
        for attempts in &self.attempts {
            text += &lines::write("attempts", attempts)?;
        }
        for curve in &self.curves {
            text += &lines::write("curve", curve)?;
        }
        for process in &self.processes {
            text += &lines::write("process", process)?;
        }
        for advice in &self.advice {
            text += &lines::write("advice", advice)?;
        }
        for published in &self.published {
            text += &lines::write("published", published)?;
        }
        if let Some(verdict) = &self.verdict {
            text += &lines::write_verdict(verdict)?;
        }
        Ok(text)
    }
}
