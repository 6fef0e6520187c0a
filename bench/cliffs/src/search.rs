//! The search: draws patterns, measures them, and judges those in which a peer was better.

use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::progress::whole_seconds;
use heapsmith_measure::round::order;

use crate::args::Args;
use crate::confirm::{CLIFF, Pairs, ROUNDS, judge, middle};
use crate::contenders::Contenders;
use crate::draw::{draw, vary};
use crate::pattern::Pattern;
use crate::random::Random;
use crate::runs::Runs;
use crate::sample::{Metric, Sample, worst};
use crate::shrink::shrink;
use crate::state::{Candidate, Failed, Fate, State};

/// The part of the time that is spent on draws.
const DRAWING: f64 = 0.6;
/// One run decides to keep a candidate; further runs decide the rest.
const KEPT: f64 = 1.2;
/// A candidate above this is examined.
const EXAMINED: f64 = 1.4;
/// How much worse than ours the time of a peer may look in one run, and in a few.
const TOLERANCE: [f64; 2] = [1.2, 1.1];
/// The rounds that decide whether a candidate, or a simpler one, holds.
const FEW: usize = 3;
/// One draw in this many varies a known candidate.
const VARIED: u64 = 3;
/// Those that are varied are the worst ones.
const BRED: usize = 12;

pub struct Search<'a> {
    pub args: &'a Args,
    pub runs: &'a Runs,
    pub contenders: &'a Contenders,
    pub state: State,
}

impl Search<'_> {
    /// Draws, then judges, until the time is over or an interrupt comes.
    pub fn run(&mut self) -> Result<()> {
        let begin = Instant::now();
        let time = Duration::from_secs_f64(self.args.minutes * 60.0);
        self.draw_until(begin + time.mul_f64(DRAWING))?;
        self.judge_until(begin + time)?;
        self.state.spent_s += begin.elapsed().as_secs_f64();
        self.state.write(&self.args.state)
    }

    fn is_over(&self, until: Instant) -> bool {
        Instant::now() >= until || self.runs.interrupt.asked()
    }

    fn draw_until(&mut self, until: Instant) -> Result<()> {
        if let Some(pattern) = &self.args.pattern {
            self.measure(0, pattern)?;
            self.state.draws = 1;
            return Ok(());
        }
        let last = self.args.draws.map(|more| self.state.draws + more);
        while !self.is_over(until) && last.is_none_or(|last| self.state.draws < last) {
            let number = self.state.draws;
            let pattern = self.next_pattern();
            self.measure(number, &pattern)?;
            if self.runs.interrupt.asked() {
                return Ok(());
            }
            self.state.draws += 1;
            self.state.write(&self.args.state)?;
            let mut standing = self.state.candidates.iter().filter(|it| !is_gone(it));
            let worst = standing.next();
            let worst = worst.map_or(String::new(), |it| {
                format!(", worst ×{:.2} {} {}", it.ratio, it.metric.title(), it.peer)
            });
            let left = whole_seconds(until.saturating_duration_since(Instant::now()));
            eprintln!("draw {number}: {}{worst}, {left} left", pattern.label());
        }
        Ok(())
    }

    fn next_pattern(&self) -> Pattern {
        let number = self.state.draws;
        let mut random = Random::of_draw(self.state.seed, number);
        let known = self.state.candidates.iter().filter(|it| !is_gone(it)).take(BRED);
        let known: Vec<&Pattern> = known.map(|it| &it.pattern).collect();
        if number % VARIED == VARIED - 1 && !known.is_empty() {
            let chosen = random.below(known.len());
            return vary(&mut random, known[chosen]);
        }
        draw(&mut random)
    }

    /// One run of each contender, and of the first peer again.
    fn measure(&mut self, number: u64, pattern: &Pattern) -> Result<()> {
        let Contenders { own, peers, .. } = self.contenders;
        let all: Vec<&Installed> = std::iter::once(own).chain(peers).chain(peers.first()).collect();
        let turns: Vec<usize> = order(number as usize % all.len(), all.len()).collect();
        let in_turn: Vec<&Installed> = turns.iter().map(|who| all[*who]).collect();
        let outcomes = self.runs.round(pattern, &in_turn, &mut None)?;
        let counts = self.runs.count(pattern, &all[..all.len() - 1])?;
        if self.runs.interrupt.asked() {
            return Ok(());
        }
        let mut samples: Vec<Option<Sample>> = vec![None; all.len()];
        for (who, outcome) in turns.into_iter().zip(outcomes) {
            match outcome {
                Ok(sample) => {
                    let instructions = counts.get(who).copied().flatten();
                    samples[who] = Some(Sample { instructions, ..sample });
                }
                Err(why) => self.state.failures.push(Failed {
                    draw: number,
                    pattern: pattern.clone(),
                    contender: all[who].name().to_string(),
                    why,
                }),
            }
        }
        if let (Some(one), Some(other)) = (&samples[1], &samples[all.len() - 1]) {
            self.state.note_noise(one, other);
        }
        self.keep_worst(number, pattern, &samples);
        if self.args.pattern.is_some() {
            samples.pop();
            self.state.samples = samples;
        }
        Ok(())
    }

    fn keep_worst(&mut self, draw: u64, pattern: &Pattern, samples: &[Option<Sample>]) {
        let Some((peer, metric, ratio)) = self.worst_peer(samples, TOLERANCE[0]) else { return };
        if ratio >= KEPT {
            let (pattern, peer) = (pattern.clone(), peer.name().to_string());
            self.state.keep(Candidate {
                draw,
                pattern,
                peer,
                metric,
                ratio,
                fate: Fate::Unexamined,
            });
        }
    }

    /// The peer with the largest ratio, of samples in the order of the contenders.
    fn worst_peer(
        &self,
        samples: &[Option<Sample>],
        tolerance: f64,
    ) -> Option<(&Installed, Metric, f64)> {
        let own = samples[0].as_ref()?;
        let peers = self.contenders.peers.iter().zip(&samples[1..]);
        let worst = peers.filter_map(|(peer, sample)| {
            let (metric, ratio) = worst(own, sample.as_ref()?, tolerance)?;
            Some((peer, metric, ratio))
        });
        worst.max_by(|one, other| one.2.total_cmp(&other.2))
    }

    /// Examines the candidates, the worst first.
    fn judge_until(&mut self, until: Instant) -> Result<()> {
        while !self.is_over(until) {
            let next = self
                .state
                .candidates
                .iter()
                .position(|it| it.fate == Fate::Unexamined && it.ratio >= EXAMINED);
            let Some(at) = next else { return Ok(()) };
            let candidate = self.state.candidates[at].clone();
            eprintln!("examining draw {}: {}", candidate.draw, candidate.pattern.label());
            let fate = self.examine(&candidate, until)?;
            if self.runs.interrupt.asked() {
                return Ok(());
            }
            self.state.candidates[at].fate = fate;
            self.state.write(&self.args.state)?;
        }
        Ok(())
    }

    fn examine(&self, candidate: &Candidate, until: Instant) -> Result<Fate> {
        // A few rounds of all: one run may have named the wrong peer.
        let samples = self.few_rounds(&candidate.pattern)?;
        let (peer, metric, seen) = match self.worst_peer(&samples, TOLERANCE[1]) {
            Some(worst) if worst.2 >= EXAMINED => worst,
            other => return Ok(Fate::Gone(other.map_or(1.0, |worst| worst.2))),
        };
        // A simpler pattern with a far smaller ratio is another one.
        let enough = (seen / 2.0).max(seen.min(CLIFF));
        let simplest = shrink(&candidate.pattern, |simpler| {
            if self.is_over(until) {
                return Ok(false);
            }
            Ok(self.ratio(simpler, peer, metric)?.is_some_and(|ratio| ratio >= enough))
        })?;
        let known = self.state.candidates.iter().find(|it| match &it.fate {
            Fate::Judged(known, judged) => {
                judged.peer == peer.name() && judged.metric == metric && known.is_like(&simplest)
            }
            _ => false,
        });
        if let Some(known) = known {
            return Ok(Fate::SameAs(known.draw));
        }
        eprintln!("judging draw {}: {}", candidate.draw, simplest.label());
        let judged = judge(peer.name(), metric, &self.pairs(&simplest, peer, ROUNDS, true)?);
        Ok(Fate::Judged(simplest, judged))
    }

    /// The middle of a few interleaved rounds of all contenders.
    fn few_rounds(&self, pattern: &Pattern) -> Result<Vec<Option<Sample>>> {
        let all = self.contenders.all();
        let counts = self.runs.count(pattern, &all)?;
        let turns: Vec<usize> = (0..FEW).flat_map(|round| order(round, all.len())).collect();
        let in_turn: Vec<&Installed> = turns.iter().map(|who| all[*who]).collect();
        let outcomes = self.runs.round(pattern, &in_turn, &mut None)?;
        let of = |who: usize| {
            let runs = turns.iter().zip(&outcomes).filter(|(turn, _)| **turn == who);
            let samples: Vec<Sample> =
                runs.filter_map(|(_, it)| it.as_ref().ok().copied()).collect();
            Some(Sample { instructions: counts[who], ..middle(&samples)? })
        };
        Ok((0..all.len()).map(of).collect())
    }

    /// The middle ratio of a few rounds in this metric; none if the peer pays in another one.
    fn ratio(&self, pattern: &Pattern, peer: &Installed, metric: Metric) -> Result<Option<f64>> {
        let pairs = self.pairs(pattern, peer, FEW, metric == Metric::Instructions)?;
        let side = |pick: fn(&(Sample, Sample)) -> Sample| {
            middle(&pairs.iter().map(pick).collect::<Vec<Sample>>())
        };
        let Some((own, peer)) = side(|pair| pair.0).zip(side(|pair| pair.1)) else {
            return Ok(None);
        };
        let clean = worst(&own, &peer, TOLERANCE[1]).is_some();
        Ok(own.over(&peer, metric).filter(|_| clean))
    }

    /// Interleaved rounds of the own contender and a peer; fewer if runs fail. The instructions of
    /// all are those of the first, since they have no noise.
    fn pairs(
        &self,
        pattern: &Pattern,
        peer: &Installed,
        rounds: usize,
        counted: bool,
    ) -> Result<Pairs> {
        let all = [&self.contenders.own, peer];
        let counts = if counted { self.runs.count(pattern, &all)? } else { vec![None; 2] };
        let turns = (0..rounds).flat_map(|round| order(round, 2)).collect::<Vec<usize>>();
        let in_turn: Vec<&Installed> = turns.iter().map(|who| all[*who]).collect();
        let outcomes = self.runs.round(pattern, &in_turn, &mut None)?;
        let samples = turns.chunks(2).zip(outcomes.chunks(2)).filter_map(|(turns, pair)| {
            let of = |who: usize| {
                let place = turns.iter().position(|turn| *turn == who)?;
                let sample = *pair[place].as_ref().ok()?;
                Some(Sample { instructions: counts[who], ..sample })
            };
            of(0).zip(of(1))
        });
        Ok(samples.collect())
    }
}

/// Whether further rounds did not show it again.
fn is_gone(candidate: &Candidate) -> bool {
    matches!(candidate.fate, Fate::Gone(_))
}
