//! Assignments to a part of a variable: the values that contain the part are rebuilt.

use dally_step::collection::{Entry, Tree};

use super::ops::NEW;
use super::{Note, Observer, Run, Runner, fails};
use crate::code::{Change, PathStep};
use crate::value::{Data, InMap, InSeq, InSet, Value};

/// A change of a value, with its operands.
#[derive(Clone, Copy)]
enum Edit {
    /// Replaces the value.
    Set(Value),
    /// Inserts an element into a sequence or a map, at this index or key.
    Insert(Value, Value),
    /// Adds an element to a set.
    Add(Value),
    /// Removes the element at this index or key, or this element of a set.
    Remove(Value),
}

/// A value of which a part changes.
struct Whole {
    value: Value,
    /// The position of the part, and its key if the value is a map.
    part: Position,
}

/// The position of a part of a tuple or a collection.
#[derive(Clone, Copy)]
enum Position {
    Field(usize),
    Element(usize),
    /// The entry with this key; it may not exist yet.
    Key(Value, Result<usize, usize>),
}

impl<O: Observer> Runner<'_, O> {
    pub(super) fn update(&mut self, path: u32, change: Change) -> Run<()> {
        let path = &self.code.paths[path as usize];
        let last = self.pop();
        let edit = match change {
            Change::Set => Edit::Set(last),
            Change::Insert => Edit::Insert(self.pop(), last),
            Change::Add => Edit::Add(last),
            Change::Remove => Edit::Remove(last),
        };
        let indices = path.steps.iter().filter(|s| matches!(s, PathStep::Index)).count();
        let from = self.local.values.len().saturating_sub(indices);
        let indices: Vec<Value> = self.local.values.drain(from..).collect();
        let base = if path.field { 0 } else { self.local.frames.last().map_or(0, |f| f.base as usize) };
        let place = base + path.variable as usize;
        let value = self.changed(self.local.values[place], &path.steps, &indices, edit)?;
        self.local.values[place] = value;
        if O::WATCHES {
            let function = if path.field { None } else { self.local.frames.last().map(|f| f.function) };
            self.note(Note::Set(function, path.variable, value));
        }
        Ok(())
    }

    /// The value after an edit of the part at the end of a path.
    fn changed(&mut self, value: Value, steps: &[PathStep], indices: &[Value], edit: Edit) -> Run<Value> {
        // The values on the path, outermost first. They are rebuilt from the innermost one outwards.
        let mut wholes: Vec<Whole> = Vec::new();
        let mut inner = value;
        let mut next_index = indices.iter();
        for (nth, step) in steps.iter().enumerate() {
            let last = nth + 1 == steps.len();
            let index = match step {
                PathStep::Item(_) => None,
                PathStep::Index => next_index.next().copied(),
            };
            let part = self.position(inner, *step, index)?;
            let whole = Whole { value: inner, part };
            inner = match self.part(&whole) {
                Some(part) => part,
                // Assignment adds a key that a map does not have.
                None if last && matches!(edit, Edit::Set(_)) => Value::Null,
                None => return fails("the map does not have this key"),
            };
            wholes.push(whole);
        }
        let mut made = match edit {
            Edit::Set(value) => value,
            _ => self.edited(inner, edit)?,
        };
        for whole in wholes.iter().rev() {
            made = self.with_part(whole, made)?;
        }
        Ok(made)
    }

    /// The position of a part of a value.
    fn position(&self, whole: Value, step: PathStep, index: Option<Value>) -> Run<Position> {
        let heap = &self.store.heap;
        let Value::Data(id) = whole else { return fails("a part of `null` is assigned to") };
        match (heap.data(id), step, index) {
            (Data::Tuple(_, fields), PathStep::Item(item), _) if (item as usize) < fields.len() => {
                Ok(Position::Field(item as usize))
            }
            (Data::Tuple(..), PathStep::Item(_), _) => fails("the tuple has no such field"),
            (Data::Seq(values), PathStep::Index, Some(Value::Int(i))) => {
                Ok(Position::Element(place_below(i, values.len(), values.len())?))
            }
            (Data::Map(_), PathStep::Index, Some(Value::Null)) => fails("`null` cannot be a key of a map"),
            (Data::Map(entries), PathStep::Index, Some(key)) => {
                Ok(Position::Key(key, heap.find_key(entries, key)))
            }
            _ => fails("the assigned part does not exist"),
        }
    }

    /// The part of a value, if it exists.
    fn part(&self, whole: &Whole) -> Option<Value> {
        let Value::Data(id) = whole.value else { return None };
        match (self.store.heap.data(id), whole.part) {
            (Data::Tuple(_, fields), Position::Field(place)) => fields.get(place).copied(),
            (Data::Seq(values), Position::Element(place)) => values.get(place),
            (Data::Map(entries), Position::Key(_, Ok(place))) => entries.get(place).map(|entry| entry.value),
            _ => None,
        }
    }

    /// The value with another part.
    fn with_part(&mut self, whole: &Whole, part: Value) -> Run<Value> {
        let heap = &self.store.heap;
        let Value::Data(id) = whole.value else { return Ok(whole.value) };
        let data = match (heap.data(id), whole.part) {
            (Data::Tuple(names, fields), Position::Field(place)) => {
                let mut fields = fields.clone();
                fields[place] = part;
                Data::Tuple(*names, fields)
            }
            (Data::Seq(values), Position::Element(place)) => {
                Data::Seq(values.replace(place, part, &InSeq(heap)))
            }
            (Data::Map(entries), Position::Key(_, Ok(place))) => {
                // The old key stays: an equal one may differ in its permissions.
                let key = entries.get(place).map_or(Value::Null, |entry| entry.key);
                Data::Map(entries.replace(place, Entry { key, value: part }, &InMap(heap)))
            }
            (Data::Map(entries), Position::Key(key, Err(place))) => {
                Data::Map(entries.insert(place, Entry { key, value: part }, &InMap(heap)))
            }
            _ => return Ok(whole.value),
        };
        self.made(data)
    }

    /// The collection after an insertion or a removal.
    fn edited(&mut self, value: Value, edit: Edit) -> Run<Value> {
        let heap = &self.store.heap;
        let Value::Data(id) = value else { return fails("the updated collection is `null`") };
        let data = match heap.data(id) {
            Data::Seq(values) => Some(Data::Seq(self.edited_seq(values, edit)?)),
            Data::Set(values) => self.edited_set(values, edit)?.map(Data::Set),
            Data::Map(entries) => self.edited_map(entries, edit)?.map(Data::Map),
            Data::Tuple(..) => return fails(NO_SUCH_EDIT),
        };
        data.map_or(Ok(value), |data| self.made(data))
    }

    fn edited_seq(&self, values: &Tree<Value>, edit: Edit) -> Run<Tree<Value>> {
        let content = InSeq(&self.store.heap);
        match edit {
            Edit::Insert(Value::Int(i), value) => {
                let place = place_below(i, values.len() + 1, values.len())?;
                Ok(values.insert(place, value, &content))
            }
            Edit::Remove(Value::Int(i)) => {
                let place = place_below(i, values.len(), values.len())?;
                Ok(values.remove(place, &content))
            }
            _ => fails(NO_SUCH_EDIT),
        }
    }

    /// The set after an edit; `None` if it is unchanged.
    fn edited_set(&self, values: &Tree<Value>, edit: Edit) -> Run<Option<Tree<Value>>> {
        let heap = &self.store.heap;
        Ok(match edit {
            Edit::Add(Value::Null) => return fails("`null` cannot be an element of a set"),
            Edit::Add(element) => {
                heap.find(values, element).err().map(|place| values.insert(place, element, &InSet(heap)))
            }
            Edit::Remove(element) => {
                heap.find(values, element).ok().map(|place| values.remove(place, &InSet(heap)))
            }
            _ => return fails(NO_SUCH_EDIT),
        })
    }

    /// The map after an edit; `None` if it is unchanged.
    fn edited_map(&self, entries: &Tree<Entry<Value>>, edit: Edit) -> Run<Option<Tree<Entry<Value>>>> {
        let heap = &self.store.heap;
        Ok(match edit {
            Edit::Insert(Value::Null, _) | Edit::Add(Value::Null) | Edit::Remove(Value::Null) => {
                return fails("`null` cannot be a key of a map");
            }
            Edit::Insert(key, value) => match heap.find_key(entries, key) {
                Ok(_) => return fails("the map already has this key"),
                Err(place) => Some(entries.insert(place, Entry { key, value }, &InMap(heap))),
            },
            Edit::Remove(key) => {
                heap.find_key(entries, key).ok().map(|place| entries.remove(place, &InMap(heap)))
            }
            _ => return fails(NO_SUCH_EDIT),
        })
    }

    /// Interns an updated value. Burns fuel for the part that is not shared.
    fn made(&mut self, data: Data) -> Run<Value> {
        let cost = match &data {
            Data::Tuple(_, fields) => fields.len(),
            Data::Seq(values) | Data::Set(values) => values.update_cost(),
            Data::Map(entries) => entries.update_cost(),
        };
        self.burn(NEW + cost)?;
        Ok(self.store.heap.intern(data))
    }
}

const NO_SUCH_EDIT: &str = "the collection does not support this operation";

/// The position of an index, which has to be below a limit. The collection has this many elements.
fn place_below(index: i64, limit: usize, len: usize) -> Run<usize> {
    match usize::try_from(index).ok().filter(|place| *place < limit) {
        Some(place) => Ok(place),
        None => fails(format!("the index {index} is out of range: there are {len} elements")),
    }
}
