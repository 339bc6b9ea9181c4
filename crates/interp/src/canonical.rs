//! Canonical numbers for objects that a program allocates while it runs.
//!
//! Two states whose heaps differ only in the numbers of their objects behave alike. After each step, the objects are
//! renumbered in the order in which they are reached from globals and stacks, and unreachable ones are dropped: equal
//! heaps are then equal states, allocations of different tasks commute, and a loop that allocates and frees has finitely
//! many states. Iosif, "Symmetry reduction criteria for software model checking" (SPIN 2002), describes the idea.
//!
//! A front end asks for it by attributes of globals:
//!
//! - `{:heap_counter first, shift}`: the number of objects so far. The objects are `first`, `first + 1`, …, and the
//!   addresses of an object are its number times 2^shift, plus an offset.
//! - `{:heap_cells}`: a map by address. Its values may be addresses, unless it is marked `{:heap_cells 0}`.
//! - `{:heap_objects freed}`: a map by object. If the value is `freed`, the cells of the object are dropped.
//! - `{:heap_fixed}`: a Boolean. Where it is true, the objects keep their numbers, and none is dropped.
//!
//! An integer anywhere in the state that is an address of an object counts as a reference to it. So an integer that is one
//! by accident would be renumbered; `first` should be a number that programs do not compute. A program that computes with
//! addresses, or compares those of different objects by order, could observe the renumbering: its front end must not ask for
//! it, or fix the numbers with the first observation.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use dally_explore::store::{Part, Parts};
use dally_step::collection::Entry;
use dally_trace::{MovedObjects, TaskNumbers};

use crate::execute::{Observer, Run};
use crate::machine::Machine;
use crate::state::{STACKS, Stack, State};
use crate::value::{Heap, Value};

/// The globals that describe the heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeapLayout {
    /// The global that counts objects.
    pub(crate) counter: u32,
    /// The number of the first object.
    pub(crate) first: i64,
    /// The number of bits of an offset.
    pub(crate) shift: u32,
    /// The maps by address.
    pub(crate) cells: SmallVec<[u32; 2]>,
    /// The maps by address whose values may be addresses.
    pub(crate) references: SmallVec<[u32; 2]>,
    /// The maps by object.
    pub(crate) objects: SmallVec<[ObjectMap; 2]>,
    /// The global that tells if the objects keep their numbers.
    pub(crate) fixed: Option<u32>,
}

/// A map by object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectMap {
    pub(crate) global: u32,
    /// The value that marks a freed object.
    pub(crate) freed: Option<i64>,
}

impl HeapLayout {
    fn is_heap_map(&self, global: u32) -> bool {
        self.cells.contains(&global) || self.objects.iter().any(|map| map.global == global)
    }

    /// The position of an object among all objects, from its address. Statically allocated objects come before the first.
    fn index(&self, address: i64) -> Option<usize> {
        usize::try_from((address >> self.shift).checked_sub(self.first)?).ok()
    }

    /// Returns true if the objects keep their numbers.
    fn is_fixed(&self, globals: &[Value]) -> bool {
        self.fixed.is_some_and(|fixed| globals[fixed as usize] == Value::Bool(true))
    }

    fn may_refer(&self, value: Value) -> bool {
        match value {
            Value::Int(n) => self.index(n).is_some(),
            Value::Map(_) | Value::Data(_) => true,
            _ => false,
        }
    }

    /// An address with the number that a trace gives to its object.
    pub(crate) fn told(&self, address: i64, tasks: &TaskNumbers) -> i64 {
        let Some(position) = self.index(address).and_then(|index| u32::try_from(index).ok()) else {
            return address;
        };
        let number = self.first + i64::from(tasks.object(position));
        (number << self.shift) + (address & ((1 << self.shift) - 1))
    }
}

/// The stack of a task after a step.
#[derive(Clone, Copy)]
enum StackAfter<'s> {
    /// Interned before the step.
    Old(u32),
    New(&'s Stack),
}

/// A renumbering under construction.
struct Renumbering<'h> {
    layout: &'h HeapLayout,
    heap: &'h Heap,
    /// The new positions of objects by old position; [`UNREACHED`] for objects that were not reached.
    new: SmallVec<[u32; 32]>,
    /// The old positions in the order of the new ones.
    order: SmallVec<[u32; 32]>,
    /// Rewritten maps.
    maps: FxHashMap<u32, Value>,
}

const UNREACHED: u32 = u32::MAX;

impl Renumbering<'_> {
    /// Reaches the objects to which a value refers.
    fn reach(&mut self, value: Value) {
        match value {
            Value::Int(n) => {
                if let Some(index) = self.layout.index(n)
                    && self.new.get(index) == Some(&UNREACHED)
                {
                    self.new[index] = self.order.len() as u32;
                    self.order.push(index as u32);
                }
            }
            Value::Map(id) => {
                let map = self.heap.maps.get(id);
                self.reach(map.default);
                map.entries.iter().for_each(|entry| self.reach_part(entry.value));
            }
            Value::Data(id) => self.heap.data.get(id).fields.iter().for_each(|field| self.reach_part(*field)),
            _ => {}
        }
    }

    fn reach_part(&mut self, value: Value) {
        match value {
            Value::Map(_) | Value::Data(_) => dally_text::stack::grow(|| self.reach(value)),
            _ => self.reach(value),
        }
    }

    /// Reaches what the cells of static objects refer to.
    fn reach_from_static_cells(&mut self, cells: Value) {
        let Value::Map(id) = cells else { return };
        for entry in self.heap.maps.get(id).entries.iter() {
            match entry.key {
                Value::Int(address) if self.layout.index(address).is_some() => break,
                _ => self.reach(entry.value),
            }
        }
    }

    /// The entries of a map from a key on, in ascending order.
    fn entries_from(&self, map: Value, key: i64) -> impl Iterator<Item = Entry<Value>> + use<'_> {
        let map = match map {
            Value::Map(id) => Some(self.heap.maps.get(id)),
            _ => None,
        };
        let start = map.map_or(0, |map| self.heap.position(map, Value::Int(key)));
        map.into_iter().flat_map(move |map| (start..).map_while(|place| map.entries.get(place)))
    }

    /// Reaches objects from the cells of those already reached. Returns true if a freed object has cells, which
    /// have to be dropped.
    fn close(&mut self, globals: &[Value]) -> bool {
        let mut stale = false;
        let mut next = 0;
        while let Some(&index) = self.order.get(next) {
            next += 1;
            let number = self.layout.first + i64::from(index);
            let freed = self.is_freed(globals, number);
            for cells in &self.layout.references {
                let start = number << self.layout.shift;
                let inside: SmallVec<[Value; 16]> = self
                    .entries_from(globals[*cells as usize], start)
                    .take_while(
                        |e| matches!(e.key, Value::Int(a) if self.layout.index(a) == Some(index as usize)),
                    )
                    .map(|entry| entry.value)
                    .collect();
                stale |= freed && !inside.is_empty();
                if !freed {
                    inside.into_iter().for_each(|value| self.reach(value));
                }
            }
        }
        stale
    }

    fn is_freed(&self, globals: &[Value], number: i64) -> bool {
        self.layout.objects.iter().any(|map| {
            let state = self.heap.select(globals[map.global as usize], Value::Int(number));
            map.freed.is_some_and(|freed| state == Value::Int(freed))
        })
    }

    fn is_identity(&self) -> bool {
        self.order.len() == self.new.len() && (0..).zip(&self.order).all(|(new, old)| new == *old)
    }

    /// The new number of an object with a number, if the object is allocated at run time and reached.
    fn renumber(&self, index: usize) -> Option<i64> {
        let new = *self.new.get(index)?;
        (new != UNREACHED).then(|| self.layout.first + i64::from(new))
    }

    /// Returns true if a value stays as it is, as far as that is easily seen.
    fn is_fixed(&self, value: Value) -> bool {
        match value {
            Value::Int(n) => match self.layout.index(n) {
                Some(index) => {
                    self.new.get(index).is_none_or(|new| *new == UNREACHED || *new as usize == index)
                }
                None => true,
            },
            Value::Map(_) | Value::Data(_) => false,
            _ => true,
        }
    }

    /// A value with new addresses.
    fn rename(&mut self, value: Value) -> Value {
        match value {
            Value::Int(n) => {
                let number = self.layout.index(n).and_then(|index| self.renumber(index));
                let offset = n & ((1 << self.layout.shift) - 1);
                number.map_or(value, |number| Value::Int((number << self.layout.shift) + offset))
            }
            Value::Map(id) => {
                if let Some(done) = self.maps.get(&id) {
                    return *done;
                }
                let map = self.heap.maps.get(id);
                if self.is_fixed(map.default) && map.entries.iter().all(|e| self.is_fixed(e.value)) {
                    return value;
                }
                let default = self.rename(map.default);
                let entries: Vec<Entry<Value>> = map
                    .entries
                    .iter()
                    .map(|e| Entry { key: e.key, value: dally_text::stack::grow(|| self.rename(e.value)) })
                    .collect();
                let renamed = self.heap.map_of(default, entries);
                self.maps.insert(id, renamed);
                renamed
            }
            Value::Data(id) => {
                let data = self.heap.data.get(id);
                let fields: SmallVec<[Value; 4]> =
                    data.fields.iter().map(|f| dally_text::stack::grow(|| self.rename(*f))).collect();
                self.heap.construct(data.constructor, &fields)
            }
            other => other,
        }
    }

    /// A map by address or by object, with new keys and values. Entries of unreached and of freed objects are dropped.
    fn rename_keys(&mut self, map: Value, shift: u32, keep: impl Fn(&Self, i64) -> bool) -> Value {
        let Value::Map(id) = map else { return map };
        let map = self.heap.maps.get(id);
        let mut entries = Vec::with_capacity(map.entries.len());
        for entry in map.entries.iter() {
            let Value::Int(key) = entry.key else { continue };
            let number = key >> shift;
            let key = match usize::try_from(number - self.layout.first) {
                Err(_) => key,
                Ok(index) => match self.renumber(index) {
                    Some(new) if keep(self, number) => (new << shift) + (key - (number << shift)),
                    _ => continue,
                },
            };
            let value = self.rename(entry.value);
            entries.push(Entry { key: Value::Int(key), value });
        }
        self.heap.map_of(map.default, entries)
    }

    fn rename_globals(&mut self, globals: &[Value]) -> Vec<Value> {
        let layout = self.layout;
        let mut renamed = Vec::with_capacity(globals.len());
        for (index, value) in (0..).zip(globals) {
            renamed.push(if index == layout.counter {
                Value::Int(self.order.len() as i64)
            } else if layout.cells.contains(&index) {
                self.rename_keys(*value, layout.shift, |this, number| !this.is_freed(globals, number))
            } else if layout.is_heap_map(index) {
                self.rename_keys(*value, 0, |_, _| true)
            } else {
                self.rename(*value)
            });
        }
        renamed
    }
}

impl Machine {
    /// The successor of a step with canonical object numbers, unless they are canonical already.
    pub(crate) fn renumbered(
        &self,
        before: &State,
        run: &Run<'_, impl Observer>,
        control: Part,
    ) -> Option<State> {
        if self.keeps_references(before, run) {
            return None;
        }
        let stacks = self.stacks_after(before, run);
        let (mut renumbering, stale) = self.renumbering(run, &stacks)?;
        if renumbering.is_identity() && !stale {
            return None;
        }
        let globals = renumbering.rename_globals(&run.globals);
        let stacks = stacks.into_iter().map(|stack| self.renamed_stack(stack, &mut renumbering));
        let parts: Parts = [control].into_iter().chain(stacks).collect();
        Some(self.store.state(&globals, parts))
    }

    /// Returns true if a step has changed no reference, so that the numbers stay canonical, or if they are fixed. False if that takes longer to find out.
    fn keeps_references(&self, before: &State, run: &Run<'_, impl Observer>) -> bool {
        let Some(layout) = &self.code.heap else { return true };
        if layout.is_fixed(&run.globals) {
            return true;
        }
        let (old, local) = (self.control_of(before), run.local());
        if !local.posted.is_empty() || local.control.tasks.len() != old.tasks.len() {
            return false;
        }
        let is_kept = |global: u32| {
            let is_described =
                global == layout.counter || layout.objects.iter().any(|map| map.global == global);
            let (then, now) = (before.globals.get(global as usize), run.globals[global as usize]);
            !is_described && self.same_references(layout, then, now)
        };
        if !run.changed_globals().all(is_kept) {
            return false;
        }
        let Some(stack) = local.stack.changed() else { return true };
        let Some(place) = old.place(run.meta.task) else { return false };
        let earlier = self.store.stacks.get(before.ids()[STACKS + place]);
        let may_refer = |value: &&Value| layout.may_refer(**value);
        earlier.values.iter().filter(may_refer).eq(stack.values.iter().filter(may_refer))
    }

    /// Returns true if two values refer to the same objects in the same order, as far as that is easily seen.
    fn same_references(&self, layout: &HeapLayout, a: Value, b: Value) -> bool {
        match (a, b) {
            _ if a == b => true,
            (Value::Map(a), Value::Map(b)) => {
                let (a, b) = (self.store.heap.maps.get(a), self.store.heap.maps.get(b));
                let same = |a: Value, b: Value| a == b || !layout.may_refer(a) && !layout.may_refer(b);
                a.entries.len() == b.entries.len()
                    && same(a.default, b.default)
                    && a.entries
                        .iter()
                        .zip(b.entries.iter())
                        .all(|(a, b)| a.key == b.key && same(a.value, b.value))
            }
            _ => !layout.may_refer(a) && !layout.may_refer(b),
        }
    }

    /// The objects after an outcome of a step, for traces.
    pub(crate) fn moved(&self, before: &State, task: u32, path: &[u32]) -> Option<MovedObjects> {
        let layout = self.code.heap.as_ref()?;
        let (mut run, end) = self.run_along(before, task, path, ())?;
        self.end_run(before, &mut run, &end);
        if layout.is_fixed(&run.globals) {
            let Value::Int(count) = run.globals[layout.counter as usize] else { return None };
            let count = u32::try_from(count).ok()?;
            return Some(MovedObjects { order: (0..count).collect(), count });
        }
        let (Renumbering { order, new, .. }, _) = self.renumbering(&run, &self.stacks_after(before, &run))?;
        Some(MovedObjects { order: order.to_vec(), count: new.len() as u32 })
    }

    /// The canonical numbers after a step. True if a freed object has cells, which have to be dropped.
    fn renumbering(
        &self,
        run: &Run<'_, impl Observer>,
        stacks: &[StackAfter<'_>],
    ) -> Option<(Renumbering<'_>, bool)> {
        let layout = self.code.heap.as_ref()?;
        let Value::Int(count) = run.globals[layout.counter as usize] else { return None };
        let mut renumbering = Renumbering {
            layout,
            heap: &self.store.heap,
            new: smallvec::smallvec![UNREACHED; usize::try_from(count).ok()?],
            order: SmallVec::new(),
            maps: FxHashMap::default(),
        };
        for (index, value) in (0..).zip(run.globals.iter()) {
            if layout.references.contains(&index) {
                renumbering.reach_from_static_cells(*value);
            } else if index != layout.counter && !layout.is_heap_map(index) {
                renumbering.reach(*value);
            }
        }
        for stack in stacks {
            self.stack_values(*stack).iter().for_each(|value| renumbering.reach(*value));
        }
        let stale = renumbering.close(&run.globals);
        Some((renumbering, stale))
    }

    /// The stacks of the tasks after a step, in the order of their ids.
    fn stacks_after<'s>(
        &self,
        before: &State,
        run: &'s Run<'_, impl Observer>,
    ) -> SmallVec<[StackAfter<'s>; 4]> {
        let (old, local) = (self.control_of(before), run.local());
        let stack = |task: u32| match local.posted.iter().find(|posted| posted.meta.task == task) {
            Some(posted) => StackAfter::New(&posted.stack),
            None if task == run.meta.task => StackAfter::New(&local.stack),
            None => StackAfter::Old(before.ids()[old.place(task).map_or(0, |place| STACKS + place)]),
        };
        local.control.tasks.iter().map(|meta| stack(meta.task)).collect()
    }

    fn stack_values<'s>(&'s self, stack: StackAfter<'s>) -> &'s [Value] {
        match stack {
            StackAfter::Old(id) => &self.store.stacks.get(id).values,
            StackAfter::New(stack) => &stack.values,
        }
    }

    fn renamed_stack(&self, stack: StackAfter<'_>, renumbering: &mut Renumbering<'_>) -> Part {
        let values: SmallVec<[Value; 8]> =
            self.stack_values(stack).iter().map(|value| renumbering.rename(*value)).collect();
        match stack {
            StackAfter::Old(id) if values == self.store.stacks.get(id).values => self.store.stacks.part(id),
            StackAfter::Old(id) => self.store.stack(&Stack { values, ..self.store.stacks.get(id).clone() }),
            StackAfter::New(stack) => self.store.stack(&Stack { values, ..stack.clone() }),
        }
    }
}
