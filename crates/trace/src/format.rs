//! The table of output formats. A new format is one file that defines a function from a trace to text, and one row here.

use crate::{Look, Trace, json, sequence, text};

/// A format in which a trace can be written.
#[derive(Clone, Copy, Debug)]
pub struct OutputFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub about: &'static str,
    /// Writes a trace. Control characters of the trace are escaped.
    pub write: fn(&Trace, &Look) -> String,
    /// True if the output is meant for people, and may have colours.
    pub for_people: bool,
}

/// All formats, the default first.
pub const FORMATS: &[OutputFormat] = &[
    OutputFormat { name: "text", about: "every step, for people", write: text, for_people: true },
    OutputFormat { name: "sequence", about: "the messages as a chart", write: sequence, for_people: true },
    OutputFormat {
        name: "json",
        about: "the trace as data",
        write: |trace, _| json(trace),
        for_people: false,
    },
];

impl OutputFormat {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static OutputFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }
}
