//! Traces as `heapsmith info --json` shows them.

use std::path::Path;

use serde_json::Value;

use super::heapsmith;

pub fn info(trace: &Path) -> Value {
    let folder = trace.parent().expect("a folder");
    let output = heapsmith(folder).args(["info", "--json", "-"]).arg(trace).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

pub fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {value}"))
}

pub fn calls(info: &Value, api: &str) -> u64 {
    let all = info["info"]["calls"].as_array().expect("calls");
    all.iter().find(|each| each[0] == api).map_or(0, |each| each[1].as_u64().expect("a number"))
}

/// Blocks of sizes below 2^power that are not below 2^(power-1).
pub fn of_power(info: &Value, power: usize) -> u64 {
    info["info"]["sizes"][power].as_u64().unwrap_or(0)
}

/// Nothing was lost, and nothing did not fit.
pub fn assert_whole(info: &Value) {
    assert_eq!(number(info, "/meta/dropped"), 0, "{info}");
    assert_eq!(number(info, "/meta/misfits/unfreed"), 0, "{info}");
    assert_eq!(number(info, "/meta/misfits/unknown"), 0, "{info}");
    assert_eq!(info["meta"]["damage"], Value::Array(vec![]));
    assert_eq!(info["damage"], Value::Null);
}
