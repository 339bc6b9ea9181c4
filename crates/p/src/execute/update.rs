//! Changing a part of a variable: what is on the way to it is made anew.

use super::ops::NEW;
use super::{Note, Observer, Run, Runner, fails};
use crate::code::{Change, PathStep};
use crate::value::{Data, Value};

impl<O: Observer> Runner<'_, O> {
    pub(super) fn update(&mut self, path: u32, change: Change) -> Run<()> {
        let path = &self.code.paths[path as usize];
        let (first, second) = match change {
            Change::Insert => {
                let value = self.pop();
                (self.pop(), value)
            }
            _ => (self.pop(), Value::Null),
        };
        let indices = path.steps.iter().filter(|s| matches!(s, PathStep::Index)).count();
        let from = self.local.values.len().saturating_sub(indices);
        let indices: Vec<Value> = self.local.values.drain(from..).collect();
        let base = if path.field { 0 } else { self.local.frames.last().map_or(0, |f| f.base as usize) };
        let place = base + path.variable as usize;
        let old = self.local.values[place];
        let value = self.changed(old, &path.steps, &indices, change, (first, second))?;
        self.local.values[place] = value;
        if O::WATCHES {
            let function = if path.field { None } else { self.local.frames.last().map(|f| f.function) };
            self.note(Note::Set(function, path.variable, value));
        }
        Ok(())
    }

    /// The value in which the part at the end of the steps is changed.
    fn changed(
        &mut self,
        value: Value,
        steps: &[PathStep],
        indices: &[Value],
        change: Change,
        operands: (Value, Value),
    ) -> Run<Value> {
        // The parts on the way, from the outside in; then each is made anew from the inside out.
        let mut way: Vec<(Value, usize, Option<Value>)> = Vec::new();
        let mut inner = value;
        let mut next_index = indices.iter();
        for (nth, step) in steps.iter().enumerate() {
            let last = nth + 1 == steps.len();
            let index = match step {
                PathStep::Item(_) => None,
                PathStep::Index => next_index.next().copied(),
            };
            let (place, part) = self.part(inner, *step, index, last && change == Change::Set)?;
            way.push((inner, place, index));
            inner = part;
        }
        let mut made = match change {
            Change::Set => operands.0,
            _ => self.changed_collection(inner, change, operands)?,
        };
        for (whole, place, index) in way.into_iter().rev() {
            made = self.replaced(whole, place, index, made)?;
        }
        Ok(made)
    }

    /// Where a part is, and what it is. A key that is missing from a map may be set.
    fn part(
        &mut self,
        whole: Value,
        step: PathStep,
        index: Option<Value>,
        sets: bool,
    ) -> Run<(usize, Value)> {
        let heap = &self.store.heap;
        let Value::Data(id) = whole else { return fails("a part is changed, and the whole is `null`") };
        match (heap.data(id), step, index) {
            (Data::Tuple(_, fields), PathStep::Item(item), _) => match fields.get(item as usize) {
                Some(value) => Ok((item as usize, *value)),
                None => fails("a tuple does not have the field that is changed"),
            },
            (Data::Seq(values), PathStep::Index, Some(Value::Int(i))) => {
                match usize::try_from(i).ok().and_then(|place| Some((place, *values.get(place)?))) {
                    Some(found) => Ok(found),
                    None => {
                        fails(format!("the index {i} is out of range: there are {} elements", values.len()))
                    }
                }
            }
            (Data::Map(_), PathStep::Index, Some(Value::Null)) => fails("`null` is no key of a map"),
            (Data::Map(entries), PathStep::Index, Some(key)) => match heap.find_key(entries, key) {
                Ok(place) => Ok((place, entries[place].1)),
                Err(place) if sets => Ok((place, Value::Null)),
                Err(_) => fails("the map does not have this key"),
            },
            _ => fails("a part is changed that is not there"),
        }
    }

    /// The whole with another part.
    fn replaced(&mut self, whole: Value, place: usize, index: Option<Value>, part: Value) -> Run<Value> {
        let heap = &self.store.heap;
        let Value::Data(id) = whole else { return Ok(whole) };
        let mut data = heap.data(id).clone();
        let size = match &mut data {
            Data::Tuple(_, values) | Data::Seq(values) | Data::Set(values) => {
                values[place] = part;
                values.len()
            }
            Data::Map(entries) => {
                let key = index.unwrap_or_default();
                match entries.get_mut(place).filter(|e| heap.equal(e.0, key)) {
                    Some(entry) => entry.1 = part,
                    None => {
                        let mut list = std::mem::take(entries).into_vec();
                        list.insert(place, (key, part));
                        *entries = list.into();
                    }
                }
                entries.len()
            }
        };
        self.burn(NEW + size)?;
        Ok(self.store.heap.intern(data))
    }

    /// A collection with an element more or less.
    fn changed_collection(
        &mut self,
        value: Value,
        change: Change,
        (first, second): (Value, Value),
    ) -> Run<Value> {
        let heap = &self.store.heap;
        let Value::Data(id) = value else { return fails("a collection is changed, and it is `null`") };
        let mut data = heap.data(id).clone();
        let size = match (&mut data, change, first) {
            (Data::Seq(values), Change::Insert, Value::Int(i)) => {
                let count = values.len();
                let Some(place) = usize::try_from(i).ok().filter(|i| *i <= count) else {
                    return fails(format!("the index {i} is out of range: there are {count} elements"));
                };
                edit(values, |list| list.insert(place, second))
            }
            (Data::Seq(values), Change::Remove, Value::Int(i)) => {
                let count = values.len();
                let Some(place) = usize::try_from(i).ok().filter(|i| *i < count) else {
                    return fails(format!("the index {i} is out of range: there are {count} elements"));
                };
                edit(values, |list| {
                    list.remove(place);
                })
            }
            (Data::Map(_), _, Value::Null) => return fails("`null` is no key of a map"),
            (Data::Set(_), Change::Add, Value::Null) => return fails("`null` cannot be put into a set"),
            (Data::Set(values), Change::Add, element) => match heap.find(values, element) {
                Ok(_) => return Ok(value),
                Err(place) => edit(values, |list| list.insert(place, element)),
            },
            (Data::Set(values), Change::Remove, element) => match heap.find(values, element) {
                Ok(place) => edit(values, |list| {
                    list.remove(place);
                }),
                Err(_) => return Ok(value),
            },
            (Data::Map(entries), Change::Insert, key) => match heap.find_key(entries, key) {
                Ok(_) => return fails("the map has this key already"),
                Err(place) => edit(entries, |list| list.insert(place, (key, second))),
            },
            (Data::Map(entries), Change::Remove, key) => match heap.find_key(entries, key) {
                Ok(place) => edit(entries, |list| {
                    list.remove(place);
                }),
                Err(_) => return Ok(value),
            },
            _ => return fails("a collection is changed in a way that it does not have"),
        };
        self.burn(NEW + size)?;
        Ok(self.store.heap.intern(data))
    }
}

/// Edits a list, and says how long it is.
fn edit<A>(list: &mut Box<[A]>, f: impl FnOnce(&mut Vec<A>)) -> usize {
    let mut all = std::mem::take(list).into_vec();
    f(&mut all);
    *list = all.into();
    list.len()
}
