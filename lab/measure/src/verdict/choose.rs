//! One row: the contender to switch to.
//!
//! A contender *gains* if it is better in a goal, and *pays* if it is worse in one. Among those
//! that gain and pay nothing, the goal with the largest gain leads. Contenders that are not
//! measurably different from the first in that goal are told apart by the other goals. If all pay,
//! the one whose gains exceed its losses most is named. The corrected intervals hold for all
//! contenders at once, so the one that is chosen may be scored on the same rounds.

use super::compare::{Compared, Effect};
use super::goal::Goal;
use super::judgement::Outcome;
use super::rules::Rules;

/// The contender that a row speaks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice<'a> {
    pub contender: &'a str,
    /// The goal in which it gains most.
    pub goal: Goal,
    pub price: Price,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// No measurable loss.
    Nothing,
    /// A measurable loss.
    Loss,
    /// A loss that the rounds could hide.
    Unknown,
}

/// The best contender at the lowest price; none if nothing gains.
pub fn choose<'a>(table: &Compared<'a>, rules: &Rules) -> Option<Choice<'a>> {
    [Price::Nothing, Price::Loss, Price::Unknown].into_iter().find_map(|price| {
        let names: Vec<&str> =
            table.rivals().into_iter().filter(|name| price_of(table, name) == price).collect();
        let gains =
            || table.effects.iter().filter(|one| gains(one) && names.contains(&one.contender));
        let largest = |name: &&str| {
            let own = gains().filter(|one| one.contender == *name);
            own.min_by(|left, right| order(left).total_cmp(&order(right)))
        };
        if price == Price::Loss {
            let with_gain = names.iter().filter(|name| largest(name).is_some());
            let contender =
                *with_gain.min_by(|one, two| net(table, one).total_cmp(&net(table, two)))?;
            return Some(Choice { contender, goal: largest(&contender)?.goal, price });
        }
        let goal = gains().min_by(|left, right| order(left).total_cmp(&order(right)))?.goal;
        let contender = best_in(table, goal, &names, rules)?;
        Some(Choice { contender, goal, price })
    })
}

/// The best of `names` in `goal`, among those that gain in it.
pub fn best_in<'a>(
    table: &Compared<'a>,
    goal: Goal,
    names: &[&'a str],
    rules: &Rules,
) -> Option<&'a str> {
    let is_better =
        |one: &&Effect| one.outcome == Outcome::Better && names.contains(&one.contender);
    let mut first = table
        .in_goal(goal)
        .filter(is_better)
        .min_by(|left, right| order(left).total_cmp(&order(right)))?
        .contender;
    let tied: Vec<&str> = level_with(table, first, goal, rules)
        .into_iter()
        .filter(|name| names.contains(name))
        .collect();
    let others = table.goals().into_iter().filter(|other| *other != goal && other.decides());
    for other in others {
        let found = tied.iter().filter(|name| table.is_below(name, first, other, rules));
        let ratio = |name: &str| table.find(name, other).map_or(f64::INFINITY, order);
        if let Some(found) = found.min_by(|one, two| ratio(one).total_cmp(&ratio(two))) {
            first = found;
            break;
        }
    }
    Some(first)
}

/// The contenders that gain in `goal` as well, not measurably less than `first` does.
pub fn level_with<'a>(
    table: &Compared<'a>,
    first: &str,
    goal: Goal,
    rules: &Rules,
) -> Vec<&'a str> {
    let is_level = |one: &&Effect| {
        one.outcome == Outcome::Better
            && one.contender != first
            && !table.is_below(first, one.contender, goal, rules)
    };
    table.in_goal(goal).filter(is_level).map(|effect| effect.contender).collect()
}

/// Whether each contender that gains loses measurably as well.
pub fn every_gain_has_a_price(table: &Compared) -> bool {
    let gaining = table.effects.iter().filter(|one| gains(one));
    gaining.map(|one| price_of(table, one.contender)).all(|price| price == Price::Loss)
}

fn gains(effect: &Effect) -> bool {
    effect.goal.decides() && effect.outcome == Outcome::Better
}

fn order(effect: &Effect) -> f64 {
    effect.median.unwrap_or(f64::INFINITY)
}

/// The logarithm of all measurable gains and losses together, below 0 if the gains are larger.
fn net(table: &Compared, contender: &str) -> f64 {
    let is_known = |one: &&Effect| matches!(one.outcome, Outcome::Better | Outcome::Worse);
    let known = table.of_contender(contender).filter(|one| one.goal.decides()).filter(is_known);
    known.map(|effect| order(effect).ln()).sum()
}

/// A loss that the rounds could hide counts where there are rounds enough for an interval, and in
/// time always.
fn price_of(table: &Compared, contender: &str) -> Price {
    let mut price = Price::Nothing;
    for effect in table.of_contender(contender).filter(|effect| effect.goal.decides()) {
        match effect.outcome {
            Outcome::Worse => return Price::Loss,
            Outcome::Unclear if effect.is_telling() && effect.possible_loss() > effect.widest => {
                price = Price::Unknown;
            }
            _ => {}
        }
    }
    price
}
