//! How many rounds `heapsmith try` runs: a fixed number, or as many as its time allows.

use std::time::{Duration, Instant};

use heapsmith_measure::progress::{counted, whole_seconds};
use heapsmith_measure::round::MAX_ROUNDS;
use heapsmith_measure::stats::MIN_ROUNDS;
use heapsmith_measure::verdict::rules::MOST_ROUNDS;

use crate::args::try_::TryArgs;

const QUICK: Duration = Duration::from_secs(15);
/// A suggested budget is larger than the estimate by this factor.
const MARGIN: f64 = 1.2;
const SHARE_BESIDE_SAMPLES: f64 = 0.5;

const USUAL: Duration = Duration::from_secs(60);
/// A longer call sees smaller differences; from here on little is gained.
const LONGER: Duration = Duration::from_secs(300);

/// The options that may be suggested after a call, with their values.
pub struct Further {
    /// Gives a comparison enough rounds, if this call had too few.
    pub enough: Option<[String; 2]>,
    /// Gives more rounds than this call had.
    pub more: [String; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Rounds(usize),
    /// The user's own budget is kept. The usual one is exceeded by a slow program, which gets the
    /// rounds that a comparison needs.
    Budget {
        time: Duration,
        is_kept: bool,
    },
}

/// The rounds of one call, from its start.
pub struct Pace {
    pub extent: Extent,
    began: Instant,
    /// The time of the rounds, and their number.
    spent: Duration,
    pub rounds: usize,
    /// The share of the budget that may be used up by now.
    share: f64,
    /// The share that the rounds may use; sampled runs use the rest.
    rounds_share: f64,
    /// The fewest that give every comparison an interval.
    needed: usize,
    /// The time before the first round.
    before: Duration,
}

impl Extent {
    pub fn of(args: &TryArgs) -> Self {
        match args.rounds {
            Some(rounds) => Self::Rounds(rounds),
            None => {
                let asked = args.budget.or(args.quick.then_some(QUICK));
                Self::Budget { time: asked.unwrap_or(USUAL), is_kept: asked.is_some() }
            }
        }
    }

    /// "11 rounds", "for about 1m".
    pub fn describe(self) -> String {
        match self {
            Self::Rounds(rounds) => counted(rounds, "round"),
            Self::Budget { time, .. } => format!("for about {}", whole_seconds(time)),
        }
    }
}

impl Pace {
    pub fn new(extent: Extent) -> Self {
        let (began, spent, before) = (Instant::now(), Duration::ZERO, Duration::ZERO);
        let (share, rounds_share) = (1.0, 1.0);
        Self { extent, began, spent, rounds: 0, share, rounds_share, needed: MIN_ROUNDS, before }
    }

    /// Sampled runs follow the rounds: these may use this share of the budget.
    pub fn leave_time_for_samples(&mut self) {
        (self.share, self.rounds_share) = (SHARE_BESIDE_SAMPLES, SHARE_BESIDE_SAMPLES);
    }

    /// The rounds are over.
    pub fn use_all_time(&mut self) {
        self.share = 1.0;
    }

    /// The rounds are about to begin, and a comparison needs this many.
    pub fn need(&mut self, rounds: usize) {
        (self.needed, self.before) = (rounds, self.elapsed());
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A round has taken this long.
    pub fn count(&mut self, round: Duration) {
        self.spent += round;
        self.rounds += 1;
    }

    /// How long the rounds will take if each takes `round`, as a sentence.
    pub fn foretell(&self, round: Duration) -> String {
        let times = |rounds: usize| show(round.mul_f64(rounds as f64));
        let needed = self.needed;
        let then = match self.extent {
            Extent::Rounds(rounds) => {
                format!("{} take about {}", counted(rounds, "round"), times(rounds))
            }
            Extent::Budget { is_kept, .. } => match (self.fitting(round), is_kept) {
                (fitting, _) if fitting >= needed => {
                    let most = counted(fitting.min(MOST_ROUNDS), "round");
                    format!("at most {most}, fewer if they decide every comparison")
                }
                (_, false) => format!(
                    "the {needed} rounds that a comparison needs take about {}; Ctrl-C ends them \
                     and keeps the results",
                    times(needed)
                ),
                (fitting, true) => format!(
                    "the budget holds {}, and a comparison needs {needed}: --budget {} is enough",
                    counted(fitting.max(1), "round"),
                    self.budget_for(round)
                ),
            },
        };
        format!("a round takes {}: {then}", show(round))
    }

    /// A budget that holds the rounds that a comparison needs, as --budget takes it.
    fn budget_for(&self, round: Duration) -> String {
        let rounds = round.mul_f64(self.needed as f64 * MARGIN);
        let budget = (self.before + rounds).div_f64(self.rounds_share);
        whole_seconds(budget + Duration::from_secs(1)).replace(' ', "")
    }

    pub fn further(&self) -> Further {
        Further { enough: self.enough(), more: self.more() }
    }

    fn enough(&self) -> Option<[String; 2]> {
        let is_short = (1..self.needed).contains(&self.rounds);
        let [option, value] = match self.extent {
            Extent::Rounds(_) => ["--rounds", &self.needed.to_string()],
            Extent::Budget { .. } => ["--budget", &self.budget_for(self.mean())],
        };
        is_short.then(|| [option.to_string(), value.to_string()])
    }

    /// A longer budget, if it holds twice as many rounds.
    fn more(&self) -> [String; 2] {
        let twice = (2 * self.rounds).min(MAX_ROUNDS);
        let time = LONGER.mul_f64(self.rounds_share).saturating_sub(self.before);
        let is_held = twice <= MOST_ROUNDS && self.mean().mul_f64(twice as f64) <= time;
        let [option, value] = match is_held {
            true => ["--budget", &whole_seconds(LONGER)],
            false => ["--rounds", &twice.to_string()],
        };
        [option.to_string(), value.to_string()]
    }

    /// The rounds of sampled runs if each takes `round`: as many as a comparison needs.
    pub fn sampled(&self, round: Duration) -> usize {
        match self.extent {
            Extent::Rounds(rounds) => rounds,
            Extent::Budget { is_kept: false, .. } => self.needed,
            Extent::Budget { is_kept: true, .. } => self.fitting(round).clamp(1, self.needed),
        }
    }

    /// Whether a user's budget has time for another sampled round.
    pub fn holds(&self, round: Duration) -> bool {
        !matches!(self.extent, Extent::Budget { is_kept: true, .. }) || self.fitting(round) > 0
    }

    /// The mean time of a measured round.
    pub fn mean(&self) -> Duration {
        if self.rounds == 0 { Duration::ZERO } else { self.spent.div_f64(self.rounds as f64) }
    }

    /// Whether to run another round. `is_decided` says whether the last one has decided everything.
    pub fn goes_on(&self, is_decided: bool) -> bool {
        match self.extent {
            Extent::Rounds(rounds) => self.rounds < rounds,
            Extent::Budget { is_kept: false, .. } if self.rounds < self.needed => true,
            Extent::Budget { .. } if self.rounds == 0 => true,
            Extent::Budget { .. } => {
                !is_decided && self.rounds < MOST_ROUNDS && self.fitting(self.mean()) > 0
            }
        }
    }

    /// How many rounds of this length the rest of the budget holds.
    fn fitting(&self, round: Duration) -> usize {
        let Extent::Budget { time, .. } = self.extent else {
            return usize::MAX;
        };
        let time = time.mul_f64(self.share);
        let left = time.saturating_sub(self.elapsed());
        (left.as_secs_f64() / round.as_secs_f64().max(1e-6)) as usize
    }
}

/// "0.4 s" below ten seconds, "12s" from there.
pub fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 0.095 => format!("{:.0} ms", seconds * 1e3),
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        _ => whole_seconds(time),
    }
}

#[cfg(test)]
mod tests {
    //! When rounds end.
    use super::*;

    fn after(extent: Extent, rounds: usize, each: Duration) -> Pace {
        let mut pace = Pace::new(extent);
        (0..rounds).for_each(|_| pace.count(each));
        pace
    }

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(100);
    const MINUTE: Duration = Duration::from_secs(60);
    const USUALLY: Extent = Extent::Budget { time: MINUTE, is_kept: false };
    const EXACTLY: Extent = Extent::Budget { time: MINUTE, is_kept: true };

    #[test]
    fn a_fixed_number_of_rounds_is_kept_even_if_all_is_decided() {
        assert!(after(Extent::Rounds(7), 6, LONG).goes_on(true));
        assert!(!after(Extent::Rounds(7), 7, SHORT).goes_on(false));
    }

    #[test]
    fn a_budget_ends_when_all_is_decided_or_no_round_fits() {
        for extent in [USUALLY, EXACTLY] {
            assert!(after(extent, 8, SHORT).goes_on(false));
            assert!(!after(extent, 8, SHORT).goes_on(true));
            assert!(!after(extent, 8, LONG).goes_on(false));
            assert!(!after(extent, MOST_ROUNDS, SHORT).goes_on(false));
        }
    }

    #[test]
    fn the_rounds_that_a_comparison_needs_exceed_the_usual_budget_only() {
        let mut usual = after(USUALLY, 8, LONG);
        usual.need(11);
        assert!(usual.goes_on(false) && usual.foretell(LONG).contains("about 18m"));
        let mut exact = after(EXACTLY, 8, LONG);
        exact.need(11);
        assert!(!exact.goes_on(false));
        let warning = exact.foretell(LONG);
        assert!(
            warning.contains("holds 1 round,") && warning.contains("--budget 22m"),
            "{warning}"
        );
        assert!(Pace::new(EXACTLY).goes_on(false), "one round is always run");
    }

    #[test]
    fn the_budget_to_suggest_stays_the_same_after_sampled_runs() {
        let mut pace = after(EXACTLY, 0, SHORT);
        pace.need(10);
        pace.leave_time_for_samples();
        let foretold = pace.foretell(Duration::from_secs(9));
        assert!(foretold.contains("--budget 3m37s is enough"), "{foretold}");
        pace.count(Duration::from_secs(9));
        pace.use_all_time();
        assert_eq!(pace.enough(), Some(["--budget".into(), "3m37s".into()]));
    }

    #[test]
    fn more_rounds_are_suggested_than_there_were() {
        let of = |extent, rounds, each| after(extent, rounds, each).more().join(" ");
        assert_eq!(of(Extent::Rounds(7), 7, SHORT), "--budget 5m");
        assert_eq!(of(USUALLY, 300, SHORT), "--rounds 600");
        assert_eq!(of(Extent::Rounds(1000), 1000, SHORT), "--rounds 2000");
        assert_eq!(of(Extent::Rounds(8000), 8000, SHORT), "--rounds 10000");
        // Five minutes hold three rounds.
        assert_eq!(of(Extent::Rounds(11), 11, LONG), "--rounds 22");
        assert_eq!(of(USUALLY, 1, LONG), "--budget 5m");
        let mut beside_samples = after(USUALLY, 1, LONG);
        beside_samples.leave_time_for_samples();
        assert_eq!(beside_samples.more().join(" "), "--rounds 2");
    }

    #[test]
    fn the_time_is_foretold() {
        let fixed = Pace::new(Extent::Rounds(8)).foretell(Duration::from_millis(2500));
        assert_eq!(fixed, "a round takes 2.5 s: 8 rounds take about 20s");
        let budget = Pace::new(USUALLY).foretell(Duration::from_secs(3));
        assert!(budget.contains("at most 19 rounds"), "{budget}");
    }
}
