//! Reading source files.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span, TooLarge};

/// Why the files could not be read.
#[derive(Debug)]
pub(crate) enum InputError {
    /// The operating system reports an error.
    Unreadable { file: String, error: std::io::Error },
    /// The text is not UTF-8, or too large.
    Malformed { sources: SourceMap, diagnostic: Box<Diagnostic> },
}

/// A program with errors: its diagnostics, and the files that they point into.
#[derive(Debug)]
pub(crate) struct Rejected {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl From<InputError> for Rejected {
    fn from(error: InputError) -> Self {
        let (sources, diagnostic) = match error {
            InputError::Unreadable { file, error } => {
                let message = format!("cannot read `{file}`: {error}");
                (SourceMap::default(), Diagnostic::new(Code::UNREADABLE, Span::NONE, message))
            }
            InputError::Malformed { sources, diagnostic } => (sources, *diagnostic),
        };
        Rejected { sources, diagnostics: vec![diagnostic] }
    }
}

/// A program without errors, and its files.
pub(crate) struct Accepted<P> {
    pub(crate) sources: SourceMap,
    pub(crate) program: P,
}

/// Reads all files of a program, and checks it.
pub(crate) fn load<P>(
    files: &[String],
    check: impl FnOnce(&SourceMap) -> Result<P, Vec<Diagnostic>>,
) -> Result<Accepted<P>, Rejected> {
    let sources = read(files)?;
    match check(&sources) {
        Ok(program) => Ok(Accepted { sources, program }),
        Err(diagnostics) => Err(Rejected { sources, diagnostics }),
    }
}

/// Reads all files of a program.
pub(crate) fn read(files: &[String]) -> Result<SourceMap, InputError> {
    let mut sources = SourceMap::default();
    for file in files {
        let bytes = read_bytes(file).map_err(|error| InputError::Unreadable { file: file.clone(), error })?;
        add(&mut sources, display_name(file), bytes)?;
    }
    Ok(sources)
}

/// Adds texts of the command line, under the name of their flag.
pub(crate) fn add_texts(sources: &mut SourceMap, flag: &str, texts: &[String]) -> Result<(), InputError> {
    texts.iter().try_for_each(|text| add(sources, flag, text.clone().into_bytes()))
}

fn display_name(file: &str) -> &str {
    if file == "-" { "<standard input>" } else { file }
}

fn read_bytes(file: &str) -> std::io::Result<Vec<u8>> {
    if file != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a C file, in UTF-8 or in another encoding that extends ASCII. False if it was not UTF-8.
pub(crate) fn read_encoded(file: &str) -> Result<(String, bool), InputError> {
    let bytes = read_bytes(file).map_err(|error| InputError::Unreadable { file: file.to_owned(), error })?;
    let is_utf8 = std::str::from_utf8(&bytes).is_ok();
    Ok((in_ascii(bytes), is_utf8))
}

/// A text with `?` for each byte that is not UTF-8, so that strings keep their length.
pub(crate) fn in_ascii(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let chunks = error.as_bytes().utf8_chunks();
        chunks.map(|chunk| format!("{}{}", chunk.valid(), "?".repeat(chunk.invalid().len()))).collect()
    })
}

fn add(sources: &mut SourceMap, name: &str, bytes: Vec<u8>) -> Result<(), InputError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let lossy = String::from_utf8_lossy(error.as_bytes()).into_owned();
        match sources.add(name, lossy) {
            Err(TooLarge) => too_large(sources, name),
            Ok(file) => {
                let start = sources.files()[file].start + valid as u32;
                let span = Span::new(start, start + '\u{fffd}'.len_utf8() as u32);
                malformed(
                    sources,
                    Diagnostic::new(Code::NOT_UTF8, span, "this is not UTF-8 text")
                        .help("if this is a program, convert the file to UTF-8"),
                )
            }
        }
    })?;
    match sources.add(name, text) {
        Ok(_) => Ok(()),
        Err(TooLarge) => Err(too_large(sources, name)),
    }
}

fn too_large(sources: &mut SourceMap, name: &str) -> InputError {
    let message = format!("with `{name}`, the program has more than 4 GiB");
    malformed(sources, Diagnostic::new(Code::TOO_LARGE, Span::NONE, message))
}

fn malformed(sources: &mut SourceMap, diagnostic: Diagnostic) -> InputError {
    InputError::Malformed { sources: std::mem::take(sources), diagnostic: Box::new(diagnostic) }
}

/// The path without `.` and `a/..`.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match (component, tidy.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                tidy.pop();
            }
            _ => tidy.push(component),
        }
    }
    // An empty path is not the current folder.
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}
