//! Footprints of steps, for [reduction](dally_explore::Options::reduction) and for partial-order sampling.
//!
//! A backward analysis of the instruction table finds, for each address, the objects that a step from there to its
//! end may touch, and those that the rest of the call may touch: calls and posted tasks included. The objects are:
//!
//! - each global; of a map, the cells with a known index ([`cells`]);
//! - the ids of tasks: a post takes the smallest free one, and a task that ends frees its own;
//! - the ends of tasks that a `wait` may name.
//!
//! For each object, a step *changes* it or not, and *minds* changes of it by others or not. Two steps conflict if one
//! changes an object that the other minds. A read minds; a write does both. The end of a task changes, and a `wait`
//! minds.
//!
//! Reading a global whose value is arbitrary chooses a value, so it is a write. A global is never arbitrary again
//! once it has a value, unless the program can make it so ([`Footprints::arbitrary`]).
//!
//! An instruction in an atomic section is no scheduling point, so there are two analyses of steps, inside atomic
//! sections and outside. Programs with constraints, hot variables, scripts, or quantifiers over the values that an
//! execution mentions have no footprints: nothing commutes.
//!
//! *Levels and buffers.* The next task is one of the active buffer and, there, of the highest level with a task that is not
//! blocked. So before a step of a task of that buffer and level, only tasks of the same buffer and level run, unless one of
//! them posts a task of a higher level, wakes one, or gives control to another buffer. Such steps *leave* the level, and conflict
//! with all others. Steps that stay there commute as if there were no levels and buffers.

mod analysis;
mod cells;
#[cfg(test)]
mod tests;

use dally_explore::{Footprint, Object, TaskId};
use smallvec::SmallVec;

use crate::code::{Code, Op};
use crate::machine::Machine;
use crate::state::{Control, Meta, STACKS, Stack, State};
use crate::value::Value;
use cells::Cell;

/// The footprints of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprints {
    /// The number of words of a set of objects.
    words: usize,
    globals: u32,
    /// Distinct footprints: the words of the changed objects, then those of the minded ones.
    rows: Vec<u64>,
    /// For each address, once for each way in which levels have scheduling points.
    points: Vec<Vec<Point>>,
    /// The levels of tasks, with the index of their points.
    tables: Vec<(u16, usize)>,
    /// The levels that posts name: posts at them are objects, after the mark.
    raised: Vec<u16>,
    /// Cells of maps: objects, after the others.
    cells: Vec<Cell>,
    /// True if all tasks have one level and one buffer.
    is_flat: bool,
    /// An error that tests must notice.
    #[cfg(test)]
    flaw: Option<tests::Flaw>,
    /// The globals whose value may be arbitrary at any time. The others are arbitrary until they get a value.
    arbitrary: Vec<u64>,
    /// The globals whose reads never choose a value: maps.
    maps: Vec<u64>,
    /// True if every step may free the id of a task: by dropping its last handle.
    frees_ids: bool,
    /// True if the end of a task frees its id.
    reuses_ids: bool,
}

/// The footprints at an address.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// The rows of a step, outside and inside atomic sections.
    step: [u32; 2],
    /// For each, the ways in which the step may return from the call, as a set: outside and inside.
    returns: [u8; 2],
    /// The row of the rest of the call.
    future: u32,
}

/// A set of objects that a step changes, and one that it minds.
type Row = SmallVec<[u64; 12]>;

/// A cell of a map in a state.
#[derive(Clone, Copy, Debug)]
struct Touched {
    map: u32,
    /// The index, if it is known.
    index: Option<Value>,
    changes: bool,
    minds: bool,
}

impl Touched {
    fn conflicts(&self, other: &Self) -> bool {
        let is_same = self.map == other.map
            && (self.index.is_none() || other.index.is_none() || self.index == other.index);
        is_same && (self.changes && other.minds || self.minds && other.changes)
    }
}

type Touches = SmallVec<[Touched; 4]>;

/// The footprint of a step: its objects without the cells, and the cells.
struct StepObjects {
    row: Row,
    cells: Touches,
}

impl Footprints {
    /// Analyses a program. Returns `None` if nothing is known of it.
    pub(crate) fn new(code: &Code) -> Option<Self> {
        analysis::footprints(code, |_| true)
    }

    /// The object of the ids of tasks.
    fn ids(&self) -> u32 {
        self.globals
    }

    /// The object of the ends of tasks.
    fn ends(&self) -> u32 {
        self.globals + 1
    }

    /// The mark of a footprint that conflicts with all others.
    fn everything(&self) -> u32 {
        self.globals + 2
    }

    /// The object of posts at the n-th of the levels that posts name.
    fn posts_at(&self, nth: usize) -> u32 {
        self.everything() + 1 + nth as u32
    }

    /// The object of control that is given to another buffer.
    fn zields(&self) -> u32 {
        self.posts_at(self.raised.len())
    }

    /// The object of a cell.
    fn cell(&self, number: u32) -> u32 {
        self.zields() + 1 + number
    }

    /// The footprints at an address of a task of this level.
    fn point(&self, level: u16, address: u32) -> Point {
        let table = match self.points.len() {
            1 => 0,
            _ => self.tables.iter().find(|(other, _)| *other == level).map_or(0, |(_, table)| *table),
        };
        self.points[table][address as usize]
    }

    /// Returns true if a task of this level may leave its level or its buffer, so that other tasks are enabled next.
    fn leaves(&self, level: u16, row: &[u64]) -> bool {
        let posts_above =
            (0..).zip(&self.raised).any(|(nth, to)| *to > level && Self::has(row, self.posts_at(nth)));
        posts_above || Self::has(row, self.zields())
    }

    /// Returns true if a step in this footprint can change which tasks of other levels and buffers are enabled.
    fn changes_level(&self, control: &Control, place: usize, step: &[u64]) -> bool {
        let Meta { level, buffer, .. } = control.tasks[place];
        // A task of a higher level is blocked now; it runs as soon as a step wakes it.
        let is_above = |other: &Meta| other.buffer == buffer && other.level > level;
        #[cfg(test)]
        let is_above = |other: &Meta| self.flaw != Some(tests::Flaw::StayBlocked) && is_above(other);
        !self.is_flat
            && (control.zield
                || control.active != buffer
                || control.tasks.iter().any(is_above)
                || self.leaves(level, step))
    }

    fn row(&self, number: u32) -> &[u64] {
        let width = 2 * self.words;
        &self.rows[number as usize * width..][..width]
    }

    /// Adds an object to a set of objects.
    fn add(set: &mut [u64], object: u32) {
        set[object as usize / 64] |= 1 << (object % 64);
    }

    fn remove(set: &mut [u64], object: u32) {
        set[object as usize / 64] &= !(1 << (object % 64));
    }

    /// Removes the cells from a set of objects: they are the last ones.
    fn remove_cells(&self, set: &mut [u64]) {
        let first = self.cell(0);
        let (word, bit) = (first as usize / 64, first % 64);
        if let Some((partly, wholly)) = set.get_mut(word..).and_then(<[u64]>::split_first_mut) {
            *partly &= (1 << bit) - 1;
            wholly.fill(0);
        }
    }

    fn has(set: &[u64], object: u32) -> bool {
        set[object as usize / 64] & 1 << (object % 64) != 0
    }

    /// The footprint of the next step of a task.
    fn step(&self, code: &Code, stack: &Stack, meta: Meta) -> StepObjects {
        let mut row: Row = SmallVec::from_elem(0, 2 * self.words);
        let mut cells = Touches::new();
        // The ways in which control comes to a frame: outside and inside atomic sections.
        let mut ways = 1_u8 << u32::from(stack.atomic > 0);
        for (nth, frame) in stack.frames.iter().rev().enumerate() {
            // The first instruction may be a wait, which passes: the other task has ended.
            let waits = nth == 0 && matches!(code.plain[frame.pc as usize], Op::Wait(_));
            let point = self.point(meta.level, frame.pc + u32::from(waits));
            let mut returns = 0;
            for way in (0..2).filter(|way| ways & 1 << way != 0) {
                let more = self.row(point.step[way]);
                row.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
                self.touch_cells(more, &stack.values[frame.base as usize..], &mut cells);
                returns |= point.returns[way];
            }
            ways = returns;
            if ways == 0 {
                break;
            }
        }
        let ends = ways != 0;
        let changes = &mut row[..self.words];
        if self.frees_ids || ends && self.reuses_ids {
            Self::add(changes, self.ids());
        }
        if ends && meta.handle {
            Self::add(changes, self.ends());
        }
        row.chunks_mut(self.words).for_each(|set| self.remove_cells(set));
        StepObjects { row, cells }
    }

    /// The cells of a footprint, and whether they are changed and minded. They are the last objects.
    fn cells_in<'r>(&'r self, row: &'r [u64]) -> impl Iterator<Item = (&'r Cell, bool, bool)> {
        let first = self.cell(0);
        let (changes, minds) = row.split_at(self.words);
        (first / 64..self.words as u32).flat_map(move |word| {
            let start = word * 64;
            let mut set =
                (changes[word as usize] | minds[word as usize]) & u64::MAX << first.saturating_sub(start);
            std::iter::from_fn(move || {
                let object = (set != 0).then(|| start + set.trailing_zeros())?;
                set &= set - 1;
                let cell = &self.cells[(object - first) as usize];
                Some((cell, Self::has(changes, object), Self::has(minds, object)))
            })
        })
    }

    /// Adds the cells of a footprint, in a call with these variables.
    fn touch_cells(&self, row: &[u64], variables: &[Value], out: &mut Touches) {
        for (cell, changes, minds) in self.cells_in(row) {
            out.push(Touched { map: cell.map, index: cell.value(variables), changes, minds });
        }
    }

    /// The maps of cells, as in a footprint.
    fn maps_of(&self, cells: &Touches) -> Row {
        let mut row: Row = SmallVec::from_elem(0, 2 * self.words);
        let (changes, minds) = row.split_at_mut(self.words);
        for cell in cells {
            if cell.changes {
                Self::add(changes, cell.map);
            }
            if cell.minds {
                Self::add(minds, cell.map);
            }
        }
        row
    }

    /// Returns true if the cells of a step conflict with those of another task, or with its maps, or the other way round.
    fn cells_conflict(&self, step: &StepObjects, other: &[u64], variables: &[Value]) -> bool {
        if self.cells.is_empty() {
            return false;
        }
        let meets_map = |cell: &Touched, row: &[u64]| {
            #[cfg(test)]
            if self.flaw == Some(tests::Flaw::CellsWithoutMaps) {
                return false;
            }
            let (changes, minds) = row.split_at(self.words);
            cell.changes && Self::has(minds, cell.map) || cell.minds && Self::has(changes, cell.map)
        };
        let meets_cell = |cell: &Touched| step.cells.iter().any(|own| own.conflicts(cell));
        step.cells.iter().any(|cell| meets_map(cell, other))
            || self.cells_in(other).any(|(cell, changes, minds)| {
                // The index matters only if another one would not help.
                let anywhere = Touched { map: cell.map, index: None, changes, minds };
                #[cfg(test)]
                if self.flaw == Some(tests::Flaw::UnknownIndices) && cell.value(variables).is_none() {
                    return false;
                }
                meets_map(&anywhere, &step.row)
                    || meets_cell(&anywhere)
                        && meets_cell(&Touched { index: cell.value(variables), ..anywhere })
            })
    }

    /// Describes a step in this state as reads and writes.
    ///
    /// Ends of tasks change ids and ends but do not mind them, so they commute with each other: they are reads. Posts
    /// and waits mind them: they are writes. So two waits in atomic sections conflict here, though they commute.
    fn describe(&self, state: &State, step: &StepObjects, out: &mut Footprint) {
        let mut row = self.maps_of(&step.cells);
        row.iter_mut().zip(&step.row).for_each(|(word, more)| *word |= more);
        let (changes, minds) = row.split_at(self.words);
        if Self::has(minds, self.everything()) {
            return out.touches_everything();
        }
        if !self.is_flat {
            // Steps that leave the level touch everything, and conflict with this one.
            out.reads(Object(u64::from(self.zields())));
        }
        for word in 0..self.words {
            let mut objects = changes[word] | minds[word];
            while objects != 0 {
                let object = word as u32 * 64 + objects.trailing_zeros();
                objects &= objects - 1;
                if object > self.everything() {
                    continue;
                }
                let writes = if object < self.globals {
                    Self::has(changes, object) || self.chooses(state, object)
                } else {
                    Self::has(minds, object)
                };
                let object = Object(u64::from(object));
                if writes { out.writes(object) } else { out.reads(object) }
            }
        }
    }

    /// Returns true if reading a global may choose its value in this state.
    fn chooses(&self, state: &State, global: u32) -> bool {
        !Self::has(&self.maps, global)
            && (Self::has(&self.arbitrary, global) || state.globals.get(global as usize) == Value::Unset)
    }

    /// Returns true if a step conflicts with the footprint of another task in this state.
    fn conflicts(&self, state: &State, step: &[u64], other: &[u64]) -> bool {
        let (changes, minds) = step.split_at(self.words);
        let (other_changes, other_minds) = other.split_at(self.words);
        if Self::has(minds, self.everything()) || Self::has(other_minds, self.everything()) {
            return true;
        }
        (0..self.words).any(|word| {
            if changes[word] & other_minds[word] | minds[word] & other_changes[word] != 0 {
                return true;
            }
            let mut both = minds[word] & other_minds[word] & !self.maps[word];
            while both != 0 {
                let object = word as u32 * 64 + both.trailing_zeros();
                both &= both - 1;
                if object < self.globals && self.chooses(state, object) {
                    return true;
                }
            }
            false
        })
    }
}

impl Machine {
    /// Returns true if the next step of a task commutes with all steps that others can take before it.
    pub(crate) fn step_commutes(&self, state: &State, task: TaskId) -> bool {
        let Some(footprints) = &self.footprints else { return false };
        let control = self.control_of(state);
        let Some(place) = control.place(task.0) else { return false };
        let stack_at = |place: usize| self.store.stacks.get(state.ids()[STACKS + place]);
        let Meta { level, buffer, .. } = control.tasks[place];
        let step = footprints.step(&self.code, stack_at(place), control.tasks[place]);
        if footprints.changes_level(control, place, &step.row) {
            return false;
        }
        let minds = &step.row[footprints.words..];
        (0..control.tasks.len()).filter(|other| *other != place).all(|other| {
            let meta = control.tasks[other];
            if !footprints.is_flat && (meta.buffer != buffer || meta.level < level) {
                // It does not run before this step.
                return true;
            }
            // The end of the other task.
            let ends = footprints.reuses_ids && Footprints::has(minds, footprints.ids())
                || meta.handle && Footprints::has(minds, footprints.ends());
            let conflicts = ends
                || stack_at(other).frames.iter().any(|frame| {
                    let variables = &stack_at(other).values[frame.base as usize..];
                    let future = footprints.row(footprints.point(level, frame.pc).future);
                    footprints.leaves(level, future)
                        || footprints.conflicts(state, &step.row, future)
                        || footprints.cells_conflict(&step, future, variables)
                });
            !conflicts || self.waits_for(state, control, other, task.0)
        })
    }

    /// Describes the objects of the next step of a task: globals, the ids of tasks, and their ends.
    pub(crate) fn footprint_of(&self, state: &State, task: TaskId, out: &mut Footprint) {
        let control = self.control_of(state);
        let (Some(footprints), Some(place)) = (&self.footprints, control.place(task.0)) else {
            return out.touches_everything();
        };
        let stack = self.store.stacks.get(state.ids()[STACKS + place]);
        let step = footprints.step(&self.code, stack, control.tasks[place]);
        if footprints.changes_level(control, place, &step.row) {
            return out.touches_everything();
        }
        footprints.describe(state, &step, out);
    }

    /// Returns true if a task waits for another one, directly or not: it does nothing before that ends.
    fn waits_for(&self, state: &State, control: &Control, place: usize, task: u32) -> bool {
        let mut place = place;
        for _ in 0..control.tasks.len() {
            let stack = self.store.stacks.get(state.ids()[STACKS + place]);
            let Some(frame) = stack.frames.last() else { return false };
            let Op::Wait(local) = self.code.plain[frame.pc as usize] else { return false };
            match stack.values[(frame.base + local) as usize] {
                Value::Task(awaited) if awaited == task => return true,
                Value::Task(awaited) => match control.place(awaited) {
                    Some(awaited) => place = awaited,
                    None => return false,
                },
                _ => return false,
            }
        }
        false
    }
}
