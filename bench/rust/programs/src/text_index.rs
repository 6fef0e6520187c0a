//! text-index: finds the words of many documents with a regular expression, indexes them and looks
//! up pairs. An automaton then searches for all words of a list at once.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use heapsmith_bench::{Request, expect, mix};
use regex::Regex;

use crate::source::{count, next};

const VOCABULARY: u64 = 20_000;
const WORDS_OF_A_DOCUMENT: u64 = 200;

/// No word is a part of another, since words end with capitals and have no others.
fn word(number: u64) -> String {
    let mut state = number << 20;
    let mut word: String =
        (0..4 + number % 6).map(|_| char::from(b'a' + (next(&mut state) % 26) as u8)).collect();
    word.extend(format!("{number:05}").bytes().map(|digit| char::from(b'A' + digit - b'0')));
    word
}

/// The documents, and the number of occurrences of each word.
fn documents(number: usize, vocabulary: &[String]) -> (Vec<String>, Vec<u64>) {
    let (mut state, mut times) = (0, vec![0; vocabulary.len()]);
    let document = |_| {
        let mut text = String::new();
        for _ in 0..WORDS_OF_A_DOCUMENT {
            // The lower of two draws makes some words more frequent than others.
            let at = (next(&mut state) % VOCABULARY).min(next(&mut state) % VOCABULARY) as usize;
            times[at] += 1;
            text.push_str(&vocabulary[at]);
            text.push_str(if at % 7 == 0 { ", " } else { " " });
        }
        text
    };
    ((0..number).map(document).collect(), times)
}

/// The documents that contain each word, in order, once for each occurrence.
fn index(documents: &[String]) -> HashMap<String, Vec<u32>> {
    let word = Regex::new("[a-z]+[A-J]{5}").expect("an expression");
    let mut postings: HashMap<String, Vec<u32>> = HashMap::new();
    for (number, text) in (0..).zip(documents) {
        for found in word.find_iter(text) {
            postings.entry(found.as_str().to_string()).or_default().push(number);
        }
    }
    postings
}

fn in_both(left: &[u32], right: &[u32]) -> Vec<u32> {
    left.iter().copied().filter(|number| right.binary_search(number).is_ok()).collect()
}

pub fn run(request: &Request) -> u64 {
    let vocabulary: Vec<String> = (0..VOCABULARY).map(word).collect();
    let (documents, times) = documents(count(request, 6_000), &vocabulary);
    let postings = index(&documents);
    for (word, times) in vocabulary.iter().zip(&times) {
        let found = postings.get(word).map_or(0, Vec::len) as u64;
        expect(found == *times, "a word is not as often in the index as in the documents");
    }
    let pairs = vocabulary.iter().zip(&vocabulary[1..]);
    let pairs = pairs.filter_map(|(left, right)| {
        Some(in_both(postings.get(left)?, postings.get(right)?).into_iter().map(u64::from))
    });
    let answer = pairs.flatten().fold(0, |sum, number| mix(sum + number));

    let wanted: Vec<&String> = vocabulary.iter().step_by(10).collect();
    let automaton = AhoCorasick::new(&wanted).expect("an automaton");
    let mut found = vec![0; wanted.len()];
    for text in &documents {
        for hit in automaton.find_iter(text) {
            found[hit.pattern().as_usize()] += 1;
        }
    }
    let are_all = found.iter().zip(times.iter().step_by(10)).all(|(found, times)| found == times);
    expect(are_all, "the automaton has not found all words");
    answer
}
