//! P programs: their files and projects.

use std::path::{Path, PathBuf};

use dally_explore::StepLimits;
use dally_p::{Machine, codes};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use dally_trace::Source;

use super::{Compiled, Explorable, Interpreter, LoadedProgram, Vacuous};
use crate::cli::ProgramArgs;
use crate::input::{self, Accepted, InputError, Rejected, tidy};

struct Loaded {
    sources: SourceMap,
    program: dally_p::Program,
}

pub(super) fn load(arguments: &ProgramArgs) -> Result<Box<dyn LoadedProgram>, Rejected> {
    let Files { files, own, .. } = Files::of(&arguments.files)?;
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let Accepted { sources, mut program } = input::load(&names, dally_p::load)?;
    let is_own = |span: Span| sources.files().get(own).is_none_or(|first| span.start < first.start);
    program.tests.retain(|test| is_own(test.span));
    Ok(Box::new(Loaded { sources, program }))
}

impl LoadedProgram for Loaded {
    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.program.warnings
    }

    fn tests(&self) -> Vec<&str> {
        self.program.tests.iter().map(|test| test.name.as_str()).collect()
    }

    fn compile(&self, arguments: &ProgramArgs) -> Result<Box<dyn Explorable>, Vec<Diagnostic>> {
        let test = self.program.test(arguments.test.as_deref()).map_err(|error| vec![error])?;
        let machine = Machine::new(&self.program, test, &self.sources);
        let source = Source {
            entry: None,
            preempt: false,
            test: Some(test.name.clone()),
            ..arguments.source(&self.sources)
        };
        Ok(Box::new(Compiled { machine, source }))
    }
}

impl Interpreter for Machine {
    fn limit_steps(&mut self, limits: StepLimits) {
        Machine::limit_steps(self, limits);
    }

    fn vacuous(&self) -> Vacuous {
        Vacuous { unreached: self.unreached_assertions(), discarding: self.discarding_assumptions() }
    }
}

/// The files of a program, each once.
#[derive(Default)]
struct Files {
    files: Vec<PathBuf>,
    /// The number of files that belong to the program itself. Those of included projects follow; their tests are not run.
    own: usize,
    includes: Vec<PathBuf>,
}

impl Files {
    /// Finds the files of a program, given files, folders and projects.
    fn of(given: &[String]) -> Result<Self, InputError> {
        let mut found = Files::default();
        for file in given {
            found.add(Path::new(file))?;
        }
        found.own = found.files.len();
        if found.own == 0 {
            let place = given.first().map_or("", String::as_str);
            return Err(bad_project(Path::new(place), "there are no P programs here"));
        }
        let mut next = 0;
        while let Some(project) = found.includes.get(next).cloned() {
            found.add_project(&project)?;
            next += 1;
        }
        Ok(found)
    }

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

    /// Adds all programs below a folder. There may be none: projects have folders with foreign code only.
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

fn entries(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let read =
        || std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut entries = read().map_err(|error| unreadable(folder, error))?;
    // Hidden files belong to editors and version control.
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
