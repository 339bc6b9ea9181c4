//! The bounds on schedules, in ascending order.

use dally_bpl::Program;
use dally_counterexample::Translated;
use dally_sequentialize::{Bounds, Origins, Sequential, Target};
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;

use crate::cli::{BoundArgs, Translation, Verify};

/// The program that the verifier sees, for one bound on schedules.
pub(crate) enum Text<'p> {
    /// The program itself, which is sequential.
    Original { program: &'p Program, root: Sym, origins: Origins },
    /// A translation.
    Translated(Box<Sequential>),
}

impl Text<'_> {
    pub(crate) fn view(&self) -> Translated<'_> {
        match self {
            Text::Original { program, root, origins } => {
                Translated { program, root: *root, origins, sequential: true }
            }
            Text::Translated(made) => {
                let Sequential { program, root, origins } = &**made;
                Translated { program, root: *root, origins, sequential: false }
            }
        }
    }
}

/// Bounds in ascending order.
pub(crate) struct Plan {
    /// The procedure in which a sequential program starts, which needs no bounds.
    targets: Result<Vec<Target>, Sym>,
    options: dally_sequentialize::TranslationOptions,
}

/// The highest bound.
const MOST: u32 = 1000;

impl Plan {
    /// The plan for a program, or an error about the flags or the program.
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
        if let Some(message) = arguments.bounds.without_meaning(scheduler) {
            return Ok(Err(message));
        }
        let targets = targets(&arguments.bounds, scheduler);
        let options = dally_sequentialize::TranslationOptions {
            program: arguments.program.options(),
            reorder: arguments.bounds.reorder,
            ..dally_sequentialize::TranslationOptions::new(targets[0])
        };
        let targets = match dally_sequentialize::sequential_entry(program, entry)? {
            Some(root) => Err(root),
            None => Ok(targets),
        };
        Ok(Ok(Plan { targets, options }))
    }

    /// The number of bounds.
    pub(crate) fn len(&self) -> usize {
        self.targets.as_ref().map_or(1, Vec::len)
    }

    /// The translation for a bound; none for a sequential program.
    pub(crate) fn target(&self, index: usize) -> Option<Target> {
        self.targets.as_ref().ok().and_then(|t| t.get(index)).copied()
    }

    /// The procedure in which a program starts that is sequential already.
    pub(crate) fn sequential(&self) -> Option<Sym> {
        self.targets.as_ref().err().copied()
    }

    /// The name of a log.
    pub(crate) fn file(&self, index: usize) -> String {
        match self.target(index) {
            None => "sequential".to_owned(),
            Some(to) => format!("{}-{index}", to.name()),
        }
    }

    /// The program for a bound.
    pub(crate) fn translate<'p>(
        &self,
        program: &'p Program,
        index: usize,
    ) -> Result<Text<'p>, Vec<Diagnostic>> {
        match &self.targets {
            Err(root) => Ok(Text::Original { program, root: *root, origins: Origins::identity(program) }),
            Ok(targets) => {
                let options =
                    dally_sequentialize::TranslationOptions { to: targets[index], ..self.options.clone() };
                let made = dally_sequentialize::sequentialize(program, &options)?;
                Ok(Text::Translated(Box::new(made)))
            }
        }
    }
}

fn targets(arguments: &BoundArgs, scheduler: Translation) -> Vec<Target> {
    let rounds = |given: Option<u32>| given.map_or_else(|| rising(1, MOST), |r| vec![r]).into_iter();
    let delays = || match (arguments.delays, arguments.rounds) {
        (None, Some(rounds)) => vec![Bounds::rounds(rounds)],
        (delays, rounds) => {
            let all = delays.map_or_else(|| rising(0, MOST - 1), halves);
            all.into_iter().map(|k| Bounds { rounds: rounds.unwrap_or(k + 1), ..Bounds::delays(k) }).collect()
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
            rising(1, last).into_iter().map(bound).collect()
        }
    }
}

/// Bounds where none is given: one by one at first, then in steps that grow, as the cost of a bound grows with it.
fn rising(first: u32, last: u32) -> Vec<u32> {
    let mut bounds = vec![first];
    while let Some(bound) = bounds.last().copied().filter(|bound| *bound < last) {
        bounds.push((bound + 1 + bound / 4).min(last));
    }
    bounds
}

/// Bounds up to a given one: together they cost little more than the last one alone.
fn halves(last: u32) -> Vec<u32> {
    let mut bounds = vec![last];
    while let Some(bound) = bounds.last().copied().filter(|bound| *bound > 0) {
        bounds.push(bound / 2);
    }
    bounds.reverse();
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_end_where_they_should() {
        assert_eq!(halves(0), [0]);
        assert_eq!(halves(10), [0, 1, 2, 5, 10]);
        assert_eq!(rising(1, 1), [1]);
        assert_eq!(rising(0, 9), [0, 1, 2, 3, 4, 6, 8, 9]);
        assert_eq!(rising(1, MOST).last(), Some(&MOST));
    }
}
