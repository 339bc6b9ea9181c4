//! The format `json`: a trace for tools, and for `dally replay`. `docs/trace.md` describes every field.

use std::fmt;

use dally_text::render::printable_json;

use crate::{Trace, VERSION};

/// The trace as indented JSON, with a newline at the end. Characters that a terminal would interpret are escaped.
pub fn json(trace: &Trace) -> String {
    // A trace has only string keys and finite numbers, so that serialisation cannot fail.
    printable_json(&serde_json::to_string_pretty(trace).unwrap_or_default()) + "\n"
}

/// Why text could not be read as a trace.
#[derive(Debug)]
pub enum ReadError {
    /// The text is not JSON, or has no trace in it.
    NoTrace(serde_json::Error),
    /// The trace has another version of the format.
    Version(u32),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NoTrace(error) => write!(f, "is not a dally trace: {error}"),
            ReadError::Version(version) => {
                write!(f, "has version {version} of the trace format; this dally reads version {VERSION}")
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a trace that [`json`] has written.
pub fn from_json(text: &[u8]) -> Result<Trace, ReadError> {
    let mut trace: Trace = serde_json::from_slice(text).map_err(ReadError::NoTrace)?;
    // A trace may have been edited, or written before steps had numbers: pictures rely on them.
    trace.number_steps();
    if trace.version == VERSION { Ok(trace) } else { Err(ReadError::Version(trace.version)) }
}
