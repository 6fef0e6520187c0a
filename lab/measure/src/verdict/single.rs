//! One row: its headline, and a sentence for each goal.

use super::choose::{Choice, Price, best_in, choose, every_gain_has_a_price, level_with};
use super::compare::{Compared, Effect};
use super::goal::Goal;
use super::judgement::{Advice, GoalVerdict, Judgement, Kind, Outcome};
use super::rules::{MOST_ROUNDS, Rules, fewest};
use super::words::{change_of, effects_of, evidence, gains_of, list, losses_of, percent};

pub fn judge(
    table: &Compared,
    rules: &Rules,
    compared: usize,
    lines: &dyn Fn(&str) -> String,
) -> Judgement {
    let mut judgement = match choose(table, rules) {
        Some(choice) => gain(table, &choice, rules, compared, lines),
        None => no_gain(table, rules, compared),
    };
    judgement.goals = table.goals().into_iter().map(|goal| verdict(table, goal, rules)).collect();
    judgement
}

fn gain(
    table: &Compared,
    choice: &Choice,
    rules: &Rules,
    compared: usize,
    lines: &dyn Fn(&str) -> String,
) -> Judgement {
    let Choice { contender, goal, price } = choice;
    let effects = effects_of(table, contender, *goal);
    let besides = alternative(table, choice, rules).unwrap_or_default();
    let (kind, headline, note) = match price {
        Price::Nothing => (
            Kind::Switch,
            format!("Switch to {contender}: it takes {effects}{besides}."),
            effects.clone(),
        ),
        Price::Loss => (
            Kind::Trade,
            match every_gain_has_a_price(table) {
                true => format!("Every gain has a price: {contender} takes {effects}{besides}."),
                false => format!("A gain with a price: {contender} takes {effects}{besides}."),
            },
            format!("only if the gain is worth the loss: {effects}"),
        ),
        Price::Unknown => {
            let hidden = hidden_gain(table)
                .or_else(|| hidden_loss(table, contender))
                .unwrap_or_else(|| "the rounds scatter too much".to_string());
            let gains = gains_of(table, contender, *goal);
            let besides = in_processor_time(table, rules).unwrap_or_default();
            let headline =
                format!("Cannot tell: {hidden}, although {contender} takes {gains}{besides}.");
            (Kind::CannotTell, headline, String::new())
        }
    };
    let mut judgement = Judgement::new(kind, headline, rules, compared);
    if *price == Price::Unknown {
        judgement.remedy = Some(remedy(table, |one| one.possible_loss()));
        return judgement;
    }
    let contender = (*contender).to_string();
    judgement.advice = Some(Advice { line: lines(&contender), contender, note });
    judgement
}

/// What wide intervals could hide: a gain of any contender worth more rounds.
fn hidden_gain(table: &Compared) -> Option<String> {
    let is_wide = |one: &&Effect| one.possible_gain() > one.widest;
    let (effect, gain) = widest(table.effects.iter().filter(is_wide), |one| one.possible_gain())?;
    Some(scatter(effect, "gain", gain))
}

fn hidden_loss(table: &Compared, contender: &str) -> Option<String> {
    let (effect, loss) = widest(table.of_contender(contender), |one| one.possible_loss())?;
    Some(scatter(effect, "loss", loss))
}

fn scatter(effect: &Effect, what: &str, hidden: f64) -> String {
    let (scatter, noun) = (percent(effect.scatter), effect.goal.noun());
    format!(
        "the rounds scatter by {scatter} in {noun}, which could hide a {what} of {}",
        percent(hidden)
    )
}

/// The contender that takes measurably less processor time, which scatters less than wall time.
fn in_processor_time(table: &Compared, rules: &Rules) -> Option<String> {
    let goal = Goal::LeastProcessorTime;
    let best = best_in(table, goal, &table.rivals(), rules)?;
    let effect = table.find(best, goal)?;
    let (change, losses) = (change_of(table, effect), losses_of(table, best));
    Some(format!("; {best} takes {change}{losses}"))
}

/// Another contender that is measurably better in a goal than the chosen one, with its effects.
fn alternative(table: &Compared, choice: &Choice, rules: &Rules) -> Option<String> {
    let rivals = table.rivals();
    let goals = [Goal::Fastest, Goal::SmallestAtPeak, Goal::SmallestOnAverage];
    goals.into_iter().find_map(|goal| {
        let best = best_in(table, goal, &rivals, rules)?;
        let is_other =
            best != choice.contender && table.is_below(best, choice.contender, goal, rules);
        is_other.then(|| format!("; {best} takes {}", effects_of(table, best, goal)))
    })
}

/// The unclear effect that could hide most.
fn widest<'t, 'a: 't>(
    effects: impl Iterator<Item = &'t Effect<'a>>,
    hidden: fn(&Effect) -> f64,
) -> Option<(&'t Effect<'a>, f64)> {
    let unclear = effects.filter(|one| one.is_telling() && one.outcome == Outcome::Unclear);
    let all = unclear.map(|effect| (effect, hidden(effect)));
    all.max_by(|left, right| left.1.total_cmp(&right.1))
}

fn no_gain(table: &Compared, rules: &Rules, compared: usize) -> Judgement {
    let new = |kind, headline| Judgement::new(kind, headline, rules, compared);
    let baseline = table.baseline;
    if table.row.named(baseline).is_none() {
        return new(
            Kind::CannotTell,
            format!(
                "Cannot tell: {baseline} was not measured, so there is nothing to compare with."
            ),
        );
    }
    if table.effects.is_empty() {
        let headline = format!("Cannot tell: only {baseline} was measured.");
        return new(Kind::CannotTell, headline);
    }
    let rounds = table.rounds();
    let needed = rules.fewest_rounds(compared);
    if table.effects.iter().all(|effect| effect.interval.is_none()) {
        let after = if rounds == 1 { "1 round".into() } else { format!("{rounds} rounds") };
        let headline = format!(
            "Cannot tell after {after}: at least {needed} are needed to compare {} allocators.",
            table.rivals().len() + 1
        );
        let mut judgement = new(Kind::CannotTell, headline);
        judgement.remedy =
            Some(format!("Measure more rounds (--rounds {needed}, or a larger --budget)."));
        return judgement;
    }
    if let Some(hidden) = hidden_gain(table) {
        let besides = in_processor_time(table, rules).unwrap_or_default();
        let headline = format!("Cannot tell: {hidden}{besides}.");
        let mut judgement = new(Kind::CannotTell, headline);
        judgement.remedy = Some(remedy(table, |one| one.possible_gain()));
        return judgement;
    }
    new(Kind::Keep, keep(table, rules))
}

/// It speaks of the goals that were compared. A difference of a few bytes may be a large share.
fn keep(table: &Compared, rules: &Rules) -> String {
    let goals = table.goals().into_iter().filter(|goal| goal.decides());
    let has_interval = |goal: &Goal| table.in_goal(*goal).any(|one| one.interval.is_some());
    let (compared, others): (Vec<Goal>, Vec<Goal>) = goals.partition(has_interval);
    let known = || table.effects.iter().filter(|one| one.is_telling() && one.interval.is_some());
    let is_small = |one: &&Effect| one.outcome == Outcome::Equal;
    let most = known().filter(|one| !is_small(one)).map(Effect::possible_gain);
    let most = most.fold(rules.smallest_gain, f64::max);
    let in_bytes = known().filter(is_small).any(|one| one.possible_gain() > most);
    let or_bytes = match in_bytes {
        true => format!(" or {:.0} KiB", rules.smallest_bytes / 1024.0),
        false => String::new(),
    };
    let better: Vec<&str> = compared.into_iter().map(Goal::better).collect();
    let mut headline = format!(
        "Keep {}: no other allocator is measurably {}, and none gains more than {}{or_bytes}",
        table.baseline,
        list(&better, "or"),
        percent(most)
    );
    for goal in others {
        let n = table.in_goal(goal).map(|effect| effect.n).max().unwrap_or(0);
        let (noun, needed) = (goal.noun(), fewest(table.miss));
        headline += &format!("; {noun} was not compared ({n} of {needed} runs)");
    }
    headline + "."
}

/// How to get narrower intervals. They shrink with the square root of the rounds.
fn remedy(table: &Compared, hidden: fn(&Effect) -> f64) -> String {
    const MOST: f64 = 1000.0;
    let rounds = table.rounds() as f64;
    let found = widest(table.effects.iter(), hidden);
    let needed = rounds * found.map_or(0.0, |(effect, share)| share / effect.widest).powi(2);
    let needed = 10.0 * (needed.max(rounds + 1.0) / 10.0).ceil();
    let quiet = "`heapsmith doctor` shows what disturbs this machine";
    if needed > MOST {
        return format!("{quiet}; more rounds alone would not be enough.");
    }
    let budget = if needed > MOST_ROUNDS as f64 { "" } else { ", or a larger --budget" };
    format!("{quiet}; about {needed:.0} rounds would be enough (--rounds {needed:.0}{budget}).")
}

/// The sentence about one goal.
fn verdict(table: &Compared, goal: Goal, rules: &Rules) -> GoalVerdict {
    let baseline = table.baseline;
    let Some(best) = best_in(table, goal, &table.rivals(), rules) else {
        return no_leader(table, goal);
    };
    let level = level_with(table, best, goal, rules);
    let mut sentence = format!("{best} takes {}", effects_of(table, best, goal));
    let effect = table.find(best, goal);
    match (goal, effect) {
        (Goal::Steadiest, Some(effect)) => {
            let share = effect.median.unwrap_or(1.0);
            sentence = format!("{best} scatters {} less than {baseline}", percent(1.0 - share));
        }
        (Goal::LeastProcessorTime, Some(effect)) => {
            let (change, losses) = (change_of(table, effect), losses_of(table, best));
            sentence = format!("{best} takes {change}{losses}");
        }
        _ => {}
    }
    sentence += &effect.map(evidence).unwrap_or_default();
    if !level.is_empty() {
        sentence += &format!("; not measurably different from it: {}", list(&level, "and"));
    }
    let contender = Some(best.to_string());
    GoalVerdict { goal, contender, outcome: Outcome::Better, sentence: sentence + "." }
}

fn no_leader(table: &Compared, goal: Goal) -> GoalVerdict {
    let (baseline, better) = (table.baseline, goal.better());
    let of = |outcome: Outcome| table.in_goal(goal).filter(move |one| one.outcome == outcome);
    let has_intervals = table.in_goal(goal).any(|effect| effect.interval.is_some());
    if !has_intervals {
        let n = table.in_goal(goal).map(|effect| effect.n).max().unwrap_or(0);
        let noun = goal.noun();
        let unit = if goal == Goal::Steadiest { " pairs of rounds" } else { "" };
        let needed = fewest(table.miss);
        let sentence =
            format!("Too few rounds to compare {noun}: {n}{unit}, and {needed} are needed.");
        return GoalVerdict { goal, contender: None, outcome: Outcome::Unclear, sentence };
    }
    let is_wide = |one: &&Effect| goal.decides() && one.possible_gain() > one.widest;
    let hidden = of(Outcome::Unclear).filter(is_wide);
    let hidden: Vec<&Effect> = hidden.collect();
    if let Some(effect) = hidden.iter().max_by(|a, b| a.scatter.total_cmp(&b.scatter)) {
        let names: Vec<&str> = hidden.iter().map(|effect| effect.contender).collect();
        let names = list(&names, "or");
        let scatter = percent(effect.scatter);
        let sentence = format!(
            "Cannot tell whether {names} would be {better} than {baseline}: the rounds scatter by \
             {scatter}."
        );
        return GoalVerdict { goal, contender: None, outcome: Outcome::Unclear, sentence };
    }
    let worse: Vec<&str> = of(Outcome::Worse).map(|effect| effect.contender).collect();
    let also = match worse.as_slice() {
        [] => String::new(),
        many => format!("; measurably {}: {}", goal.worse(), list(many, "and")),
    };
    let sentence = format!("Nothing is measurably {better} than {baseline}{also}.");
    GoalVerdict { goal, contender: None, outcome: Outcome::Equal, sentence }
}
