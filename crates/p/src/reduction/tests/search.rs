//! A search that takes a commuting step alone, against a full search.

#[path = "../../../../explore/tests/common/reduction.rs"]
mod reduction;

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::path::Path;

use dally_explore::{Fingerprint, Options};
use dally_testing::{for_seeds, say};
use rustc_hash::FxHashMap;

use super::generate::program;
use super::{Machine, Outcomes, State, enabled, machine, step};
use reduction::difference;

/// The result of a search.
#[derive(Default)]
struct Found {
    states: usize,
    /// The states with one successor, in which a step is taken alone or only one machine is enabled.
    single: usize,
    fails: bool,
    /// The final states, in which no machine is enabled.
    ends: BTreeSet<Fingerprint>,
}

/// Searches breadth first, up to a number of states. With `reduces`, a step that commutes is taken alone,
/// unless all its outcomes were visited in this layer or before.
fn search(machine: &Machine, reduces: bool, limit: usize) -> Found {
    let mut found = Found::default();
    let mut layer = vec![machine.initial_state()];
    // The layer in which each state was found.
    let mut seen: FxHashMap<Fingerprint, usize> = layer.iter().map(|s| (s.fingerprint(), 0)).collect();
    for depth in 1.. {
        let mut next = Vec::new();
        for state in layer {
            found.states += 1;
            if found.states >= limit {
                return found;
            }
            let tasks = enabled(machine, &state);
            if tasks.is_empty() {
                found.ends.insert(state.fingerprint());
            }
            let is_new = |s: &State| seen.get(&s.fingerprint()).is_none_or(|layer| *layer == depth);
            let alone = tasks.iter().filter(|task| reduces && machine.commutes_alone(&state, **task));
            let alone = alone
                .map(|task| step(machine, &state, *task))
                .find(|outcomes| outcomes.failures.is_empty() && outcomes.states.iter().any(is_new));
            let outcomes: Vec<Outcomes> = match alone {
                Some(outcomes) => vec![outcomes],
                None => tasks.iter().map(|task| step(machine, &state, *task)).collect(),
            };
            found.single += usize::from(reduces && outcomes.len() == 1 && outcomes[0].states.len() == 1);
            for outcomes in outcomes {
                found.fails |= !outcomes.failures.is_empty();
                for state in outcomes.states {
                    if let Entry::Vacant(entry) = seen.entry(state.fingerprint()) {
                        entry.insert(depth);
                        next.push(state);
                    }
                }
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    found
}

/// Compares both searches. Returns the reduced one and the states of the full one, if both are complete.
fn compare(machine: &Machine, limit: usize, what: &str) -> Option<(Found, usize)> {
    let full = search(machine, false, limit);
    if full.states >= limit {
        return None;
    }
    let reduced = search(machine, true, limit);
    assert!(reduced.states <= full.states, "{what}");
    assert_eq!(reduced.fails, full.fails, "{what}");
    if !full.fails {
        assert_eq!(reduced.ends, full.ends, "{what}");
    }
    Some((reduced, full.states))
}

#[test]
fn a_reduced_search_finds_the_same_failures_and_ends() {
    let (mut reduced, mut full, mut programs) = (0, 0, 0);
    for_seeds("reduced searches of random P programs", 40, |seed| {
        let text = program(seed);
        if let Some((fewer, all)) = compare(&machine(&text, ""), 1500, &text) {
            (reduced, full, programs) = (reduced + fewer.states, full + all, programs + 1);
        }
    });
    say(&format!("{reduced} of {full} states of {programs} programs"));
    assert!(programs > 10 && reduced * 3 < full * 2);
}

/// The searches of `dally check`. Programs with more states than this are not compared.
const MOST_STATES: usize = 1500;

#[test]
fn searches_with_and_without_reduction_agree() {
    let mut settled = 0;
    for_seeds("verdicts of random P programs", 15, |seed| {
        let text = program(seed);
        let options =
            Options { choice_cost: (seed % 2) as u32, states: Some(20 * MOST_STATES), ..Options::default() };
        if let Ok(difference) = difference(&machine(&text, ""), &options, MOST_STATES) {
            assert_eq!(difference, None, "{text}");
            settled += 1;
        }
    });
    say(&format!("{settled} programs have at most {MOST_STATES} states"));
    assert!(settled > 10 || std::env::var("DALLY_PROGRAMS").is_ok());
}

/// The examples of P, with the name of their file.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/p");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .map(|file| {
            (file.file_stem().unwrap().display().to_string(), std::fs::read_to_string(&file).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// All tests of a program, by name.
fn tests(text: &str) -> Vec<String> {
    let mut sources = dally_text::source::SourceMap::default();
    sources.add("test.p", text).unwrap();
    crate::load(&sources).unwrap().tests.iter().map(|test| test.name.clone()).collect()
}

/// Prints the states of the examples with and without reduction: `DALLY_STATES` limits them.
#[test]
fn examples_have_the_same_verdicts() {
    let limit = std::env::var("DALLY_STATES").map_or(1200, |limit| limit.parse().unwrap());
    for (file, text) in examples() {
        for test in tests(&text) {
            let machine = machine(&text, &test);
            match compare(&machine, limit, &file) {
                Some((Found { states, single, .. }, full)) => {
                    say(&format!("{file} {test}: {states} of {full} states, {single} with one successor"));
                }
                None => {
                    let reduced = search(&machine, true, limit).states;
                    say(&format!("{file} {test}: {reduced} of at least {limit} states"));
                }
            }
        }
    }
}

/// Machines in a ring: each passes a number of tokens on, and counts them.
fn ring(size: usize, tokens: usize) -> String {
    format!(
        "event eNext: machine; event eToken: int;
machine Node {{
  var next: machine; var count: int;
  start state Init {{
    defer eToken;
    on eNext do (n: machine) {{ next = n; goto Ready; }}
  }}
  state Ready {{
    on eToken do (hops: int) {{
      count = count + hops;
      if (hops > 0) {{ send next, eToken, hops - 1; }}
    }}
  }}
}}
machine Main {{
  start state Init {{ entry {{
    var nodes: seq[machine]; var i: int;
    while (i < {size}) {{ nodes += (i, new Node()); i = i + 1; }}
    i = 0;
    while (i < {size}) {{
      send nodes[i], eNext, nodes[(i + 1) % {size}];
      i = i + 1;
    }}
    i = 0;
    while (i < {tokens}) {{ send nodes[i], eToken, {size}; i = i + 1; }}
  }} }}
}}
test T [main=Main]: {{ Main, Node }};"
    )
}

/// A pipeline: a source sends items through stages, each of which may drop one.
fn pipeline(stages: usize, items: usize) -> String {
    format!(
        "event eItem: int;
machine Stage {{
  var next: machine; var sum: int;
  start state Work {{
    entry (n: machine) {{ next = n; }}
    on eItem do (item: int) {{
      sum = sum + item;
      if (next != null) {{ send next, eItem, item + 1; }}
    }}
  }}
}}
machine Main {{
  start state Init {{ entry {{
    var next: machine; var i: int;
    while (i < {stages}) {{ next = new Stage(next); i = i + 1; }}
    i = 0;
    while (i < {items}) {{ send next, eItem, i; i = i + 1; }}
  }} }}
}}
test T [main=Main]: {{ Main, Stage }};"
    )
}

/// A binary tree: inner nodes forward a request to their children, and answer once both have.
fn tree(depth: usize) -> String {
    format!(
        "event eAsk; event eAnswer: int;
machine Node {{
  var parent: machine; var left: machine; var right: machine; var sum: int; var answers: int;
  start state Work {{
    entry (p: (parent: machine, depth: int)) {{
      parent = p.parent;
      if (p.depth > 0) {{
        left = new Node((parent = this, depth = p.depth - 1));
        right = new Node((parent = this, depth = p.depth - 1));
        send left, eAsk;
        send right, eAsk;
      }}
    }}
    on eAsk do {{
      if (left == null) {{ send parent, eAnswer, 1; }}
    }}
    on eAnswer do (n: int) {{
      sum = sum + n;
      answers = answers + 1;
      if (answers == 2 && parent != null) {{ send parent, eAnswer, sum + 1; }}
    }}
  }}
}}
machine Main {{
  start state Init {{ entry {{ new Node((parent = default(machine), depth = {depth})); }} }}
}}
test T [main=Main]: {{ Main, Node }};"
    )
}

#[test]
fn rings_pipelines_and_trees_have_few_states() {
    let limit = std::env::var("DALLY_STATES").map_or(3000, |limit| limit.parse().unwrap());
    let mut missed = false;
    for (what, text, factor) in [
        ("ring of 3, 2 tokens", ring(3, 2), 2),
        ("ring of 6, 2 tokens", ring(6, 2), 10),
        ("pipeline of 3, 2 items", pipeline(3, 2), 3),
        ("pipeline of 6, 3 items", pipeline(6, 3), 10),
        ("tree of 3", tree(1), 1),
        ("tree of 7", tree(2), 1),
    ] {
        let machine = machine(&text, "");
        let (reduced, full) = (search(&machine, true, limit), search(&machine, false, limit));
        let single = reduced.single;
        say(&format!("{what}: {} of {} states, {single} with one successor", reduced.states, full.states));
        if full.states < limit {
            assert_eq!(reduced.ends, full.ends);
        }
        missed |= reduced.states * factor > full.states;
    }
    assert!(!missed);
}
