//! The time of n updates of a persistent collection, against a flat copy for each update.
//!
//! ```text
//! cargo run --release -p dally-bench --bin collections
//! ```
//!
//! With a copy for each update, ten times the updates take a hundred times as long. With a tree,
//! they take little more than ten times as long.
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use std::hash::Hasher;
use std::time::Duration;

use dally_bench::{Numbers, best_of, table};
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::collection::{Content, Tree};

/// An element, as large as a value of a program.
type Element = u128;

/// Hashes the elements of a sequence.
struct InSeq;

impl Content<Element> for InSeq {
    const ORDERED: bool = true;

    fn hash(&self, element: Element) -> Fingerprint {
        Fingerprint::of(&element)
    }
}

/// Hashes the elements of a set.
struct InSet;

impl Content<Element> for InSet {
    const ORDERED: bool = false;

    fn hash(&self, element: Element) -> Fingerprint {
        Fingerprint::of(&element)
    }
}

/// The elements of a set, in pseudo-random order.
fn elements(count: usize) -> Vec<Element> {
    let mut numbers = Numbers::new(1);
    (0..count).map(|_| numbers.below(1 << 40).into()).collect()
}

/// Hashes an array element by element, as programs hash values.
fn hash_flat(elements: &[Element]) -> Fingerprint {
    let mut hash = Fingerprinter::default();
    elements.iter().for_each(|element| hash.write_u128(*element));
    hash.fingerprint()
}

/// Pushes `count` elements to a sequence.
fn push_tree(count: usize) -> usize {
    (0..count).fold(Tree::default(), |tree, n| tree.insert(n, n as Element, &InSeq)).len()
}

fn push_flat(count: usize) -> usize {
    let push = |flat: Box<[Element]>, n: usize| {
        let copy: Box<[Element]> = flat.iter().copied().chain([n as Element]).collect();
        std::hint::black_box(hash_flat(&copy));
        copy
    };
    (0..count).fold(Box::default(), push).len()
}

/// Adds `count` elements to a set.
fn add_tree(count: usize) -> usize {
    let add = |tree: Tree<Element>, element: Element| match tree.search(|other| other.cmp(&element)) {
        Ok(_) => tree,
        Err(place) => tree.insert(place, element, &InSet),
    };
    elements(count).into_iter().fold(Tree::default(), add).len()
}

fn add_flat(count: usize) -> usize {
    let add = |flat: Box<[Element]>, element: Element| match flat.binary_search(&element) {
        Ok(_) => flat,
        Err(place) => {
            let (before, after) = flat.split_at(place);
            let copy: Box<[Element]> = before.iter().chain(&[element]).chain(after).copied().collect();
            std::hint::black_box(hash_flat(&copy));
            copy
        }
    };
    elements(count).into_iter().fold(Box::default(), add).len()
}

/// A kind of update: its name, with trees, and with flat copies.
type Updates = (&'static str, fn(usize) -> usize, fn(usize) -> usize);

fn main() {
    let updates: [Updates; 2] = [("push", push_tree, push_flat), ("add to a set", add_tree, add_flat)];
    let per_update = |time: Duration, count: usize| format!("{:.0}", time.as_nanos() as f64 / count as f64);
    let mut rows = Vec::new();
    for (name, tree, flat) in updates {
        let mut before: Option<(Duration, Duration)> = None;
        for count in [10, 100, 1_000, 10_000] {
            let runs = 30_000 / count;
            let (tree, flat) = (best_of(runs, || tree(count)).0, best_of(runs.min(100), || flat(count)).0);
            let growth = |now: Duration, before: Option<Duration>| {
                before.map_or("–".to_owned(), |b| format!("{:.1}", now.as_secs_f64() / b.as_secs_f64()))
            };
            rows.push(vec![
                name.to_owned(),
                count.to_string(),
                per_update(tree, count),
                growth(tree, before.map(|b| b.0)),
                per_update(flat, count),
                growth(flat, before.map(|b| b.1)),
                format!("{:.2}", tree.as_secs_f64() / flat.as_secs_f64()),
            ]);
            before = Some((tree, flat));
        }
        let (time, count) = (best_of(1, || tree(100_000)).0, 100_000);
        let growth = before.map_or(0.0, |b| time.as_secs_f64() / b.0.as_secs_f64());
        let dash = || "–".to_owned();
        rows.push(vec![
            name.to_owned(),
            count.to_string(),
            per_update(time, count),
            format!("{growth:.1}"),
            dash(),
            dash(),
            dash(),
        ]);
    }
    let header =
        ["update", "updates", "tree ns each", "× for 10 ×", "flat ns each", "× for 10 ×", "tree/flat"];
    println!("{}", table(&header, &rows));
}
