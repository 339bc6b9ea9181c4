//! From paths, written by hand, to inputs and executions: no solver is involved.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_bpl::ast::{DeclKind, ExprId, StmtId, for_each_stmt_mut};
use dally_bpl::check::{Ref, VarId};
use dally_bpl::literal::Literal;
use dally_bpl::{Program, ProgramOptions};
use dally_counterexample::{Confirmation, Original, Translated, failure, inputs, replay, unreadable};
use dally_explore::{Limit, StateCoverage, Watch};
use dally_interp::{Decision, DivisionByZero, FunctionPoint, Inputs, Script, State};
use dally_sequentialize::{Bounds, Origins, Sequential, Target, TranslationOptions, sequentialize};
use dally_text::source::{SourceMap, Span};
use dally_verify::{Application, Binding, Division, Failed, NoValue, Path, PathElement, Site, StepKind};

/// A program, and how to name its parts.
struct Source {
    sources: SourceMap,
    program: Program,
}

impl Source {
    fn new(text: &str) -> Source {
        let mut sources = SourceMap::default();
        sources.add("program.bpl", text).unwrap();
        let program = dally_bpl::load(&sources).unwrap();
        Source { sources, program }
    }

    /// The first occurrence of a text.
    fn span(&self, text: &str) -> Span {
        let file = &self.sources.files()[0];
        let at = file.start + file.text.find(text).unwrap() as u32;
        Span::new(at, at + text.len() as u32)
    }

    /// The statement that begins with a text.
    fn statement(&self, text: &str) -> Site {
        let start = self.span(text).start;
        let mut found: Option<StmtId> = None;
        for decl in &self.program.ast.decls {
            if let DeclKind::Procedure(procedure) = &decl.kind
                && let Some(body) = &procedure.body
            {
                for_each_stmt_mut(&mut body.block.clone(), &mut |stmt| {
                    if stmt.span.start == start {
                        found = stmt.id;
                    }
                });
            }
        }
        Site::Statement(found.unwrap())
    }

    fn replay(&self, inputs: &Inputs, target: Option<Target>, watch: &impl Watch<State>) -> Confirmation {
        let original = Original {
            notation: None,
            program: &self.program,
            sources: &self.sources,
            options: &ProgramOptions::default(),
            interrupt: &Arc::new(AtomicBool::new(false)),
        };
        replay(&original, inputs, target, watch)
    }
}

/// The variable of this name; there must be one.
fn var(program: &Program, name: &str) -> VarId {
    let sym = program.ast.symbols.get(name).unwrap();
    let bodies = program.info.bodies.values().flat_map(|b| b.ins.iter().chain(&b.outs).chain(&b.locals));
    let local = bodies.copied().find(|var| program.info[*var].name == sym);
    program.info.global(sym).or(local).unwrap()
}

fn int(n: i64) -> Literal {
    Literal::Int(n.into())
}

fn binding(program: &Program, name: &str, value: i64) -> Binding {
    Binding { var: var(program, name), value: Ok(int(value)) }
}

fn step(kind: StepKind, site: Site) -> PathElement {
    PathElement { activation: 0, kind, site, span: Span::NONE }
}

fn enter(program: &Program, procedure: &str, variables: Vec<Binding>) -> PathElement {
    let procedure = program.ast.symbols.get(procedure).unwrap();
    step(StepKind::Enter { procedure, variables }, Site::Added)
}

fn tag(name: &str, procedure: Option<&str>) -> PathElement {
    let procedure = procedure.map(str::to_owned);
    step(StepKind::Tag { name: name.to_owned(), procedure, place: Vec::new() }, Site::Added)
}

fn path(steps: Vec<PathElement>) -> Path {
    Path {
        globals: Vec::new(),
        constants: Vec::new(),
        functions: Vec::new(),
        witnesses: Vec::new(),
        divisions: Vec::new(),
        steps,
        failure: Failed { message: "an assertion does not hold", span: Span::NONE },
        certain: true,
        uses_axioms: false,
        left_out: Vec::new(),
        forbidden: false,
    }
}

/// The program as the verifier sees it if it needs no translation.
fn itself<'p>(source: &'p Source, origins: &'p Origins) -> Translated<'p> {
    let root = source.program.ast.symbols.get("main").unwrap();
    Translated { program: &source.program, root, origins, sequential: true }
}

fn view(made: &Sequential) -> Translated<'_> {
    Translated { program: &made.program, root: made.root, origins: &made.origins, sequential: false }
}

const SEQUENTIAL: &str = "var g: int;
procedure main() { var x: int; havoc x; if (*) { g := x; } else { g := 0; } assert g != 7; }";

/// The inputs of a path of [`SEQUENTIAL`] with this value of `x` and this branch.
fn sequential_inputs(source: &Source, x: i64, branch: usize) -> Inputs {
    let program = &source.program;
    let steps = vec![
        enter(program, "main", vec![binding(program, "x", 1)]),
        step(StepKind::Havoc(vec![binding(program, "x", x)]), source.statement("havoc x")),
        step(StepKind::Choice(branch), source.statement("if (*)")),
    ];
    let globals = vec![binding(program, "g", 3)];
    let origins = Origins::identity(program);
    inputs(program, &itself(source, &origins), &Path { globals, ..path(steps) })
}

#[test]
fn a_sequential_path_is_one_script() {
    let source = Source::new(SEQUENTIAL);
    let named = |name: &str, value| (name.to_owned(), int(value));
    let decisions = vec![
        // The initial values of globals belong to the first procedure.
        Decision::Enter(source.span("main"), vec![named("g", 3), named("x", 1)]),
        Decision::Set(source.span("havoc x;"), vec![named("x", 7)]),
        Decision::Choose(source.span("if (*) { g := x; } else { g := 0; }"), 0),
    ];
    let inputs = sequential_inputs(&source, 7, 0);
    assert_eq!(inputs.scripts, [Script { procedure: "main".to_owned(), decisions }]);
    assert_eq!(inputs.entries, [0]);
    assert_eq!(inputs.variables["x"], [int(1), int(7)]);
}

#[test]
fn a_path_that_fails_is_found() {
    let source = Source::new(SEQUENTIAL);
    let Confirmation::Found(execution) = source.replay(&sequential_inputs(&source, 7, 0), None, &()) else {
        panic!("it is not found")
    };
    assert!(execution.bug.failure.message.contains("assert"), "{}", execution.bug.failure.message);
    assert!(!execution.options.inputs.unwrap().scripts.is_empty(), "the scripts were followed");
}

#[test]
fn a_path_that_does_not_fail_is_absent() {
    let source = Source::new(SEQUENTIAL);
    let replayed = source.replay(&sequential_inputs(&source, 6, 0), None, &());
    assert!(matches!(replayed, Confirmation::Absent { partly: false }));
}

/// The script takes the branch that does not fail; the values of the path suffice for one that does.
#[test]
fn without_an_execution_of_the_scripts_the_values_of_the_path_are_tried() {
    let source = Source::new(SEQUENTIAL);
    let Confirmation::Found(execution) = source.replay(&sequential_inputs(&source, 7, 1), None, &()) else {
        panic!("it is not found")
    };
    let inputs = execution.options.inputs.unwrap();
    assert!(inputs.scripts.is_empty() && !inputs.wide);
}

/// In the end a variable takes the values of others of its type.
#[test]
fn values_of_other_variables_come_last() {
    let source = Source::new("procedure main() { var x, y: int; havoc x; havoc y; assert x != 7; }");
    let variables = [("x".to_owned(), vec![int(1)]), ("y".to_owned(), vec![int(7)])].into();
    let given = Inputs { variables, ..Inputs::default() };
    let Confirmation::Found(execution) = source.replay(&given, None, &()) else { panic!("it is not found") };
    assert!(execution.options.inputs.unwrap().wide);
}

const TASKS: &str = "var g: int;
procedure main() { g := 0; call {:async} p(); yield; assert g != 7; }
procedure p() { var x: int; havoc x; g := x; }";

/// The inputs of a path of the translation of [`TASKS`] that runs `p` inside of `main`, where it is posted.
fn task_inputs(source: &Source, made: &Sequential, x: i64) -> Inputs {
    let program = &made.program;
    let steps = vec![
        tag("begins", Some("main")),
        enter(program, "main", Vec::new()),
        tag("begins", Some("p")),
        enter(program, "p", vec![binding(program, "x", 0)]),
        step(StepKind::Havoc(vec![binding(program, "x", x)]), source.statement("havoc x")),
        tag("ends", None),
        tag("pauses", None),
        tag("resumes", None),
        // The translation guesses values, which are not decisions of the source.
        step(StepKind::Havoc(vec![binding(program, "g$0", 99)]), Site::Added),
        tag("ends", None),
    ];
    inputs(&source.program, &view(made), &path(steps))
}

#[test]
fn each_task_of_a_translation_has_a_script() {
    let source = Source::new(TASKS);
    let target = Target::Dfs(Bounds::delays(1));
    let made = sequentialize(&source.program, &TranslationOptions::new(target)).unwrap();
    let inputs = task_inputs(&source, &made, 7);
    let main = vec![Decision::Enter(source.span("main"), Vec::new()), Decision::Post(1)];
    // The span of a procedure is that of its name.
    let name = Span::new(source.span("procedure p").end - 1, source.span("procedure p").end);
    let p = vec![
        Decision::Enter(name, vec![("x".to_owned(), int(0))]),
        Decision::Set(source.span("havoc x;"), vec![("x".to_owned(), int(7))]),
    ];
    let script = |procedure: &str, decisions| Script { procedure: procedure.to_owned(), decisions };
    assert_eq!(inputs.scripts, [script("main", main), script("p", p)]);
    assert_eq!(inputs.entries, [0]);
    // A copy of a variable has values of the variable.
    assert_eq!(inputs.variables["g"], [int(99)]);
    assert!(!inputs.variables.contains_key("g$0"));
}

#[test]
fn the_order_of_tasks_is_searched_within_the_bound_of_the_translation() {
    let source = Source::new(TASKS);
    let target = Target::Dfs(Bounds::delays(0));
    let made = sequentialize(&source.program, &TranslationOptions::new(target)).unwrap();
    let found = source.replay(&task_inputs(&source, &made, 7), Some(target), &());
    // dfs runs the posted task at the yield, without a delay.
    let Confirmation::Found(execution) = found else { panic!("it is not found") };
    assert_eq!(execution.bug.cost, 0);
    let absent = source.replay(&task_inputs(&source, &made, 6), Some(target), &());
    assert!(matches!(absent, Confirmation::Absent { .. }));
}

#[test]
fn the_condition_that_fails_is_that_of_the_source() {
    let source = Source::new(
        "procedure main() { call {:async} p(1); } procedure p(n: int) requires n > 1; { assert n > 2; }",
    );
    let made =
        sequentialize(&source.program, &TranslationOptions::new(Target::Dfs(Bounds::delays(0)))).unwrap();
    let mut checks = Vec::new();
    for decl in &made.program.ast.decls {
        if let DeclKind::Procedure(procedure) = &decl.kind
            && let Some(body) = &procedure.body
        {
            for_each_stmt_mut(&mut body.block.clone(), &mut |stmt| {
                checks.extend(stmt.id.filter(|id| made.origins.check(*id).is_some()));
            });
        }
    }
    let [first, second] = checks[..] else { panic!("{checks:?}") };
    let branch = |taken, stmt| step(StepKind::Branch(taken), Site::Statement(stmt));
    let fails = |steps| {
        let failed = failure(&view(&made), &path(steps));
        (failed.message, source.sources.text(failed.span).unwrap_or_default())
    };
    let (assertion, precondition) = (
        ("an assertion does not hold", "assert n > 2;"),
        ("a precondition does not hold", "requires n > 1;"),
    );
    let (one, other) = (fails(vec![branch(true, first)]), fails(vec![branch(true, second)]));
    assert!(
        [(assertion, precondition), (precondition, assertion)].contains(&(one, other)),
        "{one:?} {other:?}"
    );
    // The last one whose guard held, whatever follows.
    assert_eq!(fails(vec![branch(true, first), branch(true, second)]), other);
    assert_eq!(fails(vec![branch(true, first), branch(false, second)]), one);
    // Without any, the path says it.
    assert_eq!(fails(Vec::new()), ("an assertion does not hold", ""));
}

#[test]
fn constants_functions_divisions_and_witnesses_are_inputs() {
    let source = Source::new(
        "const c: int; const d: bool; function f(int): bool;
         axiom f(1); axiom (forall w: int :: f(w)); procedure main() { assert 1 div 0 == c && d; }",
    );
    let program = &source.program;
    let axioms: Vec<ExprId> = program.ast.decls.iter().filter_map(|decl| axiom(&decl.kind)).collect();
    let (Some(Ref::Function(function)), [witness]) =
        (program.info.meaning(axioms[0]), program.info.bound_vars(axioms[1]))
    else {
        panic!("the axioms have other forms")
    };
    let functions = vec![
        Application { function, args: vec![Ok(int(1))], value: Ok(Literal::Bool(true)) },
        // A value that the solver does not give is left out.
        Application { function, args: vec![Ok(int(2))], value: Err(NoValue::Formula) },
    ];
    let given = Path {
        constants: vec![
            binding(program, "c", 5),
            // A value of the wrong type does not fit, and is dropped.
            binding(program, "d", 1),
        ],
        functions,
        witnesses: vec![Binding { var: *witness, value: Ok(int(4)) }],
        divisions: vec![Division { remainder: false, dividend: Ok(int(1)), value: Ok(int(2)) }],
        ..path(vec![enter(program, "main", Vec::new())])
    };
    let origins = Origins::identity(program);
    let inputs = inputs(program, &itself(&source, &origins), &given);
    assert_eq!(inputs.constants, [("c".to_owned(), int(5))].into());
    let point = FunctionPoint { args: vec![int(1)], value: Literal::Bool(true) };
    assert_eq!(inputs.functions, [("f".to_owned(), vec![point])].into());
    assert_eq!(inputs.witnesses, [("w".to_owned(), vec![int(4)])].into());
    assert_eq!(inputs.divisions, [DivisionByZero { remainder: false, dividend: int(1), value: int(2) }]);
}

fn axiom(decl: &DeclKind) -> Option<ExprId> {
    if let DeclKind::Axiom(axiom) = decl { Some(axiom.expr) } else { None }
}

#[test]
fn values_that_cannot_be_read_are_described() {
    let source = Source::new("procedure main() { var x: int; havoc x; }");
    let with = |value| {
        let variables = vec![Binding { var: var(&source.program, "x"), value }];
        unreadable(&path(vec![step(StepKind::Havoc(variables), Site::Added)]))
    };
    assert_eq!(with(Ok(int(1))), None);
    assert_eq!(with(Err(NoValue::Arbitrary)), None);
    assert_eq!(with(Err(NoValue::Irrational)), Some("that are not fractions"));
    assert_eq!(with(Err(NoValue::TooLong)), Some("that have too many digits"));
    assert_eq!(with(Err(NoValue::Formula)), Some("that it gives as formulas"));
}

#[test]
fn a_limit_or_an_unsupported_construct_ends_a_replay() {
    struct Over;
    impl<S> Watch<S> for Over {
        fn poll(&self, _: &StateCoverage) -> Option<Limit> {
            Some(Limit::Time)
        }
    }
    let source = Source::new(SEQUENTIAL);
    let stopped = source.replay(&sequential_inputs(&source, 6, 0), None, &Over);
    assert!(matches!(stopped, Confirmation::Stopped(Limit::Time)));
    let source = Source::new("procedure main() { assert 2.0 ** 3.0 == 8.0; }");
    let refused = source.replay(&Inputs::default(), None, &());
    assert!(matches!(refused, Confirmation::Refused(_)));
}
