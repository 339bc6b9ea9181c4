//! Undo logs: changes after a choice point are logged, and undone on backtracking.
//!
//! Two kinds of data change in a step, and each has its log:
//!
//! - [`Cells`]: many small variables, of which a step assigns few. Each assignment is logged.
//! - [`Saved`]: one larger value, copied before its first change after a choice point.
//!
//! Most options of most choices are guards that do not hold. So setting a choice point and leaving it
//! without a change is nearly free in both.

use std::ops::Deref;

use smallvec::SmallVec;

/// Variables with a log of assignments.
#[derive(Clone, Debug)]
pub struct Cells<T> {
    values: Vec<T>,
    /// The assignments in order, each with the previous value.
    log: SmallVec<[Assigned<T>; 4]>,
    /// The length of the log at the last mark.
    since: usize,
}

/// A logged assignment.
#[derive(Clone, Copy, Debug)]
pub struct Assigned<T> {
    /// The index of the cell.
    pub cell: u32,
    /// The previous value.
    pub before: T,
}

/// A point in the log of [`Cells`].
#[derive(Clone, Copy, Debug)]
pub struct CellsMark {
    at: usize,
    previous: usize,
}

impl<T: Copy + PartialEq> Cells<T> {
    /// Cells with these values, and an empty log.
    pub fn new(values: Vec<T>) -> Self {
        Cells { values, log: SmallVec::new(), since: 0 }
    }

    /// Assigns to a cell. A long log is compacted: of the assignments to a cell since the last mark, it
    /// keeps the first one, which undoes them all, and those for which `keep` is true, which the language
    /// needs.
    #[inline]
    pub fn set(&mut self, cell: u32, value: T, keep: impl Fn(&Assigned<T>) -> bool) {
        let before = std::mem::replace(&mut self.values[cell as usize], value);
        self.log.push(Assigned { cell, before });
        if self.log.len() - self.since > 2 * self.values.len() + 32 {
            self.compact(keep);
        }
    }

    #[cold]
    fn compact(&mut self, keep: impl Fn(&Assigned<T>) -> bool) {
        let mut seen = vec![false; self.values.len()];
        let mut kept: Vec<Assigned<T>> = Vec::new();
        for entry in self.log.drain(self.since..) {
            let first = !std::mem::replace(&mut seen[entry.cell as usize], true);
            let known = |other: &Assigned<T>| other.cell == entry.cell && other.before == entry.before;
            if first || keep(&entry) && !kept.iter().any(known) {
                kept.push(entry);
            }
        }
        self.log.extend(kept);
    }

    /// Sets a mark.
    #[inline]
    pub fn mark(&mut self) -> CellsMark {
        let previous = std::mem::replace(&mut self.since, self.log.len());
        CellsMark { at: self.since, previous }
    }

    /// Undoes the assignments since a mark. Returns true if there were any.
    #[inline]
    pub fn rewind(&mut self, mark: CellsMark) -> bool {
        let changed = self.is_changed(mark);
        for Assigned { cell, before } in self.log.drain(mark.at..).rev() {
            self.values[cell as usize] = before;
        }
        self.since = mark.at;
        changed
    }

    /// Removes the last mark.
    #[inline]
    pub fn release(&mut self, mark: CellsMark) {
        self.since = mark.previous;
    }

    /// Returns true if there were assignments since a mark.
    #[inline]
    pub fn is_changed(&self, mark: CellsMark) -> bool {
        self.log.len() > mark.at
    }

    /// Returns true if a cell was assigned to since a mark.
    pub fn is_assigned_since(&self, cell: u32, mark: CellsMark) -> bool {
        self.log[mark.at..].iter().any(|assigned| assigned.cell == cell)
    }

    /// The assignments since the step started, without those that were compacted.
    pub fn log(&self) -> &[Assigned<T>] {
        &self.log
    }

    /// The size of the log in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.log)
    }
}

impl<T> Deref for Cells<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values
    }
}

/// A value that is copied before its first change after a mark.
#[derive(Clone, Debug)]
pub struct Saved<T> {
    value: T,
    /// The number of marks.
    depth: u32,
    copies: Vec<Copied<T>>,
}

#[derive(Clone, Debug)]
struct Copied<T> {
    /// The mark that it belongs to, in ascending order.
    depth: u32,
    value: Box<T>,
}

impl<T: Clone> Saved<T> {
    /// A value, with no marks.
    pub fn new(value: T) -> Self {
        Saved { value, depth: 0, copies: Vec::new() }
    }

    /// Mutable access to the value; copies it if needed.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        if self.copies.last().map_or(0, |copy| copy.depth) < self.depth {
            self.save();
        }
        &mut self.value
    }

    fn save(&mut self) {
        self.copies.push(Copied { depth: self.depth, value: Box::new(self.value.clone()) });
    }

    /// Sets a mark.
    #[inline]
    pub fn mark(&mut self) -> SavedMark {
        self.depth += 1;
        SavedMark(self.depth)
    }

    /// Undoes the changes since a mark, which stays set. Returns true if there may have been any.
    #[inline]
    pub fn rewind(&mut self, mark: SavedMark) -> bool {
        let changed = self.is_changed(mark);
        while let Some(copy) = self.copies.pop_if(|copy| copy.depth >= mark.0) {
            self.value = *copy.value;
        }
        self.depth = mark.0;
        changed
    }

    /// Removes the last mark.
    #[inline]
    pub fn release(&mut self, mark: SavedMark) {
        self.depth = mark.0 - 1;
    }

    /// Returns true if the value may have changed since a mark.
    #[inline]
    pub fn is_changed(&self, mark: SavedMark) -> bool {
        self.copies.last().is_some_and(|copy| copy.depth >= mark.0)
    }

    /// The size of the copies in bytes; `heap` is the size of one on the heap.
    pub fn bytes(&self, heap: impl Fn(&T) -> usize) -> usize {
        self.copies.iter().map(|copy| size_of::<T>() + heap(&copy.value)).sum()
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// A mark of a [`Saved`] value.
#[derive(Clone, Copy, Debug)]
pub struct SavedMark(u32);

impl<T> Deref for Saved<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

/// A value that is borrowed until it is changed.
#[derive(Debug)]
pub enum Lazy<'m, T> {
    /// Borrowed.
    Shared(&'m T),
    /// A copy that was changed.
    Own(Box<T>),
}

impl<T: Clone> Clone for Lazy<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Lazy::Shared(shared) => Lazy::Shared(shared),
            Lazy::Own(own) => Lazy::Own(own.clone()),
        }
    }
}

impl<T: Clone> Lazy<'_, T> {
    /// Mutable access to the value; copies it if it is borrowed.
    #[inline]
    pub fn to_mut(&mut self) -> &mut T {
        if let Lazy::Shared(shared) = self {
            *self = Lazy::Own(Box::new((*shared).clone()));
        }
        match self {
            Lazy::Own(own) => own,
            Lazy::Shared(_) => unreachable!("a shared value was replaced by a copy"),
        }
    }

    /// The value, if it was changed.
    pub fn changed(&self) -> Option<&T> {
        match self {
            Lazy::Shared(_) => None,
            Lazy::Own(own) => Some(own),
        }
    }
}

impl<T> Deref for Lazy<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Lazy::Shared(shared) => shared,
            Lazy::Own(own) => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nested marks, each with a change before and after it, are undone one by one.
    #[test]
    fn rewinding_restores_values_mark_by_mark() {
        let mut cells = Cells::new(vec![0, 0, 0]);
        let mut saved = Saved::new(vec![0]);
        let mut marks = Vec::new();
        for depth in 1..=5 {
            marks.push((cells.mark(), saved.mark(), cells.to_vec(), saved.to_vec()));
            if depth % 2 == 0 {
                (0..100).for_each(|n| cells.set(n % 3, depth * 100 + n as i32, |_| false));
                saved.get_mut().push(depth);
                saved.get_mut().push(-depth);
            }
        }
        for (cell, save, cells_before, saved_before) in marks.into_iter().rev() {
            for _ in 0..2 {
                cells.rewind(cell);
                saved.rewind(save);
                assert_eq!((&cells[..], &saved[..]), (&cells_before[..], &saved_before[..]));
                assert!(!cells.is_changed(cell) && !saved.is_changed(save));
                cells.set(1, 77, |_| false);
                saved.get_mut().push(77);
            }
            assert!(cells.rewind(cell) && saved.rewind(save));
            cells.release(cell);
            saved.release(save);
        }
        assert_eq!((&cells[..], &saved[..]), (&[0, 0, 0][..], &[0][..]));
    }

    #[test]
    fn compaction_keeps_required_entries() {
        let mut cells = Cells::new(vec![0, 0]);
        (1..1000).for_each(|n| cells.set(0, n % 10, |entry| entry.before == 7));
        assert!(cells.log().len() <= 2 * 2 + 33);
        assert!(cells.log().iter().any(|entry| entry.before == 7));
        let mark = cells.mark();
        cells.rewind(mark);
        assert_eq!(cells[0], 9);
    }

    #[test]
    fn lazy_values_are_copied_once_changed() {
        let shared = vec![1];
        let mut lazy = Lazy::Shared(&shared);
        assert!(lazy.changed().is_none());
        lazy.to_mut().push(2);
        assert_eq!((lazy.changed(), &shared), (Some(&vec![1, 2]), &vec![1]));
    }
}
