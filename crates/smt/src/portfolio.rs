//! A portfolio of solvers: the first answer counts.
//!
//! One process, the *active* one, has all commands. If it has no answer to a query after a while, others start beside it, one
//! after the other as far as there are cores: first those that the user names, then variants of them, which are the same
//! program with other options. A rival gets the commands so far and the query, and a slice of time; once all have had their
//! turn, slices are twice as long. If there are quantifiers, the first variant does not search for their models, and can only
//! refute. The first that answers becomes the active process, and the others are killed: what follows
//! a query (the values of a model) and the queries after it, which are often alike, are its.
//!
//! Queries that are answered soon, which are nearly all, never start a rival, so that a run is the same each time.

use std::io::Write;
use std::time::{Duration, Instant};

use dally_verify::{QueryMode, Solver, SolverError};

use crate::dialect::Named;
use crate::process::{EVERY, Process, SolverBudget};

/// Opens the log of the n-th process, if logs are wanted.
pub type Logs<'l> = Box<dyn FnMut(usize) -> Result<Option<Box<dyn Write>>, SolverError> + 'l>;

/// Several solvers, of which the first answer counts.
pub struct Portfolio<'l> {
    lanes: Vec<Lane>,
    /// The lane of the active process.
    active: usize,
    process: Process,
    /// All commands so far, for rivals.
    history: Vec<Sent>,
    logs: Logs<'l>,
    /// The number of processes that were started.
    started: usize,
    budget: SolverBudget,
    /// The first rival starts after this time.
    patience: Duration,
    /// The most rivals at a time.
    most_rivals: usize,
}

impl std::fmt::Debug for Portfolio<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Portfolio")
            .field("lanes", &self.lanes)
            .field("active", &self.active)
            .finish_non_exhaustive()
    }
}

/// A solver and its options.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Lane {
    name: String,
    options: &'static str,
    /// True if it never searches for models of quantifiers: such a search may not return where a proof is short. It can only refute.
    only_triggers: bool,
}

/// A command that was sent to the active process.
#[derive(Debug)]
enum Sent {
    Commands(String),
    Mode(QueryMode),
}

/// A process that answers the query beside the active one.
struct Rival {
    lane: usize,
    process: Process,
    started: Instant,
    slice: Duration,
}

/// Longer than nearly all queries take.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The first slice of a rival.
const SLICE: Duration = Duration::from_secs(4);
/// More rivals help little.
const MOST_RIVALS: usize = 3;

impl<'l> Portfolio<'l> {
    /// Starts the first solver; the others start where they are needed. A name without flags stands for variants of the
    /// solver, too.
    pub fn start(
        names: &[String],
        mut logs: Logs<'l>,
        budget: SolverBudget,
    ) -> Result<Portfolio<'l>, SolverError> {
        let lanes = lanes(names);
        let Some(first) = lanes.first() else {
            return Err(SolverError::Broken("no solver is named".to_owned()));
        };
        let process = Process::start_variant(&first.name, first.options, logs(0)?, budget.clone())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Portfolio {
            lanes,
            active: 0,
            process,
            history: Vec::new(),
            logs,
            started: 1,
            budget,
            patience: PATIENCE,
            most_rivals: (cores - 1).clamp(1, MOST_RIVALS),
        })
    }

    /// Starts the process of a lane, with all commands so far and a query.
    fn rival(&mut self, lane: usize, query: &str, slice: Duration) -> Result<Rival, SolverError> {
        let Lane { name, options, only_triggers } = &self.lanes[lane];
        let log = (self.logs)(self.started)?;
        self.started += 1;
        let mut process = Process::start_variant(name, options, log, self.budget.clone())?;
        for sent in &self.history {
            match sent {
                Sent::Commands(text) => process.send(text)?,
                Sent::Mode(_) if *only_triggers => {}
                Sent::Mode(mode) => process.set_mode(*mode)?,
            }
        }
        if *only_triggers {
            process.set_mode(QueryMode::Triggers)?;
        }
        process.ask(query)?;
        Ok(Rival { lane, process, started: Instant::now(), slice })
    }

    /// The answer to a query for satisfiability.
    fn race(&mut self, query: &str) -> Result<String, SolverError> {
        let started = Instant::now();
        self.process.ask(query)?;
        let mut rivals: Vec<Rival> = Vec::new();
        let mut turns = None;
        // If the active process fails, each other solver is tried once: one with other options would fail in the same way.
        let mut others: Vec<usize> = (0..self.lanes.len()).filter(|lane| self.is_other(*lane)).collect();
        others.reverse();
        let mut failure = None;
        loop {
            self.budget.check(started)?;
            if failure.is_none() {
                match self.process.poll(EVERY) {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => {}
                    Err(error) => failure = Some(error),
                }
            } else {
                std::thread::sleep(EVERY.min(self.patience));
            }
            if let Some((lane, process, answer)) = first_answer(&mut rivals, &self.lanes) {
                (self.active, self.process) = (lane, process);
                if self.lanes[lane].only_triggers {
                    self.process.set_mode(self.mode())?;
                }
                return Ok(answer);
            }
            rivals.retain(|rival| rival.started.elapsed() < rival.slice);
            let is_due = failure.is_some() || started.elapsed() >= self.patience;
            while is_due && rivals.len() < self.most_rivals {
                let next = match &failure {
                    None => turns.get_or_insert_with(|| self.turns()).next(),
                    Some(_) => others.pop().map(|lane| (lane, Duration::MAX)),
                };
                let Some((lane, slice)) = next else { break };
                rivals.extend(self.rival(lane, query, slice).ok());
            }
            if let (Some(error), true) = (&failure, rivals.is_empty()) {
                return Err(error.clone());
            }
        }
    }

    /// True if a lane is another program than the active one.
    fn is_other(&self, lane: usize) -> bool {
        self.lanes[lane].name != self.lanes[self.active].name
    }

    /// The mode that was set last.
    fn mode(&self) -> QueryMode {
        let modes = self.history.iter().rev().filter_map(|sent| match sent {
            Sent::Mode(mode) => Some(*mode),
            Sent::Commands(_) => None,
        });
        modes.take(1).last().unwrap_or_default()
    }

    /// True if a lane can do something that the others do not.
    fn is_useful(&self, lane: usize) -> bool {
        let quantified = |sent: &Sent| match sent {
            Sent::Commands(text) => text.contains("(forall ") || text.contains("(exists "),
            Sent::Mode(_) => false,
        };
        !self.lanes[lane].only_triggers
            || self.mode() != QueryMode::Triggers && self.history.iter().any(quantified)
    }

    /// The lanes of rivals with their slices, in the order of their turns.
    fn turns(&self) -> impl Iterator<Item = (usize, Duration)> + use<> {
        let (count, active) = (self.lanes.len(), self.active);
        let others: Vec<usize> = (1..count).map(|offset| (active + offset) % count).collect();
        let others: Vec<usize> = others.into_iter().filter(|lane| self.is_useful(*lane)).collect();
        let rounds = if others.is_empty() { 0 } else { u32::MAX };
        (0..rounds).flat_map(move |round| {
            let others = others.clone().into_iter();
            others.map(move |lane| (lane, SLICE.saturating_mul(1u32.checked_shl(round).unwrap_or(u32::MAX))))
        })
    }
}

impl Solver for Portfolio<'_> {
    fn send(&mut self, commands: &str) -> Result<(), SolverError> {
        if self.lanes.len() > 1 {
            self.history.push(Sent::Commands(commands.to_owned()));
        }
        self.process.send(commands)
    }

    fn query(&mut self, command: &str) -> Result<String, SolverError> {
        if command.starts_with("(check-sat") { self.race(command) } else { self.process.query(command) }
    }

    fn set_mode(&mut self, mode: QueryMode) -> Result<(), SolverError> {
        self.history.push(Sent::Mode(mode));
        self.process.set_mode(mode)
    }
}

/// The first rival with an answer; those that fail are dropped.
fn first_answer(rivals: &mut Vec<Rival>, lanes: &[Lane]) -> Option<(usize, Process, String)> {
    let mut at = 0;
    while at < rivals.len() {
        match rivals[at].process.poll(Duration::ZERO) {
            Ok(None) => at += 1,
            Ok(Some(answer)) => {
                let mut rival = rivals.swap_remove(at);
                let refutes = answer == "unsat";
                if refutes || !lanes[rival.lane].only_triggers && counts(&answer, &mut rival.process) {
                    return Some((rival.lane, rival.process, answer));
                }
            }
            Err(_) => {
                rivals.swap_remove(at);
            }
        }
    }
    None
}

/// True if the answer of a rival decides the race: also `unknown`, if it is because of quantifiers, as it would be for the
/// active process.
fn counts(answer: &str, process: &mut Process) -> bool {
    match answer {
        "sat" | "unsat" => true,
        "unknown" => {
            process.query("(get-info :reason-unknown)\n").is_ok_and(|reason| reason.contains("quantifier"))
        }
        _ => false,
    }
}

/// The solvers that are named, then variants of those that are named without flags.
fn lanes(names: &[String]) -> Vec<Lane> {
    let lane = |name: &String, options| Lane { name: name.clone(), options, only_triggers: false };
    let named = names.iter().map(|name| lane(name, ""));
    let varied = || names.iter().filter(|name| Named::new(name).flags.is_empty());
    let refuting = varied().filter(|name| Named::new(name).dialect.modes.is_some());
    let refuting = refuting.map(|name| Lane { only_triggers: true, ..lane(name, "") });
    let variants = varied()
        .flat_map(|name| Named::new(name).dialect.variants.iter().map(move |options| lane(name, options)));
    let mut lanes: Vec<Lane> = Vec::new();
    for lane in named.chain(refuting).chain(variants) {
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    lanes
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {

    use super::*;

    /// The command of a shell script that acts as a solver. The folder lives as long as the test process.
    fn solver(name: &str, script: &str) -> String {
        let path = std::env::temp_dir().join(format!("dally-portfolio-{}-{name}", std::process::id()));
        std::fs::write(&path, script).unwrap();
        format!("sh {}", path.display())
    }

    /// Answers each query for satisfiability with `answer`, and each for values with its name.
    fn answers(name: &str, answer: &str) -> String {
        let script = format!(
            "while read line; do case \"$line\" in \
             *echo*) echo dally;; *check-sat*) echo {answer};; *get-value*) echo '({name})';; \
             *reason*) echo '(:reason-unknown \"incomplete\")';; esac; done"
        );
        solver(name, &script)
    }

    fn start(names: &[String]) -> Portfolio<'static> {
        let budget = SolverBudget::default();
        let mut portfolio = Portfolio::start(names, Box::new(|_| Ok(None)), budget).unwrap();
        portfolio.patience = Duration::ZERO;
        portfolio
    }

    const HANGS: &str = "echo dally; exec cat > /dev/null";
    const SEARCHES: &str = "echo dally; exec sleep 100";
    const CRASHES: &str = "echo dally; exit 1";

    #[test]
    fn the_first_answer_counts_and_its_solver_is_asked_for_values() {
        for script in [HANGS, CRASHES] {
            let names = [solver("stuck", script), answers("vague", "unknown"), answers("quick", "sat")];
            let mut portfolio = start(&names);
            portfolio.send("(assert true)\n").unwrap();
            assert_eq!(portfolio.query("(check-sat)\n").unwrap(), "sat");
            assert_eq!(portfolio.query("(get-value (x))\n").unwrap(), "(quick)");
            assert_eq!(portfolio.active, 2);
        }
    }

    #[test]
    fn an_error_is_reported_if_no_other_solver_answers() {
        let mut portfolio = start(&[solver("crash", CRASHES)]);
        assert!(matches!(portfolio.query("(check-sat)\n"), Err(SolverError::Broken(_))));
        let mut portfolio = start(&[solver("crash1", CRASHES), solver("crash2", CRASHES)]);
        assert!(matches!(portfolio.query("(check-sat)\n"), Err(SolverError::Broken(_))));
    }

    #[test]
    fn a_rival_that_only_uses_triggers_can_only_refute() {
        for (answer, counts) in [("unsat", true), ("unknown", false), ("sat", false)] {
            let mut portfolio = start(&[solver("searching", SEARCHES), answers("refuting", answer)]);
            portfolio.lanes[1].only_triggers = true;
            portfolio.budget.query = Some(Duration::from_millis(if counts { 60_000 } else { 300 }));
            portfolio.send("(assert (forall ((x Int)) (> x 0)))\n").unwrap();
            assert_eq!(portfolio.query("(check-sat)\n").is_ok(), counts, "{answer}");
            assert_eq!(portfolio.active, usize::from(counts));
        }
    }

    #[test]
    fn a_name_without_flags_stands_for_variants() {
        let lanes = |names: &[&str]| lanes(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        let z3 = lanes(&["z3"]);
        assert!(z3.len() > 1 && z3[0].options.is_empty() && z3.iter().all(|lane| lane.name == "z3"));
        assert_eq!(lanes(&["z3 smt.random_seed=1"]).len(), 1);
        let both = lanes(&["cvc5", "z3", "z3"]);
        assert_eq!((both[0].name.as_str(), both[1].name.as_str(), both.len()), ("cvc5", "z3", 1 + z3.len()));
    }
}
