//! Many rows: how often a contender is better, and where it is worse. There is no common winner.

use super::compare::{Compared, Effect};
use super::goal::Goal;
use super::judgement::{GoalVerdict, Judgement, Kind, Outcome};
use super::rules::Rules;
use super::words::{change, list};

/// One contender in one goal, over all rows.
struct Tally<'t> {
    contender: &'t str,
    goal: Goal,
    better: usize,
    worse: usize,
    unclear: usize,
    rows: usize,
    /// The row with the largest measurable loss.
    worst: Option<(String, f64)>,
    mean_log: f64,
}

pub fn judge(tables: &[Compared], rules: &Rules, compared: usize) -> Judgement {
    let goals = Goal::ALL
        .into_iter()
        .filter(|goal| tables.iter().any(|table| table.in_goal(*goal).next().is_some()));
    let goals: Vec<Goal> = goals.collect();
    let decisive = goals.iter().filter(|goal| goal.decides());
    let parts: Vec<String> = decisive.map(|goal| clause(tables, *goal).1).collect();
    let headline = match parts.as_slice() {
        [] => "Cannot tell: nothing was compared.".to_string(),
        parts => format!("Of {} workloads, {}.", tables.len(), parts.join("; ")),
    };
    let mut judgement = Judgement::new(Kind::Suite, headline, rules, compared);
    judgement.goals = goals.into_iter().map(|goal| verdict(tables, goal)).collect();
    judgement
}

fn verdict(tables: &[Compared], goal: Goal) -> GoalVerdict {
    let (leader, clause) = clause(tables, goal);
    let outcome = match &leader {
        Some(_) => Outcome::Better,
        None if tallies(tables, goal).iter().any(|tally| tally.unclear > 0) => Outcome::Unclear,
        None => Outcome::Equal,
    };
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    let sentence =
        if leader.is_some() { clause } else { first.unwrap_or_default() + letters.as_str() };
    GoalVerdict { goal, contender: leader, outcome, sentence: sentence + "." }
}

/// The contender that is better in most rows, and the clause about it: where it gains, and where
/// it loses in this goal and in the others.
fn clause(tables: &[Compared], goal: Goal) -> (Option<String>, String) {
    let baseline = tables.first().map_or("the baseline", |table| table.baseline);
    let tallies = tallies(tables, goal);
    let gain = |one: &&Tally| one.better as isize - one.worse as isize;
    let best = tallies.iter().filter(|one| one.better > one.worse).max_by(|left, right| {
        gain(left).cmp(&gain(right)).then(right.mean_log.total_cmp(&left.mean_log))
    });
    let Some(best) = best else {
        return (None, no_leader(&tallies, goal, baseline, tables.len()));
    };
    let mut losses: Vec<String> = best.loss().into_iter().collect();
    for other in Goal::ALL.into_iter().filter(|other| *other != goal && other.decides()) {
        losses.extend(Tally::of(tables, best.contender, other).loss());
    }
    let but =
        if losses.is_empty() { String::new() } else { format!(", but {}", list(&losses, "and")) };
    let (name, better) = (best.contender, goal.better());
    let gain = format!("{name} is measurably {better} than {baseline} in {}", best.better);
    (Some(name.to_string()), gain + &but)
}

fn no_leader(tallies: &[Tally], goal: Goal, baseline: &str, rows: usize) -> String {
    let better = goal.better();
    let unclear = tallies.iter().map(|tally| tally.unclear).max().unwrap_or(0);
    let often: Vec<String> = tallies
        .iter()
        .filter(|tally| tally.better > 0)
        .map(|tally| {
            let loss = tally.loss().map_or(String::new(), |loss| format!(", but {loss}"));
            format!("{} in {}{loss}", tally.contender, tally.better)
        })
        .collect();
    if !often.is_empty() {
        return format!(
            "no allocator is {better} than {baseline} more often than it is {} ({})",
            goal.worse(),
            often.join("; ")
        );
    }
    let doubt = if unclear > 0 && goal.decides() {
        format!(", and in up to {unclear} of {rows} the rounds scatter too much to tell")
    } else {
        String::new()
    };
    format!("none shows an allocator measurably {better} than {baseline}{doubt}")
}

fn tallies<'t>(tables: &'t [Compared], goal: Goal) -> Vec<Tally<'t>> {
    let mut names: Vec<&str> = Vec::new();
    for name in tables.iter().flat_map(Compared::rivals) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let all = names.into_iter().map(|name| Tally::of(tables, name, goal));
    all.filter(|tally| tally.rows > 0).collect()
}

impl<'t> Tally<'t> {
    fn of(tables: &[Compared], contender: &'t str, goal: Goal) -> Self {
        let mut tally = Self {
            contender,
            goal,
            better: 0,
            worse: 0,
            unclear: 0,
            rows: 0,
            worst: None,
            mean_log: 0.0,
        };
        for table in tables {
            if let Some(effect) = table.find(contender, goal) {
                tally.add(table, effect);
            }
        }
        tally
    }

    fn add(&mut self, table: &Compared, effect: &Effect) {
        let Some(median) = effect.median else {
            return;
        };
        self.rows += 1;
        self.mean_log += median.max(f64::MIN_POSITIVE).ln();
        match effect.outcome {
            Outcome::Better => self.better += 1,
            Outcome::Unclear => self.unclear += 1,
            Outcome::Worse => {
                self.worse += 1;
                if self.worst.as_ref().is_none_or(|(_, most)| median > *most) {
                    self.worst = Some((table.row.label(), median));
                }
            }
            _ => {}
        }
    }

    /// "slower in 2 (most in grow ×2: 12 % more time)".
    fn loss(&self) -> Option<String> {
        let (row, ratio) = self.worst.as_ref()?;
        let change = change(*ratio, self.goal.noun());
        let (worse, count) = (self.goal.worse(), self.worse);
        Some(match count {
            1 => format!("{worse} in 1 ({row}: {change})"),
            _ => format!("{worse} in {count} (most in {row}: {change})"),
        })
    }
}
