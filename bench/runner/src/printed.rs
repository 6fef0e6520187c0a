//! The output of a measured program, line by line.

use std::collections::HashMap;

use heapsmith_measure::metric::Metric;
use heapsmith_measure::row;
use serde_json::{Map, Value};

/// One run's output.
#[derive(Debug, Default, PartialEq)]
pub struct Printed {
    pub contender: String,
    pub version: String,
    /// By parameter: a program measures a workload for several.
    pub values: Vec<(Setting, Metric, f64)>,
    /// The settings that the contender has too little memory for.
    pub refused: Vec<Setting>,
    /// All contenders must agree on it.
    pub check: Option<String>,
}

/// Parameters with their values, such as n=1024 or n=10,phase=probe.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting(Vec<(String, Given)>);

/// A number, or a name. Settings are in the order of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Given {
    Number(u64),
    Name(String),
}

impl Setting {
    pub fn params(&self) -> Map<String, Value> {
        let value = |given: &Given| match given {
            Given::Number(number) => (*number).into(),
            Given::Name(name) => name.as_str().into(),
        };
        self.0.iter().map(|(name, given)| (name.clone(), value(given))).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let parameter = |text: &str| {
            let (name, value) = text.split_once('=')?;
            let is_name = |text: &str| text.starts_with(|first: char| first.is_ascii_alphabetic());
            let given = match value.parse() {
                Ok(number) => Given::Number(number),
                Err(_) if is_name(value) => Given::Name(value.to_string()),
                Err(_) => return None,
            };
            Some((name.to_string(), given))
        };
        Some(Self(text.split(',').map(parameter).collect::<Option<_>>()?))
    }
}

impl Printed {
    /// The error is what is wrong with a line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut printed = Self::default();
        for line in text.lines() {
            printed.line(line).ok_or_else(|| format!("printed '{line}'"))?;
        }
        Ok(printed)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["contender", name] => self.contender = name.to_string(),
            ["version", version] => self.version = version.to_string(),
            ["check", value] => self.check = Some(value.to_string()),
            ["refused", setting] => self.refused.push(Setting::parse(setting)?),
            ["value", metric, setting, value] => {
                let metric = Metric::named(metric)?;
                let value = value.parse().ok().filter(|value: &f64| value.is_finite())?;
                self.values.push((Setting::parse(setting)?, metric, value));
            }
            _ => return None,
        }
        Some(())
    }
}

/// The values of one contender, by setting and metric, an entry for each round.
#[derive(Debug, Default)]
pub struct Collected {
    rounds: usize,
    values: HashMap<(Setting, Metric), Vec<Option<f64>>>,
}

impl Collected {
    /// Adds the next round: its output, or nothing.
    pub fn add(&mut self, printed: Option<&Printed>) {
        self.rounds += 1;
        for (setting, metric, value) in printed.iter().flat_map(|printed| &printed.values) {
            let rounds = self.values.entry((setting.clone(), *metric)).or_default();
            // Rounds without this value come first.
            rounds.resize(self.rounds - 1, None);
            rounds.push(Some(*value));
        }
        for rounds in self.values.values_mut() {
            rounds.resize(self.rounds, None);
        }
    }

    /// The series of one setting, if it was measured.
    pub fn of(&self, setting: &Setting) -> Option<row::Values> {
        let of_setting = self.values.iter().filter(|((own, _), _)| own == setting);
        let values: row::Values =
            of_setting.map(|((_, metric), rounds)| (*metric, rounds.clone())).collect();
        (!values.is_empty()).then_some(values)
    }

    pub fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.values.keys().map(|(setting, _)| setting)
    }
}

#[cfg(test)]
mod tests {
    //! Output as the programs print it, and output that no program prints.
    use super::*;

    fn n(value: u64) -> Setting {
        Setting(vec![("n".to_string(), Given::Number(value))])
    }

    const GOOD: &str = "contender rlsf\nversion 0.2.3\nvalue wall_s n=1024 5.1e-06\n\
                        value wall_s n=2048 0.25\nrefused n=4096\ncheck 0123456789abcdef\n";

    #[test]
    fn every_line_is_read() {
        let printed = Printed::parse(GOOD).expect("good");
        assert_eq!((printed.contender.as_str(), printed.version.as_str()), ("rlsf", "0.2.3"));
        let wall = Metric::Wall;
        assert_eq!(printed.values, [(n(1024), wall, 5.1e-6), (n(2048), wall, 0.25)]);
        assert_eq!(printed.refused, [n(4096)]);
        assert_eq!(printed.check.as_deref(), Some("0123456789abcdef"));
        assert_eq!(Value::from(n(7).params()), serde_json::json!({"n": 7}));
    }

    #[test]
    fn a_setting_has_several_parameters() {
        let setting = Setting::parse("n=10,phase=probe").expect("good");
        assert_eq!(Value::from(setting.params()), serde_json::json!({"n": 10, "phase": "probe"}));
        assert!(Setting::parse("n=9,phase=probe") < Some(setting));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for bad in [
            "value wall_s n=1024",
            "value wall_s n= 1",
            "value wall_s n=-1 1",
            "value wall_s n=1, 1",
            "value wall_s n 1",
            "value wall_s n=1 nan",
            "value speed n=1 1",
            "surprise",
            "",
        ] {
            let text = format!("contender x\n{bad}\n");
            assert_eq!(Printed::parse(&text), Err(format!("printed '{bad}'")));
        }
    }

    #[test]
    fn rounds_keep_their_places() {
        let one = Printed::parse("value wall_s n=1 2\n").expect("good");
        let other = Printed::parse("value wall_s n=2 3\n").expect("good");
        let mut collected = Collected::default();
        for printed in [Some(&one), None, Some(&other), Some(&one)] {
            collected.add(printed);
        }
        let rounds =
            |setting: &Setting| collected.of(setting).expect("measured")[&Metric::Wall].clone();
        assert_eq!(rounds(&n(1)), [Some(2.0), None, None, Some(2.0)]);
        assert_eq!(rounds(&n(2)), [None, None, Some(3.0), None]);
        assert!(collected.of(&n(3)).is_none());
    }
}
