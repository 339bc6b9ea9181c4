//! Which bounds on schedules are tried, one after the other.

use dally_bpl::Program;
use dally_bpl::diagnostic::Diagnostic;
use dally_bpl::symbol::Sym;
use dally_sequentialize::{Bounds, Target};

use super::Translated;
use crate::cli::{Translation, Verify};

/// Bounds in ascending order.
pub(crate) struct Plan {
    /// None for a sequential program, which needs none, but for the procedure in which it starts.
    targets: Result<Vec<Target>, Sym>,
    options: dally_sequentialize::Options,
}

/// Nobody waits for more delays than this.
const MOST: u32 = 1000;

impl Plan {
    /// The plan for a program, or what is wrong with the flags, or with the program.
    pub(crate) fn new(
        arguments: &Verify,
        program: &Program,
    ) -> Result<Result<Plan, String>, Vec<Diagnostic>> {
        let entry = arguments.program.entry.as_deref();
        let scheduler = arguments.scheduler.unwrap_or_else(|| {
            if dally_sequentialize::has_levels(program, entry) {
                Translation::Buffers
            } else {
                Translation::Dfw
            }
        });
        if let Some(message) = without_meaning(arguments, scheduler) {
            return Ok(Err(message));
        }
        let targets = targets(arguments, scheduler);
        let options = dally_sequentialize::Options {
            entry: arguments.program.entry.clone(),
            preempt: arguments.program.preempt,
            reorder: arguments.reorder,
            ..dally_sequentialize::Options::new(targets[0])
        };
        let targets = match dally_sequentialize::sequential_entry(program, entry)? {
            Some(root) => Err(root),
            None => Ok(targets),
        };
        Ok(Ok(Plan { targets, options }))
    }

    /// How many bounds there are.
    pub(crate) fn len(&self) -> usize {
        self.targets.as_ref().map_or(1, Vec::len)
    }

    /// What a bound is about; nothing for a sequential program.
    pub(crate) fn target(&self, index: usize) -> Option<Target> {
        self.targets.as_ref().ok().and_then(|t| t.get(index)).copied()
    }

    /// The name of a log.
    pub(crate) fn file(&self, index: usize) -> String {
        match self.target(index) {
            None => "sequential".to_owned(),
            Some(to) => format!("{}-{index}", to.name()),
        }
    }

    /// The program for a bound.
    pub(crate) fn translate(&self, program: &Program, index: usize) -> Result<Translated, Vec<Diagnostic>> {
        match &self.targets {
            Err(root) => Translated::new(program.ast.clone(), *root),
            Ok(targets) => {
                let options = dally_sequentialize::Options { to: targets[index], ..self.options.clone() };
                let sequential = dally_sequentialize::sequentialize(program, &options)?;
                Translated::new(sequential.ast, sequential.root)
            }
        }
    }
}

fn targets(arguments: &Verify, scheduler: Translation) -> Vec<Target> {
    let rounds = |given: Option<u32>| given.map_or(1..=MOST, |r| r..=r);
    let delays = || match (arguments.delays, arguments.rounds) {
        (None, Some(rounds)) => vec![Bounds::rounds(rounds)],
        (delays, rounds) => {
            let all = 0..=delays.unwrap_or(MOST - 1);
            all.map(|k| Bounds { rounds: rounds.unwrap_or(k + 1), ..Bounds::delays(k) }).collect()
        }
    };
    match scheduler {
        Translation::Dfs => delays().into_iter().map(Target::Dfs).collect(),
        Translation::Df => delays().into_iter().map(Target::Df).collect(),
        Translation::Dfw => delays().into_iter().map(Target::Dfw).collect(),
        Translation::LalReps => rounds(arguments.rounds).map(|rounds| Target::LalReps { rounds }).collect(),
        Translation::Synce => rounds(arguments.rounds).map(|rounds| Target::Synce { rounds }).collect(),
        Translation::Buffers => {
            let (zields, yields) = (arguments.zields, arguments.yields);
            let last = if zields.is_some() && yields.is_some() { 1 } else { MOST };
            let bound = |k: u32| Target::Buffers { zields: zields.unwrap_or(k), yields: yields.unwrap_or(k) };
            (1..=last).map(bound).collect()
        }
    }
}

/// Says which flag is not one of the translation.
fn without_meaning(arguments: &Verify, scheduler: Translation) -> Option<String> {
    let by_delays = matches!(scheduler, Translation::Dfs | Translation::Df | Translation::Dfw);
    let buffers = scheduler == Translation::Buffers;
    let name = targets(arguments, scheduler)[0].name();
    let bounds = [
        ("--delays", arguments.delays.is_some() && !by_delays),
        ("--rounds", arguments.rounds.is_some() && buffers),
        ("--yields", arguments.yields.is_some() && !buffers),
        ("--zields", arguments.zields.is_some() && !buffers),
    ];
    let (flag, _) = bounds.into_iter().find(|(_, wrong)| *wrong)?;
    let own = match scheduler {
        Translation::Buffers => "use --zields and --yields",
        _ if by_delays => "use --delays or --rounds",
        _ => "use --rounds",
    };
    Some(format!("{flag} does not bound `{name}`: {own}"))
}
