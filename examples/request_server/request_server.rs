//! A server: each request has a scope, which ends with it, and each tenant has a heap with a limit.
//! A tenant over its limit is refused, and the others notice nothing.

use std::collections::HashMap;
use std::process::ExitCode;

use heapsmith::{Arena, Heap, HeapBox};
use measured::{Example, Results, same};

const LIMIT_BYTES: usize = 4 << 20;
const TENANTS: usize = 32;

enum Served {
    Answered(usize),
    Stored,
    Refused,
}

trait Server {
    /// Serves a request: lines `name:value`. Copies them, since the buffer of the connection is
    /// reused meanwhile.
    fn serve(&mut self, text: &str) -> Served;
}

fn headers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once(':'))
}

fn number(header: Option<&str>) -> usize {
    header.and_then(|digits| digits.parse().ok()).expect("a request names its tenant and key")
}

// To copy. Each thread keeps an arena, on which its requests open their scopes.
struct HeapsmithForm<'heap> {
    thread_memory: Arena,
    tenants: Vec<Tenant<'heap>>,
}

/// The values lie in the tenant's heap, which counts them.
struct Tenant<'heap> {
    heap: &'heap Heap,
    values: HashMap<usize, HeapBox<'heap, str>>,
}

impl<'heap> HeapsmithForm<'heap> {
    fn new(heaps: &'heap [Heap]) -> Self {
        let tenants = heaps.iter().map(|heap| {
            heap.set_limit(Some(LIMIT_BYTES));
            Tenant { heap, values: HashMap::new() }
        });
        Self { thread_memory: Arena::new(), tenants: tenants.collect() }
    }
}

impl Server for HeapsmithForm<'_> {
    fn serve(&mut self, text: &str) -> Served {
        self.thread_memory.scope(|request| {
            let mut copies = request.vec_with_capacity(8);
            for (name, value) in headers(text) {
                copies.push((&*request.alloc_str(name), &*request.alloc_str(value)));
            }
            let find = |name| copies.iter().find(|copy| copy.0 == name).map(|copy| copy.1);

            let Tenant { heap, values } = &mut self.tenants[number(find("tenant"))];
            let key = number(find("key"));
            let Some(value) = find("value") else {
                let body = values.get(&key).map_or("", |value| value);
                return Served::Answered(request.alloc_fmt(format_args!("200 {body}")).len());
            };
            match heap.try_alloc_str(value) {
                Ok(stored) => {
                    values.insert(key, stored);
                    Served::Stored
                }
                Err(_) => {
                    request.alloc_fmt(format_args!("507 {}", "over the limit"));
                    Served::Refused
                }
            }
        })
    }
}

// The same with the standard library. It cannot say how much a tenant holds, so the tenant counts
// the bytes of its values itself.
struct StdForm {
    tenants: Vec<StdTenant>,
}

#[derive(Clone, Default)]
struct StdTenant {
    bytes: usize,
    values: HashMap<usize, String>,
}

impl Server for StdForm {
    fn serve(&mut self, text: &str) -> Served {
        let copies: Vec<(String, String)> =
            headers(text).map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let find = |name| copies.iter().find(|copy| copy.0 == name).map(|copy| copy.1.as_str());

        let StdTenant { bytes, values } = &mut self.tenants[number(find("tenant"))];
        let key = number(find("key"));
        let Some(value) = find("value") else {
            let body = values.get(&key).map_or("", |value| value);
            return Served::Answered(format!("200 {body}").len());
        };
        let after = *bytes + value.len() - values.get(&key).map_or(0, |value| value.len());
        if after > LIMIT_BYTES {
            std::hint::black_box(format!("507 {}", "over the limit"));
            return Served::Refused;
        }
        *bytes = after;
        values.insert(key, value.to_string());
        Served::Stored
    }
}

/// Many modest tenants, and a greedy one that stores values of 60 KB until it is refused.
fn serve_all(server: &mut dyn Server, requests: usize) -> Results {
    const GREEDY: usize = TENANTS - 1;
    let letters = "x".repeat(60_000);
    let (mut answered, mut refused, mut greedy_refused) = (0, 0, 0);
    let mut random = 1u32;
    let mut buffer = String::new();
    for _ in 0..requests {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let who = (random >> 10) as usize % TENANTS;
        let bytes = if who == GREEDY { letters.len() } else { 20 + (random >> 12) as usize % 400 };
        buffer.clear();
        buffer.push_str("host:example.org\naccept:text/plain\ntenant:");
        buffer.push_str(&who.to_string());
        buffer.push_str("\nkey:");
        buffer.push_str(&((random >> 20) % 1000).to_string());
        if random >> 31 == 1 {
            buffer.push_str("\nvalue:");
            buffer.push_str(&letters[..bytes]);
        }
        match server.serve(&buffer) {
            Served::Answered(length) if who != GREEDY => answered += length as u64,
            Served::Refused if who != GREEDY => refused += 1,
            Served::Refused => greedy_refused += 1,
            _ => {}
        }
    }
    vec![
        same("bytes answered to modest tenants", answered),
        same("modest tenants refused", refused),
        same("greedy tenant refused", u64::from(greedy_refused != 0)),
    ]
}

struct RequestServer;

impl Example for RequestServer {
    const MEASURED: usize = 1_000_000;
    const SHOWN: usize = 10_000;

    fn std_form(requests: usize) -> Results {
        serve_all(&mut StdForm { tenants: vec![StdTenant::default(); TENANTS] }, requests)
    }
    fn heapsmith_form(requests: usize) -> Results {
        let heaps: Vec<Heap> = (0..TENANTS).map(|_| Heap::new()).collect();
        serve_all(&mut HeapsmithForm::new(&heaps), requests)
    }
}

fn main() -> ExitCode {
    measured::main::<RequestServer>("request-server-rust")
}
