//! Preprocessing of C files by the system's C compiler, with the headers of dally.
//!
//! The compiler runs without a shell, in a process group of its own, within a time limit and a limit on its output:
//! the text of a program may be hostile. Its headers are written to a private folder, which is removed at the end.

mod diagnostics;
mod headers;
mod process;

use std::path::{Path, PathBuf};

use dally_c::Unit;
use dally_c::types::DataModel;

use crate::cli::CArgs;
use crate::input::{Rejected, in_ascii, read_encoded, tidy};
use headers::Headers;
pub(crate) use headers::{HEADERS_FOLDER, header};

/// Preprocesses the files of a program. Files that are named `.i` are preprocessed already.
pub(crate) fn preprocess(files: &[String], arguments: &CArgs) -> Result<Vec<Unit>, Rejected> {
    if let Some(missing) = arguments.include.iter().find(|folder| !Path::new(folder).is_dir()) {
        return Err(diagnostics::rejected(format!("`-I {missing}` names no folder")));
    }
    let mut headers = None;
    let mut units = Vec::new();
    for file in files {
        let text = if is_preprocessed(file) {
            without_markers(&read_encoded(file)?.0)
        } else {
            let headers = match &mut headers {
                Some(headers) => headers,
                none => none.insert(Headers::write().map_err(|error| diagnostics::not_written(&error))?),
            };
            run(file, arguments, headers)?
        };
        units.push(Unit { name: file.clone(), text });
    }
    Ok(units)
}

fn is_preprocessed(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|suffix| suffix == "i")
}

/// The text with empty lines in place of line markers: the headers that they name belong to another system.
fn without_markers(text: &str) -> String {
    text.lines().flat_map(|line| [if is_marker(line) { "" } else { line }, "\n"]).collect()
}

fn is_marker(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("line "))
}

/// Runs the compiler on one file.
fn run(file: &str, arguments: &CArgs, headers: &Headers) -> Result<String, Rejected> {
    // A missing file is reported as in other languages.
    let (text, is_utf8) = read_encoded(file)?;
    let input = match !is_utf8 || text.lines().any(is_marker) {
        true => Input::Copy(
            headers.copy(file, &without_markers(&text)).map_err(|error| diagnostics::not_written(&error))?,
        ),
        false => Input::Itself,
    };
    let flags = |widths| flags(file, &input, arguments, headers, widths);
    let ran = process::run(&compiler(arguments), &flags(Widths::Flag));
    let ran = match ran {
        Ok(ran)
            if ran.text.is_none() && arguments.model() == DataModel::Ilp32 && ran.errors.contains("-m32") =>
        {
            process::run(&compiler(arguments), &flags(Widths::Macros))
        }
        other => other,
    };
    let ran = ran.map_err(diagnostics::rejected)?;
    let errors = headers.hide(&ran.errors);
    match ran.text {
        Some(text) => Ok(headers.hide(&text)),
        None => Err(diagnostics::of_compiler(file, &errors, &Allowed::new(&[file.to_owned()], arguments))),
    }
}

/// The compiler and its first arguments: `--cc`, else the environment variable `CC`, else `cc`.
fn compiler(arguments: &CArgs) -> Vec<String> {
    let given = arguments.cc.clone().or_else(|| std::env::var("CC").ok());
    let words: Vec<String> = given.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    if words.is_empty() { vec!["cc".to_owned()] } else { words }
}

/// How the compiler is told that `long` has 32 bits.
#[derive(Clone, Copy, PartialEq)]
enum Widths {
    Flag,
    Macros,
}

/// The text that the compiler reads.
enum Input {
    /// The file itself.
    Itself,
    /// A copy without line markers, and in UTF-8: part of the file was preprocessed on another system.
    Copy(PathBuf),
}

fn flags(file: &str, input: &Input, arguments: &CArgs, headers: &Headers, widths: Widths) -> Vec<String> {
    let mut flags: Vec<String> = ["-E", "-nostdinc", "-std=gnu11", "-D__DALLY__=1"].map(str::to_owned).into();
    if arguments.model() == DataModel::Ilp32 {
        let macros = [
            "-U__LP64__",
            "-U_LP64",
            "-U__SIZEOF_LONG__",
            "-D__SIZEOF_LONG__=4",
            "-U__SIZEOF_POINTER__",
            "-D__SIZEOF_POINTER__=4",
        ];
        let told: &[&str] = if widths == Widths::Flag { &["-m32"] } else { &macros };
        flags.extend(told.iter().map(|&flag| flag.to_owned()));
        flags.push("-D__DALLY_ILP32=1".to_owned());
    }
    flags.extend(arguments.include.iter().map(|folder| format!("-I{folder}")));
    flags.extend(arguments.define.iter().map(|name| format!("-D{name}")));
    flags.extend(["-isystem".to_owned(), headers.folder().display().to_string()]);
    // The language does not depend on the name of the file, and a name never looks like a flag.
    flags.extend(["-x".to_owned(), "c".to_owned()]);
    match input {
        Input::Itself => {
            flags.push(if file.starts_with('-') { format!("./{file}") } else { file.to_owned() });
        }
        Input::Copy(copy) => {
            let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
            flags.push(format!("-iquote{}", folder.unwrap_or(Path::new(".")).display()));
            flags.push(copy.display().to_string());
        }
    }
    flags
}

/// The folders whose files may appear in diagnostics and traces: a line marker can name any file of the system.
pub(crate) struct Allowed {
    folders: Vec<PathBuf>,
}

impl Allowed {
    /// The folders of the files, the folders right above them, and those of `-I`.
    pub(crate) fn new(files: &[String], arguments: &CArgs) -> Self {
        let canonical = |path: &Path| std::fs::canonicalize(path).ok();
        let of_files = files.iter().filter_map(|file| canonical(Path::new(file))).flat_map(|path| {
            let folder = path.parent().map(Path::to_owned);
            let above = folder.as_deref().and_then(Path::parent).map(Path::to_owned);
            // The root and its children are no projects.
            let above = above.filter(|above| above.components().count() > 2);
            [folder, above].into_iter().flatten().collect::<Vec<_>>()
        });
        let included = arguments.include.iter().filter_map(|folder| canonical(Path::new(folder)));
        Allowed { folders: of_files.chain(included).collect() }
    }

    /// The text of a file that a line marker names, if it is in one of the folders or a header of dally.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        if let Some(header) = name.strip_prefix(HEADERS_FOLDER) {
            // The folder also has copies, which are empty before their first line marker.
            let text = header.strip_prefix('/').and_then(header_text);
            return Some(text.unwrap_or_default());
        }
        let path = std::fs::canonicalize(tidy(Path::new(name))).ok()?;
        if !self.folders.iter().any(|folder| path.starts_with(folder)) {
            return None;
        }
        std::fs::read(path).ok().map(in_ascii)
    }
}

fn header_text(name: &str) -> Option<String> {
    header(name).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_other_systems_are_blank_lines() {
        let text = "# 1 \"/usr/include/x.h\" 1 3\nint x;\n#pragma once\n#line 3 \"a\"\nint y;\n";
        assert_eq!(without_markers(text), "\nint x;\n#pragma once\n\nint y;\n");
    }

    #[test]
    fn markers_may_not_name_files_elsewhere() {
        let allowed = Allowed::new(&["Cargo.toml".to_owned()], &CArgs::default());
        assert!(allowed.read("Cargo.toml").is_some());
        assert!(allowed.read("/etc/passwd").is_none());
        assert!(allowed.read("../../../../../../../etc/passwd").is_none());
        assert!(allowed.read(&format!("{HEADERS_FOLDER}/assert.h")).is_some());
    }
}
