//! The flags `--rules` and `--rule`: a user's order of tasks.

use dally_schedule::rules::{RuleError, RuleSet};
use dally_schedule::{Names, SchedulerName, StrategyName};
use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};

use crate::cli::RuleArgs;
use crate::input::{self, Rejected};

/// Rules, and the files and arguments that they come from.
pub(crate) struct Rules {
    sources: SourceMap,
    set: RuleSet,
}

impl Rules {
    /// Reads the rules that the flags give, if they give any.
    pub(crate) fn read(arguments: &RuleArgs) -> Result<Option<Self>, Rejected> {
        if arguments.rules.is_empty() && arguments.rule.is_empty() {
            return Ok(None);
        }
        let mut sources = input::read(&arguments.rules)?;
        input::add_texts(&mut sources, "--rule", &arguments.rule)?;
        let texts: Vec<&str> = sources.files().iter().map(|file| &*file.text).collect();
        match RuleSet::parse(&texts.join("\n")) {
            Ok(set) => Ok(Some(Rules { sources, set })),
            Err(errors) => {
                let diagnostics = diagnostics(&sources, errors);
                Err(Rejected { sources, diagnostics })
            }
        }
    }

    /// Reports the names in the rules that the program does not have.
    pub(crate) fn check(&self, names: &Names) -> Result<(), Rejected> {
        match self.set.check(names) {
            errors if errors.is_empty() => Ok(()),
            errors => {
                let diagnostics = diagnostics(&self.sources, errors);
                Err(Rejected { sources: self.sources.clone(), diagnostics })
            }
        }
    }

    /// These strategies, with the rules around each.
    pub(crate) fn around(&self, strategies: Vec<StrategyName>) -> Result<Vec<StrategyName>, String> {
        let with = |strategy| match strategy {
            StrategyName::Delays(scheduler) => self.around_one(scheduler).map(StrategyName::Delays),
            other => Err(format!(
                "--rules and --rule go with `--bounded delays`: `{other}` has no order to change"
            )),
        };
        strategies.into_iter().map(with).collect()
    }

    /// A scheduler with the rules around it.
    pub(crate) fn around_one(&self, scheduler: SchedulerName) -> Result<SchedulerName, String> {
        scheduler.with_rules(self.set.clone()).map_err(|error| error.to_string())
    }
}

/// Errors in the joined texts, as diagnostics in the files that they come from.
fn diagnostics(sources: &SourceMap, errors: Vec<RuleError>) -> Vec<Diagnostic> {
    let place = |at: usize| {
        let mut begins = 0;
        for file in sources.files() {
            // The texts are joined by line breaks.
            if at <= begins + file.text.len() {
                return file.start + (at - begins) as u32;
            }
            begins += file.text.len() + 1;
        }
        sources.files().last().map_or(0, |file| file.start + file.text.len() as u32)
    };
    let diagnostic = |error: RuleError| {
        let start = place(error.span.start);
        let span = Span::new(start, start + error.span.len() as u32);
        let mut diagnostic = Diagnostic::new(Code::BAD_RULE, span, error.message);
        diagnostic.help = error.help;
        diagnostic
    };
    errors.into_iter().map(diagnostic).collect()
}
