//! What the kinds of typed pools, and the containers in them, should reach.

use super::targets::{Target, at_most};
use crate::metric::Metric;
use crate::row::Row;

/// Targets of every kind, and of every kind in columns against the same one in rows.
macro_rules! targets {
    (kinds: $($of_kind:ident)*; pairs: $($of_pair:ident)*) => {
        &[
            $(
                $of_kind("pool-fixed"),
                $of_kind("pool-growable"),
                $of_kind("free_list-fixed"),
                $of_kind("free_list-growable"),
                $of_kind("soa-fixed"),
                $of_kind("soa-growable"),
                $of_kind("soa_free_list-fixed"),
                $of_kind("soa_free_list-growable"),
            )*
            $(
                $of_pair("soa-fixed", "pool-fixed"),
                $of_pair("soa-growable", "pool-growable"),
                $of_pair("soa_free_list-fixed", "free_list-fixed"),
                $of_pair("soa_free_list-growable", "free_list-growable"),
            )*
        ]
    };
}

pub const POOLS: &[Target] = targets!(kinds: ; pairs: keys_in_columns);

pub const CONTAINERS: &[Target] =
    targets!(kinds: sequence change probe far_probe; pairs: keys_in_columns tree_in_columns);

const fn sequence(own: &'static str) -> Target {
    Target {
        or_of_limit: Some(1.20),
        ..at_most(0.50, own, "new-glibc", Metric::Wall, |row| has_phase(row, "push-pop"))
    }
}

const fn change(own: &'static str) -> Target {
    let phases = |row: &Row| ["insert", "erase", "churn"].iter().any(|name| has_phase(row, name));
    at_most(0.70, own, "std", Metric::Wall, phases)
}

const fn probe(own: &'static str) -> Target {
    at_most(1.00, own, "std", Metric::Wall, |row| has_phase(row, "probe"))
}

const fn far_probe(own: &'static str) -> Target {
    let is_far = |row: &Row| has_phase(row, "probe") && number(row, "n") == Some(100_000);
    at_most(0.70, own, "std", Metric::Wall, is_far)
}

const fn keys_in_columns(columns: &'static str, rows: &'static str) -> Target {
    let includes = |row: &Row| {
        (has_phase(row, "keys") || has_phase(row, "scan")) && number(row, "payload") >= Some(10)
    };
    at_most(0.75, columns, rows, Metric::Wall, includes)
}

const fn tree_in_columns(columns: &'static str, rows: &'static str) -> Target {
    let includes = |row: &Row| row.workload == "map" && number(row, "payload") >= Some(10);
    at_most(1.00, columns, rows, Metric::Wall, includes)
}

fn has_phase(row: &Row, name: &str) -> bool {
    row.params.get("phase").and_then(|phase| phase.as_str()) == Some(name)
}

fn number(row: &Row, parameter: &str) -> Option<u64> {
    row.params.get(parameter).and_then(serde_json::Value::as_u64)
}

#[cfg(test)]
mod tests {
    //! Which rows the targets are about.
    use serde_json::{Map, json};

    use super::super::targets::{Bar, Peer};
    use super::*;

    fn row(workload: &str, n: u64, payload: u64, phase: &str) -> Row {
        let params = [("n", json!(n)), ("payload", json!(payload)), ("phase", json!(phase))];
        let params = Map::from_iter(params.map(|(name, value)| (name.to_string(), value)));
        Row { suite: "containers", workload: workload.to_string(), params, series: Vec::new() }
    }

    fn about(row: &Row, own: &str) -> Vec<(f64, &'static str)> {
        let included = CONTAINERS.iter().filter(|one| one.own == own && (one.includes)(row));
        let most = |bar| if let Bar::AtMost(most) = bar { most } else { panic!("no other bar") };
        let peer = |peer| if let Peer::Named(name) = peer { name } else { panic!("one peer") };
        included.map(|one| (most(one.bar), peer(one.peer))).collect()
    }

    #[test]
    fn every_row_has_its_targets() {
        let far = row("map", 100_000, 10, "probe");
        assert_eq!(about(&far, "free_list-fixed"), [(1.0, "std"), (0.7, "std")]);
        let of_columns = [(1.0, "std"), (0.7, "std"), (1.0, "pool-fixed")];
        assert_eq!(about(&far, "soa-fixed"), of_columns);
        assert_eq!(about(&row("set", 10, 0, "erase"), "soa-fixed"), [(0.7, "std")]);
        assert_eq!(about(&row("list", 10, 1, "push-pop"), "soa-fixed"), [(0.5, "new-glibc")]);
        assert_eq!(about(&row("list", 10, 100, "keys"), "soa-fixed"), [(0.75, "pool-fixed")]);
        assert!(about(&row("list", 10, 1, "keys"), "soa-fixed").is_empty());
    }
}
