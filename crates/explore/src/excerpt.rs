//! What is kept of something that may be very long: its beginning and its end.
//!
//! A step may execute millions of statements, and an execution have millions of steps. Whoever tells of them keeps
//! what comes first and what comes last, and counts what lies between, which takes no memory.

use std::collections::VecDeque;

/// How many statements of a step are kept at either end: more than anyone reads of one turn of a task.
const OF_A_STEP: usize = 250;

/// The first and the last of many items.
#[derive(Clone, Debug)]
pub struct Excerpt<T> {
    /// How much the items at either end may weigh together.
    most: usize,
    weight: fn(&T) -> usize,
    first: Vec<T>,
    /// What the first ones weigh.
    first_weight: usize,
    last: VecDeque<T>,
    last_weight: usize,
    left_out: usize,
}

impl<T> Excerpt<T> {
    /// Keeps items of this weight at either end. Each weighs at least 1, and one is always kept.
    pub fn new(most: usize, weight: fn(&T) -> usize) -> Self {
        Self {
            most,
            weight,
            first: Vec::new(),
            first_weight: 0,
            last: VecDeque::new(),
            last_weight: 0,
            left_out: 0,
        }
    }

    /// Keeps so many items at either end.
    pub fn of(most: usize) -> Self {
        Self::new(most, |_| 1)
    }

    /// For the statements of a step.
    pub fn of_a_step() -> Self {
        Self::of(OF_A_STEP)
    }

    /// How many items there were.
    pub fn len(&self) -> usize {
        self.first.len() + self.left_out + self.last.len()
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next item.
    pub fn push(&mut self, item: T) {
        let weight = (self.weight)(&item);
        if self.is_beginning() && self.first_weight + weight <= self.most {
            self.first_weight += weight;
            self.first.push(item);
            return;
        }
        self.last_weight += weight;
        self.last.push_back(item);
        while self.last_weight > self.most && self.last.len() > 1 {
            self.last_weight -= self.last.pop_front().map_or(0, |item| (self.weight)(&item));
            self.left_out += 1;
        }
    }

    /// Whether nothing has gone to the end yet.
    fn is_beginning(&self) -> bool {
        self.left_out == 0 && self.last.is_empty()
    }

    /// Whether the next item may be kept in the end, given how many come after it. If not, it need not be made.
    pub fn may_keep(&self, after: usize) -> bool {
        self.is_beginning() || after < self.most
    }

    /// The next item was not made: it would not be kept, and neither are those at the end so far.
    pub fn leave_out(&mut self) {
        self.left_out += self.last.len() + 1;
        self.last.clear();
        self.last_weight = 0;
    }

    /// An item by its number, if it is kept.
    pub fn get_mut(&mut self, nth: usize) -> Option<&mut T> {
        if nth < self.first.len() {
            return self.first.get_mut(nth);
        }
        self.last.get_mut(nth.checked_sub(self.first.len() + self.left_out)?)
    }

    /// What is kept once there are no more.
    pub fn finish(self) -> Kept<T> {
        Kept { first: self.first, left_out: self.left_out, last: self.last.into() }
    }
}

/// What is kept of many items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<T> {
    /// The first ones.
    pub first: Vec<T>,
    /// How many came then.
    pub left_out: usize,
    /// The last ones.
    pub last: Vec<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { first: Vec::new(), left_out: 0, last: Vec::new() }
    }
}

impl<T> Kept<T> {
    /// The same of something else.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Kept<U> {
        Kept {
            first: self.first.into_iter().map(&mut f).collect(),
            left_out: self.left_out,
            last: self.last.into_iter().map(f).collect(),
        }
    }

    /// All that are kept.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.last)
    }
}

/// The beginning of a text, of so many characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Values are written until their text has so many bytes.
const OF_A_VALUE: usize = 120;

/// The text of a value, without most of it if it is long: a number may have millions of digits.
pub fn value_text(write: impl FnOnce(&mut String)) -> String {
    let mut text = String::new();
    write(&mut text);
    cut(&text, 2 * OF_A_VALUE)
}

/// Whether the text of a value is long enough. Then it says that there is more.
pub fn is_long(value: &mut String) -> bool {
    let long = value.len() > OF_A_VALUE;
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
    fn what_lies_between_is_counted() {
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
    fn heavy_items_are_fewer() {
        let mut excerpt = Excerpt::new(10, |n| *n);
        [4, 7, 1, 2, 3, 20].into_iter().for_each(|n| excerpt.push(n));
        // The last one is kept, whatever it weighs.
        assert_eq!(excerpt.finish(), kept(&[4], 4, &[20]));
    }

    #[test]
    fn what_is_not_made_is_what_would_not_be_kept() {
        for many in 0..20 {
            let (mut all, mut some) = (Excerpt::new(6, |n| n % 3 + 1), Excerpt::new(6, |n| n % 3 + 1));
            for n in 0..many {
                all.push(n);
                if some.may_keep(many - n - 1) { some.push(n) } else { some.leave_out() }
            }
            assert_eq!(all.finish(), some.finish(), "{many}");
        }
    }
}
