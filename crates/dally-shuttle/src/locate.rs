//! The location of a task in the source text.
//!
//! Shuttle calls its scheduler from the task that has reached a scheduling point, on the stack of that task. So a
//! backtrace captured there contains the user's code. Backtraces are slow, so none is captured during a search: the
//! failing execution is run once more, and only the relevant steps are captured.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path};

use backtrace::{Backtrace, BacktraceFrame, BacktraceSymbol};
use shuttle::scheduler::TaskId;

use crate::page::Record;
use crate::policy::Point;

/// The crates whose frames are not the user's code.
const LIBRARIES: &[&str] = &[
    "alloc",
    "backtrace",
    "core",
    "corosensei",
    "dally_schedule",
    "dally_shuttle",
    "shuttle",
    "shuttle_engine",
    "shuttle_schedulers",
    "shuttle_std",
    "std",
];

/// The number of scheduling points of a task that are searched for one in the user's code: a pending future is between
/// two polls, where its stack has none.
const POINTS: usize = 4;

/// A location in the source text, and the next operation there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The file, relative to the working directory if it is below it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The operation that the task is about to perform, or performs: `lock`, `load`, `spawn`.
    pub operation: Option<String>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Backtraces and names, captured at the relevant steps.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    wanted: BTreeSet<usize>,
    stacks: BTreeMap<usize, Backtrace>,
    names: BTreeMap<usize, String>,
    /// The record for a page, if one is wanted.
    pub(crate) record: Option<Record>,
}

impl Capture {
    /// Requests the last locations of this task before a step of an execution.
    pub(crate) fn want(&mut self, trace: &[TaskId], step: usize, task: TaskId) {
        self.wanted.extend(points_of(trace, step, task));
    }

    /// Called at a scheduling point, on the stack of the task that ran before this step.
    pub(crate) fn look(&mut self, step: usize, point: &Point<'_>) {
        for task in point.tasks {
            let name = || task.name().unwrap_or_default();
            self.names.entry(usize::from(task.id())).or_insert_with(name);
        }
        if self.wanted.contains(&step) {
            self.stacks.insert(step, Backtrace::new_unresolved());
        }
        if let Some(record) = &mut self.record {
            record.look(step, point);
        }
    }

    /// The location of this task before a step, or its last known one; `None` if it has not begun, or is not known.
    pub(crate) fn place(&self, trace: &[TaskId], step: usize, task: TaskId) -> Option<Site> {
        points_of(trace, step, task).find_map(|point| place_of(self.stacks.get(&point)?))
    }

    /// True if that location is exact; otherwise it is an earlier one.
    pub(crate) fn is_exact(&self, trace: &[TaskId], step: usize, task: TaskId) -> bool {
        self.exact_place(trace, step, task).is_some()
    }

    /// The location of this task before a step, if it is known exactly.
    pub(crate) fn exact_place(&self, trace: &[TaskId], step: usize, task: TaskId) -> Option<Site> {
        place_of(self.stacks.get(&points_of(trace, step, task).next()?)?)
    }

    /// The name of a task in the program.
    pub(crate) fn name(&self, task: TaskId) -> Option<&str> {
        self.names.get(&usize::from(task)).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// The last steps, up to the given one, that follow a step of this task: the last one first.
fn points_of(trace: &[TaskId], step: usize, task: TaskId) -> impl Iterator<Item = usize> {
    let before = &trace[..step.min(trace.len())];
    let ran = before.iter().enumerate().rev().filter(move |(_, other)| **other == task);
    ran.map(|(nth, _)| nth + 1).take(POINTS)
}

fn place_of(stack: &Backtrace) -> Option<Site> {
    let mut stack = stack.clone();
    stack.resolve();
    let symbols = stack.frames().iter().flat_map(BacktraceFrame::symbols);
    let mut operation = None;
    for symbol in symbols {
        let name = symbol.name().map(|name| format!("{name:#}")).unwrap_or_default();
        if is_executor(&name) {
            return None;
        }
        if is_library(&name, symbol) {
            operation = operation_of(&name).or(operation);
            continue;
        }
        let file = symbol.filename()?;
        return Some(Site { file: relative(file), line: symbol.lineno()?, operation });
    }
    None
}

/// The location of a stack on which the scheduler was called; and true if a task called it, rather than the executor after
/// the task had returned.
pub(crate) fn located(stack: &Backtrace) -> (Option<Site>, bool) {
    let mut resolved = stack.clone();
    resolved.resolve();
    let symbols = resolved.frames().iter().flat_map(BacktraceFrame::symbols);
    let mut names = symbols.filter_map(|symbol| symbol.name().map(|name| format!("{name:#}")));
    (place_of(stack), names.any(|name| name.ends_with("ExecutionState::maybe_yield")))
}

/// True if this function is the base of all stacks of tasks: the frames below it belong to no task.
fn is_executor(name: &str) -> bool {
    name.contains("shuttle_engine::runtime::execution::Execution::") || crate_of(name) == "corosensei"
}

fn is_library(name: &str, symbol: &BacktraceSymbol) -> bool {
    let dependency = |file: &Path| {
        let parts: Vec<_> = file.components().map(Component::as_os_str).collect();
        // Optimised code may name a function without its crate.
        let own = Path::new(file!()).parent().unwrap_or(Path::new("dally-shuttle"));
        let own: Vec<_> = own.components().map(Component::as_os_str).collect();
        parts.windows(2).any(|pair| pair[0] == ".cargo" && pair[1] == "registry")
            || parts.windows(own.len()).any(|folders| folders == own)
            || parts.iter().any(|part| *part == "rustc")
    };
    LIBRARIES.contains(&crate_of(name)) || symbol.filename().is_none_or(dependency)
}

/// The crate that a function belongs to, by its name: `core` in `<core::slice::Iter<T> as …>::next`.
fn crate_of(name: &str) -> &str {
    let name = name.trim_start_matches(['<', '&', '*', '(', '[']);
    let name = name.trim_start_matches("mut ").trim_start_matches("dyn ").trim_start_matches("impl ");
    name.split("::").next().unwrap_or(name)
}

/// The operation of a library function, in one word: its name, or the type that it drops.
fn operation_of(name: &str) -> Option<String> {
    if let Some(dropped) = name.strip_prefix("core::ptr::drop_in_place<") {
        return Some(format!("drop of {}", last_word(dropped.strip_suffix('>').unwrap_or(dropped))?));
    }
    let is_call = name.contains("core::ops::function::") || name.starts_with("core::mem::drop");
    if is_call { None } else { last_word(name).map(str::to_owned) }
}

/// The last name of a path that is not a closure's: `lock` in `a::Mutex<b::C>::lock::{{closure}}`.
fn last_word(path: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut word = None;
    let mut start = 0;
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'<' => {
                word = if depth == 0 { identifier(&path[start..at]).or(word) } else { word };
                depth += 1;
            }
            b'>' if depth > 0 && path.as_bytes()[at - 1] != b'-' => {
                depth -= 1;
                start = at + 1;
            }
            b':' if depth == 0 => {
                word = identifier(&path[start..at]).or(word);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth == 0 { identifier(&path[start..]).or(word) } else { word }
}

fn identifier(text: &str) -> Option<&str> {
    let is_identifier = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_identifier.then_some(text)
}

/// The file, relative to the working directory if it is below it. Compilers name a file by its whole path, or
/// relative to the root of the workspace.
pub(crate) fn relative(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let whole = here.ancestors().map(|above| above.join(file)).find(|path| path.exists());
    let below = whole.as_deref().and_then(|path| path.strip_prefix(&here).ok());
    below.unwrap_or(file).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_understood() {
        for (name, krate, word) in [
            ("shuttle_std::sync::mutex::Mutex<T>::lock", "shuttle_std", Some("lock")),
            (
                "<shuttle_std::sync::mutex::MutexGuard<T> as core::ops::drop::Drop>::drop",
                "shuttle_std",
                Some("drop"),
            ),
            (
                "core::ptr::drop_in_place<shuttle_std::sync::mutex::MutexGuard<i32>>",
                "core",
                Some("drop of MutexGuard"),
            ),
            ("shuttle_std::future::spawn::{{closure}}", "shuttle_std", Some("spawn")),
            ("<&mut dyn core::future::Future as x::Y>::poll", "core", Some("poll")),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "core", None),
            ("bank::account::deposit", "bank", Some("deposit")),
            ("a::b::<fn() -> a::C>::d", "a", Some("d")),
            ("", "", None),
        ] {
            assert_eq!((crate_of(name), operation_of(name).as_deref()), (krate, word), "{name}");
        }
    }
}
