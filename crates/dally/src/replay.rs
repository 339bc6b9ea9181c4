//! `dally replay`: run a trace again and confirm its bug.

use dally_explore::{Bug, Failure, StrategyName};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::printable;
use dally_text::source::SourceMap;
use dally_trace::{Source, Trace};

use crate::cli::{ProgramArgs, Replay};
use crate::input::Rejected;
use crate::language::{Explorable, Language};
use crate::output::{self, Exit};
use crate::traces;

pub(crate) fn run(arguments: &Replay) -> Exit {
    let trace = match confirm(&arguments.trace) {
        Ok(trace) => trace,
        Err(message) => return output::complain(&message),
    };
    let format = arguments.format;
    let text = (format.write)(&trace);
    let text = if format.for_people {
        let message = printable(&trace.failure.message);
        format!("the bug is confirmed: {message}\n\n{}", printable(&text))
    } else {
        text
    };
    output::exit_after(output::stdout(text.as_bytes()), Exit::Bug)
}

/// Replays the trace in a file. Returns the trace of this execution, if it ends in the same failure.
fn confirm(file: &str) -> Result<Trace, String> {
    let trace = traces::read(file)?;
    if trace.solved && trace.inputs.is_none() {
        return Err(
            "the trace does not replay: it was written by dally verify, and has no `inputs` with the values \
                    and choices of the solver"
                .to_owned(),
        );
    }
    if let StrategyName::Custom(name) = &trace.schedule.strategy {
        return Err(format!("the trace does not replay: there is no scheduler `{name}`"));
    }
    let program = ProgramArgs {
        files: trace.program.files.clone(),
        entry: trace.program.entry.clone(),
        preempt: trace.program.preempt,
        test: trace.program.test.clone(),
    };
    let Loaded { sources, program } = load(&program, trace.inputs.as_ref());
    // A program that was edited may have errors now: that it has changed says more.
    let readable = !sources.files().is_empty();
    if readable && Source::hash(&sources) != trace.program.hash {
        return Err(changed(&trace));
    }
    // Without a failure in the replay, the message is empty, and differs from that of the trace.
    let nothing = Failure { kind: trace.failure.kind.into(), message: String::new() };
    let bug = Bug { failure: nothing, schedule: trace.schedule.clone(), cost: trace.cost };
    let again = program?.trace(&bug, &sources, trace.unfair);
    let again = again.map_err(|e| format!("the trace does not replay: {e}"))?;
    if trace.cost != trace.schedule.cost() {
        return Err("the trace does not replay: its cost is not the sum of the costs of its steps".to_owned());
    }
    if again.failure != trace.failure {
        return Err("the schedule replays, but does not end in the failure of the trace".to_owned());
    }
    Ok(again)
}

/// The message for a program whose text is not that of the trace.
fn changed(trace: &Trace) -> String {
    if trace.program.files.iter().any(|file| file == "-") {
        return "the trace is of a program on standard input: give the same text there again".to_owned();
    }
    let command = if trace.solved { "verify" } else { "check" };
    format!("the program has changed since the trace was written: run `dally {command}` again")
}

/// The files of a trace, and the program in them, or why there is none.
struct Loaded {
    sources: SourceMap,
    program: Result<Box<dyn Explorable>, String>,
}

/// Loads and compiles a program, with the values and choices of a solver if there are any.
fn load(arguments: &ProgramArgs, inputs: Option<&serde_json::Value>) -> Loaded {
    let first =
        |diagnostics: Vec<Diagnostic>| diagnostics.first().map_or(String::new(), |d| d.message.clone());
    match Language::of(&arguments.files).load(&arguments.files) {
        Err(Rejected { sources, diagnostics }) => Loaded { sources, program: Err(first(diagnostics)) },
        Ok(mut loaded) => {
            let fixed = inputs.map_or(Ok(()), |inputs| loaded.fix_inputs(inputs));
            let program = fixed.and_then(|()| loaded.compile(arguments).map_err(first));
            Loaded { sources: loaded.sources().clone(), program }
        }
    }
}
