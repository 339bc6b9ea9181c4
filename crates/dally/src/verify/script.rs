//! From the path of a solver to what each task of the original program does.
//!
//! A translation keeps statements where they stand in the text, calls a task where it is posted, and says with tags where a
//! task begins and ends. So what is left open at places of the text, from the beginning of a task to its end but for
//! what is in between of other tasks, is what that task does in this order.

use dally_bpl::Program;
use dally_bpl::check::VarId;
use dally_interp::{Decision, Input, Script};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use dally_verify::{Path, StepKind, Value};

use super::replay::input;

/// The scripts of all tasks, and which are those of the first ones. Of a program that is verified as it is, there is one, for
/// the procedure in which it starts.
pub(crate) fn scripts(
    original: &Program,
    translated: &Program,
    path: &Path,
    sequential: Option<Sym>,
) -> (Vec<Script>, Vec<usize>) {
    let mut writer =
        Writer { original, translated, scripts: Vec::new(), first: Vec::new(), running: Vec::new() };
    if let Some(root) = sequential {
        writer.begin(Some(translated.ast.text(root)));
    }
    for step in &path.steps {
        match &step.kind {
            StepKind::Tag { name, procedure, .. } => match name.as_str() {
                "begins" => writer.begin(procedure.as_deref()),
                "ends" => {
                    writer.running.pop();
                }
                _ => {}
            },
            StepKind::Enter { procedure, variables } => {
                // Globals are those of the first procedure of all.
                let first = writer.scripts.len() == 1 && writer.scripts[0].decisions.is_empty();
                let globals = if first { &path.globals[..] } else { &[] };
                let values = writer.values(globals.iter().chain(variables));
                writer.enter(*procedure, step.span, values);
            }
            StepKind::Havoc(variables) => {
                let values = writer.values(variables.iter());
                writer.add(step.span, Decision::Set(step.span, values));
            }
            StepKind::Choice(which) => writer.add(step.span, Decision::Choose(step.span, *which)),
            StepKind::Leave | StepKind::Statement | StepKind::Branch(_) => {}
        }
    }
    (writer.scripts, writer.first)
}

struct Writer<'p> {
    original: &'p Program,
    translated: &'p Program,
    scripts: Vec<Script>,
    first: Vec<usize>,
    /// The tasks that have begun and not ended, the last one innermost; nothing for those of a translation.
    running: Vec<Option<usize>>,
}

impl Writer<'_> {
    fn current(&self) -> Option<usize> {
        self.running.iter().rev().find_map(|task| *task)
    }

    /// Whether there is a procedure of this name in the original program.
    fn knows(&self, name: &str) -> bool {
        let name = self.original.ast.symbols.get(name);
        name.is_some_and(|name| self.original.info.procedure(name).is_some())
    }

    /// A task begins. Those that a translation has added do nothing but post.
    fn begin(&mut self, procedure: Option<&str>) {
        let Some(name) = procedure.filter(|name| self.knows(name)) else { return self.running.push(None) };
        let new = self.scripts.len();
        match self.current() {
            Some(poster) => self.scripts[poster].decisions.push(Decision::Post(new)),
            None => self.first.push(new),
        }
        self.scripts.push(Script { procedure: name.to_owned(), decisions: Vec::new() });
        self.running.push(Some(new));
    }

    /// A procedure begins. One with a contract has been made of two, of which the outer one has its name.
    fn enter(&mut self, procedure: Sym, span: Span, values: Vec<(String, Input)>) {
        let inner = !self.knows(self.translated.ast.text(procedure));
        let last = self.current().and_then(|task| self.scripts[task].decisions.last_mut());
        match last {
            Some(Decision::Enter(outer, known)) if *outer == span && inner => {
                known.extend(values);
            }
            _ => self.add(span, Decision::Enter(span, values)),
        }
    }

    /// Adds what is decided at a place of the text.
    fn add(&mut self, span: Span, decision: Decision) {
        if let Some(task) = self.current().filter(|_| span != Span::NONE) {
            self.scripts[task].decisions.push(decision);
        }
    }

    fn values<'v>(&self, variables: impl Iterator<Item = &'v (VarId, Value)>) -> Vec<(String, Input)> {
        let name = |var: VarId| self.translated.ast.text(self.translated.info[var].name).to_owned();
        variables.filter_map(|(var, value)| Some((name(*var), input(value)?))).collect()
    }
}
