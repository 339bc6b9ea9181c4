//! The names of a Boogie program, and its states by names, for schedulers that look at them.
//!
//! Tasks and places are procedures: the one with which a task began, and the one in which it has stopped.

use std::sync::OnceLock;

use dally_explore::{Names, Seen, StateView, Symbol, TaskId};
use dally_trace::TaskNumbers;

use crate::machine::Machine;
use crate::state::State;
use crate::value::Value;

/// The names of a program, made when a scheduler first looks at them.
#[derive(Debug, Default)]
pub(crate) struct NameTable(OnceLock<(Names, Vec<usize>)>);

/// A state by names.
pub(crate) struct NamedState<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) state: &'a State,
}

impl NamedState<'_> {
    /// The names, and the global of each variable.
    fn table(&self) -> &(Names, Vec<usize>) {
        self.machine.names.0.get_or_init(|| {
            let text = |name| self.machine.text(name).to_owned();
            let code = &self.machine.code;
            let procedures: Vec<String> =
                code.procedures.iter().map(|procedure| text(procedure.name)).collect();
            let shown = code.globals.iter().enumerate().filter(|(_, global)| !global.hidden);
            let (at, variables) = shown.map(|(at, global)| (at, text(global.name))).unzip();
            (Names { tasks: procedures.clone(), places: procedures, events: Vec::new(), variables }, at)
        })
    }
}

impl StateView for NamedState<'_> {
    fn names(&self) -> &Names {
        &self.table().0
    }

    fn tasks(&self) -> Vec<TaskId> {
        self.machine.control_of(self.state).tasks.iter().map(|meta| TaskId(meta.task)).collect()
    }

    fn name(&self, task: TaskId) -> Option<Symbol> {
        let (_, stack) = self.machine.stack_of(self.state, task.0)?;
        stack.frames.first().map(|frame| Symbol(frame.function))
    }

    fn place(&self, task: TaskId) -> Option<Symbol> {
        let (_, stack) = self.machine.stack_of(self.state, task.0)?;
        stack.frames.last().map(|frame| Symbol(frame.function))
    }

    fn variable(&self, variable: Symbol) -> Option<Seen> {
        let at = *self.table().1.get(variable.index())?;
        Some(match self.state.globals.iter().nth(at)? {
            Value::Bool(value) => Seen::Bool(value),
            Value::Int(value) => Seen::Int(value),
            other => Seen::Text(self.machine.show(other, &TaskNumbers::default())),
        })
    }
}
