//! Coverage against a plain recount: every instruction of every step of every state is observed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use dally_bpl::ProgramOptions;
use dally_explore::{
    Delays, Exhaustive, Explored, Options, Program, SchedulerName, Search, Successors, Verdict, Watch,
};
use dally_step::observer::Observer;
use dally_testing::{for_seeds, say};
use dally_text::source::{SourceMap, Span};
use dally_trace::{Explain, ItemKind};

use crate::code::Op;
use crate::execute::Note;
use crate::generated::generate::{self, Features};
use crate::{Machine, MachineOptions, State};

fn features(nth: u64) -> Features {
    Features {
        yields: true,
        waits: !nth.is_multiple_of(3),
        passed_tasks: false,
        asserts: false,
        awaits: nth.is_multiple_of(2),
        atomic: nth % 3 != 1,
        thread_locals: nth.is_multiple_of(4),
        levels: 1 + u64::from(nth.is_multiple_of(5)),
        buffers: 1,
        posts: 3,
        high: 1,
        globals: 3,
        choices: 20,
        explicit: false,
        suppress: false,
    }
}

fn machine(text: &str, preempt: bool) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).expect("one file");
    let program = dally_bpl::load(&sources).expect("a good program");
    let options =
        MachineOptions { program: ProgramOptions { entry: None, preempt }, ..MachineOptions::default() };
    Machine::new(&program, &sources, &options).expect("a good program")
}

/// The statements that a machine has marked.
fn statements(machine: &Machine) -> BTreeSet<Span> {
    let items = machine.coverage().into_iter();
    items.filter(|item| item.kind == ItemKind::Statement && item.reached).map(|item| item.span).collect()
}

/// The statements whose instructions are executed.
struct Counter(BTreeSet<Span>);

impl Observer<Note> for Counter {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        if let Note::At { span, .. } = note {
            self.0.insert(span);
        }
    }
}

/// All statements that executions begin, by plain enumeration. `None` if there are too many states.
fn recount(machine: &Machine) -> Option<BTreeSet<Span>> {
    let mut out = Successors::default();
    machine.initial(&mut out);
    let mut todo: Vec<State> = out.states().to_vec();
    let mut seen = BTreeSet::new();
    let mut counter = Counter(BTreeSet::new());
    while let Some(state) = todo.pop() {
        if !seen.insert(machine.fingerprint(&state).0) {
            continue;
        }
        if seen.len() > 3000 {
            return None;
        }
        let mut tasks = Vec::new();
        machine.enabled(&state, &mut tasks);
        for task in tasks {
            counter = machine.observe_all(&state, task.0, counter);
            out.clear();
            machine.step(&state, task, &mut out);
            todo.extend(out.states().iter().cloned());
        }
    }
    counter.0.remove(&Span::NONE);
    Some(counter.0)
}

/// The statements at the beginnings of options: an option whose guard does not hold is not taken, and so its guard is not
/// reached.
fn guards(machine: &Machine) -> BTreeSet<Span> {
    let targets = machine.code.targets.iter().flatten();
    targets.map(|target| machine.code.spans[target.to as usize]).collect()
}

#[test]
fn marks_agree_with_a_recount() {
    let (mut compared, mut partly) = (0, 0);
    for_seeds("coverage", 150, |seed| {
        let text = generate::program(seed, features(seed));
        let preempt = seed.is_multiple_of(3);
        let Some(expected) = recount(&machine(&text, preempt)) else { return };
        let searched = machine(&text, preempt);
        let report = Search::new(&searched, &Exhaustive, &Options::default(), &()).run();
        if report.verdict != Verdict::Proved {
            return;
        }
        let reached = statements(&searched);
        assert!(reached.is_subset(&expected), "{text}\n{:?}", reached.difference(&expected));
        let missing: BTreeSet<Span> = expected.difference(&reached).copied().collect();
        assert!(missing.is_subset(&guards(&searched)), "{text}\n{missing:?}");
        compared += 1;
        partly += usize::from(searched.coverage().iter().any(|item| !item.reached));
    });
    say(&format!("{compared} programs were compared, {partly} are not reached completely"));
    assert!(compared > 60 && partly > 5, "{compared} {partly}");
}

/// The statements reached after each pass, by its cost.
#[derive(Default)]
struct ByCost<'m>(Mutex<BTreeMap<u32, BTreeSet<Span>>>, Option<&'m Machine>);

impl Watch<State> for ByCost<'_> {
    fn explored(&self, explored: &Explored<'_>) {
        if let Some(machine) = self.1 {
            let mut costs = self.0.lock().expect("no thread panics");
            costs.entry(explored.cost).or_default().extend(statements(machine));
        }
    }
}

#[test]
fn each_bound_reaches_what_a_search_up_to_it_reaches() {
    let round_robin = Delays::named(&"rr".parse::<SchedulerName>().expect("a scheduler"));
    let mut later = 0;
    for_seeds("coverage by bound", 40, |seed| {
        let text = generate::program(seed, features(seed));
        let searched = machine(&text, false);
        let watch = ByCost(Mutex::default(), Some(&searched));
        let options = |bound| Options { bound: Some(bound), ..Options::default() };
        let report = Search::new(&searched, &round_robin, &options(3), &watch).run();
        if !report.verdict.is_clean() {
            return;
        }
        let costs = watch.0.into_inner().expect("no thread panics");
        for (cost, reached) in &costs {
            let alone = machine(&text, false);
            Search::new(&alone, &round_robin, &options(*cost), &()).run();
            assert_eq!(statements(&alone), *reached, "bound {cost}\n{text}");
        }
        later += usize::from(costs.values().collect::<BTreeSet<_>>().len() > 1);
    });
    assert!(later > 0, "delays reach nothing new");
}

#[test]
fn what_does_not_run_is_not_reached() {
    let text = "var x: int;
    procedure never() { x := 7; }
    procedure blocks() { assume {:await} x == 9; x := 8; }
    procedure main() {
      x := 0;
      call {:async} blocks();
      if (x == 1) { x := 2; } else { x := 3; }
      while (x < 5) { x := x + 1; }
      assume x == 6;
      x := 10;
    }";
    let machine = machine(text, false);
    Search::new(&machine, &Exhaustive, &Options::default(), &()).run();
    let text_of = |span: Span| &text[span.start as usize - 1..span.end as usize - 1];
    let missed: Vec<String> = machine
        .coverage()
        .into_iter()
        .filter(|item| !item.reached)
        .map(|item| {
            format!(
                "{} {}",
                item.kind.word(),
                match item.kind {
                    ItemKind::Statement => text_of(item.span).to_owned(),
                    _ => item.name,
                }
            )
        })
        .collect();
    // Procedures that are never called are not compiled.
    assert_eq!(
        missed,
        [
            "branch true",
            "procedure blocks",
            "statement assume {:await} x == 9;",
            "statement x := 8;",
            "statement x := 2;",
            "statement x := 10;",
        ]
    );
    assert!(machine.code.plain.iter().any(|op| matches!(op, Op::AwaitEnd(_))));
}
