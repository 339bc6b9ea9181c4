//! From a path to what each task of the original program does.
//!
//! A translation calls a task where it is posted, and tags where a task begins and ends. So the nondeterministic choices between
//! the beginning of a task and its end, without those of other tasks in between, are those that the task makes, in this order.

use dally_bpl::Program;
use dally_bpl::literal::Literal;
use dally_interp::{Decision, Script};
use dally_sequentialize::Source;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use dally_verify::{Binding, Path, PathElement, Site, StepKind};

use crate::inputs::Translated;

/// The scripts of the tasks of an execution.
pub(crate) struct Scripts {
    pub(crate) scripts: Vec<Script>,
    /// The scripts of the tasks in which the program starts.
    pub(crate) entries: Vec<usize>,
}

/// Writes the scripts of all tasks. A sequential program has one task, for the procedure in which it starts.
pub(crate) fn scripts(original: &Program, translated: &Translated<'_>, path: &Path) -> Scripts {
    let scripts = Scripts { scripts: Vec::new(), entries: Vec::new() };
    let mut writer = Writer { original, translated, scripts, running: Vec::new(), entered: None };
    if translated.sequential {
        writer.begin(Some(translated.program.ast.text(translated.root)));
    }
    for step in &path.steps {
        writer.step(path, step);
    }
    writer.scripts
}

struct Writer<'p> {
    original: &'p Program,
    translated: &'p Translated<'p>,
    scripts: Scripts,
    /// The tasks that have begun and not ended, the innermost last; none for a task that the translation has added.
    running: Vec<Option<usize>>,
    /// The procedure that the last decision has entered, if it was such a decision.
    entered: Option<Sym>,
}

impl Writer<'_> {
    fn step(&mut self, path: &Path, step: &PathElement) {
        match &step.kind {
            StepKind::Tag { name, procedure, .. } => match name.as_str() {
                "begins" => self.begin(procedure.as_deref()),
                "ends" => {
                    self.running.pop();
                    self.entered = None;
                }
                _ => {}
            },
            StepKind::Enter { procedure, variables } => {
                // The first procedure of all starts with the initial values of globals.
                let all = &self.scripts.scripts;
                let first = all.len() == 1 && all[0].decisions.is_empty();
                let globals = if first { &path.globals[..] } else { &[] };
                let values = self.values(globals.iter().chain(variables));
                self.enter(*procedure, values);
            }
            StepKind::Havoc(variables) => {
                if let Some(span) = self.place(step.site) {
                    let values = self.values(variables.iter());
                    self.add(Decision::Set(span, values));
                }
            }
            StepKind::Choice(which) => {
                if let Some(span) = self.place(step.site) {
                    self.add(Decision::Choose(span, *which));
                }
            }
            StepKind::Leave | StepKind::Statement | StepKind::Branch(_) => {}
        }
    }

    /// The place in the original program at which a step decides; none for a step that a translation has added.
    fn place(&self, site: Site) -> Option<Span> {
        let source = match site {
            Site::Added => return None,
            Site::Statement(stmt) => self.translated.origins.statement(stmt)?,
            Site::Effect(procedure) => Source::Effect(procedure),
        };
        match source {
            Source::Statement(span) => Some(span),
            Source::Effect(procedure) => self.declared_at(procedure),
        }
    }

    /// The place of the name of a procedure of the original program.
    fn declared_at(&self, procedure: Sym) -> Option<Span> {
        let id = self.original.info.procedure(procedure)?;
        Some(self.original.info[id].span)
    }

    fn current(&self) -> Option<usize> {
        self.running.iter().rev().find_map(|task| *task)
    }

    /// A task begins. A task of a procedure that the translation has added does nothing but post.
    fn begin(&mut self, procedure: Option<&str>) {
        self.entered = None;
        let symbols = &self.original.ast.symbols;
        let known =
            |name: &&str| symbols.get(name).is_some_and(|n| self.original.info.procedure(n).is_some());
        let Some(name) = procedure.filter(known) else { return self.running.push(None) };
        let new = self.scripts.scripts.len();
        match self.current() {
            Some(poster) => self.scripts.scripts[poster].decisions.push(Decision::Post(new)),
            None => self.scripts.entries.push(new),
        }
        self.scripts.scripts.push(Script { procedure: name.to_owned(), decisions: Vec::new() });
        self.running.push(Some(new));
    }

    /// A procedure begins. The two procedures that one with a contract becomes are entered as one.
    fn enter(&mut self, procedure: Sym, values: Vec<(String, Literal)>) {
        let Some(origin) = self.translated.origins.procedure(procedure) else { return };
        if origin.inner && self.entered == Some(origin.name) {
            let task = self.current().map(|task| &mut self.scripts.scripts[task]);
            if let Some(Decision::Enter(_, known)) = task.and_then(|task| task.decisions.last_mut()) {
                known.extend(values);
                return;
            }
        }
        if let Some(span) = self.declared_at(origin.name) {
            self.add(Decision::Enter(span, values));
            self.entered = Some(origin.name);
        }
    }

    /// Adds a decision of the running task.
    fn add(&mut self, decision: Decision) {
        self.entered = None;
        if let Some(task) = self.current() {
            self.scripts.scripts[task].decisions.push(decision);
        }
    }

    /// The values of variables that are those of the original program.
    fn values<'v>(&self, variables: impl Iterator<Item = &'v Binding>) -> Vec<(String, Literal)> {
        let value = |binding: &Binding| {
            let name = self.translated.own_variable(binding.var)?;
            Some((name.to_owned(), binding.value.clone().ok()?))
        };
        variables.filter_map(value).collect()
    }
}
