//! `dally show`: a trace in another format, without running its program.

use dally_text::source::SourceMap;
use dally_trace::{Source, Trace};

use crate::cli::{ProgramArgs, Show};
use crate::input::Rejected;
use crate::language::Language;
use crate::output::{self, Exit};
use crate::traces;

pub(crate) fn run(arguments: &Show) -> Exit {
    let trace = match traces::read(&arguments.file) {
        Ok(trace) => trace,
        Err(message) => return output::complain(&message),
    };
    let format = arguments.format();
    let sources = if format.shows_sources { sources(&arguments.file, &trace) } else { SourceMap::default() };
    let text = (format.write)(&trace, &sources, &output::look());
    match &arguments.output {
        Some(file) => traces::write(file, &text),
        None if format.for_people => output::coloured(&text),
        None => output::stdout(text.as_bytes()),
    }
}

/// The files of a trace, by the names that its locations have. None if they are not found or have changed: the lines of
/// the trace would be those of another text.
fn sources(file: &str, trace: &Trace) -> SourceMap {
    if trace.program.files.iter().any(|file| file == "-") {
        return SourceMap::default();
    }
    let Ok(arguments) = traces::arguments(file, trace) else { return SourceMap::default() };
    let read = match Language::of(&arguments.files).load(&arguments) {
        Ok(loaded) => loaded.sources().clone(),
        Err(Rejected { sources, .. }) => sources,
    };
    if Source::hash(&read) != trace.program.hash {
        let why = if read.files().is_empty() { "are not found" } else { "have changed since it was written" };
        output::remark(&format!("the files of the trace {why}: the page has no source text"));
        return SourceMap::default();
    }
    renamed(&read, &arguments, &trace.program)
}

/// Renames the files to their names in the trace, so that its locations refer to them.
fn renamed(read: &SourceMap, arguments: &ProgramArgs, program: &Source) -> SourceMap {
    let pairs = || arguments.files.iter().zip(&program.files);
    // A project has its files in its folder.
    let folder = |path: &str| path.rfind(['/', '\\']).map_or(String::new(), |end| path[..=end].to_owned());
    let name = |name: &str| {
        let exact =
            pairs().find_map(|(found, named)| Some(format!("{named}{}", name.strip_prefix(&**found)?)));
        let beside = || {
            let mut folders = pairs().map(|(found, named)| (folder(found), folder(named)));
            folders.find_map(|(found, named)| Some(format!("{named}{}", name.strip_prefix(&*found)?)))
        };
        exact.or_else(beside).unwrap_or_else(|| name.to_owned())
    };
    let mut renamed = SourceMap::default();
    for file in read.files() {
        // The files fit, since they did before.
        let _ = renamed.add(name(&file.name), file.text.clone());
    }
    renamed
}
