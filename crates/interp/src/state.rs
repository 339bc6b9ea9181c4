//! States: the globals, who waits for whom, and a stack for each task.
//!
//! The [`Control`] and the [`Stack`]s of the tasks, in the order of their ids, are interned: they come up again
//! and again. The globals seldom do, and would only fill the memory: they belong to the state, and go with it,
//! packed.
//! A step puts back only what it changed, and brings the hash up to date.

use std::hash::{Hash, Hasher};

use dally_explore::store::{Interner, Part, Parts};
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::Frame;
use smallvec::SmallVec;

use crate::memo::Memo;
use crate::packed::Packed;
use crate::value::{Heap, Value};

/// A configuration of a program.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) globals: Packed,
    /// The sum of what each global contributes, by value and position.
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

/// What a task is, between two steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) frames: SmallVec<[Frame; 2]>,
    /// Thread-local variables, then the variables of the frames.
    pub(crate) values: SmallVec<[Value; 8]>,
    /// How many atomic sections are open.
    pub(crate) atomic: u16,
    /// The task that it has posted last, plus one.
    pub(crate) child: u32,
}

/// What is known about a task without looking at its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meta {
    pub(crate) task: u32,
    pub(crate) level: u16,
    pub(crate) buffer: u16,
    /// Somebody may wait for it.
    pub(crate) handle: bool,
}

/// Who is there, and who may run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Control {
    /// The buffer whose turn it is.
    pub(crate) active: u16,
    /// Every buffer may go on next.
    pub(crate) zield: bool,
    /// The tasks, by id, without gaps in the order of the stacks.
    pub(crate) tasks: SmallVec<[Meta; 4]>,
    /// Tasks that were stopped in the middle, by one of a higher level or at a `zield`; the last one of a
    /// buffer goes on first, and before any other task of its level.
    pub(crate) stopped: SmallVec<[u32; 4]>,
    /// Tasks that have ended and may be waited for, with their results.
    pub(crate) ended: SmallVec<[(u32, Value); 2]>,
    /// The id of the next task, if ids are never used again.
    pub(crate) next: u32,
}

fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() { list.capacity() * size_of::<A::Item>() } else { 0 }
}

impl Control {
    pub(crate) fn heap_bytes(&self) -> usize {
        spilled(&self.tasks) + spilled(&self.stopped) + spilled(&self.ended)
    }

    /// The place of a task among the others.
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

/// The parts of all states.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) heap: Heap,
    pub(crate) controls: Interner<Control>,
    pub(crate) stacks: Interner<Stack>,
    pub(crate) memo: Memo,
    /// What the most common values of the first globals add to the hash.
    common: Vec<[u128; COMMON]>,
}

/// How many values are common.
const COMMON: usize = 16;
/// Of more globals than this, the others are hashed each time.
const MOST_COMMON: u32 = 1 << 10;

/// The place of a common value among them.
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
    /// An empty store for states with so many globals.
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

    /// A state of these parts.
    pub(crate) fn state(&self, globals: &[Value], parts: Parts) -> State {
        let contributions = (0_u64..).zip(globals).map(|(i, v)| self.contribution(i, *v));
        let globals_sum = contributions.fold(0_u128, u128::wrapping_add);
        State { globals: Packed::new(globals), globals_sum, parts }
    }

    /// What the globals add up to after a step, given those that may have changed.
    pub(crate) fn sum_after(
        &self,
        before: &State,
        globals: &[Value],
        changed: &(impl ExactSizeIterator<Item = u32> + Clone),
    ) -> u128 {
        // Few, as a rule: then those that come again are found by looking.
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

    /// What a global adds to the hash.
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

/// The places of the parts in a state.
pub(crate) const CONTROL: usize = 0;
pub(crate) const STACKS: usize = 1;
