//! States: the globals, the control state of the tasks, and a stack for each task.
//!
//! The [`Control`] and the [`Stack`]s of the tasks, in the order of their ids, are interned, since each
//! occurs in many states. Globals seldom repeat, and would fill the interner: each state owns them, packed.
//! A step replaces only the parts that it changed, and updates the fingerprint incrementally.

use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicBool;

use dally_explore::store::{Interner, Part, Parts};
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::Frame;
use dally_step::sites::Sites;
use smallvec::SmallVec;

use crate::memo::Memo;
use crate::packed::Packed;
use crate::value::{Heap, Value};

/// A configuration of a program.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) globals: Packed,
    /// The sum of the globals' contributions to the fingerprint, by value and position.
    pub(crate) globals_sum: u128,
    /// The control, then the stacks.
    pub(crate) parts: Parts,
}

impl State {
    pub(crate) fn ids(&self) -> &[u32] {
        self.parts.ids()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.parts.fingerprint().plus(Fingerprint(self.globals_sum))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.parts.heap_bytes() + self.globals.heap_bytes()
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fingerprint().hash(hasher);
    }
}

/// The stack of a task between two steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) frames: SmallVec<[Frame; 2]>,
    /// Thread-local variables, then the variables of the frames.
    pub(crate) values: SmallVec<[Value; 8]>,
    /// The number of open atomic sections.
    pub(crate) atomic: u16,
    /// The id of the task that it posted last, plus one.
    pub(crate) child: u32,
}

/// The scheduling data of a task, separate from its stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Meta {
    pub(crate) task: u32,
    pub(crate) level: u16,
    pub(crate) buffer: u16,
    /// True if a `wait` may name the task.
    pub(crate) handle: bool,
}

/// The control state: the tasks, and the order in which they may run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Control {
    /// The buffer that runs.
    pub(crate) active: u16,
    /// True if every buffer may run next.
    pub(crate) zield: bool,
    /// The tasks in ascending order of their ids, parallel to the stacks.
    pub(crate) tasks: SmallVec<[Meta; 4]>,
    /// Tasks that were interrupted by a task of a higher level, or stopped at a `zield`. The last one of a
    /// buffer resumes first, and before any other task of its level.
    pub(crate) stopped: SmallVec<[u32; 4]>,
    /// Terminated tasks that a `wait` may still name, with their results.
    pub(crate) ended: SmallVec<[(u32, Value); 2]>,
    /// The id of the next task, if ids are not reused.
    pub(crate) next: u32,
}

fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() { list.capacity() * size_of::<A::Item>() } else { 0 }
}

impl Control {
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.tasks) + spilled(&self.stopped) + spilled(&self.ended)
    }

    /// The position of a task in [`tasks`](Self::tasks).
    pub(crate) fn place(&self, task: u32) -> Option<usize> {
        self.tasks.binary_search_by_key(&task, |m| m.task).ok()
    }

    pub(crate) fn has_ended(&self, task: u32) -> bool {
        self.ended.iter().any(|(t, _)| *t == task)
    }
}

impl Stack {
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.frames) + spilled(&self.values)
    }
}

/// The interners of the parts of states.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) heap: Heap,
    pub(crate) controls: Interner<Control>,
    pub(crate) stacks: Interner<Stack>,
    pub(crate) memo: Memo,
    /// True once an execution has read a variable whose value was arbitrary, and was chosen.
    pub(crate) chosen: AtomicBool,
    /// Marks of the instructions that were reached, by address.
    pub(crate) sites: Sites,
    /// The contributions of the most common values of the first globals, precomputed.
    common: Vec<[u128; COMMON]>,
}

/// The number of values with precomputed contributions.
const COMMON: usize = 16;
/// The number of globals with precomputed contributions.
const MOST_COMMON: u32 = 1 << 10;

/// The index of a common value.
#[inline]
fn common(value: Value) -> Option<usize> {
    match value {
        Value::Unset => Some(0),
        Value::Bool(b) => Some(1 + usize::from(b)),
        Value::Int(n) if (0..COMMON as i64 - 3).contains(&n) => Some(3 + n as usize),
        _ => None,
    }
}

impl Store {
    /// An empty store for states with this many globals.
    pub(crate) fn new(heap: Heap, globals: u32) -> Self {
        let values = (0..COMMON as i64 - 3).map(Value::Int);
        let values: Vec<Value> =
            [Value::Unset, Value::Bool(false), Value::Bool(true)].into_iter().chain(values).collect();
        let mut store = Store { heap, ..Store::default() };
        store.common = (0..u64::from(globals.min(MOST_COMMON)))
            .map(|i| std::array::from_fn(|nth| store.hashed(i, values[nth])))
            .collect();
        store
    }

    /// The state of these globals and parts.
    pub(crate) fn state(&self, globals: &[Value], parts: Parts) -> State {
        let contributions = (0_u64..).zip(globals).map(|(i, v)| self.contribution(i, *v));
        let globals_sum = contributions.fold(0_u128, u128::wrapping_add);
        State { globals: Packed::new(globals), globals_sum, parts }
    }

    /// The sum of the globals' contributions after a step, given the globals that may have changed.
    pub(crate) fn sum_after(
        &self,
        before: &State,
        globals: &[Value],
        changed: &(impl ExactSizeIterator<Item = u32> + Clone),
    ) -> u128 {
        // Short lists are common: duplicates are found by linear search.
        const FEW: usize = 16;
        let mut sum = before.globals_sum;
        let mut update = |i: usize| {
            let (before, after) = (before.globals.get(i), globals[i]);
            if before != after {
                sum = sum.wrapping_sub(self.contribution(i as u64, before));
                sum = sum.wrapping_add(self.contribution(i as u64, after));
            }
        };
        if changed.len() <= FEW {
            for (nth, i) in changed.clone().enumerate() {
                if !changed.clone().take(nth).any(|earlier| earlier == i) {
                    update(i as usize);
                }
            }
        } else {
            (0..globals.len()).for_each(update);
        }
        sum
    }

    /// The contribution of a global to the fingerprint.
    #[inline]
    fn contribution(&self, index: u64, value: Value) -> u128 {
        match (common(value), self.common.get(index as usize)) {
            (Some(nth), Some(known)) => known[nth],
            _ => self.hashed(index, value),
        }
    }

    fn hashed(&self, index: u64, value: Value) -> u128 {
        let mut hash = Fingerprinter::default();
        hash.write_u64(index);
        self.heap.write(value, &mut hash);
        hash.fingerprint().0
    }

    pub(crate) fn control(&self, control: &Control) -> Part {
        let mut hash = Fingerprinter::default();
        hash.write_u64(
            u64::from(control.next) << 32 | u64::from(control.active) << 1 | u64::from(control.zield),
        );
        for m in &control.tasks {
            let meta = u64::from(m.level) << 32 | u64::from(m.buffer) << 16 | u64::from(m.handle);
            hash.write_u64(u64::from(m.task) << 48 ^ meta);
        }
        hash.write_u64(u64::MAX);
        control.stopped.iter().for_each(|t| hash.write_u32(*t));
        hash.write_u64(u64::MAX);
        for (task, result) in &control.ended {
            hash.write_u32(*task);
            self.heap.write(*result, &mut hash);
        }
        self.controls.intern_as(hash.fingerprint(), || (control.clone(), control.heap_bytes()))
    }

    pub(crate) fn stack(&self, stack: &Stack) -> Part {
        let mut hash = Fingerprinter::default();
        hash.write_u64(u64::from(stack.atomic) << 32 | u64::from(stack.child));
        for f in &stack.frames {
            hash.write_u64(u64::from(f.pc) << 32 | u64::from(f.base));
            hash.write_u64(u64::from(f.function));
        }
        hash.write_u64(u64::MAX);
        stack.values.iter().for_each(|v| self.heap.write(*v, &mut hash));
        self.stacks.intern_as(hash.fingerprint(), || (stack.clone(), stack.heap_bytes()))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.heap.bytes() + self.controls.bytes() + self.stacks.bytes()
    }
}

/// The positions of the parts in a state.
pub(crate) const CONTROL: usize = 0;
pub(crate) const STACKS: usize = 1;
