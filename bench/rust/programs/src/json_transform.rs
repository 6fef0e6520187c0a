//! json-transform: parses a text of orders, regroups them by customer and writes them, with
//! serde_json.

use std::collections::BTreeMap;
use std::fmt::Write;

use heapsmith_bench::{Request, expect, mix};
use serde_json::{Map, Value, json};

use crate::source::{count, next};

const CUSTOMERS: u64 = 500;

/// The text, and the sum of the prices of all items in it.
fn orders(number: usize) -> (String, u64) {
    let (mut text, mut state, mut total) = (String::from("["), 0, 0);
    for order in 0..number {
        let customer = next(&mut state) % CUSTOMERS;
        let separator = if order == 0 { "" } else { "," };
        write!(text, "{separator}{{\"id\":{order},\"customer\":\"customer number {customer}\",")
            .expect("a string takes all");
        text.push_str("\"note\":\"to be left where the neighbours are\",\"items\":[");
        for item in 0..1 + next(&mut state) % 8 {
            let (code, price) = (next(&mut state) % 10_000, next(&mut state) % 100_000);
            total += price;
            let separator = if item == 0 { "" } else { "," };
            write!(text, "{separator}{{\"code\":\"item-{code:05}\",\"price\":{price}}}")
                .expect("a string takes all");
        }
        text.push_str("]}");
    }
    text.push(']');
    (text, total)
}

/// The items that each customer bought, by code, with the sum of the prices.
fn regroup(orders: Vec<Value>) -> Value {
    let mut customers: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for mut order in orders {
        let name = order["customer"].as_str().expect("an order has a customer").to_string();
        let bought = customers.entry(name).or_default();
        let Value::Array(items) = order["items"].take() else { panic!("an order has items") };
        for mut item in items {
            let price = item["price"].as_u64().expect("an item has a price");
            let Value::String(code) = item["code"].take() else { panic!("an item has a code") };
            let entry = bought.entry(code).or_insert_with(|| json!({"times": 0, "sum": 0}));
            entry["times"] = (entry["times"].as_u64().unwrap_or(0) + 1).into();
            entry["sum"] = (entry["sum"].as_u64().unwrap_or(0) + price).into();
        }
    }
    customers.into_iter().map(|(name, bought)| (name, Value::Object(bought))).collect()
}

fn sum(customers: &Value) -> u64 {
    let bought = customers.as_object().expect("customers").values().filter_map(Value::as_object);
    bought.flat_map(|items| items.values()).filter_map(|item| item["sum"].as_u64()).sum()
}

pub fn run(request: &Request) -> u64 {
    let (text, total) = orders(count(request, 40_000));
    let mut answer = 0;
    for _ in 0..3 {
        let orders: Vec<Value> = serde_json::from_str(&text).expect("what was written is JSON");
        let customers = regroup(orders);
        let written = serde_json::to_string(&customers).expect("values can be written");
        let again: Value = serde_json::from_str(&written).expect("what was written is JSON");
        expect(again == customers, "what is read again is not what was written");
        expect(sum(&again) == total, "the prices do not add up");
        answer = written.bytes().fold(answer, |sum, byte| mix(sum + u64::from(byte)));
    }
    answer
}
