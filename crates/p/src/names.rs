//! The names of a P program, and its states by names, for schedulers that look at them.
//!
//! Tasks are machines, and their places are the states of the machines. Monitors are variables, whose values are the names
//! of their states.

use dally_explore::{Names, Seen, StateView, Symbol, TaskId};

use crate::code::Code;
use crate::machine::Machine;
use crate::state::{Mode, State};

/// The names of a program, and where they are.
#[derive(Debug)]
pub(crate) struct NameTable {
    names: Names,
    /// By machine of the code: its name among tasks; none for a monitor.
    tasks: Vec<Option<Symbol>>,
    /// By machine of the code and state.
    places: Vec<Vec<Symbol>>,
}

/// The place of a machine that has halted.
const HALTED: &str = "halted";

impl NameTable {
    pub(crate) fn new(code: &Code) -> Self {
        let mut names = Names {
            events: code.events.iter().map(|event| event.name.clone()).collect(),
            places: vec![HALTED.to_owned()],
            ..Names::default()
        };
        let is_monitor =
            |machine: usize| code.monitors.iter().any(|(monitor, _)| *monitor as usize == machine);
        for (monitor, _) in &code.monitors {
            names.variables.push(code.machines[*monitor as usize].name.clone());
        }
        let mut add = |list: fn(&mut Names) -> &mut Vec<String>, name: &str| {
            let list = list(&mut names);
            Names::find(list, name).unwrap_or_else(|| {
                list.push(name.to_owned());
                Symbol(list.len() as u32 - 1)
            })
        };
        let (mut tasks, mut places) = (Vec::new(), Vec::new());
        for (nth, machine) in code.machines.iter().enumerate() {
            tasks.push((!is_monitor(nth)).then(|| add(|names| &mut names.tasks, &machine.name)));
            let states = machine.states.iter();
            places.push(states.map(|state| add(|names| &mut names.places, &state.name)).collect());
        }
        NameTable { names, tasks, places }
    }
}

/// A state by names.
pub(crate) struct NamedState<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) table: &'a NameTable,
    pub(crate) state: &'a State,
}

impl NamedState<'_> {
    /// The machine of the code that a task runs.
    fn code_of(&self, task: TaskId) -> Option<usize> {
        let kind = self.machine.find_record(self.state, task.0)?.kind as usize;
        Some(self.machine.code.kinds[kind].machine as usize)
    }

    fn is_there(&self, task: TaskId) -> bool {
        task.0 < self.machine.machine_count(self.state)
    }
}

impl StateView for NamedState<'_> {
    fn names(&self) -> &Names {
        &self.table.names
    }

    fn tasks(&self) -> Vec<TaskId> {
        (0..self.machine.machine_count(self.state)).map(TaskId).collect()
    }

    fn name(&self, task: TaskId) -> Option<Symbol> {
        self.table.tasks[self.code_of(task)?]
    }

    fn place(&self, task: TaskId) -> Option<Symbol> {
        let record = self.machine.find_record(self.state, task.0)?;
        match record.mode {
            Mode::Halted => Some(Symbol(0)),
            _ => self.table.places[self.code_of(task)?].get(record.state as usize).copied(),
        }
    }

    fn queue(&self, task: TaskId) -> Vec<Symbol> {
        match self.is_there(task) {
            true => {
                let queue = self.machine.queue_of(self.state, task.0);
                queue.into_iter().map(|queued| Symbol(queued.event)).collect()
            }
            false => Vec::new(),
        }
    }

    fn next_event(&self, task: TaskId) -> Option<Symbol> {
        let taken = self.is_there(task).then(|| self.machine.taking(self.state, task.0).taken)??;
        Some(Symbol(self.machine.store.messages.get(taken).event))
    }

    fn variable(&self, variable: Symbol) -> Option<Seen> {
        let (machine, _) = *self.machine.code.monitors.get(variable.index())?;
        let state = self.machine.monitor_of(self.state, variable.0).state as usize;
        let states = &self.machine.code.machines[machine as usize].states;
        Some(Seen::Text(states.get(state)?.name.clone()))
    }
}
