//! The flags of traces: the files that `check` and `verify` write, and the commands that read them.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dally_trace::{FORMATS, OutputFormat};

/// The files to which the trace of a bug is written.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TraceFiles {
    /// Write the trace of a bug to this file, for dally replay and dally show
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,

    /// Write the trace of a bug to this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
}

impl TraceFiles {
    /// The files, each with its flag.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let files = [("--trace", &self.trace), ("--html", &self.html)];
        files.into_iter().filter_map(|(flag, file)| Some((flag, file.as_deref()?)))
    }
}

/// Run a trace again, step by step, and confirm its bug
///
/// If the program has changed since, says whether the schedule of the trace still fails. Files are searched relative to
/// the trace, then in the current folder. Several traces, or a folder of them, serve as regression tests: the exit
/// code is 1 if any still fails, 3 if some cannot be followed any more, and 0 if all pass.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally check --trace bug.json program.bpl   write a trace\n  \
                  dally replay bug.json                      confirm the bug and print the trace\n  \
                  dally replay traces                        which traces in this folder still fail?")]
pub(crate) struct Replay {
    /// Traces that dally check or dally verify has written, or folders of them
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<String>,

    /// Print which traces still fail, as one object
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// The format in which the trace is printed
    #[arg(long, value_name = "NAME", default_value = FORMATS[0].name, value_parser = formats())]
    pub(crate) format: &'static OutputFormat,

    /// Write the trace to this file, as a page for a browser
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<String>,
}

/// Show a trace: as text, as a page for a browser, or as a picture
///
/// Shows what the trace has recorded, without running the program. The page has the source text beside the steps if the
/// files of the program are found and have not changed: relative to the trace, then in the current folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally show bug.json                       the steps as text\n  \
                  dally show --html bug.json -o bug.html    a page: open it in a browser\n  \
                  dally show --svg bug.json > bug.svg       a picture for a document\n  \
                  dally show --mermaid bug.json             a sequence diagram for Markdown")]
pub(crate) struct Show {
    /// A trace that dally check or dally verify has written
    #[arg(value_name = "TRACE")]
    pub(crate) file: String,

    /// The format
    #[arg(long, value_name = "NAME", value_parser = formats(), group = "shown_as")]
    format: Option<&'static OutputFormat>,

    /// Every step as text, for people; this is the default
    #[arg(long, group = "shown_as")]
    text: bool,

    /// A page for a browser, in one file
    #[arg(long, group = "shown_as")]
    html: bool,

    /// A picture for documents
    #[arg(long, group = "shown_as")]
    svg: bool,

    /// A sequence diagram in the notation of Mermaid
    #[arg(long, group = "shown_as")]
    mermaid: bool,

    /// The trace as data
    #[arg(long, group = "shown_as")]
    json: bool,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
}

impl Show {
    /// The format that the flags select.
    pub(crate) fn format(&self) -> &'static OutputFormat {
        let flags = [
            ("text", self.text),
            ("html", self.html),
            ("svg", self.svg),
            ("mermaid", self.mermaid),
            ("json", self.json),
        ];
        let named = flags.iter().find(|(_, given)| *given).and_then(|(name, _)| OutputFormat::named(name));
        self.format.or(named).unwrap_or(&FORMATS[0])
    }
}

/// Parses the name of an output format.
fn formats() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    let named = |name: String| OutputFormat::named(&name).unwrap_or(&FORMATS[0]);
    PossibleValuesParser::new(names).map(named)
}
