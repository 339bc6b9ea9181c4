//! Excerpts of long sequences: the first items, the last items, and the number of items between.
//!
//! A step can execute millions of statements, and an execution can have millions of steps. Traces
//! keep an excerpt of them, in constant memory.

use std::collections::VecDeque;

/// Statements of a step that are kept at either end: more than a person reads.
const STATEMENTS_OF_A_STEP: usize = 250;

/// Collects the first and the last of many items.
#[derive(Clone, Debug)]
pub struct Excerpt<T> {
    /// The most that the items at either end may weigh in total.
    capacity: usize,
    weight: fn(&T) -> usize,
    first: Vec<T>,
    /// The total weight of `first`.
    first_weight: usize,
    last: VecDeque<T>,
    /// The total weight of `last`.
    last_weight: usize,
    /// The number of items between `first` and `last`.
    left_out: usize,
}

impl<T> Excerpt<T> {
    /// Keeps items of total weight `capacity` at either end. `weight` must be at least 1. The last
    /// item is always kept.
    pub fn new(capacity: usize, weight: fn(&T) -> usize) -> Self {
        Self {
            capacity,
            weight,
            first: Vec::new(),
            first_weight: 0,
            last: VecDeque::new(),
            last_weight: 0,
            left_out: 0,
        }
    }

    /// Keeps `capacity` items at either end.
    pub(crate) fn of(capacity: usize) -> Self {
        Self::new(capacity, |_| 1)
    }

    /// An excerpt of the statements of a step.
    pub fn of_a_step() -> Self {
        Self::of(STATEMENTS_OF_A_STEP)
    }

    /// The number of items so far, kept or not.
    pub fn len(&self) -> usize {
        self.first.len() + self.left_out + self.last.len()
    }

    /// Returns true if there was no item yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the next item.
    pub fn push(&mut self, item: T) {
        let weight = (self.weight)(&item);
        if self.is_beginning() && self.first_weight + weight <= self.capacity {
            self.first_weight += weight;
            self.first.push(item);
            return;
        }
        self.last_weight += weight;
        self.last.push_back(item);
        while self.last_weight > self.capacity && self.last.len() > 1 {
            self.last_weight -= self.last.pop_front().map_or(0, |item| (self.weight)(&item));
            self.left_out += 1;
        }
    }

    /// Returns true if all items so far are in `first`.
    fn is_beginning(&self) -> bool {
        self.left_out == 0 && self.last.is_empty()
    }

    /// Returns true if the next item can be part of the final excerpt, given the number of items
    /// that follow it. Otherwise call [`Self::leave_out`] instead of creating the item.
    pub fn may_keep(&self, after: usize) -> bool {
        self.is_beginning() || after < self.capacity
    }

    /// Counts the next item without keeping it. Neither it nor the items in `last` can be part of
    /// the final excerpt.
    pub fn leave_out(&mut self) {
        self.left_out += self.last.len() + 1;
        self.last.clear();
        self.last_weight = 0;
    }

    /// The item with this number, if it is kept.
    pub fn get_mut(&mut self, nth: usize) -> Option<&mut T> {
        if nth < self.first.len() {
            return self.first.get_mut(nth);
        }
        self.last.get_mut(nth.checked_sub(self.first.len() + self.left_out)?)
    }

    /// The excerpt, after the last item.
    pub fn finish(self) -> Kept<T> {
        Kept { first: self.first, left_out: self.left_out, last: self.last.into() }
    }
}

/// An excerpt of many items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<T> {
    /// The first items.
    pub first: Vec<T>,
    /// The number of items between the first and the last ones.
    pub left_out: usize,
    /// The last items.
    pub last: Vec<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { first: Vec::new(), left_out: 0, last: Vec::new() }
    }
}

impl<T> Kept<T> {
    /// Applies `f` to every item that is kept.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Kept<U> {
        Kept {
            first: self.first.into_iter().map(&mut f).collect(),
            left_out: self.left_out,
            last: self.last.into_iter().map(f).collect(),
        }
    }

    /// The items that are kept.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.last)
    }
}

/// Shortens a text to `chars` characters; an ellipsis marks the cut.
pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Writing a value stops once its text has this many bytes.
const BYTES_OF_A_VALUE: usize = 120;

/// The text of a value, shortened if it is long: a number can have millions of digits.
pub fn value_text(write: impl FnOnce(&mut String)) -> String {
    let mut text = String::new();
    write(&mut text);
    cut(&text, 2 * BYTES_OF_A_VALUE)
}

/// Returns true if the text of a value is long enough to stop writing, after appending an ellipsis.
pub fn is_long(value: &mut String) -> bool {
    let long = value.len() > BYTES_OF_A_VALUE;
    if long && !value.ends_with('…') {
        value.push('…');
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(first: &[usize], left_out: usize, last: &[usize]) -> Kept<usize> {
        Kept { first: first.to_vec(), left_out, last: last.to_vec() }
    }

    #[test]
    fn items_in_the_middle_are_counted_not_kept() {
        let mut excerpt = Excerpt::of(3);
        (0..6).for_each(|n| excerpt.push(n));
        assert_eq!(excerpt.clone().finish(), kept(&[0, 1, 2], 0, &[3, 4, 5]));
        (6..1000).for_each(|n| excerpt.push(n));
        assert_eq!(excerpt.len(), 1000);
        assert_eq!([2, 997].map(|nth| excerpt.get_mut(nth).copied()), [Some(2), Some(997)]);
        assert_eq!([3, 996, 1000].map(|nth| excerpt.get_mut(nth).copied()), [None; 3]);
        assert_eq!(excerpt.finish(), kept(&[0, 1, 2], 994, &[997, 998, 999]));
    }

    #[test]
    fn fewer_heavy_items_are_kept() {
        let mut excerpt = Excerpt::new(10, |n| *n);
        [4, 7, 1, 2, 3, 20].into_iter().for_each(|n| excerpt.push(n));
        // The last item is kept, although it exceeds the capacity.
        assert_eq!(excerpt.finish(), kept(&[4], 4, &[20]));
    }

    #[test]
    fn leaving_items_out_gives_the_same_excerpt_as_pushing_them() {
        for count in 0..20 {
            let (mut pushed, mut left_out) = (Excerpt::new(6, |n| n % 3 + 1), Excerpt::new(6, |n| n % 3 + 1));
            for n in 0..count {
                pushed.push(n);
                if left_out.may_keep(count - n - 1) { left_out.push(n) } else { left_out.leave_out() }
            }
            assert_eq!(pushed.finish(), left_out.finish(), "{count}");
        }
    }
}
