//! Programs that other Rust code loads and searches.

use std::fmt;
use std::sync::Arc;

use dally_explore::{Names, Options, Plan, ReplayError, Report, SchedulerName, Verdict};
use dally_trace::{Look, Trace};

use crate::budget::{Budget, RunLimits};
use crate::check::monitor::Monitor;
use crate::cli::ProgramArgs;
use crate::input::Rejected;
use crate::language::{Explorable, Language, LoadedProgram};
use crate::output;

/// A P project, a Boogie or a C program, compiled for exploration.
///
/// ```
/// use dally::Project;
/// use dally_explore::Options;
///
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
/// let project = Project::load(&["examples/deposit.bpl"])?;
/// let report = project.check("rr".parse()?, Options::default());
/// assert!(report.bug().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Project {
    loaded: Box<dyn LoadedProgram>,
    program: Box<dyn Explorable>,
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").finish_non_exhaustive()
    }
}

/// Why a program cannot be loaded: the diagnostics as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

impl Project {
    /// Loads the program in these files. A P program must have one test.
    pub fn load(files: &[&str]) -> Result<Self, LoadError> {
        Self::load_test(files, None)
    }

    /// Loads the program in these files, with a test of a P program.
    pub fn load_test(files: &[&str], test: Option<&str>) -> Result<Self, LoadError> {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let arguments = ProgramArgs { files, test: test.map(ToOwned::to_owned), ..ProgramArgs::default() };
        let language = Language::of(&arguments.files);
        let rejected = |Rejected { sources, diagnostics }| LoadError(output::text(&sources, &diagnostics));
        let loaded = language.load(&arguments).map_err(rejected)?;
        let compiled = loaded.compile(&arguments);
        let program =
            compiled.map_err(|diagnostics| LoadError(output::text(loaded.sources(), &diagnostics)))?;
        Ok(Project { loaded, program })
    }

    /// The names that schedulers and rules can use.
    pub fn names(&self) -> Names {
        self.program.names()
    }

    /// Searches for a failure, bound by bound, under a scheduler: one of the table, or a user's
    /// [`OwnScheduler`](dally_schedule::OwnScheduler).
    pub fn check(&self, scheduler: SchedulerName, options: Options) -> Report {
        let plan = Plan { options, ..Plan::under(scheduler.into()) };
        let monitor =
            Monitor::new(Budget::unwatched(RunLimits::default(), Arc::default(), Arc::default()), false);
        self.program.search(&plan, &monitor, None)
    }

    /// The trace of the bug in a report, as text; `None` if there is no bug.
    pub fn trace(&self, report: &Report) -> Result<Option<String>, ReplayError> {
        let Verdict::Bug(bug) = &report.verdict else { return Ok(None) };
        let trace: Trace = self.program.trace(bug, self.loaded.sources(), false)?;
        Ok(Some(dally_trace::text(&trace, &Look::default())))
    }
}
