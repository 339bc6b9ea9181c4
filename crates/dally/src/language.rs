//! The languages that dally reads, and programs as the commands see them.
//!
//! A language is one row of [`LANGUAGES`] and one file with a loader. The commands know programs only as [`LoadedProgram`]
//! and [`Explorable`].

mod boogie;
mod c;
mod p;
mod vacuous;

use std::path::Path;
use std::sync::Arc;

use dally_c::Caveat;
use dally_explore::{
    Arrangement, Bug, Delays, Names, Plan, ReplayError, Report, Running, SampleOptions, Sampled, Sampler,
    SchedulerName, Slice, StepLimits, Successors,
};
use dally_explorer::{Explorer, Server};
use dally_report::stats::Recorder;
use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use dally_trace::{CoverageItem, Explain, LastStep, Source, Trace};

use crate::check::monitor::{Monitor, Recording};
use crate::cli::ProgramArgs;
use crate::input::Rejected;
use crate::outcome::SchedulingPoints;
pub(crate) use vacuous::Vacuous;

/// A language, as the command line knows it.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// The suffixes of its files, without the dot.
    suffixes: &'static [&'static str],
    /// True if a folder can be a program.
    folders: bool,
    /// True if a program can be on standard input.
    standard_input: bool,
    /// Beginnings of lines that are typical of the language, to recognise a program on standard input.
    typical: &'static [&'static str],
    /// Which of the flags that only some languages know it has.
    flags: &'static [&'static str],
    /// The default scheduler.
    pub(crate) scheduler: SchedulerName,
    /// The schedulers that `portfolio` stands for.
    pub(crate) portfolio: fn() -> Vec<SchedulerName>,
    /// True if its programs are Boogie programs, or are lowered to them: `print` needs that.
    pub(crate) is_boogie: bool,
    /// True if `sequentialize` and `verify` know its programs.
    pub(crate) is_verifiable: bool,
    load: Loader,
}

/// Reads and checks the files of a program.
type Loader = fn(&ProgramArgs) -> Result<Box<dyn LoadedProgram>, Rejected>;

/// The languages. A file without a known suffix, and standard input, are in the first one.
static LANGUAGES: &[Language] = &[
    Language {
        name: "Boogie",
        suffixes: &["bpl"],
        folders: false,
        standard_input: true,
        typical: &["procedure ", "implementation "],
        flags: &["--entry", "--preempt", "--constraint"],
        scheduler: SchedulerName::Rr(Arrangement::Creation),
        portfolio: SchedulerName::portfolio,
        is_boogie: true,
        is_verifiable: true,
        load: boogie::load,
    },
    Language {
        name: "P",
        suffixes: &["p", "pproj"],
        folders: true,
        standard_input: true,
        typical: &["machine ", "event "],
        flags: &["--test", "--list-tests"],
        scheduler: SchedulerName::Rtc,
        portfolio: SchedulerName::message_portfolio,
        is_boogie: false,
        is_verifiable: false,
        load: p::load,
    },
    Language {
        name: "C",
        suffixes: &["c", "i"],
        folders: false,
        standard_input: false,
        typical: &["#include", "int ", "void ", "typedef ", "struct ", "static "],
        flags: &[
            "-I",
            "-D",
            "--data-model",
            "--nondet",
            "--overflow",
            "--external",
            "--spurious",
            "--reuse",
            "--atomic-width",
            "--all-values",
            "--cc",
        ],
        scheduler: SchedulerName::Rr(Arrangement::Creation),
        portfolio: SchedulerName::portfolio,
        is_boogie: true,
        is_verifiable: true,
        load: c::load,
    },
];

/// The program in a folder, for commands without files: the only project, or else the only file of a known language.
pub(crate) fn program_in(folder: &Path) -> Result<String, String> {
    let no_files = "no program is given: name its files, as in `dally check program.bpl`";
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{no_files}; this folder: {error}"))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_program = |name: &String| {
        let path = Path::new(name);
        !name.starts_with('.') && !folder.join(name).is_dir() && LANGUAGES.iter().any(|l| l.has(path))
    };
    let mut programs: Vec<String> = names.filter(is_program).collect();
    programs.sort_unstable();
    let projects: Vec<&String> = programs.iter().filter(|name| name.ends_with(".pproj")).collect();
    match (&projects[..], &programs[..]) {
        ([only], _) => Ok((*only).clone()),
        (_, [only]) => Ok(only.clone()),
        (_, []) => Err(format!("{no_files}; there is no program in this folder")),
        (_, [first, second, ..]) => Err(format!(
            "{no_files}; this folder has {} programs, such as `{first}` and `{second}`, and `.` stands for all P files \
             below it",
            programs.len()
        )),
    }
}

/// A program that is parsed and checked.
pub(crate) trait LoadedProgram {
    fn sources(&self) -> &SourceMap;

    fn warnings(&self) -> &[Diagnostic];

    /// The limits of the model on which its verdicts rest.
    fn caveats(&self) -> &[Caveat] {
        &[]
    }

    /// The names of its tests; only some languages have tests.
    fn tests(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The Boogie program that it is, or is lowered to.
    fn boogie(&self) -> Option<&dally_bpl::Program> {
        None
    }

    /// How its executions are told, if it is lowered to Boogie.
    fn notation(&self) -> Option<Arc<dyn dally_interp::Notation>> {
        None
    }

    /// Fixes values and choices of a solver, from the field `inputs` of a trace.
    fn fix_inputs(&mut self, _inputs: &serde_json::Value) -> Result<(), String> {
        Err("the trace does not replay: programs in its language have no `inputs`".to_owned())
    }

    /// Adds state constraints: expressions of its language.
    fn constrain(&mut self, _constraints: &[String]) -> Result<(), Rejected> {
        Ok(())
    }

    /// Compiles it for exploration, with the entry point or test that the flags select.
    fn compile(&self, arguments: &ProgramArgs) -> Result<Box<dyn Explorable>, Vec<Diagnostic>>;
}

/// A compiled program.
pub(crate) trait Explorable {
    /// Sets the limits at which a step is interrupted.
    fn limit_steps(&mut self, limits: StepLimits);

    /// The names that rules and schedulers can use.
    fn names(&self) -> Names;

    /// True if the program declares a liveness property.
    fn has_liveness(&self) -> bool;

    /// Where tasks are switched, if the language leaves it open and there are several tasks.
    fn scheduling_points(&self) -> Option<SchedulingPoints>;

    /// The reasons why a verdict without a bug may be vacuous.
    fn vacuous(&self) -> Vacuous;

    /// Returns true if executions have read values that the program does not determine, of which only some were tried.
    fn has_chosen_values(&self) -> bool;

    /// Searches for a bug. The recorder, if there is one, sees what each bound reaches.
    fn search(&self, plan: &Plan, monitor: &Monitor, recorder: Option<&Recorder>) -> Report;

    /// Samples executions until a limit.
    fn sample(
        &self,
        options: &SampleOptions,
        monitor: &Monitor,
        recorder: Option<&Recorder>,
    ) -> (Slice, Sampled);

    /// The parts of the program, and whether executions have reached them.
    fn coverage(&self) -> Vec<CoverageItem>;

    /// Answers the questions of the explorer's page until the process ends.
    fn explore(&self, server: &Server, scheduler: &SchedulerName, sources: &SourceMap)
    -> std::io::Result<()>;

    /// The graph of its states under a scheduler, for Graphviz; `None` if there are more states than this.
    fn graph(&self, scheduler: &SchedulerName, limit: usize, sources: &SourceMap) -> Option<String>;

    /// Describes the last step of a task that keeps running; an earlier one as soon as `go_on` returns false.
    fn last_step(
        &self,
        running: &Running,
        sources: &SourceMap,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<LastStep>;

    /// Replays a bug and records its trace.
    fn trace(&self, bug: &Bug, sources: &SourceMap, unfair: bool) -> Result<Trace, ReplayError>;
}

/// An interpreter for compiled programs of one language.
pub(crate) trait Interpreter: Explain {
    fn limit_steps(&mut self, limits: StepLimits);

    /// Where tasks are switched, if the language leaves it open and there are several tasks.
    fn scheduling_points(&self) -> Option<SchedulingPoints> {
        None
    }

    /// The reasons why a verdict without a bug may be vacuous. The default reports none.
    fn vacuous(&self) -> Vacuous {
        Vacuous::default()
    }

    /// Returns true if executions have read values that the program does not determine, of which only some were tried. In
    /// most languages the text gives the range of such values.
    fn has_chosen_values(&self) -> bool {
        false
    }
}

/// A program compiled for an interpreter, and the files and flags that its traces record.
struct Compiled<M> {
    machine: M,
    source: Source,
}

impl<M: Interpreter> Explorable for Compiled<M> {
    fn limit_steps(&mut self, limits: StepLimits) {
        self.machine.limit_steps(limits);
    }

    fn names(&self) -> Names {
        let mut initial = Successors::default();
        self.machine.initial(&mut initial);
        let view = initial.states().first().and_then(|state| self.machine.view(state));
        view.map_or_else(Names::default, |view| view.names().clone())
    }

    fn has_liveness(&self) -> bool {
        self.machine.properties() > 0
    }

    fn scheduling_points(&self) -> Option<SchedulingPoints> {
        self.machine.scheduling_points()
    }

    fn vacuous(&self) -> Vacuous {
        self.machine.vacuous()
    }

    fn has_chosen_values(&self) -> bool {
        self.machine.has_chosen_values()
    }

    fn search(&self, plan: &Plan, monitor: &Monitor, recorder: Option<&Recorder>) -> Report {
        plan.search(&self.machine, &Recording { monitor, program: &self.machine, recorder })
    }

    fn sample(
        &self,
        options: &SampleOptions,
        monitor: &Monitor,
        recorder: Option<&Recorder>,
    ) -> (Slice, Sampled) {
        let watch = Recording { monitor, program: &self.machine, recorder };
        let mut sampler = Sampler::new(&self.machine, options.clone(), &watch);
        (sampler.run(), sampler.sampled().clone())
    }

    fn coverage(&self) -> Vec<CoverageItem> {
        self.machine.coverage()
    }

    fn explore(
        &self,
        server: &Server,
        scheduler: &SchedulerName,
        sources: &SourceMap,
    ) -> std::io::Result<()> {
        server.serve(&Explorer::new(&self.machine, scheduler, sources.clone(), self.source.clone()))
    }

    fn graph(&self, scheduler: &SchedulerName, limit: usize, sources: &SourceMap) -> Option<String> {
        let graph = dally_explore::state_graph(&self.machine, &Delays::named(scheduler), limit);
        graph.is_complete.then(|| dally_report::graph::dot(&self.machine, &graph, sources))
    }

    fn last_step(
        &self,
        running: &Running,
        sources: &SourceMap,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<LastStep> {
        dally_trace::last_step(&self.machine, &running.schedule(&self.machine, go_on)?, sources)
    }

    fn trace(&self, bug: &Bug, sources: &SourceMap, unfair: bool) -> Result<Trace, ReplayError> {
        dally_trace::trace(&self.machine, bug, sources, self.source.clone(), unfair)
    }
}

impl Language {
    /// The language of a program: that of its first file with a known suffix.
    pub(crate) fn of(files: &[String]) -> &'static Language {
        let known = |file: &String| LANGUAGES.iter().find(|language| language.has(Path::new(file)));
        files.iter().find_map(known).unwrap_or(&LANGUAGES[0])
    }

    fn has(&self, file: &Path) -> bool {
        let suffix = file.extension().and_then(|suffix| suffix.to_str());
        suffix.is_some_and(|suffix| self.suffixes.contains(&suffix)) || self.folders && file.is_dir()
    }

    /// Reads and checks a program.
    pub(crate) fn load(&self, arguments: &ProgramArgs) -> Result<Box<dyn LoadedProgram>, Rejected> {
        if let Some(message) = self.mixed(&arguments.files) {
            let diagnostics = vec![Diagnostic::new(Code::UNREADABLE, Span::NONE, message)];
            return Err(Rejected { sources: SourceMap::default(), diagnostics });
        }
        (self.load)(arguments).map_err(|rejected| self.with_hint(&arguments.files, rejected))
    }

    /// Why the files are not one program of this language, if so.
    fn mixed(&self, files: &[String]) -> Option<String> {
        let name = self.name;
        if !self.standard_input && files.iter().any(|file| file == "-") {
            let suffixes: Vec<String> = self.suffixes.iter().map(|suffix| format!("`.{suffix}`")).collect();
            let suffixes = suffixes.join(" or ");
            return Some(format!(
                "cannot read a {name} program from standard input (`-`): its files have names that end in {suffixes}"
            ));
        }
        let other = |file: &String| LANGUAGES.iter().find(|l| l.name != name && l.has(Path::new(file)));
        let (file, other) = files.iter().find_map(|file| Some((file, other(file)?.name)))?;
        Some(format!(
            "cannot read `{file}` as part of a {name} program: it belongs to a {other} program, and all files of a program are \
             in one language"
        ))
    }

    /// Adds a hint if the program looks like one in another language on standard input.
    fn with_hint(&self, files: &[String], mut rejected: Rejected) -> Rejected {
        let texts = rejected.sources.files().iter().map(|file| &*file.text);
        let lines: Vec<&str> = texts.flat_map(str::lines).collect();
        let looks_like =
            |language: &&Language| lines.iter().any(|l| language.typical.iter().any(|t| l.starts_with(t)));
        let other = LANGUAGES.iter().filter(|language| language.name != self.name).find(looks_like);
        if let (Some(other), Some(first)) = (other, rejected.diagnostics.first_mut())
            && files.iter().any(|file| file == "-" || !LANGUAGES.iter().any(|l| l.has(Path::new(file))))
        {
            let suffix = other.suffixes[0];
            let help = format!("{} programs are read from files whose names end in `.{suffix}`", other.name);
            first.help = Some(help);
        }
        rejected
    }

    /// Why a flag has no meaning in this language, if so.
    pub(crate) fn refuses(&self, flags: &[&str]) -> Option<String> {
        let known = |flag: &&str| LANGUAGES.iter().find(|language| language.flags.contains(flag));
        let (flag, other) = flags.iter().find_map(|flag| {
            let other = known(flag).filter(|_| !self.flags.contains(flag))?;
            Some((flag, other))
        })?;
        let suffixes: Vec<String> = other.suffixes.iter().map(|suffix| format!("`.{suffix}`")).collect();
        let instead = match (*flag, self.name) {
            ("--constraint", "P") => ": `assume` in a handler or in a specification discards executions",
            _ => "",
        };
        Some(format!(
            "{flag} is for {} programs (files {}), and this is a {} program{instead}",
            other.name,
            suffixes.join(", "),
            self.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(files: &[&str]) -> &'static str {
        Language::of(&files.iter().map(|&file| file.to_owned()).collect::<Vec<_>>()).name
    }

    #[test]
    fn the_first_known_suffix_decides() {
        assert_eq!(language(&["a.bpl"]), "Boogie");
        assert_eq!(language(&["-"]), "Boogie");
        assert_eq!(language(&["a.txt", "b.pproj"]), "P");
        assert_eq!(language(&["a.p", "b.bpl"]), "P");
        assert_eq!(language(&["."]), "P");
    }

    #[test]
    fn suffixes_are_distinct() {
        let mut suffixes: Vec<_> = LANGUAGES.iter().flat_map(|language| language.suffixes).collect();
        suffixes.sort_unstable();
        assert!(suffixes.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
