//! Iteration in order, and the comparison of two collections.

use std::cmp::Ordering;
use std::slice;

use super::node::{Node, Parts};

/// The elements of a collection, in order.
#[derive(Clone, Debug)]
pub struct Iter<'t, E> {
    /// The rest of the current leaf.
    leaf: slice::Iter<'t, E>,
    /// The nodes to visit after it, the next one last.
    next: Vec<&'t Node<E>>,
    /// The number of elements that are left.
    len: usize,
}

impl<'t, E> Iter<'t, E> {
    pub(super) fn flat(elements: &'t [E]) -> Self {
        Iter { leaf: elements.iter(), next: Vec::new(), len: elements.len() }
    }

    pub(super) fn new(node: &'t Node<E>) -> Self {
        Iter { leaf: [].iter(), next: vec![node], len: node.len }
    }

    /// Replaces the next node by its parts.
    fn open(&mut self) {
        match self.next.pop().map(|node| &node.parts) {
            Some(Parts::Leaf(elements)) => self.leaf = elements.iter(),
            Some(Parts::Branch(left, right)) => self.next.extend([&**right, &**left]),
            None => {}
        }
    }

    /// The next node, if the current leaf is done.
    fn node(&self) -> Option<&'t Node<E>> {
        if self.leaf.as_slice().is_empty() { self.next.last().copied() } else { None }
    }
}

impl<E: Copy> Iterator for Iter<'_, E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        while self.leaf.as_slice().is_empty() && !self.next.is_empty() {
            self.open();
        }
        let element = self.leaf.next().copied()?;
        self.len -= 1;
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<E: Copy> ExactSizeIterator for Iter<'_, E> {}

/// Compares the rests of two collections lexicographically.
pub(super) fn compare<E: Copy>(
    mut a: Iter<'_, E>,
    mut b: Iter<'_, E>,
    mut order: impl FnMut(E, E) -> Ordering,
) -> Ordering {
    loop {
        while let (Some(x), Some(y)) = (a.node(), b.node()) {
            if x.len == y.len && x.content == y.content {
                a.next.pop();
                b.next.pop();
                (a.len, b.len) = (a.len - x.len, b.len - y.len);
            } else if x.len >= y.len {
                a.open();
            } else {
                b.open();
            }
        }
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => match order(x, y) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
            (x, y) => return x.is_some().cmp(&y.is_some()),
        }
    }
}
