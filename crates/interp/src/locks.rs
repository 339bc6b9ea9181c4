//! Locks of programs that were lowered from another language: who holds them, and who waits for them.
//!
//! The attributes `{:waits …}` ([`crate::notation`]) name the variables that say which task holds a lock: a variable for each
//! lock, or a map for locks in objects. A map is shown as one value, since locks come and go with their objects.

use std::collections::BTreeMap;

use dally_explore::TaskId;
use dally_trace::{Change, Explain, TaskNumbers, titled};

use crate::code::Operand;
use crate::code::VarStorage;
use crate::machine::Machine;
use crate::notation::{Holder, unescaped};
use crate::state::{Stack, State};
use crate::value::Value;

/// A lock, or all locks of a map.
struct Locks {
    name: String,
    /// By key, or at 0: the task that holds it, and those that wait for it.
    held: BTreeMap<i64, (u32, Vec<u32>)>,
    is_map: bool,
}

impl Machine {
    /// The locks that the program uses, and their holders.
    pub(crate) fn locks(&self, state: &State, tasks: &TaskNumbers) -> Vec<Change> {
        let mut all: BTreeMap<u32, Locks> = BTreeMap::new();
        let mut places: Vec<_> = self.code.telling.waits.iter().collect();
        places.sort_unstable_by_key(|(address, _)| **address);
        for (_, (event, holder)) in places {
            let Some((global, holder)) = holder.as_ref().and_then(lock_variable) else { continue };
            let event = unescaped(self.text(*event));
            let name = if holder.index.is_some() { format!("{} in objects", kind(&event)) } else { event };
            let held = || self.held(state.globals.get(global as usize));
            let is_map = holder.index.is_some();
            all.entry(global).or_insert_with(|| Locks { name, held: held(), is_map });
        }
        self.add_waiting(state, &mut all);
        let title = |task: &u32| {
            let name = self.task_name(state, TaskId(*task));
            titled(if name.is_empty() { "thread" } else { &name }, tasks.of(TaskId(*task)))
        };
        let shown = |locks: &Locks| -> String {
            let one = |(key, (holder, waiting)): (&i64, &(u32, Vec<u32>))| {
                let place =
                    if locks.is_map { format!("{}: ", self.object(*key, tasks)) } else { String::new() };
                let waiting: Vec<String> = waiting.iter().map(title).collect();
                let waits = if waiting.is_empty() { "" } else { ", waiting: " };
                format!("{place}held by {}{waits}{}", title(holder), waiting.join(", "))
            };
            let held: Vec<String> = locks.held.iter().map(one).collect();
            if held.is_empty() { "free".to_owned() } else { held.join("; ") }
        };
        let change =
            |locks: &Locks| Change { variable: locks.name.clone(), shared: true, value: shown(locks) };
        all.values().map(change).collect()
    }

    /// The locks that are held, according to a variable.
    fn held(&self, value: Value) -> BTreeMap<i64, (u32, Vec<u32>)> {
        let holder = |value| match value {
            Value::Int(n @ 1..) => u32::try_from(n - 1).ok().map(|task| (task, Vec::new())),
            _ => None,
        };
        match value {
            Value::Map(id) => {
                let map = self.store.heap.maps.get(id);
                let entry = |key, value| match key {
                    Value::Int(key) => Some((key, holder(value)?)),
                    _ => None,
                };
                map.entries.iter().filter_map(|found| entry(found.key, found.value)).collect()
            }
            value => holder(value).map(|held| (0, held)).into_iter().collect(),
        }
    }

    /// Adds the tasks that wait for a lock that another task holds.
    fn add_waiting(&self, state: &State, all: &mut BTreeMap<u32, Locks>) {
        for meta in &self.control_of(state).tasks {
            let Some((_, stack)) = self.stack_of(state, meta.task) else { continue };
            let Some((global, key)) = self.awaited_lock(state, stack) else { continue };
            let Some(locks) = all.get_mut(&global) else { continue };
            if let Some((holder, waiting)) = locks.held.get_mut(&key)
                && *holder != meta.task
            {
                waiting.push(meta.task);
            }
        }
    }

    /// The variable and the key of the lock at which a task is.
    fn awaited_lock(&self, state: &State, stack: &Stack) -> Option<(u32, i64)> {
        let frame = stack.frames.last()?;
        let (_, holder) = self.code.telling.waits.get(&frame.pc)?;
        let (global, holder) = holder.as_ref().and_then(lock_variable)?;
        match holder.index.as_ref().map(|index| self.told_value(state, stack, index)) {
            None => Some((global, 0)),
            Some(Some(Value::Int(key))) => Some((global, key)),
            Some(_) => None,
        }
    }

    /// An address in the notation of the program.
    fn object(&self, address: i64, tasks: &TaskNumbers) -> String {
        let told = self.code.heap.as_ref().map_or(address, |layout| layout.told(address, tasks));
        match &self.code.telling.notation {
            Some(notation) => notation.address(i128::from(told)),
            None => told.to_string(),
        }
    }
}

/// The global variable that says who holds a lock.
fn lock_variable(holder: &Holder) -> Option<(u32, &Holder)> {
    match holder.variable {
        Operand::VarStorage(VarStorage::Global(global)) => Some((global, holder)),
        _ => None,
    }
}

/// The kind of lock, from what a task waits for: `mutex a->lock`.
fn kind(event: &str) -> &str {
    let kinds = ["spin lock", "read-write lock"];
    let first = event.split(' ').next().unwrap_or_default();
    kinds.into_iter().find(|kind| event.starts_with(kind)).unwrap_or(first)
}
