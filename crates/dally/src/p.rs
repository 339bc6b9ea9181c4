//! P programs: their files, their tests, and what happened in a trace.

use dally_p::codes;
use std::path::{Path, PathBuf};

use dally_explore::{Bug, Kept, Moment, ReplayError, TaskId, delayed_tasks, replay};
use dally_p::{Line, LineKind, Machine, State};
use dally_text::diagnostic::{Diagnostic, did_you_mean};
use dally_text::source::{SourceMap, Span};
use dally_trace::{Change, Failed, Message, Source, Statement, Steps, TaskName, Trace, TraceStep, VERSION};

use crate::cli::ProgramArgs;
use crate::input::{self, InputError};
use crate::traces;

/// Whether these are the files of a P program.
pub(crate) fn is_p(files: &[String]) -> bool {
    let looks_so = |file: &String| {
        let path = Path::new(file);
        path.is_dir() || path.extension().is_some_and(|e| e == "p" || e == "pproj")
    };
    files.iter().any(looks_so)
}

/// Whether this looks like a P program that came without a name.
pub(crate) fn is_p_unnamed(files: &[String], sources: &SourceMap) -> bool {
    let begins = |line: &str| line.starts_with("machine ") || line.starts_with("event ");
    files.iter().any(|file| file == "-") && sources.files().iter().any(|f| f.text.lines().any(begins))
}

/// Reads all files of a program, and says how many of them are its own: those of projects that it includes follow.
pub(crate) fn read(files: &[String]) -> Result<(SourceMap, usize), InputError> {
    let mut found = Files::default();
    for file in files {
        found.add(Path::new(file))?;
    }
    let own = found.files.len();
    if own == 0 {
        let place = files.first().map_or("", String::as_str);
        return Err(bad_project(Path::new(place), "there are no P programs here"));
    }
    let mut next = 0;
    while let Some(project) = found.includes.get(next).cloned() {
        found.add_project(&project)?;
        next += 1;
    }
    let names: Vec<String> = found.files.iter().map(|path| path.display().to_string()).collect();
    Ok((input::read(&names)?, own))
}

/// The files of a program, each once.
#[derive(Default)]
struct Files {
    files: Vec<PathBuf>,
    includes: Vec<PathBuf>,
}

impl Files {
    fn add(&mut self, path: &Path) -> Result<(), InputError> {
        if !path.is_dir() {
            if path.extension().is_some_and(|e| e == "pproj") {
                return self.add_project(path);
            }
            if !self.files.iter().any(|file| file == path) {
                self.files.push(path.to_owned());
            }
            return Ok(());
        }
        let projects = entries(path)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == "pproj"));
        match projects.collect::<Vec<_>>().as_slice() {
            [project] => self.add_project(project),
            _ => self.add_folder(path),
        }
    }

    /// All programs below a folder; it may have none, as that with the foreign code of a project.
    fn add_folder(&mut self, folder: &Path) -> Result<(), InputError> {
        let mut todo = vec![folder.to_owned()];
        let mut found = Vec::new();
        while let Some(folder) = todo.pop() {
            for path in entries(&folder)? {
                if path.is_dir() && !path.is_symlink() {
                    todo.push(path);
                } else if path.extension().is_some_and(|e| e == "p") {
                    found.push(path);
                }
            }
        }
        found.sort();
        found.iter().try_for_each(|file| self.add(file))
    }

    fn add_project(&mut self, file: &Path) -> Result<(), InputError> {
        let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, error))?;
        let project = dally_p::project::parse(&text).map_err(|message| bad_project(file, &message))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        for path in &project.files {
            let path = tidy(&folder.join(path));
            if path.is_dir() { self.add_folder(&path)? } else { self.add(&path)? }
        }
        for include in &project.includes {
            let include = tidy(&folder.join(include));
            if !self.includes.contains(&include) {
                self.includes.push(include);
            }
        }
        Ok(())
    }
}

/// The path without `.` and `a/..`.
fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
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
    tidy
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let read =
        || std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut entries = read().map_err(|error| unreadable(folder, error))?;
    // What is hidden was put there by others than the author.
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    entries.retain(|path| !is_hidden(path));
    entries.sort();
    Ok(entries)
}

fn unreadable(file: &Path, error: std::io::Error) -> InputError {
    InputError::Unreadable { file: file.display().to_string(), error }
}

fn bad_project(file: &Path, message: &str) -> InputError {
    let message = format!("`{}`: {message}", file.display());
    let diagnostic = Box::new(Diagnostic::new(codes::BAD_PROJECT, Span::NONE, message));
    InputError::Malformed { sources: SourceMap::default(), diagnostic }
}

/// A program, and which of its tests are its own.
pub(crate) struct Loaded {
    program: dally_p::Program,
}

impl Loaded {
    pub(crate) fn new(sources: &SourceMap, own: usize) -> Result<Self, Vec<Diagnostic>> {
        let mut program = dally_p::load(sources)?;
        let ours = |span: Span| sources.files().get(own).is_none_or(|first| span.start < first.start);
        program.info.tests.retain(|test| ours(test.span));
        Ok(Loaded { program })
    }

    /// The names of the tests.
    pub(crate) fn tests(&self) -> Vec<&str> {
        self.program.info.tests.iter().map(|test| test.name.as_str()).collect()
    }

    /// The test that was asked for, ready to be searched.
    pub(crate) fn test(self, sources: &SourceMap, name: Option<&str>) -> Result<Test, Vec<Diagnostic>> {
        let tests = &self.program.info.tests;
        let found = match (name, tests.as_slice()) {
            (Some(name), _) => tests.iter().find(|test| test.name == name),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some(test) = found else { return Err(vec![self.no_test(name)]) };
        let machine = Machine::new(&self.program, test, sources)?;
        let name = test.name.clone();
        Ok(Test { machine, name, warnings: self.program.warnings })
    }

    fn no_test(&self, name: Option<&str>) -> Diagnostic {
        // More than anyone reads.
        const MOST: usize = 20;
        let tests = self.tests();
        let rest = if tests.len() > MOST { ", …" } else { "" };
        let names = format!("{}{rest}", tests[..tests.len().min(MOST)].join(", "));
        let (message, help) = match (name, tests.len()) {
            (_, 0) => {
                let message = "the program has no test, and no machine `Main` to begin with".to_owned();
                (message, Some("declare a test: `test T [main=M]: { M, … };`".to_owned()))
            }
            (Some(name), _) => {
                let similar = did_you_mean(name, tests.iter().copied());
                let help = similar.unwrap_or_else(|| format!("its tests are: {names}"));
                (format!("the program has no test `{name}`"), Some(help))
            }
            (None, count) => {
                (format!("the program has {count} tests: {names}"), Some("choose one with --test".to_owned()))
            }
        };
        Diagnostic::new(codes::BAD_TEST, Span::NONE, message).maybe_help(help)
    }
}

/// A test of a program.
pub(crate) struct Test {
    pub(crate) machine: Machine,
    name: String,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Test {
    /// Replays a bug and tells what happened.
    pub(crate) fn explain(
        &self,
        sources: &SourceMap,
        program: &ProgramArgs,
        bug: &Bug,
        unfair: bool,
    ) -> Result<Trace, ReplayError> {
        let machine = &self.machine;
        let delayed = delayed_tasks(machine, &bug.schedule)?;
        let mut steps = Steps::new(bug.schedule.steps.len());
        let mut failed_at = None;
        let replayed = replay(machine, &bug.schedule, |moment| {
            let Some((nth, step)) = moment.step else { return };
            steps.push(|| {
                let (lines, failed) = machine.explain(moment.before, step.task, step.choice);
                failed_at = failed;
                let from = self.named(moment.before, step.task);
                let messages = lines.iter().filter_map(|line| self.message(moment, &from, line)).collect();
                (self.step(sources, moment, from, &delayed[nth], lines), messages)
            });
        })?;
        let (steps, left_out, messages) = steps.finish();
        let failure = traces::failure(machine, bug, replayed.failure, unfair)?;
        let globals = machine.describe(&replayed.state).into_iter();
        Ok(Trace {
            version: VERSION,
            program: Source {
                files: program.files.clone(),
                hash: traces::hash(sources),
                test: Some(self.name.clone()),
                ..Source::default()
            },
            failure: Failed {
                kind: failure.kind.into(),
                message: failure.message,
                location: failed_at.and_then(|span| traces::location(sources, span)),
            },
            cost: bug.cost,
            schedule: bug.schedule.clone(),
            unfair,
            steps,
            left_out,
            given: Vec::new(),
            solved: false,
            inputs: None,
            globals: globals.map(|(variable, value)| Change { variable, shared: true, value }).collect(),
            messages,
            notes: Vec::new(),
        })
    }

    fn named(&self, state: &State, task: TaskId) -> TaskName {
        TaskName { task: task.0, name: self.machine.machine_name(state, task.0) }
    }

    fn message(&self, moment: &Moment<'_, State>, from: &TaskName, line: &Line) -> Option<Message> {
        let (to, creates) = match line.kind {
            LineKind::Send(to) => (to, false),
            LineKind::Create(to) => (to, true),
            LineKind::Statement | LineKind::Remark => return None,
        };
        let text = if creates { "new".to_owned() } else { line.text.clone() };
        Some(Message { from: from.clone(), to: self.named(moment.after, to), text, creates })
    }

    fn step(
        &self,
        sources: &SourceMap,
        moment: &Moment<'_, State>,
        TaskName { task, name }: TaskName,
        delayed: &[TaskId],
        lines: Kept<Line>,
    ) -> TraceStep {
        let statement = |line: Line| {
            let text = match line.kind {
                LineKind::Statement => traces::one_line(sources.text(line.span).unwrap_or("")),
                LineKind::Remark => format!("· {}", line.text),
                LineKind::Send(to) => format!("→ {}: {}", self.named(moment.after, to).name, line.text),
                LineKind::Create(_) => format!("+ {}", line.text),
            };
            let posts = match line.kind {
                LineKind::Create(task) => vec![self.named(moment.after, task)],
                _ => Vec::new(),
            };
            let changes = line.changes.into_iter();
            Statement {
                location: traces::location(sources, line.span),
                text,
                procedure: line.function,
                depth: line.depth,
                changes: changes.map(|(variable, value)| Change { variable, shared: false, value }).collect(),
                posts,
                left_out: None,
            }
        };
        TraceStep {
            task,
            name,
            delayed: delayed.iter().map(|task| self.named(moment.before, *task)).collect(),
            statements: Statement::all(lines.map(statement)),
            end: traces::end(moment),
        }
    }
}
