//! The table of output formats. A new format is one file that defines a function from a trace to text, and one row here.

use dally_text::source::SourceMap;

use crate::{Look, Trace, html, json, mermaid, sequence, svg, text};

/// A format in which a trace can be written.
#[derive(Clone, Copy, Debug)]
pub struct OutputFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub about: &'static str,
    /// Writes a trace, with source text from these files. Control characters of the trace are escaped.
    pub write: fn(&Trace, &SourceMap, &Look) -> String,
    /// True if the output is meant for people, and may have colours.
    pub for_people: bool,
    /// True if the output has the source text of the program.
    pub shows_sources: bool,
}

/// All formats, the default first.
pub const FORMATS: &[OutputFormat] = &[
    OutputFormat {
        name: "text",
        about: "every step, for people",
        write: |trace, _, look| text(trace, look),
        for_people: true,
        shows_sources: false,
    },
    OutputFormat {
        name: "sequence",
        about: "the messages as a chart",
        write: |trace, _, look| sequence(trace, look),
        for_people: true,
        shows_sources: false,
    },
    OutputFormat {
        name: "html",
        about: "a page for a browser",
        write: html,
        for_people: false,
        shows_sources: true,
    },
    OutputFormat {
        name: "svg",
        about: "a picture for documents",
        write: svg,
        for_people: false,
        shows_sources: false,
    },
    OutputFormat {
        name: "mermaid",
        about: "a sequence diagram for Markdown",
        write: mermaid,
        for_people: false,
        shows_sources: false,
    },
    OutputFormat {
        name: "json",
        about: "the trace as data",
        write: |trace, _, _| json(trace),
        for_people: false,
        shows_sources: false,
    },
];

impl OutputFormat {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static OutputFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }
}
