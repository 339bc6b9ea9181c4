//! An engine: one method to search one bound on schedules, on a thread of its own.
//!
//! An engine has its own solver processes. It waits for commands, each of which raises the bound on recursion, and reports an
//! event for each. Dropping its handle ends it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, OnceLock};

use dally_bpl::Program;
use dally_bpl::check::VarId;
use dally_counterexample::Translated;
use dally_smt::Portfolio;
use dally_text::diagnostic::Diagnostic;
use dally_text::render::printable;
use dally_verify::{
    Abstraction, Answer, Effort, Group, InlineOptions, Invariants, NoAnswer, Solver, SolverError, Theory,
    Verifier,
};

use super::plan::Text;
use super::progress::Phase;
use super::stages::Stages;
use super::unbounded;

/// How an engine searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// Calls are inlined by need.
    Inlining,
    /// The same, with few globals tracked.
    Abstraction,
    /// As inlining, with invariants that Houdini has found.
    Invariants,
    /// Inductive summaries that Horn clauses ask for: it finds proofs for all recursion depths, and nothing else.
    Horn,
}

impl Method {
    /// The methods that search for bugs.
    pub(crate) const SEARCHES: [Method; 2] = [Method::Abstraction, Method::Inlining];
    /// The methods that search for proofs without a bound on recursion, beside the others.
    pub(crate) const PROOFS: [Method; 2] = [Method::Horn, Method::Invariants];

    pub(crate) fn is_search(self) -> bool {
        Method::SEARCHES.contains(&self)
    }
}

/// The globals that were tracked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tracked {
    pub(crate) names: Vec<String>,
    /// The number of all globals.
    pub(crate) of: usize,
}

impl Tracked {
    fn new(groups: &[Group]) -> Self {
        let tracked = groups.iter().filter(|group| group.tracked);
        Tracked { names: tracked.map(|group| group.name.clone()).collect(), of: groups.len() }
    }
}

/// A bound on recursion to search, with at most so many terms.
pub(crate) struct Command {
    pub(crate) recursion: u32,
    pub(crate) terms: usize,
}

/// The result of a command.
pub(crate) struct Event {
    /// The index of the bound on schedules.
    pub(crate) attempt: usize,
    pub(crate) engine: usize,
    pub(crate) method: Method,
    pub(crate) recursion: u32,
    pub(crate) answer: Result<Answer, NoAnswer>,
    pub(crate) effort: Effort,
    pub(crate) basis: Basis,
}

/// The basis of an answer.
#[derive(Clone, Default, Debug)]
pub(crate) struct Basis {
    /// None if everything was tracked.
    pub(crate) tracked: Option<Tracked>,
    /// How a program was proved whose recursion has no bound; none by inlining.
    pub(crate) summaries: Option<String>,
    /// Formulas that contradict each other unless they are used only where their triggers occur.
    pub(crate) contradictory: Option<Theory>,
}

/// The handle of an engine.
pub(crate) struct Engine {
    pub(crate) id: usize,
    pub(crate) method: Method,
    /// The bound on recursion that is under way.
    pub(crate) searching: Option<u32>,
    pub(crate) effort: Effort,
    commands: Sender<Command>,
    decided: Arc<AtomicBool>,
    held: Arc<AtomicUsize>,
}

impl Engine {
    /// The number of its terms.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Searches a bound on recursion.
    pub(crate) fn command(&mut self, command: Command) {
        self.searching = Some(command.recursion);
        // An engine that has ended has said why.
        let _ = self.commands.send(command);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.decided.store(true, Ordering::Relaxed);
    }
}

/// A translation, or the reason why there is none.
pub(crate) type Made<'t> = OnceLock<Result<Text<'t>, Vec<Diagnostic>>>;

/// The work of an engine.
pub(crate) struct Job<'j, 't> {
    pub(crate) stages: &'j Stages<'t>,
    pub(crate) text: &'j Made<'t>,
    pub(crate) attempt: usize,
    pub(crate) engine: usize,
    pub(crate) method: Method,
    decided: Arc<AtomicBool>,
    held: Arc<AtomicUsize>,
}

impl<'j, 't> Job<'j, 't> {
    pub(crate) fn new(stages: &'j Stages<'t>, text: &'j Made<'t>, attempt: usize, method: Method) -> Self {
        let engine = stages.next_engine();
        let (decided, held) = Default::default();
        Job { stages, text, attempt, engine, method, decided, held }
    }

    /// The handle of the engine that will do it.
    pub(crate) fn engine(&self, commands: Sender<Command>) -> Engine {
        Engine {
            id: self.engine,
            method: self.method,
            searching: None,
            effort: Effort::default(),
            commands,
            decided: Arc::clone(&self.decided),
            held: Arc::clone(&self.held),
        }
    }

    /// Answers commands until the handle is dropped or the result is final.
    pub(crate) fn run(&self, commands: &Receiver<Command>, events: &Sender<Event>) {
        let Ok(first) = commands.recv() else { return };
        let search = self.begin(&first);
        let mut search = match search {
            Ok(search) => search,
            Err(failure) => {
                self.report(events, first.recursion, Err(failure), None);
                return;
            }
        };
        let mut command = first;
        loop {
            search.allow(command.terms);
            let answer = search.run(command.recursion);
            self.held.store(search.held(), Ordering::Relaxed);
            let is_final = match &answer {
                Ok(Answer::Proved) => true,
                Ok(Answer::NoBug) => Some(command.recursion) == self.stages.most_recursion(),
                Ok(Answer::Bug(_)) | Err(_) => {
                    self.report(events, command.recursion, answer, Some(&*search));
                    return;
                }
            };
            if is_final {
                let (mut effort, mut basis) = (search.effort(), search.basis());
                let mut answer = answer.and_then(|answer| sound(answer, search));
                if let Err(NoAnswer::Contradiction(theory)) = answer {
                    let (again, more) = self.by_triggers(&command, theory);
                    (answer, basis) = (again, Basis { contradictory: Some(theory), ..Basis::default() });
                    effort += more;
                }
                self.held.store(0, Ordering::Relaxed);
                self.send(events, command.recursion, answer, (effort, basis));
                return;
            }
            self.report(events, command.recursion, answer, Some(&*search));
            command = match commands.recv() {
                Ok(command) => command,
                Err(_) => return,
            };
        }
    }

    /// Searches again after axioms turned out to contradict each other. A proof stands if it uses axioms only where their triggers
    /// occur, and if they do not contradict each other in that way, too.
    fn by_triggers(&self, command: &Command, theory: Theory) -> (Result<Answer, NoAnswer>, Effort) {
        let contradiction = || Err(NoAnswer::Contradiction(theory));
        let mut search = match self.inlining(command.terms, true) {
            Ok(search) => search,
            Err(failure) => return (Err(failure), Effort::default()),
        };
        let answer = search.run(command.recursion);
        let effort = search.effort();
        let answer = match answer {
            Ok(answer @ (Answer::Proved | Answer::NoBug)) => sound(answer, search),
            Ok(Answer::Bug(_)) | Err(NoAnswer::Unknown(_)) => contradiction(),
            Err(failure) => Err(failure),
        };
        (answer, effort)
    }

    /// A search that inlines calls by need.
    fn inlining(&self, terms: usize, only_triggers: bool) -> Result<Box<dyn Search + 'j>, NoAnswer> {
        let text = self.translated()?;
        let options = InlineOptions { only_triggers, ..self.options(terms) };
        let verifier = Verifier::new(text.program, text.root, &options)?;
        let name = if only_triggers { "-triggers" } else { "" };
        let solver = self.stages.start_solver(self.attempt, name, &self.decided)?;
        Ok(Box::new(Inlining { verifier, solver, summaries: None }))
    }

    fn report(
        &self,
        events: &Sender<Event>,
        recursion: u32,
        answer: Result<Answer, NoAnswer>,
        search: Option<&(dyn Search + '_)>,
    ) {
        let about = search.map(|search| (search.effort(), search.basis())).unwrap_or_default();
        self.send(events, recursion, answer, about);
    }

    fn send(
        &self,
        events: &Sender<Event>,
        recursion: u32,
        answer: Result<Answer, NoAnswer>,
        (effort, basis): (Effort, Basis),
    ) {
        let Job { attempt, engine, method, .. } = *self;
        // Sending fails once the run is over.
        let _ = events.send(Event { attempt, engine, method, recursion, answer, effort, basis });
    }

    /// The translated program.
    fn translated(&self) -> Result<Translated<'j>, NoAnswer> {
        let text = self.text.get_or_init(|| {
            self.stages.progress.begin(Phase::Translating);
            self.stages.plan.translate(self.stages.program, self.attempt)
        });
        match text {
            Ok(text) => Ok(text.view()),
            Err(diagnostics) => Err(NoAnswer::Unsupported(diagnostics.clone())),
        }
    }

    fn options(&self, terms: usize) -> InlineOptions {
        let arguments = self.stages.arguments;
        InlineOptions {
            full: arguments.full_inlining,
            calls: arguments.calls,
            only_triggers: false,
            limits: self.limits(terms),
        }
    }

    /// Prepares the search.
    fn begin(&self, command: &Command) -> Result<Box<dyn Search + 'j>, NoAnswer> {
        let text = self.translated()?;
        let options = self.options(command.terms);
        match self.method {
            Method::Inlining => self.inlining(command.terms, false),
            Method::Invariants => {
                let Translated { program, root, .. } = text;
                let mut solver = self.stages.start_solver(self.attempt, "-houdini", &self.decided)?;
                let invariants = Invariants::infer(program, root, &options.limits, &mut solver)?;
                let Some(invariants) = invariants else {
                    return Err(NoAnswer::Unknown("no invariants".to_owned()));
                };
                let summaries = Some(inferred(program, &invariants));
                let verifier = Verifier::assuming(program, root, &options, invariants)?;
                let solver = self.stages.start_solver(self.attempt, "-invariants", &self.decided)?;
                Ok(Box::new(Inlining { verifier, solver, summaries }))
            }
            Method::Abstraction => {
                let groups = self.stages.groups(&text);
                let (stages, attempt, decided) = (self.stages, self.attempt, Arc::clone(&self.decided));
                let mut number = 0;
                let start = move || -> Result<Box<dyn Solver + 'j>, SolverError> {
                    number += 1;
                    let name = format!("-abstraction-{number}");
                    Ok(Box::new(stages.start_solver(attempt, &name, &decided)?))
                };
                let Translated { program, root, .. } = text;
                Ok(Box::new(Abstraction::new(program, root, &options, groups, Box::new(start))))
            }
            Method::Horn => {
                let search = unbounded::Search::new(self.stages, &text, self.attempt, &self.decided)?;
                Ok(Box::new(search))
            }
        }
    }

    fn limits(&self, terms: usize) -> dally_verify::VerifyLimits {
        dally_verify::VerifyLimits {
            interrupt: Arc::clone(&self.stages.limits.interrupt),
            decided: Arc::clone(&self.decided),
            terms,
            inlined: Arc::clone(&self.stages.progress.inlined),
        }
    }
}

/// A search that can be continued with a higher bound on recursion.
pub(crate) trait Search {
    fn run(&mut self, recursion: u32) -> Result<Answer, NoAnswer>;

    /// Sets the limit on terms.
    fn allow(&mut self, _terms: usize) {}

    fn effort(&self) -> Effort {
        Effort::default()
    }

    /// The number of terms.
    fn held(&self) -> usize {
        0
    }

    fn basis(&self) -> Basis {
        Basis::default()
    }

    /// A contradiction in what a proof rests on.
    fn contradiction(self: Box<Self>) -> Result<Option<Theory>, NoAnswer> {
        Ok(None)
    }
}

/// A final answer, unless it rests on a contradiction.
fn sound(answer: Answer, search: Box<dyn Search + '_>) -> Result<Answer, NoAnswer> {
    match search.contradiction() {
        Ok(Some(theory)) => Err(NoAnswer::Contradiction(theory)),
        // The result so far stands.
        Ok(None)
        | Err(NoAnswer::Solver(SolverError::Time | SolverError::QueryTime | SolverError::Cancelled)) => {
            Ok(answer)
        }
        Err(other) => Err(other),
    }
}

/// Calls are inlined by need.
struct Inlining<'p> {
    verifier: Verifier<'p>,
    solver: Portfolio<'p>,
    /// The invariants that are assumed, in words.
    summaries: Option<String>,
}

/// The invariants that Houdini has found, in words.
fn inferred(program: &Program, invariants: &Invariants) -> String {
    let (found, tried) = (invariants.found(), invariants.tried);
    let mut text = format!(
        "for all iterations and recursion depths, by inductive invariants (Houdini: {found} of {tried} candidates)"
    );
    let name = |(var, _): &(VarId, bool)| printable(program.ast.text(program.info[*var].name));
    for (holds, words) in [(true, "that hold"), (false, "that do not hold in general")] {
        let names: Vec<String> = invariants.marks.iter().filter(|(_, h)| *h == holds).map(name).collect();
        if !names.is_empty() {
            text.push_str(&format!("; candidates {words}: {}", names.join(", ")));
        }
    }
    text
}

impl Search for Inlining<'_> {
    fn run(&mut self, recursion: u32) -> Result<Answer, NoAnswer> {
        self.verifier.run(recursion, &mut self.solver)
    }

    fn allow(&mut self, terms: usize) {
        self.verifier.allow(terms);
    }

    fn effort(&self) -> Effort {
        self.verifier.effort()
    }

    fn held(&self) -> usize {
        self.verifier.held()
    }

    fn basis(&self) -> Basis {
        Basis { summaries: self.summaries.clone(), ..Basis::default() }
    }

    fn contradiction(self: Box<Self>) -> Result<Option<Theory>, NoAnswer> {
        let Inlining { verifier, mut solver, .. } = *self;
        verifier.contradiction(&mut solver)
    }
}

impl Search for Abstraction<'_, '_> {
    fn run(&mut self, recursion: u32) -> Result<Answer, NoAnswer> {
        Abstraction::run(self, recursion)
    }

    fn allow(&mut self, terms: usize) {
        Abstraction::allow(self, terms);
    }

    fn effort(&self) -> Effort {
        Abstraction::effort(self)
    }

    fn held(&self) -> usize {
        Abstraction::held(self)
    }

    fn basis(&self) -> Basis {
        let tracked = Tracked::new(self.groups());
        Basis {
            tracked: Some(tracked).filter(|tracked| tracked.names.len() < tracked.of),
            ..Basis::default()
        }
    }

    fn contradiction(self: Box<Self>) -> Result<Option<Theory>, NoAnswer> {
        match self.into_verifier() {
            Some((verifier, mut solver)) => verifier.contradiction(solver.as_mut()),
            None => Ok(None),
        }
    }
}
