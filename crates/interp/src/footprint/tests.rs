//! On random programs, steps commute as their footprints say, and reduction preserves failures and final states.
//! Footprints with an error are noticed.

#[path = "../../../explore/tests/common/reduction.rs"]
mod reduction;

use std::collections::{BTreeSet, VecDeque};

use dally_bpl::ProgramOptions;
use dally_explore::{Exhaustive, Footprint, Options, Program, Successors, TaskId};
use dally_testing::{Random, for_seeds, say};
use dally_text::source::SourceMap;

use super::Footprints;
use super::analysis::{self, Widens};
use crate::code::{Code, Op};
use crate::generated::generate::{self, Features};
use crate::value::Value;
use crate::{Machine, MachineOptions, State};
use reduction::{difference, search};

/// The features of the n-th program.
fn features(nth: u64) -> Features {
    let all = Features {
        yields: true,
        waits: true,
        passed_tasks: nth.is_multiple_of(2),
        asserts: true,
        awaits: !nth.is_multiple_of(3),
        atomic: nth % 3 != 1,
        thread_locals: nth.is_multiple_of(4),
        levels: 1,
        buffers: 1,
        posts: 3,
        high: 1,
        globals: 4,
        choices: 20,
        explicit: false,
        suppress: nth.is_multiple_of(5),
    };
    match nth % 8 {
        0..4 => all,
        4 => Features { waits: false, passed_tasks: false, ..all },
        5 => Features { levels: 2, ..all },
        6 => Features { buffers: 2, posts: 2, ..all },
        _ => Features { awaits: false, atomic: false, globals: 6, ..all },
    }
}

/// Programs for what random ones seldom have.
const SPECIAL: [&str; 6] = [
    // The assertion fails if the task waits in the atomic section.
    "var x: int;
    procedure p() returns (r: int) { r := 1; }
    procedure q(t: task int) { var l: int; if {:atomic} (true) { x := 1; call l := wait(t); x := 0; } }
    procedure w() { assert x == 0; }
    procedure main() {
      var t: task int;
      x := 0; call {:async} t := p(); call {:async} q(t); call {:async} w();
    }",
    // The assumption assigns to `g`, and so does the assignment, which chooses a value.
    "var {:range 0, 1} g: int;
    procedure a() { assume g == 0; }
    procedure b() { var l: int; l := g; assert l == 0; }
    procedure main() { call {:async} a(); call {:async} b(); }",
    // The task of a higher level interrupts `u`, so that `t` is disabled.
    "var x: int;
    procedure h() { x := 1; }
    procedure t() { var l: int; yield; l := 1; yield; }
    procedure u() { yield; call {:async} {:level 1} h(); yield; }
    procedure main() { x := 0; call {:async} t(); call {:async} u(); }",
    // With scheduling points before accesses, but not at level 1.
    "var x, y: int;
    procedure {:noyield 1} a() { x := 1; }
    procedure b() { y := x; }
    procedure main() { x := 0; y := 0; call {:async} {:level 1} m(); }
    procedure m() { call {:async} a(); call {:async} b(); }",
    // At its `zield`, `u` gives control to the other buffer, so that `t` is disabled.
    "var x: int;
    procedure t() { var l: int; yield; l := 1; yield; }
    procedure u() { yield; zield; }
    procedure {:entrypoint} {:buffer 0} one() { call {:async} t(); call {:async} u(); }
    procedure {:entrypoint} {:buffer 1} two() { x := 1; }",
    // `u` wakes `h`, whose level is higher, so that `t` is disabled.
    "var x: int;
    procedure h() { assume {:await} x == 1; x := 2; }
    procedure t() { var l: int; yield; l := 1; yield; }
    procedure u() { yield; x := 1; yield; }
    procedure main() { x := 0; call {:async} {:level 1} h(); call {:async} t(); call {:async} u(); }",
];

/// Programs in which one task reads `a[1]`, and another may write it, though its code shows that only later.
const MAPS: [&str; 4] = [
    // The index gets another value first.
    "procedure w(i: int) { var j: int; j := i; yield; j := j + 1; a[j] := 1; }",
    // The index is a variable of another procedure.
    "procedure h(i: int) { a[i] := 1; }
    procedure w(i: int) { yield; call h(i + 1); }",
    // The index has no value yet.
    "procedure w(i: int) { var {:range 0, 1} j: int; yield; a[j] := 1; }",
    // The whole map is written.
    "procedure w(i: int) { yield; a := b; }",
];

/// The n-th program of [`MAPS`].
fn with_map(nth: usize) -> Option<String> {
    let writer = MAPS.get(nth)?;
    Some(format!(
        "var a, b: [int]int; var x: int;
        {writer}
        procedure r() {{ yield; x := a[1]; }}
        procedure main() {{
          x := 0; b := (lambda n: int :: 1); a := (lambda n: int :: 0);
          call {{:async}} w(0); call {{:async}} r();
        }}"
    ))
}

/// A random program whose tasks use elements of maps.
fn with_maps(random: &mut Random) -> String {
    let statements = [
        "a[i] := K;",
        "a[j] := l;",
        "l := a[i];",
        "l := a[K];",
        "a[K] := l + 1;",
        "j := K;",
        "j := j + 1;",
        "a[i + 1] := K;",
        "x := a[j];",
        "assert a[i] != 2;",
        "assert a[K] != 2;",
        "yield;",
        "yield;",
        "b := a;",
        "a[K] := b[i];",
        "call h(K);",
        "assume {:await} a[i] != 1;",
        "if (a[i] == 1 && b[K] == 0) { a[b[j] + 0] := 2; }",
    ];
    let mut body = |most: u64| {
        let mut text = String::new();
        for _ in 0..1 + random.below(most) {
            let statement = random.pick(&statements).replace('K', &random.below(3).to_string());
            text.push_str(&statement);
        }
        text
    };
    let (worker, helper) = (body(7), body(2).replace("call h", "call g"));
    let posts: String =
        (0..2 + random.below(2)).map(|nth| format!("call {{:async}} w({});", nth % 2)).collect();
    format!(
        "var a, b: [int]int; var x: int;
        procedure g(i: int) {{ a[i] := 0; }}
        procedure h(i: int) {{ var l, j: int; l := 0; j := i; {helper} }}
        procedure w(i: int) {{ var l, j: int; l := 0; j := i; {worker} }}
        procedure main() {{
          x := 0; b := (lambda n: int :: 0); a := b;
          {posts}
        }}"
    )
}

/// A special program, or a random one.
fn text_of(seed: u64) -> String {
    match SPECIAL.get(seed as usize) {
        Some(text) => (*text).to_owned(),
        None if seed % 16 == 14 => {
            with_map(seed as usize / 16).unwrap_or_else(|| with_maps(&mut Random::new(seed)))
        }
        None => generate::program(seed, features(seed)),
    }
}

fn machine(seed: u64) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text_of(seed)).expect("one file");
    let program = dally_bpl::load(&sources).expect("a good program");
    let options = MachineOptions {
        program: ProgramOptions { entry: None, preempt: seed.is_multiple_of(3) },
        ..MachineOptions::default()
    };
    Machine::new(&program, &sources, &options).expect("a good program")
}

/// The outcomes of a step: their states, and true if one fails.
fn outcomes(machine: &Machine, state: &State, task: TaskId) -> (Vec<State>, bool) {
    let mut out = Successors::default();
    machine.step(state, task, &mut out);
    (out.states().to_vec(), out.has_failed())
}

fn enabled(machine: &Machine, state: &State) -> Vec<TaskId> {
    let mut tasks = Vec::new();
    machine.enabled(state, &mut tasks);
    tasks
}

/// The states after a step of one task and then of another; `None` if one fails.
fn after_both(machine: &Machine, state: &State, first: TaskId, second: TaskId) -> Option<BTreeSet<u128>> {
    let (states, fails) = outcomes(machine, state, first);
    let mut reached = BTreeSet::new();
    if fails {
        return None;
    }
    for state in states {
        if !enabled(machine, &state).contains(&second) {
            reached.insert(0);
            continue;
        }
        let (states, fails) = outcomes(machine, &state, second);
        if fails {
            return None;
        }
        reached.extend(states.iter().map(|state| machine.fingerprint(state).0));
    }
    Some(reached)
}

/// Explores what other tasks can do before a task takes a step that commutes. Returns a difference.
fn contradiction(machine: &Machine, state: &State, task: TaskId) -> Option<String> {
    let mut seen = BTreeSet::from([machine.fingerprint(state).0]);
    let mut open = VecDeque::from([state.clone()]);
    let count = |state: &State| outcomes(machine, state, task).0.len();
    let before = count(state);
    while let Some(state) = open.pop_front() {
        let enabled = enabled(machine, &state);
        if !enabled.contains(&task) {
            return Some(format!("{task:?} is disabled"));
        }
        if count(&state) != before {
            return Some(format!("{task:?} has other outcomes"));
        }
        for other in enabled.into_iter().filter(|other| *other != task) {
            let (one, two) =
                (after_both(machine, &state, task, other), after_both(machine, &state, other, task));
            if let (Some(one), Some(two)) = (one, two)
                && one != two
            {
                return Some(format!("{task:?} and {other:?} do not commute"));
            }
            for state in outcomes(machine, &state, other).0 {
                if seen.len() < 60 && seen.insert(machine.fingerprint(&state).0) {
                    open.push_back(state);
                }
            }
        }
    }
    None
}

/// Checks all steps that commute at the first states of a program. Returns their number, or a difference.
fn check_commuting(machine: &Machine) -> Result<u64, String> {
    let mut initial = Successors::default();
    machine.initial(&mut initial);
    let mut seen = BTreeSet::<u128>::new();
    let mut open: VecDeque<State> = initial.states().to_vec().into();
    let mut commuting = 0;
    while let Some(state) = open.pop_front() {
        let enabled = enabled(machine, &state);
        for task in &enabled {
            if enabled.len() > 1 && machine.step_commutes(&state, *task) {
                commuting += 1;
                if let Some(difference) = contradiction(machine, &state, *task) {
                    return Err(difference);
                }
            }
            for state in outcomes(machine, &state, *task).0 {
                if seen.len() < 150 && seen.insert(machine.fingerprint(&state).0) {
                    open.push_back(state);
                }
            }
        }
    }
    Ok(commuting)
}

#[test]
fn steps_commute_as_their_footprints_say() {
    let mut commuting = 0;
    for_seeds("commuting steps", 150, |seed| {
        let checked = check_commuting(&machine(seed));
        commuting += checked.unwrap_or_else(|difference| {
            panic!("{difference} in {}", text_of(seed));
        });
    });
    say(&format!("{commuting} steps commute"));
    assert!(commuting > 100 || std::env::var("DALLY_PROGRAMS").is_ok());
}

/// Checks the pairs of steps at the first states of a program whose footprints do not conflict. Returns their number,
/// or a difference.
fn check_pairs(machine: &Machine) -> Result<u64, String> {
    let footprint = |state: &State, task: TaskId| {
        let mut footprint = Footprint::default();
        machine.footprint(state, task, &mut footprint);
        footprint
    };
    let mut initial = Successors::default();
    machine.initial(&mut initial);
    let mut seen = BTreeSet::<u128>::new();
    let mut open: VecDeque<State> = initial.states().to_vec().into();
    let mut pairs = 0;
    while let Some(state) = open.pop_front() {
        let enabled = enabled(machine, &state);
        for (nth, one) in enabled.iter().enumerate() {
            for two in &enabled[..nth] {
                if footprint(&state, *one).conflicts(&footprint(&state, *two)) {
                    continue;
                }
                pairs += 1;
                let orders =
                    (after_both(machine, &state, *one, *two), after_both(machine, &state, *two, *one));
                if let (Some(first), Some(second)) = orders
                    && first != second
                {
                    return Err(format!("{one:?} and {two:?} do not commute"));
                }
            }
            for state in outcomes(machine, &state, *one).0 {
                if seen.len() < 150 && seen.insert(machine.fingerprint(&state).0) {
                    open.push_back(state);
                }
            }
        }
    }
    Ok(pairs)
}

#[test]
fn steps_that_do_not_conflict_commute() {
    let (mut pairs, mut noticed) = (0, 0);
    for_seeds("pairs of steps", 150, |seed| {
        let mut machine = machine(seed);
        pairs += check_pairs(&machine).unwrap_or_else(|difference| {
            panic!("{difference} in {}", text_of(seed));
        });
        // A footprint without the first global is wrong.
        if let Some(footprints) = &mut machine.footprints {
            forget(footprints, 0);
            noticed += u64::from(check_pairs(&machine).is_err());
        }
    });
    say(&format!("{pairs} pairs commute"));
    assert!(pairs > 1_000 && noticed > 1 || std::env::var("DALLY_PROGRAMS").is_ok(), "{pairs}, {noticed}");
}

/// The first difference that reduction makes. `None` as well if the program is too large.
fn any_differs(machine: &Machine) -> Option<String> {
    let options = Options { states: Some(100_000), ..Options::default() };
    difference(machine, &options, 20_000).ok().flatten()
}

#[test]
fn reduction_preserves_failures_and_final_states() {
    let (mut with, mut without, mut reduced) = (0, 0, 0);
    for_seeds("reduction of Boogie programs", 120, |seed| {
        let machine = machine(seed);
        let difference = any_differs(&machine);
        assert_eq!(difference, None, "{}", text_of(seed));
        let options = Options { states: Some(20_000), ..Options::default() };
        let coverage = search(&machine, &Exhaustive, &options).0.coverage;
        with += coverage.states;
        reduced += u64::from(coverage.reduced + coverage.fused_ahead > 0);
        without += search(&machine, &Exhaustive, &Options { reduction: false, ..options }).0.coverage.states;
    });
    say(&format!("{with} states with reduction, {without} without; {reduced} programs were reduced"));
    assert!(reduced > 20 && with < without || std::env::var("DALLY_PROGRAMS").is_ok());
}

/// Replaces instructions before the analysis, which then misses them.
fn without(code: &Code, is_missed: impl Fn(&Op) -> bool) -> Code {
    let mut code = code.clone();
    code.plain.iter_mut().filter(|op| is_missed(op)).for_each(|op| *op = Op::Const(Value::Unset));
    code
}

/// The program as if all tasks had one level and one buffer.
fn flat(code: &Code) -> Code {
    let mut code = code.clone();
    for op in &mut code.plain {
        match op {
            Op::Post(_, level, ..) => *level = None,
            Op::Zield => *op = Op::Yield,
            _ => {}
        }
    }
    code.entries.iter_mut().for_each(|entry| (entry.level, entry.buffer) = (0, 0));
    code
}

/// Clears an object in all footprints.
fn forget(footprints: &mut Footprints, object: u32) {
    let words = footprints.words;
    for row in footprints.rows.chunks_mut(words) {
        row[object as usize / 64] &= !(1 << (object % 64));
    }
}

/// An error in the use of footprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// No step wakes a task of a higher level.
    StayBlocked,
    /// A cell whose index is not known conflicts with no other.
    UnknownIndices,
    /// A cell does not conflict with its map.
    CellsWithoutMaps,
}

type Mutation = fn(&Code) -> Option<Footprints>;

/// Errors of footprints, each with a seed that notices it.
const MUTATIONS: [(&str, u64, Mutation); 19] = [
    ("an index keeps its value where its variable is assigned", 14, |code| {
        analysis::footprints(code, |widens| !matches!(widens, Widens::Assigned(_)))
    }),
    ("an index has the variables of another call", 30, |code| {
        analysis::footprints(code, |widens| widens != Widens::Calls)
    }),
    ("cells with an unknown index are free", 46, |code| {
        Footprints::new(code).map(|footprints| Footprints { flaw: Some(Flaw::UnknownIndices), ..footprints })
    }),
    ("cells do not belong to their maps", 62, |code| {
        Footprints::new(code)
            .map(|footprints| Footprints { flaw: Some(Flaw::CellsWithoutMaps), ..footprints })
    }),
    ("different indices are different cells", 14, |code| {
        Footprints::new(code).map(|mut footprints| {
            (0..).zip(&mut footprints.cells).for_each(|(number, cell)| cell.forge(number));
            footprints
        })
    }),
    ("a global is not an object", 63, |code| {
        Footprints::new(code).map(|mut footprints| {
            forget(&mut footprints, 0);
            footprints
        })
    }),
    ("ids are not an object", 9, |code| {
        Footprints::new(code).map(|mut footprints| {
            let ids = footprints.ids();
            forget(&mut footprints, ids);
            footprints
        })
    }),
    ("the end of a task does not free its id", 9, |code| {
        Footprints::new(code).map(|footprints| Footprints { reuses_ids: false, ..footprints })
    }),
    ("a dropped handle does not free an id", 1338, |code| {
        Footprints::new(code).map(|footprints| Footprints { frees_ids: false, ..footprints })
    }),
    ("ends are not an object", 0, |code| {
        Footprints::new(code).map(|mut footprints| {
            let ends = footprints.ends();
            forget(&mut footprints, ends);
            footprints
        })
    }),
    ("posts are ignored", 9, |code| Footprints::new(&without(code, |op| matches!(op, Op::Post(..))))),
    ("calls are ignored", 138, |code| Footprints::new(&without(code, |op| matches!(op, Op::Call(_))))),
    ("atomic sections have scheduling points", 9, |code| {
        Footprints::new(&without(code, |op| matches!(op, Op::AtomicBegin)))
    }),
    ("levels and buffers are ignored", 6, |code| Footprints::new(&flat(code))),
    ("posts of a higher level do not interrupt", 2, |code| {
        Footprints::new(code).map(|mut footprints| {
            (0..footprints.raised.len()).for_each(|nth| {
                let object = footprints.posts_at(nth);
                forget(&mut footprints, object);
            });
            footprints
        })
    }),
    ("zields are yields", 4, |code| {
        Footprints::new(code).map(|mut footprints| {
            let zields = footprints.zields();
            forget(&mut footprints, zields);
            footprints
        })
    }),
    ("tasks of a higher level stay blocked", 5, |code| {
        Footprints::new(code).map(|footprints| Footprints { flaw: Some(Flaw::StayBlocked), ..footprints })
    }),
    ("all levels have the same scheduling points", 3, |code| {
        Footprints::new(code).map(|footprints| Footprints { tables: Vec::new(), ..footprints })
    }),
    ("reads of arbitrary globals do not choose", 1, |code| {
        Footprints::new(code)
            .map(|footprints| Footprints { maps: vec![u64::MAX; footprints.words], ..footprints })
    }),
];

#[test]
fn errors_in_footprints_are_noticed() {
    for (name, from, mutate) in MUTATIONS {
        let noticed = (from..from + 3_000).find(|seed| {
            let mut machine = machine(*seed);
            machine.footprints = mutate(&machine.code);
            check_commuting(&machine).is_err() || any_differs(&machine).is_some()
        });
        say(&format!("{name}: noticed by seed {noticed:?}"));
        assert!(noticed.is_some(), "{name}");
    }
}
