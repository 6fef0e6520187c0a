//! Checks that a suite.toml is consistent. Each error is one line: key, reason, remedy.

use heapsmith_measure::contender::Pinned;
use heapsmith_measure::stats::MIN_ROUNDS;
use heapsmith_measure::suggest::did_you_mean;

use super::one_or_many::OneOrMany;
use super::workload::expand;
use super::{Counted, Kind, Manifest, PEERS, Role, Target, Workload};

type Checked = Result<(), String>;

pub fn check(manifest: &Manifest) -> Checked {
    refuse(manifest.name.is_empty(), || "name: is empty: give the suite a name".into())?;
    refuse(manifest.about.is_empty(), || "about: is empty: describe the suite in one line".into())?;
    for (key, rounds) in [("rounds", manifest.rounds), ("quick_rounds", manifest.quick_rounds)] {
        refuse(rounds < MIN_ROUNDS, || {
            format!("{key}: {rounds} rounds give no interval: at least {MIN_ROUNDS}")
        })?;
    }
    kind(manifest)?;
    contenders(manifest)?;
    for (index, workload) in manifest.workloads.iter().enumerate() {
        of_workload(manifest, workload).map_err(|why| format!("workload {}: {why}", index + 1))?;
    }
    for counted in &manifest.counted {
        of_counted(manifest, counted)
            .map_err(|why| format!("counted {}: {why}", counted.workload))?;
    }
    for (index, target) in manifest.targets.iter().enumerate() {
        of_target(manifest, target).map_err(|why| format!("target {}: {why}", index + 1))?;
    }
    for largest in &manifest.largest {
        names(manifest, "largest.own", &largest.own.0)?;
    }
    for dominated in &manifest.dominated {
        names(manifest, "dominated.own", std::slice::from_ref(&dominated.own))?;
        others(manifest, "dominated.against", &dominated.against)?;
    }
    for growth in &manifest.growth {
        names(manifest, "growth.own", std::slice::from_ref(&growth.own))?;
        others(manifest, "growth.against", &growth.against)?;
    }
    Ok(())
}

fn refuse(wrong: bool, why: impl FnOnce() -> String) -> Checked {
    if wrong { Err(why()) } else { Ok(()) }
}

fn contenders(manifest: &Manifest) -> Checked {
    let pinned = Pinned::load().map_err(|error| format!("{error:#}"))?;
    for (index, one) in manifest.contenders.iter().enumerate() {
        let twice = manifest.contenders[..index].iter().any(|other| other.name == one.name);
        refuse(twice, || format!("contender: '{}' is listed twice: remove one", one.name))?;
        let is_compiled_in = manifest
            .counted
            .iter()
            .any(|counted| counted.functions.iter().any(|(contender, _)| *contender == one.name));
        let is_allocator = matches!(manifest.kind, Kind::Processes | Kind::Callgrind);
        let allocator = if is_allocator && !is_compiled_in { Some(&one.name) } else { None };
        if let Some(name) = one.preload.as_ref().or(allocator) {
            refuse(!pinned.names().contains(&name.as_str()), || {
                let hint = did_you_mean(name, &pinned.names());
                format!("contender: '{name}' is not in lab/contenders.toml{hint}")
            })?;
        }
    }
    for one in &manifest.contenders {
        names(manifest, &format!("{}.unless", one.name), one.unless.as_slice())?;
        let is_lone = one.role == Some(Role::Twin)
            && !manifest.names_with(Role::Own).iter().any(|own| manifest.twin_of(own).is_some());
        refuse(is_lone, || {
            format!("{}: is the twin of no own contender: give it that one's preload", one.name)
        })?;
    }
    for (old, new) in &manifest.renamed {
        names(manifest, &format!("renamed.{old}"), std::slice::from_ref(new))?;
    }
    let limits = manifest.names_with(Role::Limit).len();
    refuse(limits > 1, || "contender: two have the role limit: leave it to one".into())
}

/// Checks the keys that each kind of suite needs, and those that have no meaning there.
fn kind(manifest: &Manifest) -> Checked {
    let (program, workloads) = (manifest.program.is_some(), !manifest.workloads.is_empty());
    let wants = |key: &str, wanted: bool, found: bool| {
        refuse(wanted != found, || {
            let kind = format!("{:?}", manifest.kind).to_lowercase();
            match wanted {
                true => format!("{key}: is missing: kind = \"{kind}\" needs it"),
                false => format!("{key}: kind = \"{kind}\" has none: remove it"),
            }
        })
    };
    match manifest.kind {
        Kind::Processes => wants("program", false, program).and(wants("workload", true, workloads)),
        Kind::Program => wants("program", true, program).and(wants("workload", false, workloads)),
        Kind::Programs => wants("program", true, program).and(wants("workload", true, workloads)),
        Kind::Callgrind => wants("program", false, program)
            .and(wants("workload", false, workloads))
            .and(wants("counted", true, !manifest.counted.is_empty())),
    }?;
    let names_contender = manifest.program.as_ref().is_some_and(|it| it.contains("{contender}"));
    refuse(manifest.kind == Kind::Programs && !names_contender, || {
        "program: is the same for all contenders: put {contender} into it".into()
    })
}

fn of_workload(manifest: &Manifest, workload: &Workload) -> Checked {
    refuse(workload.names.is_empty(), || "names: is empty: name the workload".into())?;
    for name in &workload.names {
        refuse(expand(name, &manifest.lists).iter().any(|name| name.contains('{')), || {
            format!("names: '{name}' has a brace without its partner")
        })?;
        refuse(expand(name, &manifest.lists).is_empty(), || {
            format!("names: '{name}' stands for nothing: add its list to [lists]")
        })?;
    }
    let is_process = manifest.kind == Kind::Processes;
    refuse(is_process && workload.program.is_none(), || "program: is missing".into())?;
    refuse(is_process && workload.about.as_deref().unwrap_or_default().is_empty(), || {
        "about: is missing: describe the workload in one line".into()
    })?;
    refuse(!is_process && workload.program.is_some(), || {
        "program: only kind = \"processes\" has one for each workload: remove it".into()
    })?;
    refuse(workload.repeat == 0, || "repeat: is 0: a process runs at least once".into())?;
    refuse(!is_process && !workload.rests.is_empty(), || {
        "rests: only kind = \"processes\" runs programs with --rest: remove it".into()
    })?;
    refuse(!is_process && workload.repeat > 1, || {
        "repeat: only kind = \"processes\" runs programs several times: remove it".into()
    })?;
    refuse(!is_process && !workload.needs.is_empty(), || {
        "needs: only kind = \"processes\" runs programs of others: remove it".into()
    })?;
    names(manifest, "contenders", &workload.contenders)?;
    names(manifest, "except", &workload.except)
}

fn of_counted(manifest: &Manifest, counted: &Counted) -> Checked {
    let functions: Vec<_> = counted.functions.iter().map(|(name, _)| name.clone()).collect();
    names(manifest, "functions", &functions)?;
    names(manifest, "contenders", &counted.contenders)?;
    refuse(counted.counts[0] >= counted.counts[1], || {
        "counts: the second must be larger than the first".into()
    })?;
    refuse(functions.is_empty() && manifest.kind != Kind::Callgrind, || {
        "functions: is missing: only kind = \"callgrind\" counts whole libraries".into()
    })?;
    refuse(functions.is_empty() && counted.empty.is_some(), || {
        "empty: only functions have an empty one: remove it".into()
    })
}

fn of_target(manifest: &Manifest, target: &Target) -> Checked {
    let Target { own, against, against_each, pairs, .. } = target;
    let has_sides = !own.0.is_empty();
    let has_others = !against.0.is_empty() || !against_each.0.is_empty();
    refuse(pairs.is_empty() && !(has_sides && has_others), || {
        "own: give own and against (or against_each), or pairs".into()
    })?;
    refuse(!pairs.is_empty() && (has_sides || has_others), || {
        "pairs: take the place of own and against: remove those".into()
    })?;
    names(manifest, "own", &own.0)?;
    others(manifest, "against", against)?;
    others(manifest, "against_each", against_each)?;
    let paired: Vec<_> =
        pairs.iter().flat_map(|(own, other)| [own.clone(), other.clone()]).collect();
    names(manifest, "pairs", &paired)?;
    refuse(target.nth_best.is_some_and(|nth| nth == 0 || against.0.is_empty()), || {
        "nth_best: counts those of against from 1 on: give both".into()
    })?;
    bars(manifest, target)
}

fn bars(manifest: &Manifest, target: &Target) -> Checked {
    let bars = [target.at_most.is_some(), target.at_least.is_some(), target.ahead];
    let count = bars.iter().filter(|bar| **bar).count();
    refuse(count > 1, || "at_most, at_least, ahead: keep one of them".into())?;
    let of_mean = [
        ("worst_at_most", target.worst_at_most.is_some()),
        ("most_points_lost", target.most_points_lost.is_some()),
        ("each", target.each.is_some()),
    ];
    for (key, given) in of_mean {
        refuse(given && !target.mean, || format!("{key}: is for a mean: add mean = true"))?;
    }
    let of_rows = [
        ("allowance", target.allowance.is_some()),
        ("or_of_limit", target.or_of_limit.is_some()),
        ("where_limit", target.where_limit.is_some()),
    ];
    for (key, given) in of_rows {
        refuse(given && target.mean, || format!("{key}: is for single rows, not for a mean"))?;
        refuse(given && key != "allowance" && manifest.limit().is_none(), || {
            format!("{key}: no contender has the role limit: give it to one")
        })?;
    }
    refuse(target.allowance.is_some() && target.at_most.is_none(), || {
        "allowance: is added to at_most: give that, too".into()
    })?;
    refuse(!target.mean && count == 0, || {
        "at_most, at_least, ahead: none is given: only a mean goes without".into()
    })?;
    refuse(target.mean && target.what.is_none(), || "what: is missing: a mean needs it".into())
}

fn others(manifest: &Manifest, key: &str, given: &OneOrMany) -> Checked {
    if given.0 == [PEERS] {
        return refuse(manifest.names_with(Role::Peer).is_empty(), || {
            format!("{key}: no contender has the role peer: give it to some")
        });
    }
    names(manifest, key, &given.0)
}

fn names(manifest: &Manifest, key: &str, given: &[String]) -> Checked {
    let known = manifest.names();
    match given.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let hint = did_you_mean(unknown, &known);
            Err(format!("{key}: no contender is called '{unknown}'{hint}: correct it or add it"))
        }
    }
}
