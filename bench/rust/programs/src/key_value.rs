//! key-value: clients send HTTP-like requests to threads that parse them and keep the values. One
//! thread allocates what another frees.

use std::collections::BTreeMap;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use heapsmith_bench::{Request, expect, mix};

use crate::source::{count, next};

/// Half of the threads are clients, the other half keep values.
pub const THREADS: u32 = 4;
const PAIRS: usize = THREADS as usize / 2;
const KEYS: u64 = 5_000;
/// The number of requests in flight.
const BATCH: usize = 64;

struct Parsed {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

struct Response {
    head: String,
    body: Vec<u8>,
}

fn parse(text: &[u8]) -> Option<Parsed> {
    let end = text.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = (std::str::from_utf8(&text[..end]).ok()?, &text[end + 4..]);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_string(), first.next()?.to_string());
    let header = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_string()))
    };
    let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
    Some(Parsed { method, path, headers, body: body.get(..length)?.to_vec() })
}

fn keep(requests: &Receiver<Vec<u8>>, responses: &Sender<Response>) {
    let mut values: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for request in requests {
        let parsed = parse(&request).expect("a request can be parsed");
        let id = parsed.headers.iter().find(|(name, _)| name == "x-request");
        let id = id.map_or("", |(_, value)| value);
        let body = match parsed.method.as_str() {
            "PUT" => values.insert(parsed.path, parsed.body).unwrap_or_default(),
            "DELETE" => values.remove(&parsed.path).unwrap_or_default(),
            _ => values.get(&parsed.path).cloned().unwrap_or_default(),
        };
        let head = format!("HTTP/1.1 200 OK\r\nX-Request: {id}\r\nContent-Length: {}", body.len());
        if responses.send(Response { head, body }).is_err() {
            return;
        }
    }
}

/// The value of a key in a version: letters, whose number depends on both.
fn value(key: u64, version: u64) -> Vec<u8> {
    let seed = mix(key << 32 | version);
    let letter = |at| b'a' + ((seed >> (at % 32)) % 26) as u8;
    (0..16 + seed % 240).map(letter).collect()
}

/// A client's view of the values that are kept: the version of each key, or 0 for none.
struct Client {
    versions: Vec<u64>,
    state: u64,
    answer: u64,
}

impl Client {
    /// A request and the value expected in the response.
    fn ask(&mut self, id: u64) -> (Vec<u8>, Vec<u8>) {
        let key = next(&mut self.state) % KEYS;
        let version = self.versions[key as usize];
        let before = if version == 0 { Vec::new() } else { value(key, version) };
        let (method, body) = match next(&mut self.state) % 10 {
            0..=4 => ("GET", Vec::new()),
            5 => {
                self.versions[key as usize] = 0;
                ("DELETE", Vec::new())
            }
            _ => {
                self.versions[key as usize] = id + 1;
                ("PUT", value(key, id + 1))
            }
        };
        let mut text = format!(
            "{method} /shelves/{}/{key} HTTP/1.1\r\nHost: localhost\r\nX-Request: {id}\r\n\
             Content-Length: {}\r\n\r\n",
            key % 17,
            body.len()
        );
        text.reserve_exact(body.len());
        let mut request = text.into_bytes();
        request.extend(body);
        (request, before)
    }

    fn check(&mut self, id: u64, expected: &[u8], response: &Response) {
        let mut lines = response.head.split("\r\n");
        let is_ours = lines.nth(1).and_then(|line| line.strip_prefix("X-Request: "))
            == Some(id.to_string().as_str());
        expect(is_ours, "a response is not the request's");
        expect(response.body == expected, "a value is not what was put there");
        self.answer = mix(self.answer + response.body.iter().map(|b| u64::from(*b)).sum::<u64>());
    }
}

fn ask_all(client: u64, number: u64, requests: Sender<Vec<u8>>, kept: &Receiver<Response>) -> u64 {
    let mut client = Client { versions: vec![0; KEYS as usize], state: client << 40, answer: 0 };
    let mut expected = std::collections::VecDeque::with_capacity(BATCH);
    for id in 0..number {
        let (request, value) = client.ask(id);
        requests.send(request).expect("the keeper is running");
        expected.push_back((id, value));
        if expected.len() == BATCH {
            take(&mut client, &mut expected, kept);
        }
    }
    drop(requests);
    while !expected.is_empty() {
        take(&mut client, &mut expected, kept);
    }
    client.answer
}

fn take(
    client: &mut Client,
    expected: &mut std::collections::VecDeque<(u64, Vec<u8>)>,
    kept: &Receiver<Response>,
) {
    let (id, value) = expected.pop_front().expect("a request is in flight");
    client.check(id, &value, &kept.recv().expect("each request has a response"));
}

pub fn run(request: &Request) -> u64 {
    let number = count(request, 400_000) as u64;
    let pair = |client| {
        let (ask, asked) = bounded::<Vec<u8>>(BATCH);
        let (answer, answered) = bounded::<Response>(BATCH);
        let keeper = thread::spawn(move || keep(&asked, &answer));
        let client = thread::spawn(move || ask_all(client, number, ask, &answered));
        (keeper, client)
    };
    let pairs: Vec<_> = (1..=PAIRS as u64).map(pair).collect();
    let mut answer = 0;
    for (keeper, client) in pairs {
        answer = mix(answer + client.join().expect("a client ends"));
        keeper.join().expect("a keeper ends");
    }
    answer
}
