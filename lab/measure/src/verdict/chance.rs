//! Runs that fail now and then: whether an allocator is the reason, or the program fails under all.

use crate::record::Attempts;
use crate::row;

use super::words::list;

/// Of blaming any allocator of a program that fails under all alike.
const MISS: f64 = 0.05;
/// So many failures without one success are no accident, unless other allocators have failures, too.
pub const TRIES: usize = 3;

/// The runs of one contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub runs: usize,
    pub failed: usize,
}

/// For each contender whether it makes the program fail: its share of failed runs is larger than that
/// of the others, by more than chance explains (Fisher's exact test, one-sided, shared among the
/// contenders). The clearest is judged first, and the others without it.
pub fn blamed(counts: &[Count]) -> Vec<bool> {
    let mut blamed = vec![false; counts.len()];
    let miss = MISS / counts.len().max(1) as f64;
    loop {
        let left: Vec<usize> = (0..counts.len()).filter(|&n| !blamed[n]).collect();
        let sum = |of: fn(&Count) -> usize| left.iter().map(|&n| of(&counts[n])).sum::<usize>();
        let (runs, failed) = (sum(|it| it.runs), sum(|it| it.failed));
        let chance = |n: usize| {
            let Count { runs: own, failed: its } = counts[n];
            let never_works = its == own && its >= TRIES && its == failed && runs > own;
            if never_works { 0.0 } else { at_least(its, own, failed, runs) }
        };
        let suspects = left.iter().copied().filter(|&n| counts[n].failed != 0);
        let clearest = suspects.map(|n| (n, chance(n))).min_by(|a, b| a.1.total_cmp(&b.1));
        match clearest {
            Some((n, chance)) if chance <= miss => blamed[n] = true,
            _ => return blamed,
        }
    }
}

/// How likely it is that `own` of `runs` runs, drawn blindly, have `its` or more of the `failed` ones.
fn at_least(its: usize, own: usize, failed: usize, runs: usize) -> f64 {
    let logs: Vec<f64> = std::iter::once(0.0)
        .chain((1..=runs).scan(0.0, |sum, n| {
            *sum += (n as f64).ln();
            Some(*sum)
        }))
        .collect(); // of the factorials
    let choose = |n: usize, k: usize| match k <= n {
        true => logs[n] - logs[k] - logs[n - k],
        false => f64::NEG_INFINITY,
    };
    let of = |k: usize| {
        let ways = choose(failed, k) + choose(runs - failed, own - k);
        (ways - choose(runs, own)).exp()
    };
    (its..=own.min(failed)).map(of).sum::<f64>().min(1.0)
}

/// A sentence for each workload some runs of which failed, under no allocator more than chance
/// explains: "2 of 40 runs failed (exit code 7), under a and under b alike".
pub fn sentences(attempts: &[Attempts]) -> Vec<String> {
    let place = |it: &Attempts| (it.suite.clone(), it.workload.clone(), it.params.clone());
    let mut places: Vec<_> = attempts.iter().map(place).collect();
    places.dedup();
    let several = places.len() > 1;
    let sentence = |at| {
        let own: Vec<&Attempts> = attempts.iter().filter(|it| place(it) == at).collect();
        let failing: Vec<&&Attempts> = own.iter().filter(|it| it.failed_runs != 0).collect();
        let (first, sum) = (failing.first()?, |of: fn(&Attempts) -> usize| {
            own.iter().map(|it| of(it)).sum::<usize>()
        });
        let why = match failing.iter().all(|it| it.why == first.why) {
            true => format!(" ({})", first.why),
            false => String::new(),
        };
        let (failed, runs) = (sum(|it| it.failed_runs), sum(|it| it.runs));
        let (label, name) = (row::label(&first.workload, &first.params), &first.contender);
        let of = if several { format!(" of {label}") } else { String::new() };
        let under: Vec<String> =
            failing.iter().map(|it| format!("under {}", it.contender)).collect();
        let where_ = match failing.len() {
            1 => {
                let (its, own) = (first.failed_runs, first.runs);
                format!("{its} of {own} under {name}, which may be chance: more rounds would tell")
            }
            _ => format!("{} alike", list(&under, "and")),
        };
        Some(format!("{failed} of {runs} runs{of} failed{why}, {where_}"))
    };
    places.into_iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    //! Counts, and the sentence on them.
    use super::*;

    fn counts(all: &[(usize, usize)]) -> Vec<Count> {
        all.iter().map(|&(failed, runs)| Count { runs, failed }).collect()
    }

    #[test]
    fn only_failures_beyond_chance_are_an_allocators() {
        let of = |all: &[(usize, usize)]| blamed(&counts(all));
        assert_eq!(of(&[(0, 20), (1, 20)]), [false, false]);
        assert_eq!(of(&[(1, 20), (1, 20)]), [false, false]);
        assert_eq!(of(&[(0, 20), (12, 20), (1, 20)]), [false, true, false]);
        assert_eq!(of(&[(0, 20), (3, 3)]), [false, true], "it never works");
        assert_eq!(of(&[(3, 3), (0, 1)]), [true, false]);
        assert_eq!(of(&[(3, 3), (3, 3)]), [false, false], "it fails under all");
        assert_eq!(of(&[(9, 20), (3, 3)]), [false, false], "it fails under all, at times");
        assert_eq!(of(&[(20, 20), (0, 20), (20, 20), (0, 20)]), [true, false, true, false]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn chances_are_those_of_drawing_blindly() {
        // Of 4 runs, 2 failed: both are among 2 drawn in 1 of 6 ways.
        assert!((at_least(2, 2, 2, 4) - 1.0 / 6.0).abs() < 1e-12);
        assert!((at_least(1, 2, 2, 4) - 5.0 / 6.0).abs() < 1e-12);
        assert!((at_least(0, 7, 3, 20) - 1.0).abs() < 1e-12);
        assert_eq!(at_least(3, 7, 2, 20), 0.0);
    }

    /// A program that fails in one of `n` starts is not blamed on an allocator more often than said.
    #[test]
    fn a_program_that_fails_by_itself_is_seldom_blamed_on_an_allocator() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut wrong = 0;
        for _ in 0..2000 {
            let mut draw = || (0..20).filter(|_| random.u32(0..8) == 0).count();
            let all: Vec<_> = (0..5).map(|_| (draw(), 20)).collect();
            wrong += usize::from(blamed(&counts(&all)).contains(&true));
        }
        assert!(wrong < 100, "{wrong} of 2000");
    }

    #[test]
    fn failures_that_chance_explains_are_counted_in_a_sentence() {
        let of = |workload: &str, contender: &str, failed_runs, runs| Attempts {
            suite: "try".into(),
            workload: workload.into(),
            contender: contender.into(),
            runs,
            failed_runs,
            why: if failed_runs == 0 { String::new() } else { "exit code 7".into() },
            ..Attempts::default()
        };
        let both = [of("app", "glibc", 1, 20), of("app", "heapsmith", 1, 20)];
        let told = "2 of 40 runs failed (exit code 7), under glibc and under heapsmith alike";
        assert_eq!(sentences(&both), [told]);
        let one = [of("a", "glibc", 0, 21), of("a", "heapsmith", 1, 20), of("b", "glibc", 0, 9)];
        let told = "1 of 41 runs of a failed (exit code 7), 1 of 20 under heapsmith, which may be \
                    chance: more rounds would tell";
        assert_eq!(sentences(&one), [told]);
    }
}
