//! What is searched: a program in one of the languages.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_explore::{Bug, Limits, ReplayError};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use dally_trace::Trace;

use crate::cli::ProgramArgs;
use crate::input;
use crate::p;
use crate::traces::{self, Machines};

/// A program that can be searched.
pub(crate) enum Subject {
    Boogie(Box<Machines>),
    P(Box<p::Test>),
}

/// Why there is nothing to search, with the files that it points into.
pub(crate) struct Rejected {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl From<input::InputError> for Rejected {
    fn from(error: input::InputError) -> Self {
        let (sources, diagnostic) = error.into_diagnostic();
        Rejected { sources, diagnostics: vec![diagnostic] }
    }
}

impl Subject {
    /// Reads and checks a program.
    pub(crate) fn load(program: &ProgramArgs) -> Result<(SourceMap, Self), Rejected> {
        if p::is_p(&program.files) {
            let (sources, own) = p::read(&program.files)?;
            return match p::Loaded::new(&sources, own).and_then(|p| p.test(&sources, program.test.as_deref()))
            {
                Ok(test) => Ok((sources, Subject::P(Box::new(test)))),
                Err(diagnostics) => Err(Rejected { sources, diagnostics }),
            };
        }
        let sources = input::read(&program.files)?;
        match Machines::new(&sources, program) {
            Ok(machines) => Ok((sources, Subject::Boogie(Box::new(machines)))),
            Err(mut diagnostics) => {
                if let Some(first) = diagnostics.first_mut()
                    && p::is_p_unnamed(&program.files, &sources)
                {
                    first.help = Some("P programs are read from files whose names end in `.p`".to_owned());
                }
                Err(Rejected { sources, diagnostics })
            }
        }
    }

    /// Lets steps that take long end.
    pub(crate) fn limit_steps(&mut self, interrupt: Arc<AtomicBool>, memory: usize) {
        let limits = Limits { interrupt, memory };
        match self {
            Subject::Boogie(machines) => machines.searched.limit_steps(limits),
            Subject::P(test) => test.machine.limit_steps(limits),
        }
    }

    /// What the user should know about it.
    pub(crate) fn warnings(&self) -> &[Diagnostic] {
        match self {
            Subject::Boogie(machines) => &machines.warnings,
            Subject::P(test) => &test.warnings,
        }
    }

    /// Whether something must not be waited for in vain.
    pub(crate) fn has_liveness(&self) -> bool {
        match self {
            Subject::Boogie(machines) => machines.searched.has_hot_globals(),
            Subject::P(test) => test.machine.has_hot_states(),
        }
    }

    /// Replays a bug and tells what happened.
    pub(crate) fn explain(
        &self,
        sources: &SourceMap,
        program: &ProgramArgs,
        bug: &Bug,
        unfair: bool,
    ) -> Result<Trace, ReplayError> {
        match self {
            Subject::Boogie(machines) => traces::explain(machines, sources, program, bug, unfair),
            Subject::P(test) => test.explain(sources, program, bug, unfair),
        }
    }
}
