//! Names that tell the contents of several files apart.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Map, Value};

use super::file::File;
use crate::error::usage;
use crate::lines::Line;

/// A label per path: the file's name without its extension if these differ, or else the path.
pub fn of_paths(paths: &[PathBuf]) -> Result<Vec<String>> {
    for (index, path) in paths.iter().enumerate() {
        if paths[..index].contains(path) {
            return Err(usage(format!("{} is named twice", path.display())));
        }
    }
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let label = |path: &PathBuf| match paths.iter().filter(|it| stem(it) == stem(path)).count() {
        1 => stem(path),
        _ => path.display().to_string(),
    };
    Ok(paths.iter().map(label).collect())
}

type Place = (String, String, Map<String, Value>);

/// The members of `line` that say what was measured.
fn place(line: &mut Line) -> Option<(&String, &mut String, &Map<String, Value>)> {
    Some(match line {
        Line::Sample(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Ratio(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Failure(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Attempts(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Curve(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Process(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Advice(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Published(it) => (&it.suite, &mut it.workload, &it.params),
        Line::Verdict(_) => return None,
    })
}

fn contenders(line: &mut Line) -> Vec<&mut String> {
    match line {
        Line::Sample(it) => vec![&mut it.contender],
        Line::Ratio(it) => vec![&mut it.contender, &mut it.baseline],
        Line::Failure(it) => vec![&mut it.failure.contender],
        Line::Attempts(it) => vec![&mut it.contender],
        Line::Curve(it) => vec![&mut it.contender],
        Line::Process(it) => vec![&mut it.contender],
        Line::Advice(_) | Line::Published(_) | Line::Verdict(_) => Vec::new(),
    }
}

/// Adds the file's label to each workload that several files have: `app` becomes `app [monday]`.
pub fn part_workloads(files: &mut [File]) {
    let places: Vec<Vec<Place>> = files.iter_mut().map(places_of).collect();
    for (index, file) in files.iter_mut().enumerate() {
        let others = || places.iter().enumerate().filter(|(other, _)| *other != index);
        for line in &mut file.lines {
            let Some((suite, workload, params)) = place(line) else { continue };
            let own = (suite.clone(), workload.clone(), params.clone());
            if others().any(|(_, theirs)| theirs.contains(&own)) {
                *workload = format!("{workload} [{}]", file.label);
            }
        }
    }
}

fn places_of(file: &mut File) -> Vec<Place> {
    let mut places = Vec::new();
    for line in &mut file.lines {
        let Some((suite, workload, params)) = place(line) else { continue };
        let place = (suite.clone(), workload.clone(), params.clone());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Version, settings and library of a contender.
type Traits = (String, Vec<(String, String)>, String);

/// Renames contenders that are not the same in all files, except the baseline: every file compares
/// with its own. The version tells them apart, or else the file's label.
pub fn part_contenders(files: &mut [File], baseline: &str) {
    let traits: Vec<Vec<(String, Traits)>> = files.iter().map(traits_of).collect();
    for (index, file) in files.iter_mut().enumerate() {
        let renamed: Vec<(String, String)> = traits[index]
            .iter()
            .filter(|(name, _)| name != baseline)
            .filter_map(|(name, own)| {
                Some((name.clone(), new_name(name, own, &traits, &file.label)?))
            })
            .collect();
        for name in file.lines.iter_mut().flat_map(contenders) {
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == name) {
                name.clone_from(new);
            }
        }
    }
}

fn traits_of(file: &File) -> Vec<(String, Traits)> {
    let mut all: Vec<(String, Traits)> = Vec::new();
    for sample in file.samples() {
        if !all.iter().any(|(name, _)| *name == sample.contender) {
            let traits = (sample.version.clone(), sample.settings.clone(), sample.library.clone());
            all.push((sample.contender.clone(), traits));
        }
    }
    all
}

fn new_name(
    name: &str,
    own: &Traits,
    files: &[Vec<(String, Traits)>],
    label: &str,
) -> Option<String> {
    let every = || files.iter().flatten().filter(|(other, _)| other == name).map(|(_, it)| it);
    if every().all(|other| other == own) {
        return None;
    }
    let own_version_is_unique = every().all(|other| other == own || other.0 != own.0);
    Some(match own_version_is_unique {
        true => format!("{name} {}", own.0),
        false => format!("{name} [{label}]"),
    })
}
