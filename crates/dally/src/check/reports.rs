//! The reports of a search: what of the program was reached, and the numbers of each bound.

use dally_explore::{Explored, Report, SchedulerName, count};
use dally_report::ci::{Case, CaseResult};
use dally_report::coverage::{self, Count, Gap};
use dally_report::stats::{self, Recorder};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::JsonDiagnostic;
use dally_text::source::SourceMap;
use dally_trace::{CoverageItem, Trace};
use serde::Serialize;

use super::monitor::Monitor;
use super::report::Json;
use crate::cli::{Check, ProgramArgs, ReportFiles};
use crate::language::Explorable;
use crate::output::{self, Exit};
use crate::traces;

/// The lines that a verdict shows of what was not reached.
const LINES: usize = 6;
/// The entries that JSON has of it.
const ENTRIES: usize = 200;

/// The parts of the program that were reached.
pub(crate) struct Reached {
    counts: Vec<Count>,
    gaps: Vec<Gap>,
    sources: SourceMap,
}

/// The parts of the program that were reached, as JSON.
#[derive(Serialize)]
pub(crate) struct ReachedJson {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counts: Vec<Count>,
    /// The parts that were never reached, the shortest first; at most 200 entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never: Vec<String>,
}

impl Reached {
    pub(crate) fn new(mut items: Vec<CoverageItem>, sources: &SourceMap) -> Self {
        items.retain(|item| coverage::is_declared(item, sources));
        Reached {
            counts: coverage::counts(&items),
            gaps: coverage::gaps(&items, sources),
            sources: sources.clone(),
        }
    }

    /// The parts that were never reached, in a few lines. Empty if everything was.
    pub(crate) fn text(&self) -> String {
        if self.gaps.is_empty() {
            return String::new();
        }
        let lines = self.gaps.iter().take(LINES).map(|gap| format!("\n  {}", gap.line(&self.sources)));
        let rest = match self.gaps.len().saturating_sub(LINES) {
            0 => String::new(),
            more => format!("\n  and {more} more; --coverage FILE shows all"),
        };
        let counts = coverage::in_words(&self.counts);
        format!("\nreached {counts}; never reached:{}{rest}", lines.collect::<String>())
    }

    pub(crate) fn json(&self) -> ReachedJson {
        let never = self.gaps.iter().take(ENTRIES).map(|gap| gap.line(&self.sources));
        ReachedJson { counts: self.counts.clone(), never: never.collect() }
    }
}

/// Writes the reports for continuous integration that the flags ask for.
pub(crate) fn write_cases(files: &ReportFiles, case: &Case<'_>) {
    traces::write_cases(&files.cases, "dally check", std::slice::from_ref(case));
}

/// Reports a program with errors, in files and on the terminal.
pub(crate) fn reject(arguments: &Check, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
    let exit = Json::errors(arguments.json, sources, diagnostics);
    let listed = output::json(sources, diagnostics);
    let message = diagnostics.first().map_or(String::new(), |first| first.message.clone());
    let result = CaseResult::NoVerdict(exit.word());
    write_cases(&arguments.reports, &case(arguments, 0.0, result, message, None, &listed));
    exit
}

/// The run as a test case.
pub(crate) fn case<'t>(
    arguments: &Check,
    seconds: f64,
    result: CaseResult,
    message: String,
    trace: Option<&'t Trace>,
    diagnostics: &'t [JsonDiagnostic],
) -> Case<'t> {
    let ProgramArgs { files, test, entry, .. } = &arguments.program;
    let file = files.first().cloned().unwrap_or_default();
    let name = test.clone().or_else(|| entry.clone()).unwrap_or_else(|| file.clone());
    Case { file, name, seconds, result, message, location: None, trace, diagnostics }
}

/// Writes the graph of the states, or says why not.
pub(crate) fn write_graph(
    files: &ReportFiles,
    program: &dyn Explorable,
    scheduler: &SchedulerName,
    sources: &SourceMap,
) {
    let Some(file) = &files.graph else { return };
    match program.graph(scheduler, files.graph_states as usize, sources) {
        Some(graph) => {
            traces::write(file, &graph);
        }
        None => output::remark(&format!(
            "--graph: nothing is written to `{file}`, for the program has more than {} states; --graph-states raises \
             the limit",
            count(files.graph_states as usize)
        )),
    }
}

/// A search that has ended, for its reports.
pub(crate) struct Searched<'a> {
    pub(crate) report: &'a Report,
    pub(crate) monitor: &'a Monitor,
    pub(crate) recorder: &'a Recorder,
    /// The program, the verdict and what was covered, a line each.
    pub(crate) about: Vec<String>,
}

impl Searched<'_> {
    /// Writes the reports that the flags ask for.
    pub(crate) fn write(&self, files: &ReportFiles, items: Vec<CoverageItem>, sources: &SourceMap) {
        let Report { strategy, coverage, .. } = self.report;
        let last = Explored { strategy, cost: coverage.bound, coverage };
        let rows = self.recorder.rows(&last, self.monitor.elapsed());
        if let Some(file) = &files.stats {
            traces::write(file, &stats::csv(&rows));
        }
        let Some(file) = &files.coverage else { return };
        let mut parts = self.recorder.parts(items);
        parts.retain(|part| coverage::is_declared(&part.item, sources));
        let is_page = [".html", ".htm"].iter().any(|suffix| file.ends_with(suffix));
        let text = match is_page {
            true => coverage::page(&self.about, &parts, sources, &rows),
            false => coverage::lcov(&parts, sources),
        };
        traces::write(file, &text);
    }
}
